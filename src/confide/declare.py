"""How a verb is declared. Its typed method says everything that a surface needs to offer it.

The same class works here and on a server: the door of a group decides where a call goes.
"""

from __future__ import annotations

import functools
import inspect
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Concatenate,
    Final,
    ParamSpec,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from confide.actor import Actor
from confide.model import Entity, Place
from confide.privacy.leaves import Called, Leaf
from confide.privacy.policy import Audience
from confide.wire.codec import bare, is_list, optional, shown_as, writer
from confide.wire.forms import CROWD, ENTITY, ROOM, ZONED

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.means import Means
    from confide.privacy.acting import Act, CallerKind
    from confide.providers.embedder import Embedder
    from confide.screen import Screen
    from confide.screen.leaving import Leaving
    from confide.spending import Spending
    from confide.store.database import Database

P = ParamSpec("P")
R = TypeVar("R")
G = TypeVar("G", bound="Group")


@dataclass(frozen=True, slots=True)
class Flag:
    """How the command line spells a field."""

    name: str


@dataclass(frozen=True, slots=True)
class Note:
    """What a field is for, in a help text."""

    words: str


class Source(StrEnum):
    """Where an argument comes from. All but `SENT` are made from the caller."""

    ACTOR = "actor"  # in whose name, and how that is proven
    ATTESTER = "attester"  # the platform's or operator's own word, as nobody in particular
    ALONE = "alone"  # the person whose eyes the answer is for, and nobody else's
    AUDIENCE = "audience"  # who will see the answer
    SELF = "self"  # whom the caller speaks for, whoever reads along
    VOUCHED = "vouched"  # somebody whom the caller speaks for, or attests
    PLACE = "place"  # where it is said: the platform says so, a key is a place of its own
    CONTEXT = "context"  # a context by its id, `ctx:ID`
    HOLDER = "holder"  # of the key that came with the request: its id, platform and who holds it
    HERE = "here"  # only in this process, such as a progress bar
    SENT = "sent"  # a plain field of the request


#: What no request carries: it is made from the caller, or stays in this process.
UNSENT: Final = (
    Source.ACTOR,
    Source.ATTESTER,
    Source.ALONE,
    Source.SELF,
    Source.HOLDER,
    Source.HERE,
)


#: The person whom the answer is made for: refused to callers whose answers others read too.
Alone = Annotated[Entity, Source.ALONE]
#: The platform or the operator itself, in nobody's name.
Attester = Annotated[Actor, Source.ATTESTER]
#: Somebody of the caller's own: of its platform, or the key's owner.
Vouched = Annotated[Entity, Source.VOUCHED]
#: The same, and one may write `"human:alice"`.
Whom = Annotated[Entity | str, ENTITY, Source.VOUCHED]
#: A space or a place of the caller's own platform, by the id that it has there.
OwnId = Annotated[str, Source.VOUCHED]
#: Whom the caller speaks for; nobody, where a key speaks for nobody and the type allows it.
Self = Annotated[Entity, Source.SELF]
#: Where it is said, as far as the caller can vouch for it.
Where = Annotated[Place, Source.PLACE]
#: A place that people join and leave.
Room = Annotated[Place | str, ROOM, Source.PLACE]
InContext = Annotated[Place, Source.CONTEXT]
#: Of the key that came with the request. Whoever opened the store has none.
HeldKey = Annotated[uuid.UUID, Source.HOLDER]
HeldPlatform = Annotated[str, Source.HOLDER]
HeldBy = Annotated[Actor, Source.HOLDER]


@dataclass(frozen=True, slots=True)
class Between:
    """The least and the most that a number may be."""

    least: int
    most: int


#: As long as what people say.
Text = Annotated[str, 32 * 1024]
#: A time that says where it was that time: one without a zone is refused.
Zoned = Annotated[datetime, ZONED]
#: How many answers at most.
Limit = Annotated[int, Between(1, 1000), Note("How many at most.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One argument of a verb."""

    name: str
    hint: Any
    source: Source
    default: Any = inspect.Parameter.empty
    is_many: bool = False  # `*who`
    flag: str | None = None
    note: str | None = None

    @property
    def is_needed(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def shown(self) -> str:
        """Its name in JSON and on the command line."""
        return shown_as(self.name, self.hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One verb as declared. `run` is the work itself, without a door."""

    name: str
    act: Act | None  # None: `only` says who, and the verb asks for each
    method: str
    path: str
    status: int
    is_once: bool  # a write whose answer holds nobody's words: an idempotency key repeats it
    is_long: bool
    is_alone: bool  # its answer is for one person's eyes
    is_private: bool  # not for a room: a token has to be for a direct chat
    only: tuple[CallerKind, ...]  # of those whom the table of acts lets in; none named: all
    answers: str | None  # what the answer is called in JSON, where it is a list or one value
    run: Callable[..., Awaitable[Any]]

    @property
    def says(self) -> str:
        return inspect.getdoc(self.run) or ""

    async def do(self, group: Group, given: dict[str, Any]) -> Any:
        """The work itself, with arguments that are understood."""
        many = next((one for one in fields_of(self) if one.is_many), None)
        if many is None:
            return await self.run(group, **given)
        before = fields_of(self)[: fields_of(self).index(many)]
        first = [given.pop(one.name, one.default) for one in before]
        return await self.run(group, *first, *given.pop(many.name, ()), **given)

    def names(self, field: Field) -> bool:
        """Whether the path holds this field."""
        return f"{{{field.shown}}}" in self.path or f"{{{field.shown}:path}}" in self.path


@functools.cache
def fields_of(verb: Verb) -> tuple[Field, ...]:
    """Its arguments, read from the signature."""
    hints = get_type_hints(verb.run, include_extras=True)
    _, *parameters = inspect.signature(verb.run).parameters.values()
    return tuple(_field(one, hints[one.name]) for one in parameters)


@functools.cache
def answer_of(verb: Verb) -> Any:
    """The type of its answer."""
    return get_type_hints(verb.run, include_extras=True)["return"]


@functools.cache
def answer_writer(
    verb: Verb, blank: frozenset[Leaf] = frozenset()
) -> Callable[[Any], dict[str, Any]]:
    """How its answer is written in JSON, on every surface. `blank`: what its readers are not to see."""
    kind, called = answer_of(verb), verb.answers
    if kind is type(None):
        return lambda _: {"done": True}
    write = writer(kind, blank)
    if called is None:
        return write
    if not is_list(kind):
        return lambda value: {called: write(value)}
    return lambda value: {called: write(value), "count": len(value)}


def _marks(hint: Any) -> tuple[Any, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def _field(parameter: inspect.Parameter, hint: Any) -> Field:
    inner = optional(hint)
    marks = (*_marks(hint), *_marks(inner))
    plain = bare(inner or hint)
    source = next((one for one in marks if isinstance(one, Source)), Source.SENT)
    if plain is Actor and source is Source.SENT:
        source = Source.ACTOR
    elif plain is Audience:
        source = Source.AUDIENCE
    is_many = parameter.kind is inspect.Parameter.VAR_POSITIONAL
    if is_many:
        called = tuple(one for one in marks if isinstance(one, Called))
        hint = Annotated[tuple[hint, ...], source, CROWD, *called]
    return Field(
        name=parameter.name,
        hint=hint,
        source=source,
        is_many=is_many,
        default=() if is_many else parameter.default,
        flag=next((one.name for one in marks if isinstance(one, Flag)), None),
        note=next((one.words for one in marks if isinstance(one, Note)), None),
    )


def verb(
    act: Act | None,
    route: str,
    *,
    status: int = 200,
    once: bool = False,
    long: bool = False,
    alone: bool = False,
    private: bool = False,
    only: tuple[CallerKind, ...] = (),
    answers: str | None = None,
) -> Callable[
    [Callable[Concatenate[G, P], Awaitable[R]]],
    Callable[Concatenate[G, P], Coroutine[Any, Any, R]],
]:
    """Declare a method of a group as a verb: `@verb(Act.CONSENT, "POST /memories/{memory}/shares")`."""
    method, path = route.split(" ")

    def declare(
        run: Callable[Concatenate[G, P], Awaitable[R]],
    ) -> Callable[Concatenate[G, P], Coroutine[Any, Any, R]]:
        declared = Verb(
            name=run.__name__,
            act=act,
            method=method,
            path=f"/v1{path}",
            status=status,
            is_once=once,
            is_long=long,
            is_alone=alone,
            is_private=private,
            only=only,
            answers=answers,
            run=run,
        )

        @functools.wraps(run)
        async def call(self: G, *args: P.args, **kwargs: P.kwargs) -> R:
            bound = _signature(run).bind(self, *args, **kwargs)
            given = dict(bound.arguments)
            del given["self"]
            return await self.door.call(declared, self, given)

        call.verb = declared  # pyright: ignore[reportAttributeAccessIssue]
        return call

    return declare


_signature: Final = functools.cache(inspect.signature)


class Door(Protocol):
    """Where a call goes: into the store that is open here, or to a server."""

    @property
    def means(self) -> Means: ...

    async def call(self, verb: Verb, group: Group, given: dict[str, Any]) -> Any: ...


class Group:
    """Verbs that belong together, on a memory here or elsewhere."""

    verbs: ClassVar[tuple[Verb, ...]] = ()
    #: Kinds of callers that the table of acts would let in, and this group does not.
    but: ClassVar[tuple[CallerKind, ...]] = ()

    #: What it is called: `confide.people`.
    called: ClassVar[str] = ""

    def __init_subclass__(cls, but: tuple[CallerKind, ...] = (), called: str = "") -> None:
        cls.but, cls.called = but, called or cls.__name__.lower()
        found = (getattr(one, "verb", None) for one in vars(cls).values())
        cls.verbs = tuple(one for one in found if isinstance(one, Verb))

    def __init__(self, door: Door) -> None:
        self.door = door

    @property
    def database(self) -> Database:
        return self.door.means.database

    @property
    def settings(self) -> Settings:
        return self.door.means.settings

    @property
    def embedder(self) -> Embedder:
        return self.door.means.embedder

    @property
    def screen(self) -> Screen:
        return self.door.means.screen

    @property
    def leaving(self) -> Leaving:
        return self.door.means.leaving

    @property
    def spending(self) -> Spending:
        return self.door.means.spending

    def clock(self) -> datetime:
        return self.door.means.clock()

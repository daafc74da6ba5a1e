"""Who is at the door, and as whom that lets them speak. Every way in from elsewhere asks here.

Identity never comes from a model: a key or a token says who asks, and what a request says beside
that can only agree with it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from confide.actor import Actor, operator_as
from confide.errors import InvalidInput, NotAllowed, NotRecognized
from confide.keep.keys import UNRECOGNIZED
from confide.model import KNOWN_PLATFORMS, LOCAL, Account, Entity, Namespace, Place, PlaceKind
from confide.privacy.acting import CallerKind
from confide.privacy.places import OF_ONE
from confide.privacy.policy import Audience
from confide.reading import Name, audience, read_entities, read_entity, read_namespace, read_place
from confide.recall.audience import audience_in, only_seen_by
from confide.store.keys import KeyKind

if TYPE_CHECKING:
    from confide.memories import Confide
    from confide.store.browsing import Session
    from confide.store.keys import Key

T = TypeVar("T")
NO_CONTENT: Final = "this key sees no content"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who is at the door, and how that is proven."""

    kind: CallerKind
    agent: Entity  # whose memory it is; it is present in every place
    entity: Entity | None = None  # whom a personal key or a token speaks for
    platform: str | None = None
    registered: frozenset[str] = frozenset()  # names before a dot that mean a platform
    audience: Audience | None = None  # fixed by a token
    key_id: uuid.UUID | None = None
    connection: str = "default"  # the name of a personal key: each is a place of its own
    is_opened: bool = False  # its owner lets connections tell what was learned elsewhere (S24)
    origin: str = "http"  # the way in, for the log

    def __str__(self) -> str:
        """For logs: what kind, for whom, by which key; never a secret."""
        whom = self.entity or self.platform
        return f"{self.kind.value}{f' {whom}' if whom else ''}{f' key {self.key_id}' if self.key_id else ''}"


async def identify(confide: Confide, secret: str, origin: str = "http") -> Caller:
    """Whose bearer key or audience token this is. Unknown, expired and revoked are one error."""
    agent = confide.database.agent_entity
    if secret.count(".") == 2:
        read = await confide.tokens.read(secret)
        key = await confide.keys.recognize_minter(read.key_id)
        if key.platform != read.platform:
            raise NotRecognized("the token is unknown, expired or revoked; mint a new one")
        return Caller(
            kind=CallerKind.TOKEN,
            agent=agent,
            entity=read.audience.asker,
            platform=read.platform,
            registered=key.registered,
            audience=read.audience,
            key_id=key.id,
            origin=origin,
        )
    return _with_key(await confide.keys.recognize(secret), agent, origin)


async def at_the_disk(
    confide: Confide, who: Entity, connection: str = "default", origin: str = "mcp"
) -> Caller:
    """A connection that the operator of this machine opened for `who`, or for the agent itself.

    The agent's own is never open: its client reads along, so that it is not alone with what it holds.
    """
    agent = confide.database.agent_entity
    is_own = who == agent
    return Caller(
        kind=CallerKind.AGENT if is_own else CallerKind.PERSONAL,
        agent=agent,
        entity=who,
        connection=connection,
        is_opened=not is_own and await confide.keys.is_opened(who),
        origin=origin,
    )


def in_browser(agent: Entity, session: Session, key: Key | None) -> Caller:
    """Who is signed in to the console. Begun with a key, a session may do what the key may."""
    if session.key_id is None:
        return Caller(kind=session.kind, agent=agent, entity=session.entity, origin="console")
    if key is None or key.kind is KeyKind.PLATFORM:
        raise NotRecognized(UNRECOGNIZED)
    return _with_key(key, agent, "console")


def audience_for(
    caller: Caller,
    asker: Name | None = None,
    place: str | Place | None = None,
    present: Iterable[Name] = (),
    namespace: str | Namespace | None = None,
    purpose: str | None = None,
) -> Audience:
    """Who will see the answer, as far as this caller can vouch for it."""
    match caller.kind:
        case CallerKind.OPERATOR:
            return audience(
                _needed(asker, "asker"), _needed(place, "place"),
                present=present, namespace=namespace, purpose=purpose,
            )  # fmt: skip
        case CallerKind.PLATFORM:
            who = require_own(caller, _needed(asker, "asker"), "asker")
            where = place_for(caller, who, _needed(place, "place"))
            others = [require_own(caller, one, "present", may_be_agent=True) for one in present]
            return audience(who, where, present=others, namespace=namespace, purpose=purpose)
        case CallerKind.SIGNED_IN:
            who = actor_for(caller, asker).entity
            assert who is not None, "somebody is signed in"
            own = place_for(caller, who, place)
            return audience(who, own, present=present, namespace=namespace, purpose=purpose)
        case CallerKind.PERSONAL | CallerKind.AGENT:
            return _personal(caller, asker, place, present, read_namespace(namespace), purpose)
        case CallerKind.TOKEN:
            return _as_token_says(caller, asker, place, present, namespace, purpose)
        case _:
            raise NotAllowed(NO_CONTENT)


def actor_for(caller: Caller, as_: Name | None = None) -> Actor:
    """In whose name this caller acts, and how that is proven."""
    who = None if as_ is None else read_entity(as_, "as")
    match caller.kind:
        case CallerKind.OPERATOR:
            return operator_as(who)
        case CallerKind.PLATFORM:
            # Nobody in particular would be taken for the operator.
            return Actor(require_own(caller, _needed(who, "as"), "as"), CallerKind.PLATFORM)
        case CallerKind.SIGNED_IN:
            if who not in (None, caller.entity):
                raise NotAllowed(f"you are signed in as {caller.entity}; leave `as` out")
            return Actor(caller.entity, CallerKind.SIGNED_IN)
        case CallerKind.PERSONAL | CallerKind.AGENT | CallerKind.TOKEN:
            if who not in (None, caller.entity):
                raise NotAllowed(f"this key acts as {caller.entity} only; leave `as` out")
            own = connection_of(caller).id if caller.kind is not CallerKind.TOKEN else None
            return Actor(caller.entity, caller.kind, _readers(caller), own)
        case _:
            if who is not None:
                raise NotAllowed("this key acts as nobody; leave `as` out")
            return Actor(None, caller.kind)


def _readers(caller: Caller) -> Audience | None:
    """Who reads what this caller is answered, if that is not its person alone."""
    if is_answered_alone(caller):
        return None
    if caller.audience is not None:
        return caller.audience
    assert caller.entity is not None, "a personal key is somebody's"
    return audience_in(connection_of(caller), caller.entity)


def place_for(caller: Caller, who: Entity, place: str | Place | None = None) -> Place:
    """Where something is said, or an answer appears, as far as this caller can vouch for it."""
    match caller.kind:
        case CallerKind.OPERATOR:
            return read_place(_needed(place, "place"), who)
        case CallerKind.PLATFORM:
            where = read_place(_needed(place, "place"), who)
            _require_own_place(caller, where)
            return where
        case CallerKind.SIGNED_IN:
            alone = only_seen_by(who).place
            if place not in (None, "reply", alone):
                raise NotAllowed("a browser is read by whoever is signed in; leave `place` out")
            return alone
        case CallerKind.PERSONAL | CallerKind.AGENT:
            own = connection_of(caller)
            if place not in (None, own, f"connection:{own.id}"):
                raise NotAllowed("this key is a place of its own; leave `place` out")
            return own
        case CallerKind.TOKEN:
            assert caller.audience is not None, "a token has an audience"
            fixed = caller.audience.place
            if place is not None and read_place(place, caller.audience.asker) != fixed:
                raise NotAllowed("this token is for another place; leave `place` out")
            return fixed
        case _:
            raise NotAllowed(NO_CONTENT)


def connection_of(caller: Caller) -> Place:
    """The private place that a personal connection is. Keys of one name share it."""
    return Place(id=f"{caller.entity}/{caller.connection}", kind=PlaceKind.CONNECTION)


def require_own(caller: Caller, who: Name, field: str, *, may_be_agent: bool = False) -> Entity:
    """Somebody of the caller's platform, whose accounts are written `human:PLATFORM.ID`.

    The agent is present everywhere and speaks, but nobody asks or acts in its name: alone with
    itself it hears everything.
    """
    entity = read_entity(who, field)
    if caller.kind is not CallerKind.PLATFORM or (may_be_agent and entity == caller.agent):
        return entity
    if entity == caller.agent or not speaks_for(caller, entity.id):
        raise NotAllowed(f"{field}: this key speaks for {_example(caller)} and the like only")
    return entity


def require_account(caller: Caller, account: Account, field: str) -> Account:
    """A platform vouches for its own accounts; the operator for any."""
    if caller.kind is CallerKind.PLATFORM and account.platform != caller.platform:
        raise NotAllowed(f"{field}: this key vouches for accounts of {caller.platform} only")
    return account


def speaks_for(caller: Caller, id: str) -> bool:
    """Ids carry their platform, `discord.1234`. A name before a dot is one if it is well known or
    was registered; any other id, such as `john.doe`, is local."""
    name, dot, _ = id.partition(".")
    is_platform = bool(dot) and name in (*KNOWN_PLATFORMS, *caller.registered, caller.platform)
    return caller.platform == (name if is_platform else LOCAL)


def require_answered_alone(caller: Caller) -> None:
    """For answers made for one person's eyes. A personal connection's model reads along."""
    match caller.kind:
        case CallerKind.OPERATOR | CallerKind.PLATFORM | CallerKind.SIGNED_IN:
            return
        case CallerKind.PERSONAL:
            if not caller.is_opened:
                raise NotAllowed(
                    "this key tells what was remembered through it; its owner opens the rest with"
                    f" `confide keys open {caller.entity}`"
                )
        case CallerKind.TOKEN:
            assert caller.audience is not None, "a token has an audience"
            if caller.audience != only_direct(caller.audience):
                raise NotAllowed("this token is not for a direct chat")
        case _:
            raise NotAllowed(NO_CONTENT)


def is_answered_alone(caller: Caller) -> bool:
    try:
        require_answered_alone(caller)
    except NotAllowed:
        return False
    return True


def only_direct(heard: Audience) -> Audience:
    """The asker's one-to-one chat, for comparing."""
    who = heard.asker
    place = read_place("dm", who)
    return audience_in(place, who, namespace=heard.namespace, purpose=heard.purpose)


def _with_key(key: Key, agent: Entity, origin: str) -> Caller:
    kind = {
        KeyKind.PLATFORM: CallerKind.PLATFORM,
        KeyKind.PERSONAL: CallerKind.PERSONAL,
        KeyKind.AUDITOR: CallerKind.AUDITOR,
        KeyKind.ADMIN: CallerKind.ADMIN,
    }[key.kind]
    return Caller(
        kind=kind,
        agent=agent,
        entity=key.entity,
        platform=key.platform,
        registered=key.registered,
        key_id=key.id,
        connection=key.name,
        is_opened=key.is_opened,
        origin=origin,
    )


def _personal(
    caller: Caller,
    asker: Name | None,
    place: str | Place | None,
    present: Iterable[Name],
    namespace: Namespace | None,
    purpose: str | None,
) -> Audience:
    who = caller.entity
    assert who is not None, "a personal key is somebody's"
    if asker is not None and read_entity(asker, "asker") != who:
        raise NotAllowed(f"this key asks as {who} only; leave `asker` out")
    if read_entities(present, "present") - {who}:
        raise NotAllowed("nobody else is present in a personal connection; leave `present` out")
    own = place_for(caller, who, place)
    if caller.is_opened:
        # The owner's word: what they hear alone may be told to them here, too.
        heard = only_seen_by(who, namespace)
        return audience_in(heard.place, who, namespace=namespace, purpose=purpose)
    return audience_in(own, who, namespace=namespace, purpose=purpose)


def _as_token_says(
    caller: Caller,
    asker: Name | None,
    place: str | Place | None,
    present: Iterable[Name],
    namespace: str | Namespace | None,
    purpose: str | None,
) -> Audience:
    fixed = caller.audience
    assert fixed is not None, "a token has an audience"
    if asker is not None and read_entity(asker, "asker") != fixed.asker:
        raise NotAllowed("this token is for another asker; leave `asker` out")
    place_for(caller, fixed.asker, place)
    if read_entities(present, "present") - fixed.viewers:
        raise NotAllowed("this token is for other viewers; leave `present` out")
    if namespace is not None and read_namespace(namespace) != fixed.namespace:
        raise NotAllowed("this token is for another namespace; leave `namespace` out")
    if purpose not in (None, fixed.purpose):
        raise NotAllowed("this token is for another purpose; leave `purpose` out")
    return fixed


def _require_own_place(caller: Caller, where: Place) -> None:
    """Ids of places and spaces carry their platform, so that no key can name another's room."""
    if where.kind is PlaceKind.CONNECTION:
        raise NotAllowed("place: a connection belongs to a personal key")
    if where.parent_place is not None:
        _require_own_place(caller, where.parent_place)
        id = where.id.removesuffix(f"@{where.parent_place.id}")
    elif where.kind in OF_ONE:
        id = ""  # of somebody who was looked at already
    else:
        id = where.id.removeprefix("ctx:") if where.kind is PlaceKind.CONTEXT else where.id
    above = "" if where.parent_place else where.parent or ""
    parts = [*id.split("@"), *filter(None, (where.space,)), *above.split("@")]
    # A colon is in the ids of direct chats, connections and contexts, which are nobody's rooms.
    if any(":" in part or not speaks_for(caller, part) for part in filter(None, parts)):
        raise NotAllowed(f"place: this key speaks for places of {caller.platform} only")


def _example(caller: Caller) -> str:
    return "human:alice" if caller.platform == LOCAL else f"human:{caller.platform}.1234"


def _needed(value: T | None, field: str) -> T:
    if value is None:
        raise InvalidInput(field, "is missing")
    return value

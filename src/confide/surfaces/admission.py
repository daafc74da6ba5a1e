"""What a caller sent becomes a verb's arguments. Who acts, asks and listens comes from the caller."""

from __future__ import annotations

import uuid
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, cast

from confide.actor import Actor
from confide.declare import Field, Source, Verb, fields_of
from confide.errors import InvalidInput, NotAllowed
from confide.model import Account, Entity, Place
from confide.privacy.leaves import Leaf
from confide.privacy.places import parse_place
from confide.surfaces.callers import (
    Caller,
    CallerKind,
    actor_for,
    audience_for,
    connection_of,
    is_answered_alone,
    place_for,
    require_account,
    require_answered_alone,
    require_own,
    speaks_for,
)
from confide.wire.codec import bare, optional, reader

ASKING: Final = ("asker", "place", "present", "namespace", "purpose")
#: They act as nobody, and see numbers and labels instead of words.
WORDLESS: Final = (CallerKind.AUDITOR, CallerKind.ADMIN)
ALONE: Final = frozenset({Leaf.HERE})


def admitted(verb: Verb, caller: Caller, sent: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `verb`, as far as this caller can vouch for them. Who they are is settled
    before anything that they sent is read."""
    if caller.kind not in WORDLESS and (
        verb.is_alone or (verb.is_private and caller.kind is CallerKind.TOKEN)
    ):
        require_answered_alone(caller)
    as_ = sent.pop("as_", None)
    made: dict[str, Any] = {}
    for field in fields_of(verb):
        if field.source not in (Source.SENT, Source.VOUCHED, Source.HERE):
            made[field.name] = _from_caller(field, caller, as_, sent)
    for field in fields_of(verb):
        if field.name not in made and field.shown in sent:
            value = reader(field.hint)(sent[field.shown], field.shown)
            made[field.name] = _vouched(field, caller, value)
    return made


def blank_for(caller: Caller) -> frozenset[Leaf]:
    """What of an answer this caller is not to see: others read it too, or it sees no words."""
    if is_answered_alone(caller):
        return ALONE
    if caller.kind is CallerKind.ADMIN:
        return ALONE | {Leaf.OWN}
    return ALONE | {Leaf.OWN, Leaf.OWN_NUMBERS}


def _from_caller(field: Field, caller: Caller, as_: str | None, sent: dict[str, Any]) -> Any:
    match field.source:
        case Source.ATTESTER:
            return Actor(None, caller.kind)
        case Source.ALONE:
            require_answered_alone(caller)
            return somebody(caller, as_)
        case Source.SELF:
            if caller.kind in WORDLESS and optional(field.hint) is not None:
                return actor_for(caller, as_).entity
            return somebody(caller, as_)
        case Source.AUDIENCE:
            return audience_for(caller, **{name: sent[name] for name in ASKING if name in sent})
        case Source.PLACE:
            return _where(field, caller, as_, sent.get(field.shown))
        case Source.CONTEXT:
            return _context(caller, as_, sent[field.shown])
        case Source.HOLDER:
            return _held(field, caller)
        case _:
            return actor_for(caller, as_)


def somebody(caller: Caller, as_: str | None) -> Entity:
    """Whom the caller speaks for."""
    entity = actor_for(caller, as_).entity
    if entity is None:
        raise InvalidInput("as", "is missing")
    return entity


def _where(field: Field, caller: Caller, as_: str | None, written: str | None) -> Any:
    if written is None and optional(field.hint) is not None:
        return None
    if caller.kind is CallerKind.ADMIN:  # of nobody's in particular
        return parse_place(written or "", caller.agent)
    is_somebodys = as_ is not None or caller.entity is not None
    who = somebody(caller, as_) if is_somebodys else caller.agent
    return place_for(caller, who, written)


def _context(caller: Caller, as_: str | None, written: str) -> Any:
    name = f"ctx:{written.removeprefix('ctx:')}"
    if caller.kind is CallerKind.PLATFORM:
        return place_for(caller, caller.agent, name)
    return parse_place(name, somebody(caller, as_))


def _held(field: Field, caller: Caller) -> Any:
    """What is known of the key itself. Ids of one caller's messages never meet another's."""
    kind = bare(optional(field.hint) or field.hint)
    if kind is uuid.UUID:
        return caller.key_id
    if kind is str:
        return caller.platform or f"connection:{connection_of(caller).id}"[:200]
    if caller.kind is CallerKind.PLATFORM:  # nobody's in particular
        return Actor(None, caller.kind)
    return actor_for(caller)


def _vouched(field: Field, caller: Caller, value: Any) -> Any:
    if isinstance(value, Account):
        return require_account(caller, value, field.shown)
    if field.source is not Source.VOUCHED or value is None:
        return value
    return _own(field.shown, caller, value)


def _own(field: str, caller: Caller, value: Any, *, may_be_agent: bool = False) -> Any:
    match value:
        case None:
            return None
        case Entity() if caller.kind in (CallerKind.PERSONAL, CallerKind.TOKEN):
            return somebody(caller, str(value))
        case Entity():
            return require_own(caller, value, field, may_be_agent=may_be_agent)
        case str():
            return _own_id(field, caller, value)
        case Place():
            return place_for(caller, caller.agent, value)
        case _ if is_dataclass(value):
            parts = {
                one.name: _own(one.name, caller, getattr(value, one.name)) for one in fields(value)
            }
            return replace(cast("Any", value), **parts)
        case _:
            return type(value)(_own(field, caller, one, may_be_agent=True) for one in value)


def _own_id(field: str, caller: Caller, id: str) -> str:
    """Ids of places and spaces carry their platform. Other callers see all of them."""
    is_own = all(speaks_for(caller, part) for part in id.split("@"))
    if caller.kind is CallerKind.PLATFORM and not is_own:
        raise NotAllowed(f"{field}: this key speaks for {caller.platform} only")
    return id

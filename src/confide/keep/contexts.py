"""Contexts (K10): places whose participants are listed, entered as somebody and left again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final

from confide.actor import Actor, in_person, ruling
from confide.declare import Group, InContext, Self, Source, verb
from confide.errors import InvalidInput, NotFound
from confide.model import COLLECTIVE, Entity, Place, PlaceKind, clean_text
from confide.privacy.acting import Act, CallerKind, Relation, Verdict
from confide.privacy.leaves import Called, Leaf
from confide.store import people, places
from confide.store.attesting import attest_place, join_place, leave_place, moment
from confide.store.queries import query
from confide.wire.forms import Form

if TYPE_CHECKING:
    from confide.store.connection import Connection

NO_SUCH_CONTEXT = "there is no such context"
BY_ID: Final = Form(
    read=lambda id, _: Place(id=id, kind=PlaceKind.CONTEXT),
    write=lambda place: place.id,
    says="A context, as ctx:ID.",
    example="ctx:bella_health",
    longest=140,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Somebody in a context; `role` describes them and gives access to nothing."""

    entity: Entity
    role: Annotated[str | None, Leaf.OWN]
    entered_at: Annotated[datetime | None, Leaf.OWN]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextState:
    place: Annotated[Place, Called("context"), BY_ID]
    participants: tuple[Participant, ...]


class Contexts(Group, but=(CallerKind.TOKEN,)):
    """Who is in a context decides what is told there, and what is said there belongs to it."""

    @verb(Act.REMEMBER, "POST /contexts/{context}/enter")
    async def enter(
        self,
        context: InContext,
        *who: Annotated[Entity, Source.VOUCHED, Called("with")],
        actor: Actor,
        role: str | None = None,
    ) -> ContextState:
        """Take part, with others. A platform opens contexts; into one that others opened one is let
        by those in it, and with a personal key one is in it already."""
        _require_context(context)
        entering = _entering(who, actor)
        now, agent = self.clock(), self.database.agent
        described = clean_text(role, "role")[:64] if role is not None else None
        async with self.database.keep(by=actor, doing="enter context", at=now) as connection:
            known = await attest_place(
                connection, self.database, context, now, at=moment(None, now)
            )
            inside = await places.members(connection, agent, known.place.id)
            if not (_may_let_in(actor, inside) if inside else _may_open(actor)):
                raise NotFound(NO_SUCH_CONTEXT)
            others = entering - {self.database.agent_entity}
            await join_place(connection, self.database, known, others, now, at=moment(None, now))
            for one in entering:
                own = described if one == (actor.entity or one) else None
                await connection.execute(
                    query("people", "enter"), agent, known.place.id, str(one), own, now
                )
            return await _state(connection, agent, known.place)

    @verb(Act.REMEMBER, "POST /contexts/{context}/leave", once=True)
    async def leave(self, context: InContext, who: Self, *, actor: Actor) -> None:
        """Take part no longer: what came by being there ends."""
        _require_context(context)
        if actor.entity != who and not _attests(actor):
            raise InvalidInput("actor", f"only {who} or the platform says so")
        agent, now = self.database.agent, self.clock()
        async with self.database.keep(by=actor, doing="leave context", at=now) as connection:
            row = await connection.fetchrow(query("places", "peek"), agent, context.id)
            if row is None:
                return  # as from a context that one is not in: nothing changes
            place = Place(id=row["id"], kind=PlaceKind(row["kind"]))
            await leave_place(connection, self.database, place, who, moment(None, now), now)
            await connection.execute(query("people", "leave"), agent, place.id, str(who))

    @verb(Act.READ_OWN, "GET /contexts", answers="contexts")
    async def known(self, who: Self | None = None) -> list[ContextState]:
        """The contexts that somebody is in now; all of them for the operator."""
        agent = self.database.agent
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("people", "contexts"), agent, str(who) if who else None
            )
            found = [Place(id=row["id"], kind=PlaceKind.CONTEXT) for row in rows]
            return [await _state(connection, agent, place) for place in found]

    @verb(Act.READ_OWN, "GET /contexts/{context}")
    async def show(self, context: InContext, *, actor: Actor) -> ContextState:
        """Who is in a context; said to those who are, and to the operator."""
        _require_context(context)
        agent = self.database.agent
        async with self.database.keep() as connection:
            found = await _state(connection, agent, await _known(connection, agent, context))
        if actor.entity and actor.entity not in {one.entity for one in found.participants}:
            raise NotFound(NO_SUCH_CONTEXT)
        return found


def _require_context(place: Place) -> None:
    if place.kind is not PlaceKind.CONTEXT:
        raise InvalidInput("context", f"{place.id!r} is no context; write ctx:ID")


def _entering(who: Iterable[Entity], actor: Actor) -> frozenset[Entity]:
    entering = frozenset(who) | ({actor.entity} if actor.entity else set[Entity]())
    groups = sorted(str(one) for one in entering if one.namespace in (*COLLECTIVE, "ctx"))
    if groups:
        raise InvalidInput("with", f"{', '.join(groups)} is nobody in particular; name them")
    if not entering:
        raise InvalidInput("with", "nobody enters; name who")
    return entering


def _may_let_in(actor: Actor, inside: frozenset[Entity]) -> bool:
    """A platform or the operator attests who is there; with a key one speaks for oneself only."""
    return _attests(actor) or actor.entity in inside


def _may_open(actor: Actor) -> bool:
    return ruling(Act.OPEN_CONTEXT, actor, in_person(actor)).verdict is Verdict.YES


def _attests(actor: Actor) -> bool:
    return ruling(Act.ATTEST, actor, Relation.NONE).verdict is Verdict.YES


async def _known(connection: Connection, agent: str, context: Place) -> Place:
    row = await connection.fetchrow(query("places", "peek"), agent, context.id)
    if row is None:
        raise NotFound(NO_SUCH_CONTEXT)
    return Place(id=row["id"], kind=PlaceKind(row["kind"]))


async def _state(connection: Connection, agent: str, place: Place) -> ContextState:
    roles = await people.roles(connection, agent, place.id)
    return ContextState(
        place=place,
        participants=tuple(
            Participant(entity=who, role=role, entered_at=at) for who, role, at in roles
        ),
    )

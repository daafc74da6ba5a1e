"""Contexts (K10): places whose participants are listed, entered as somebody and left again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from confide.actor import Actor
from confide.errors import InvalidInput, NotFound
from confide.means import Part
from confide.model import COLLECTIVE, Entity, Place, PlaceKind, clean_text
from confide.privacy.acting import CallerKind
from confide.store import people, places
from confide.store.attesting import attest_place, join_place
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.connection import Connection

NO_SUCH_CONTEXT = "there is no such context"


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Somebody in a context; `role` describes them and gives access to nothing."""

    entity: Entity
    role: str | None
    entered_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextState:
    place: Place
    participants: tuple[Participant, ...]


class Contexts(Part):
    """Who is in a context decides what is told there, and what is said there belongs to it."""

    async def enter(
        self,
        context: Place,
        *who: Entity,
        actor: Actor,
        role: str | None = None,
    ) -> ContextState:
        """Take part, with `who`. Into a context that others opened one is let by those in it."""
        _require_context(context)
        entering = _entering(who, actor)
        now, agent = self.clock(), self.database.agent
        described = clean_text(role, "role")[:64] if role is not None else None
        async with self.database.keep(by=actor, doing="enter context", at=now) as connection:
            known, _ = await attest_place(connection, self.database, context, now)
            inside = await places.members(connection, agent, known.place.id)
            if inside and not _may_let_in(actor, inside):
                raise NotFound(NO_SUCH_CONTEXT)
            others = entering - {self.database.agent_entity}
            await join_place(connection, self.database, known, others, now)
            for one in entering:
                own = described if one == (actor.entity or one) else None
                await connection.execute(
                    query("people", "enter"), agent, known.place.id, str(one), own, now
                )
            return await _state(connection, agent, known.place)

    async def leave(self, context: Place, who: Entity, *, actor: Actor) -> None:
        """Take part no longer: what came by being there ends."""
        _require_context(context)
        if actor.kind is CallerKind.PERSONAL and actor.entity != who:
            raise InvalidInput("actor", f"only {who} or the platform says so")
        agent = self.database.agent
        async with self.database.keep(
            by=actor, doing="leave context", at=self.clock()
        ) as connection:
            place = await _known(connection, agent, context)
            await places.leave(connection, agent, place, who)
            await connection.execute(query("people", "leave"), agent, place.id, str(who))

    async def known(self, who: Entity | None = None) -> list[ContextState]:
        """The contexts that `who` is in now; all of them for the operator."""
        agent = self.database.agent
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("people", "contexts"), agent, str(who) if who else None
            )
            found = [Place(id=row["id"], kind=PlaceKind.CONTEXT) for row in rows]
            return [await _state(connection, agent, place) for place in found]

    async def show(self, context: Place, *, actor: Actor) -> ContextState:
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
    entering = frozenset(who) | ({actor.entity} if actor.entity else set())
    groups = sorted(str(one) for one in entering if one.namespace in (*COLLECTIVE, "ctx"))
    if groups:
        raise InvalidInput("with", f"{', '.join(groups)} is nobody in particular; name them")
    if not entering:
        raise InvalidInput("with", "nobody enters; name who")
    return entering


def _may_let_in(actor: Actor, inside: frozenset[Entity]) -> bool:
    """A platform or the operator attests who is there; with a key one speaks for oneself only."""
    return actor.kind is not CallerKind.PERSONAL or actor.entity in inside


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

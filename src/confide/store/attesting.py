"""What the platform says about a place, and what changes for its memories when that does.

Members, presences and epochs are a room's. A thread or forum post is part of its room.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from confide.errors import InvalidEntity, InvalidInput
from confide.model import COLLECTIVE, Entity, Place, PlaceKind, Scope, is_someone
from confide.privacy.atoms import Atom, entity
from confide.privacy.labels import Origin
from confide.privacy.places import IMPORTED, THREADS, is_elsewhere
from confide.store import memories, people, places
from confide.store.connection import Connection, Row
from confide.store.encoding import read_entity
from confide.store.memory import Memory, read_memories
from confide.store.places import Moment
from confide.store.queries import query
from confide.store.relabel import relabel

if TYPE_CHECKING:
    from confide.store.database import Database

NO_LONGER_PUBLIC: Final = Scope.CHANNEL_RESTRICTED
#: Scopes whose source and subjects expect whoever can read where it was said.
REACHES_AS_ITS_PLACE: Final = frozenset({Scope.GLOBAL, Scope.PUBLIC, Scope.GRANTED})
#: Scopes that a place gave.
OF_A_ROOM: Final = frozenset({Scope.GUILD_PUBLIC, Scope.GROUP, Scope.CHANNEL_RESTRICTED})
#: A platform's clock may be a little ahead of the store's.
MOST_AHEAD: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Attested:
    """A place as it is known now, and the room it is part of."""

    place: Place
    room: Place
    epoch: int  # of the room
    was: PlaceKind | None = None  # its former kind, if that just changed
    as_said: Place | None = None  # the room it would be, had the speaker or asker been right
    members_at: datetime = places.GUESSED  # of the newest statement about who is in the room
    opened_at: datetime = places.GUESSED  # what was said in it before belongs to what it was


def moment(at: datetime | None, now: datetime, field: str = "at") -> Moment:
    """When a platform says that something happened; nothing said means that it just arrived."""
    if at is None:
        return Moment(now, has_arrived=True)
    if at.tzinfo is None:
        raise InvalidInput(field, "has no time zone; pass an aware datetime")
    if at > now + MOST_AHEAD:
        raise InvalidInput(field, "is more than five minutes ahead; give the time it happened")
    return Moment(at)


async def attest_place(
    connection: Connection,
    database: Database,
    said: Place,
    now: datetime,
    held: Row | None = None,
    *,
    at: Moment | None = None,
) -> Attested:
    """The place as it is now. A thread without a known parent is unknown.

    `at`: the time of a platform's statement; None: somebody speaks or asks there, which makes known
    what was unknown and changes nothing else.
    """
    if is_elsewhere(said.kind):
        raise InvalidInput("place", "the agent is a guest there; nothing is known of such a place")
    if said.id.startswith(IMPORTED):
        raise InvalidInput("place", "is a room of an imported file; nobody speaks or joins there")
    parent = await _parent(connection, database, said, now, at)
    if said.parent is not None:
        is_known = parent is not None and parent.room.kind is not PlaceKind.UNKNOWN
        said = replace(
            said,
            kind=said.kind if is_known else PlaceKind.UNKNOWN,
            parent=parent.place.id if parent else None,
            space=parent.room.space if parent else None,
            parent_place=None,
        )
    stated = await places.attest(connection, database.agent, said, at, held)
    place = stated.place
    if stated.was is not None and places.is_open(stated.was):
        await _narrow(connection, database, place, now)
    if stated.was in THREADS and place.kind is PlaceKind.PRIVATE_THREAD:
        await _close_thread(connection, database, place, now)
    is_part = parent is not None and place.kind in THREADS
    as_said = None
    if stated.is_disputed:
        is_said_part = parent is not None and said.kind in THREADS
        above = (parent.as_said or parent.room) if parent else None
        as_said = above if is_said_part else replace(said, id=place.id)
    if parent and is_part:
        return replace(parent, place=place, was=stated.was, as_said=as_said or parent.as_said)
    return Attested(
        place, place, stated.epoch, stated.was, as_said, stated.members_at, stated.opened_at
    )


async def _parent(
    connection: Connection, database: Database, said: Place, now: datetime, at: Moment | None
) -> Attested | None:
    if said.parent is None:
        return None
    if said.parent_place is not None:
        return await attest_place(connection, database, said.parent_place, now, at=at)
    agent = database.agent
    rows = await connection.fetch(
        query("places", "by_bare_id"), agent, said.parent, _like(said.parent)
    )
    ids = [row["platform_id"] for row in rows]
    if said.parent in ids:
        ids = [said.parent]
    if len(ids) > 1:
        raise InvalidEntity("place", f"{said.parent!r} is ambiguous: {', '.join(sorted(ids))}")
    if not ids:
        return None
    row = await connection.fetchrow(query("places", "current"), agent, ids[0])
    assert row is not None  # listed a moment ago, in this transaction
    place = Place(
        id=row["id"], kind=PlaceKind(row["kind"]), space=row["space"], parent=row["parent"]
    )
    above = await _parent(connection, database, place, now, at) if place.kind in THREADS else None
    if above is not None:
        return replace(above, place=place)
    return Attested(
        place, place, row["epoch"], members_at=row["members_at"], opened_at=row["opened_at"]
    )


def _like(bare: str) -> str:
    return bare.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_") + "@%"


async def join_place(
    connection: Connection,
    database: Database,
    attested: Attested,
    who: Iterable[Entity],
    now: datetime,
    *,
    at: Moment | None = None,
    spoke_at: datetime | None = None,
) -> tuple[frozenset[Entity], int]:
    """Make `who` members of the room; returns the new ones, and the epoch of what is said now.

    `at`: a platform says so; None: they spoke or asked there, at `spoke_at`.
    """
    wanted = frozenset(who)
    if attested.room.kind is PlaceKind.DIRECT and len(wanted) > 1:
        raise InvalidInput("present", "a direct chat has one person; use group:ID for more")
    new, epoch = await places.join(
        connection, database.agent, attested.room, wanted, at=at, spoke_at=spoke_at or now
    )
    if new and attested.room.kind in places.WITNESSED:
        await _hide_from_newcomers(connection, database, attested.room, new, now)
    return new, attested.epoch if epoch is None else epoch


async def leave_place(
    connection: Connection,
    database: Database,
    place: Place,
    who: Entity,
    at: Moment,
    now: datetime,
) -> bool:
    """`who` is in `place` no longer. Where that arrives late, they were not there for what was said."""
    left = await places.leave(connection, database.agent, place, who, at)
    await _were_not_there(connection, database, left, who, at, now)
    return any(one.has_changed for one in left)


async def leave_space(
    connection: Connection, database: Database, space: str, who: Entity, at: Moment, now: datetime
) -> bool:
    changed, left = await places.leave_space(connection, database.agent, space, who, at)
    await _were_not_there(connection, database, left, who, at, now)
    return changed


async def present_at(
    connection: Connection,
    database: Database,
    attested: Attested,
    named: frozenset[Entity],
    members: frozenset[Entity] | None,
    said_at: datetime,
) -> tuple[frozenset[Entity], int] | None:
    """For words older than the newest statement about their room: who was there, and their epoch.

    None: they arrived in time, and those who are there now were there. Words that name somebody as
    present who is no member have an epoch of their own as well. `members`: None, if not known.
    """
    agent, room = database.agent, attested.room
    is_witnessed = room.kind in places.WITNESSED
    newest = await connection.fetchval(query("places", "members_at"), agent, room.id)
    if newest is None or said_at >= newest:
        if not is_witnessed:
            return None
        if members is None:
            members = await places.members(connection, agent, room.id)
        if named <= members:
            return None
        there = named | members
    else:
        rows = await connection.fetch(query("places", "there_at"), agent, room.id, said_at)
        there = named | {read_entity(row["entity"]) for row in rows}
    if not is_witnessed:
        return there, 0
    epoch = await connection.fetchval(query("places", "late_epoch"), agent, room.id)
    await connection.execute(
        query("places", "were_there"), agent, room.id, sorted(map(str, there)), epoch, said_at
    )
    return there, epoch


async def known_there(
    connection: Connection,
    agent: str,
    named: frozenset[Entity],
    speaker: Entity,
    present: frozenset[Entity],
) -> frozenset[Atom]:
    """Who may know: whoever says so, and of those named who was there or was held by one of them.

    Nobody named: nothing, and it is for whom its place gives.
    """
    if not named:
        return frozenset()
    people, roles = named & present, [str(one) for one in named if one.namespace in COLLECTIVE]
    if roles:
        rows = await connection.fetch(
            query("places", "held_by"), agent, roles, sorted(map(str, present))
        )
        people |= {read_entity(row["collective"]) for row in rows}
    return frozenset(map(entity, {speaker, *people}))


async def _hide_from_newcomers(
    connection: Connection, database: Database, room: Place, new: frozenset[Entity], now: datetime
) -> None:
    """What was said about them before they came is for those who were there."""
    changed: list[tuple[Memory, Origin]] = []
    for id in sorted(await places.inside(connection, database.agent, room.id)):
        await connection.execute(query("places", "wait_for_writers"), database.agent, id)
        kept = await memories.kept_in_place(connection, database.agent, id, database.agent_entity)
        names = await _names_that_may_mean(connection, database.agent, kept, new)
        for memory in kept:
            o = memory.origin
            late = (o.subjects & (new | names)) - o.present
            if late and o.scope is Scope.GROUP:
                changed.append((memory, replace(o, joined_later=o.joined_later | late)))
    if changed:
        await relabel(connection, database, changed, now)


async def hide_from_named(
    connection: Connection, database: Database, who: Entity, now: datetime
) -> None:
    """A new name may mean somebody that was talked about before its bearer came."""
    rows = await connection.fetch(query("places", "groups_of"), database.agent, str(who))
    for row in rows:
        place = Place(id=row["id"], kind=PlaceKind(row["kind"]), parent=row["parent"])
        await _hide_from_newcomers(connection, database, place, frozenset({who}), now)


async def _names_that_may_mean(
    connection: Connection, agent: str, kept: Iterable[Memory], new: frozenset[Entity]
) -> frozenset[Entity]:
    """People whom only a speaker knows, by a name that a newcomer goes by here."""
    unknown = {one for memory in kept for one in memory.subjects if is_someone(one)}
    if not unknown:
        return frozenset()
    known = await people.acquaintances(connection, agent, entities=unknown)
    borne = await people.called_by_name(connection, agent, new)
    every = frozenset[str]().union(*borne.values())
    return frozenset(
        one.entity for one in known.values() if people.is_named_alike(one.called, every)
    )


async def _were_not_there(
    connection: Connection,
    database: Database,
    left: Iterable[places.Left],
    who: Entity,
    at: Moment,
    now: datetime,
) -> None:
    """Somebody who had left already is no insider of what was said afterwards."""
    agent = database.agent
    for one in () if at.has_arrived else left:
        lost = agent, one.place_id, str(who), one.since_epoch, at.at
        inside = await places.inside(connection, agent, one.place_id)
        await connection.execute(query("messages", "was_not_there"), *lost, inside)
        rows = await connection.fetch(query("memories", "kept_as_present"), *lost)
        kept = read_memories(rows, database.agent_entity)
        if kept:
            changed = [(m, replace(m.origin, present=m.origin.present - {who})) for m in kept]
            await relabel(connection, database, changed, now)
        if one.is_back:
            room = Place(id=one.place_id, kind=one.kind)
            await _hide_from_newcomers(connection, database, room, frozenset({who}), now)


async def _narrow(connection: Connection, database: Database, place: Place, now: datetime) -> None:
    """S20: what was public in a place that closed is for that place."""
    changed: list[tuple[Memory, Origin]] = []
    for id in sorted(await places.inside(connection, database.agent, place.id)):
        await connection.execute(query("places", "wait_for_writers"), database.agent, id)
        kept = await memories.kept_in_place(connection, database.agent, id, database.agent_entity)
        for memory in kept:
            said_in = memory.origin.place and replace(memory.origin.place, space=place.space)
            if memory.scope is Scope.GUILD_PUBLIC:
                scope = Scope.GUILD_PUBLIC if places.is_open(place.kind) else NO_LONGER_PUBLIC
                changed.append((memory, replace(memory.origin, scope=scope, place=said_in)))
            elif memory.scope in REACHES_AS_ITS_PLACE:
                changed.append((memory, replace(memory.origin, place=said_in)))
    if changed:
        await relabel(connection, database, changed, now)


async def _close_thread(
    connection: Connection, database: Database, thread: Place, now: datetime
) -> None:
    """A thread that became private is a room of its own, and what was said in it stays in it."""
    await connection.execute(query("places", "wait_for_writers"), database.agent, thread.id)
    kept = await memories.kept_in_thread(
        connection, database.agent, thread.id, database.agent_entity
    )
    changed: list[tuple[Memory, Origin]] = []
    for memory in kept:
        inside = replace(memory.origin, place=thread, thread=None)
        if memory.scope in OF_A_ROOM:
            changed.append((memory, replace(inside, scope=Scope.CHANNEL_RESTRICTED)))
        elif memory.scope in REACHES_AS_ITS_PLACE:
            changed.append((memory, inside))
    if changed:
        await relabel(connection, database, changed, now)

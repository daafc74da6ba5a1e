"""Places, and who is in them, as platforms attest it. Every statement has a time: the newest counts.

Speech and questions are no statements: they make known what was unknown, and change nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from confide.model import Entity, Place, PlaceKind
from confide.privacy.places import MEANING, THREADS, spaces_around
from confide.store.connection import Connection, Row
from confide.store.encoding import read_entity
from confide.store.queries import query

#: Kinds of which it matters who was there when something was said.
WITNESSED: Final = frozenset({PlaceKind.GROUP, PlaceKind.CONTEXT, PlaceKind.CONNECTION})
#: The time of what was only guessed from speech: any statement of a platform is newer.
GUESSED: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Moment(NamedTuple):
    """When a platform says that something happened."""

    at: datetime
    has_arrived: bool = False  # no time was given: it is newer than all that arrived before

    @property
    def end(self) -> datetime:
        """What was said or stated before this is older."""
        return self.at + timedelta(microseconds=1) if self.has_arrived else self.at

    def after(self, *known: datetime) -> Moment:
        """What has just arrived is newer than what is known, whichever clock that was told by."""
        return self._replace(at=max(self.at, *known)) if self.has_arrived else self


@dataclass(frozen=True, slots=True)
class Stated:
    """A place as it is now; `was` is its former kind if that just changed."""

    place: Place
    epoch: int
    members_at: datetime = GUESSED  # of the newest statement about who is in it
    opened_at: datetime = GUESSED  # what was said in it before belongs to what it was
    was: PlaceKind | None = None
    is_disputed: bool = False  # speech or a question calls it something else


async def attest(
    connection: Connection, agent: str, said: Place, at: Moment | None, held: Row | None = None
) -> Stated:
    """Take the platform's word for what a place is. One that opens starts anew.

    `at` is the time of the statement; None: somebody speaks or asks there. `held`: its row, for who
    holds it already.
    """
    row = held or await connection.fetchrow(query("places", "current"), agent, said.id)
    if row is None:
        return await _add(connection, agent, said, said.id, at)
    known = _place(row)
    if said == replace(known, id=said.id):
        if at is not None:
            await connection.execute(query("places", "confirm_kind"), agent, known.id, at.at)
        return _stated(known, row)
    follows = (
        said.kind is known.kind and MEANING[said.kind].needs_parent
    )  # its parent is another now
    if not follows and known.kind is not PlaceKind.UNKNOWN:
        if at is None:
            stated = _stated(known, row)
            if known.parent is not None and said.parent not in (None, known.parent):
                # What it lies in has started anew, whatever it is called itself.
                stated = await attest(connection, agent, replace(said, kind=known.kind), None, held)
            return replace(stated, is_disputed=True)
        if not _is_newer(at, row["kind_at"], known, said):
            return _stated(known, row)
    if not _may_change_in_place(known, said):
        await connection.execute(query("places", "retire"), agent, known.id)
        count = await connection.fetchval(query("places", "generations"), agent, said.id)
        fresh = await _add(connection, agent, said, f"{said.id}#{count + 1}", at)
        return replace(fresh, was=known.kind)
    await connection.execute(
        query("places", "change"),
        agent, known.id, said.kind.value, said.space, said.parent, at.at if at else GUESSED,
    )  # fmt: skip
    was = known.kind if (known.kind, known.space) != (said.kind, said.space) else None
    return replace(_stated(replace(said, id=known.id), row), was=was)


def _place(row: Row) -> Place:
    return Place(
        id=row["id"], kind=PlaceKind(row["kind"]), space=row["space"], parent=row["parent"]
    )


def _stated(known: Place, row: Row) -> Stated:
    return Stated(known, row["epoch"], row["members_at"], row["opened_at"])


def _is_newer(at: Moment, known_at: datetime, known: Place, said: Place) -> bool:
    """Of two statements of one time, the one that tells fewer people counts."""
    closes = is_open(known.kind) and not is_open(said.kind)
    is_narrower = closes or said.kind is PlaceKind.PRIVATE_THREAD
    if is_narrower:
        return at.has_arrived or known_at <= at.at
    return known_at < at.end


def _may_change_in_place(known: Place, said: Place) -> bool:
    """Only towards fewer readers; otherwise old memories would follow the place into the open."""
    if known.parent != said.parent or _outermost(known) != _outermost(said):
        return False
    if known.kind in THREADS and said.kind is PlaceKind.PRIVATE_THREAD:
        return True
    if is_open(known.kind) and not is_open(said.kind):
        return True
    before, after = MEANING[known.kind], MEANING[said.kind]
    # Given to a role, a public place is read by fewer; taken from it, by more.
    is_no_wider = not is_open(said.kind) or known.space in spaces_around(said.space or "")
    return before.scope == after.scope and (known.space == said.space or is_no_wider)


def _outermost(place: Place) -> str | None:
    return spaces_around(place.space)[-1] if place.space is not None else None


def is_open(kind: PlaceKind) -> bool:
    return kind in (PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT)


async def _add(
    connection: Connection, agent: str, said: Place, id: str, at: Moment | None
) -> Stated:
    is_reopened, stated = id != said.id, at.at if at else GUESSED
    opened_at = stated if is_reopened else GUESSED
    done = await connection.execute(
        query("places", "add"),
        agent, id, said.id, said.kind.value, said.space, said.parent, is_reopened, stated, opened_at,
    )  # fmt: skip
    if done == "INSERT 0 0":
        return await attest(connection, agent, said, at)  # somebody else just added it
    return Stated(replace(said, id=id), 0, opened_at=opened_at)


async def before_it_opened(
    connection: Connection, agent: str, room: Place, said_at: datetime
) -> Place | None:
    """What a room was when something was said in it, if it has opened since."""
    row = await connection.fetchrow(query("places", "before_it_opened"), agent, room.id, said_at)
    return None if row is None else _place(row)


async def members(connection: Connection, agent: str, place_id: str) -> frozenset[Entity]:
    rows = await connection.fetch(query("places", "members"), agent, place_id)
    return frozenset(read_entity(row["entity"]) for row in rows)


async def join(
    connection: Connection,
    agent: str,
    room: Place,
    who: Iterable[Entity],
    *,
    at: Moment | None,
    spoke_at: datetime,
) -> tuple[frozenset[Entity], int | None]:
    """Those who were not there before, and the new epoch if that made one.

    `at` is the time of a platform's statement; None: they spoke, at `spoke_at`, which counts only
    where nothing is known of them yet.
    """
    wanted = sorted({str(one) for one in who})
    if not wanted:
        return frozenset(), None
    rows = await connection.fetch(query("places", "standing"), agent, room.id, wanted)
    counted = [row for row in rows if _counts(row, at)]
    stays = [row["entity"] for row in counted if row["is_in"]]
    comes = [row["entity"] for row in counted if not row["is_in"]]
    if at is not None:
        await connection.execute(query("places", "confirm"), agent, room.id, stays, at.at)
    await _be_in_space(connection, agent, room, stays if at else [], comes, at)
    if not comes:
        return frozenset(), None
    since, epoch = at.at if at else spoke_at, None
    if room.kind in WITNESSED or any(row["was_in"] for row in rows):
        epoch = await connection.fetchval(
            query("places", "next_epoch"), agent, room.id, since, comes
        )
    said = at.at if at else GUESSED
    first = 0 if epoch is None else epoch
    await connection.execute(query("places", "join"), agent, room.id, comes, first, since, said)
    await connection.execute(query("places", "said_about_members"), agent, [room.id], since)
    return frozenset(map(read_entity, comes)), epoch


def _counts(row: Row, at: Moment | None) -> bool:
    """A statement is newer than the last leaving; speech counts where there is none."""
    if at is None:
        return not row["has_left"]
    return row["left_at"] is None or row["left_at"] < at.end


async def _be_in_space(
    connection: Connection,
    agent: str,
    room: Place,
    stays: Sequence[str],
    comes: Sequence[str],
    at: Moment | None,
) -> None:
    """Whoever is in a room is in its space."""
    spaces = spaces_around(room.space) if room.space is not None else ()
    people = [*stays, *comes]
    if not people:
        return
    said = at or Moment(GUESSED)
    if at is not None:
        about = [f"p={room.id}", *(f"s={space}" for space in spaces)]
        await connection.execute(query("places", "return"), agent, people, about, at.at, at.end)
    if spaces:
        await connection.fetch(
            query("places", "join_space"), agent, people, list(spaces), said.at, said.end
        )


@dataclass(frozen=True, slots=True)
class Left:
    """Somebody left a room. What was said in it since then they were not there for."""

    place_id: str
    kind: PlaceKind
    has_changed: bool  # they were in it until now, or were thought to have been there longer
    since_epoch: int | None = None  # the first they lost, where that became known late
    is_back: bool = False  # a newer statement says that they came back


async def leave(
    connection: Connection, agent: str, place: Place, who: Entity, at: Moment
) -> list[Left]:
    """What came by membership ends: in the place, its threads, and what it was before it opened."""
    rows = await connection.fetch(query("places", "left_with"), agent, place.id, str(who))
    at = at.after(*_known(rows))
    left = [await _leave(connection, agent, row, who, at) for row in rows]
    await _depart(connection, agent, sorted({place.id, *(row["id"] for row in rows)}), who, at)
    return left


def _known(rows: Iterable[Row]) -> list[datetime]:
    """When they were last said to be there."""
    return [GUESSED, *(row["seen_at"] for row in rows if row["is_in"])]


async def _depart(
    connection: Connection,
    agent: str,
    rooms: Sequence[str],
    who: Entity,
    at: Moment,
    *,
    space: str | None = None,
) -> None:
    gone = [*(f"p={id}" for id in rooms), *([f"s={space}"] if space else [])]
    await connection.execute(query("places", "depart"), agent, gone, str(who), at.at)
    await connection.execute(query("places", "said_about_members"), agent, rooms, at.at)


async def _leave(connection: Connection, agent: str, row: Row, who: Entity, at: Moment) -> Left:
    """Nobody keeps a presence of after they left, however late that becomes known."""
    room, name, since = row["id"], str(who), None
    kind = PlaceKind(row["kind"])
    is_witnessed = kind in WITNESSED
    done: list[str] = []
    if is_witnessed and not at.has_arrived and row["last_said"] >= at.at:
        since = await connection.fetchval(query("places", "epoch_at"), agent, room, at.at) or 0
        lost = query("places", "lose_epochs")
        done.append(await connection.execute(lost, agent, room, name, since))
    for cut in () if at.has_arrived else ("lose_late_words", "shorten_stays"):
        done.append(await connection.execute(query("places", cut), agent, room, name, at.at))
    has_changed = any(not one.endswith(" 0") for one in done)
    is_older = row["is_in"] and at.at < row["seen_at"]
    if not row["is_in"] or (is_older and since is None and row["joined_at"] >= at.at):
        return Left(room, kind, has_changed, since)
    again = 0
    if is_witnessed or is_older:
        returning = [name] if is_older else []
        begun = max(at.at, row["seen_at"])
        again = await connection.fetchval(
            query("places", "next_epoch"), agent, room, begun, returning
        )
    until = again if since is None else since
    await connection.execute(query("places", "leave"), agent, room, name, until, at.at)
    if is_older:
        # A newer statement says that they are in it: they missed what was said between.
        joined = row["seen_at"] if row["joined_at"] < at.at else row["joined_at"]
        await connection.execute(
            query("places", "join"), agent, room, [name], again, joined, row["seen_at"]
        )
    return Left(room, kind, True, since, is_back=is_older)


async def join_space(
    connection: Connection, agent: str, space: str, who: Iterable[Entity], at: Moment
) -> bool:
    people = sorted({str(one) for one in who})
    around = list(spaces_around(space))
    about = [f"s={one}" for one in around]
    await connection.execute(query("places", "return"), agent, people, about, at.at, at.end)
    rows = await connection.fetch(
        query("places", "join_space"), agent, people, around, at.at, at.end
    )
    return any(row["is_new"] for row in rows)


async def leave_space(
    connection: Connection, agent: str, space: str, who: Entity, at: Moment
) -> tuple[bool, list[Left]]:
    rows = await connection.fetch(query("places", "places_of_space"), agent, space, str(who))
    stated = await connection.fetchval(query("places", "in_space_since"), agent, str(who), space)
    at = at.after(*_known(rows), stated or GUESSED)
    left = [await _leave(connection, agent, row, who, at) for row in rows]
    done = await connection.execute(query("places", "leave_space"), agent, str(who), space, at.at)
    await _depart(connection, agent, [row["id"] for row in rows], who, at, space=space)
    return done != "DELETE 0" or any(one.has_changed for one in left), left


async def join_collective(
    connection: Connection, agent: str, collective: Entity, who: Entity, at: Moment
) -> bool:
    """An authority gave somebody a role, or took them into a group. Whether that is new."""
    about = [f"g={collective}"]
    await connection.execute(query("places", "return"), agent, [str(who)], about, at.at, at.end)
    row = await connection.fetchrow(
        query("places", "join_collective"), agent, str(who), str(collective), at.at, at.end
    )
    return bool(row and row["is_new"])


async def leave_collective(
    connection: Connection, agent: str, collective: Entity, who: Entity, at: Moment
) -> bool:
    stated = await connection.fetchval(
        query("places", "collective_since"), agent, str(who), str(collective)
    )
    at = at.after(stated or GUESSED)
    done = await connection.execute(
        query("places", "leave_collective"), agent, str(who), str(collective), at.at
    )
    await connection.execute(query("places", "depart"), agent, [f"g={collective}"], str(who), at.at)
    return done != "DELETE 0"


async def use_epoch(connection: Connection, agent: str, room: Place, said_at: datetime) -> None:
    if room.kind in WITNESSED:
        await connection.execute(query("places", "use_epoch"), agent, room.id, said_at)


async def current(connection: Connection, agent: str, platform_id: str) -> Place | None:
    row = await connection.fetchrow(query("places", "current"), agent, platform_id)
    return None if row is None else _place(row)


async def said_in(connection: Connection, agent: str, place_id: str) -> int:
    """How many memories were said in a place and its threads."""
    around = await inside(connection, agent, place_id)
    return await connection.fetchval(query("places", "said_in"), agent, around)


async def inside(connection: Connection, agent: str, place_id: str) -> list[str]:
    return [row["id"] for row in await connection.fetch(query("places", "inside"), agent, place_id)]

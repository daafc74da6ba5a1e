"""Reading the trail (P9): what happened, and whether anybody has tampered with what says so."""

from __future__ import annotations

import json
import logging
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from confide.actor import Actor, in_person, require
from confide.declare import Group, Limit, Note, verb
from confide.errors import NotFound, StorageProblem
from confide.model import Entity
from confide.privacy.acting import Act, CallerKind
from confide.privacy.leaves import Called
from confide.store import sealing, trail
from confide.store.queries import query
from confide.store.sealing import Head
from confide.store.trail import BEGINNING, seal_hash

if TYPE_CHECKING:
    from confide.store.connection import Connection

log = logging.getLogger(__name__)

EVERYTHING: Final = 2**62
READERS: Final = (CallerKind.PLATFORM, CallerKind.PERSONAL, CallerKind.AUDITOR)
VERIFIERS: Final = (CallerKind.AUDITOR, CallerKind.ADMIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that happened, without content. Names are there while their keys are."""

    number: int | None  # for the operator: it counts what everybody does
    at: datetime
    actor: str
    doing: str | None
    what: str
    action: str
    memory_id: Annotated[uuid.UUID | None, Called("memory")]
    owner: str | None
    place: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What was found. `problems` says what was tampered with, and where."""

    ALSO: ClassVar = ("is_sound",)

    entries: int
    seals: int
    not_sealed: int  # too new to be part of a seal
    is_anchored: bool  # the home folder knows a seal, so that a shortened trail is noticed
    problems: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.problems


class Trail(Group):
    """The audit log of one agent."""

    async def seal(self) -> int:
        """Seal what was written, and note the newest seal in the home folder."""
        count = await sealing.seal(self.database, self.clock())
        if count:
            try:
                await self._note()
            except StorageProblem as problem:
                # The trail is sealed; a folder that cannot be written is no reason to stop.
                log.warning("trail: %s", problem)
        return count

    async def _note(self) -> None:
        anchored, agent = self._anchor(), self.database.agent
        async with self.database.keep() as connection:
            newest = await sealing.head(connection, agent)
            # A chain that no longer holds what we know of must not become what we know.
            is_same = anchored is None or await _holds(connection, agent, anchored)
        if newest is not None and is_same:
            self._drop_anchor(newest)

    @verb(Act.READ_LABELS, "GET /trail", only=READERS, alone=True, answers="entries")
    async def log(
        self,
        *,
        actor: Actor,
        of: Annotated[Entity | None, Note("Whose, or done by whom.")] = None,
        memory_id: Annotated[uuid.UUID | None, Called("memory")] = None,
        since: datetime | None = None,
        limit: Limit = 50,
    ) -> list[Entry]:
        """What happened, newest first: all of it to the operator, one's own to everybody else."""
        if actor.entity is not None:
            if of not in (None, actor.entity):
                raise NotFound("there is no such person")
            of = actor.entity
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("trail", "listed"),
                self.database.agent, str(of) if of else None, memory_id, since, limit,
            )  # fmt: skip
        return [_entry(row, actor.entity) for row in rows]

    @verb(Act.READ_NUMBERS, "GET /trail/verify", only=VERIFIERS, long=True)
    async def verify(self) -> Verified:
        """Look at every entry, every seal, and every memory's last entry."""
        await self.seal()
        agent, problems = self.database.agent, list[str]()
        sealed = count = 0
        last_seq = sealing.BEFORE_ALL
        previous, anchor = BEGINNING, self._anchor()
        found_anchor = anchor is None
        async with self.database.keep() as connection:
            async for one in sealing.seals(connection, agent):
                sealed += 1
                problems += _broken(agent, one, sealed, previous)
                if anchor is not None and one["number"] == anchor.number:
                    found_anchor = one["hash"] == anchor.hash
                rows = await connection.fetch(
                    query("trail", "entries"), agent, last_seq, one["last_seq"], EVERYTHING
                )
                count += len(rows)
                problems += _differing(one, rows)
                previous, last_seq = one["hash"], one["last_seq"]
            if not found_anchor and anchor is not None:
                problems.append(
                    f"seal {anchor.number}, which the home folder knows, is"
                    + (" missing: the trail was cut off" if sealed < anchor.number else " another")
                )
            fresh = await connection.fetch(
                query("trail", "entries"), agent, last_seq, EVERYTHING, EVERYTHING
            )
            problems += [
                f"memory {row['id']} is not as its last entry left it"
                for row in await connection.fetch(query("trail", "unlike_trail"), agent)
            ]
        return Verified(
            entries=count + len(fresh),
            seals=sealed,
            not_sealed=len(fresh),
            is_anchored=anchor is not None,
            problems=tuple(problems),
        )

    async def accept(self, *, actor: Actor) -> Head | None:
        """Take the trail as it is for the true one: after a restore, or once a problem is understood."""
        require(Act.RUN, actor, in_person(actor))
        now, agent = self.clock(), self.database.agent
        async with self.database.keep() as connection:
            await trail.record(
                connection, agent, actor=actor, action="accepted", what="trail", now=now
            )
        await sealing.seal(self.database, now)
        async with self.database.keep() as connection:
            newest = await sealing.head(connection, agent)
        if newest is not None:
            self._drop_anchor(newest)
        return newest

    @property
    def _anchor_file(self) -> Path:
        return self.settings.home / "trail" / f"{self.database.agent}.json"

    def _anchor(self) -> Head | None:
        try:
            said = json.loads(self._anchor_file.read_text())
            return Head(int(said["number"]), bytes.fromhex(said["hash"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError) as problem:
            raise StorageProblem(
                f"{self._anchor_file.name} in the folder `trail` of CONFIDE_HOME cannot be read;"
                " restore it from a backup, or remove it and run `confide audit verify --accept`"
            ) from problem

    def _drop_anchor(self, newest: Head) -> None:
        path = self._anchor_file
        fresh = path.with_suffix(f".{uuid.uuid4().hex[:8]}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(
                os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w"
            ) as file:
                json.dump({"number": newest.number, "hash": newest.hash.hex()}, file)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except OSError as problem:
            raise StorageProblem(
                "the folder `trail` of CONFIDE_HOME cannot be written"
            ) from problem


async def _holds(connection: Connection, agent: str, anchor: Head) -> bool:
    rows = await connection.fetch(query("trail", "seals"), agent, anchor.number - 1, 1)
    return bool(rows) and (rows[0]["number"], rows[0]["hash"]) == (anchor.number, anchor.hash)


def _broken(agent: str, seal: Mapping[str, Any], expected: int, previous: bytes) -> list[str]:
    number = seal["number"]
    if number != expected:
        return [f"seal {expected} is missing"]
    if seal["previous"] != previous:
        return [f"seal {number} does not follow the one before it"]
    if seal["hash"] != seal_hash(agent, seal):
        return [f"seal {number} was changed"]
    return []


def _differing(seal: Mapping[str, Any], rows: list[Any]) -> list[str]:
    if sealing.digest(rows) == seal["digest"] and len(rows) == seal["entries"]:
        return []
    where = f"among the {seal['entries']} entries of seal {seal['number']}"
    if len(rows) < seal["entries"]:
        return [f"{seal['entries'] - len(rows)} removed {where}"]
    if len(rows) > seal["entries"]:
        return [f"{len(rows) - seal['entries']} inserted {where}"]
    return [f"at least one changed {where}"]


def _entry(row: Mapping[str, Any], reader: Entity | None) -> Entry:
    """To a person nobody else is named who did or owns something: only that it was not them."""

    def named(name: str | None, id: uuid.UUID | None) -> str | None:
        if name is None:
            return "somebody erased" if id is not None else None
        return name if reader is None or name == str(reader) else "somebody else"

    who = named(row["actor"], row["actor_id"])
    return Entry(
        number=row["seq"] if reader is None else None,
        at=row["at"],
        actor=f"{row['proof']} as {who}" if who else row["proof"],
        doing=row["doing"],
        what=row["what"],
        action=row["action"],
        memory_id=row["memory_id"],
        owner=named(row["owner"], row["owner_id"]),
        place=row["place"].removeprefix("place:") if row["place"] else None,
    )

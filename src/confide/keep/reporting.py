"""Reports (S25, P11): counts for the operator, and to each person counts of what they may hear."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from confide.actor import Actor, require
from confide.declare import Alone, Between, Group, Note, verb
from confide.errors import InvalidInput
from confide.keep.correcting import only
from confide.keep.status import StoreStatus, read_status
from confide.model import Namespace, PlaceKind, Scope
from confide.privacy.acting import Act, CallerKind, Relation
from confide.spending import Budget
from confide.store.queries import query
from confide.store.usage import Used

#: Where `confide leaktest` notes its last result, in the home folder.
LEAKTEST: Final = "leaktest.json"
DAYS: Final = 30
#: Places of which it is worth a look that something from them is told everywhere.
CLOSED: Final = frozenset(PlaceKind) - {PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT}


@dataclass(frozen=True, slots=True)
class Made:
    """How many memories of a level were made on a day."""

    day: date
    scope: Scope
    memories: int


@dataclass(frozen=True, slots=True)
class Everywhere:
    """What is `global` and came from a place that not everyone can read."""

    kind: PlaceKind
    memories: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Share:
    """A metric: how many of how many; nothing to divide by is no result."""

    ALSO: ClassVar = ("value",)

    name: str
    part: int
    whole: int

    @property
    def value(self) -> float | None:
        return self.part / self.whole if self.whole else None


@dataclass(frozen=True, slots=True)
class Leaks:
    """What the last leak test on this machine found."""

    at: datetime
    decisions: int
    between_people: int
    between_scopes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """For the operator. It carries counts, and nobody's name."""

    made: tuple[Made, ...]
    everywhere: tuple[Everywhere, ...]
    metrics: tuple[Share, ...]
    leaks: Leaks | None


@dataclass(frozen=True, slots=True)
class Level:
    """How many of one's own memories have a level, and when the last one changed."""

    scope: Scope
    memories: int
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """A month's tokens and money."""

    ALSO: ClassVar = ("dollars",)

    since: datetime
    used: list[Used]
    budgets: list[Budget]

    @property
    def dollars(self) -> float:
        return sum(one.dollars for one in self.used)


class Reports(Group):
    """Counts: to whoever runs the agent all of them, to each person their own."""

    @verb(Act.READ_NUMBERS, "GET /report", only=(CallerKind.ADMIN,))
    async def overview(
        self,
        *,
        actor: Actor,
        days: Annotated[int, Between(1, 366), Note("How far back.")] = DAYS,
    ) -> Overview:
        """Memories by day and level, what is told everywhere, and how well it all works: to who
        runs the agent, since numbers tell of what is hidden."""
        if actor.entity is not None:
            raise InvalidInput("actor", "only who runs the agent sees all; ask for your own")
        require(Act.READ_NUMBERS, actor, Relation.NONE)
        agent, now = self.database.agent, self.clock()
        since = now - timedelta(days=days)
        undo = now - timedelta(hours=self.settings.undo_hours) - timedelta(days=2)
        async with self.database.keep() as connection:
            made = await connection.fetch(query("report", "by_day"), agent, since)
            everywhere = await connection.fetch(query("report", "everywhere"), agent)
            learned = await connection.fetchrow(query("report", "learned"), agent)
            asked = await connection.fetchrow(query("report", "asked"), agent, since)
            erased = await connection.fetchrow(query("report", "erased"), agent, undo)
        return Overview(
            made=tuple(Made(row["day"], Scope(row["scope"]), row["memories"]) for row in made),
            everywhere=tuple(
                Everywhere(PlaceKind(row["kind"]), row["memories"], row["updated_at"])
                for row in everywhere
                if PlaceKind(row["kind"]) in CLOSED
            ),
            metrics=(
                Share("extraction precision", learned["approved"],
                      learned["approved"] + learned["rejected"]),
                Share("retrieval hit rate", asked["answered"], asked["questions"]),
                Share("deletion compliance", erased["complete"], erased["due"]),
            ),
            leaks=read_leaks(self.settings.home),
        )  # fmt: skip

    @verb(Act.READ_NUMBERS, "GET /status", only=(CallerKind.ADMIN,))
    async def status(self) -> StoreStatus:
        """Versions, sizes and counts."""
        return await read_status(self.database, is_enabled=self.settings.enabled)

    @verb(Act.READ_NUMBERS, "GET /usage", only=(CallerKind.ADMIN,))
    async def usage(self) -> Usage:
        """This month's tokens and money."""
        purse = self.spending
        used, budgets = await purse.used(), await purse.all_budgets()
        return Usage(since=purse.month(), used=used, budgets=budgets)

    @verb(
        Act.READ_NUMBERS,
        "GET /mine/report",
        only=(CallerKind.PLATFORM, CallerKind.PERSONAL),
        answers="levels",
    )
    async def of_person(
        self, who: Alone, *, actor: Actor, namespace: Namespace | None = None
    ) -> tuple[Level, ...]:
        """One's own memories by level with the last update, as far as one may hear them; with those
        of a `namespace` and what it lies in."""
        if actor.entity != who:
            raise InvalidInput("actor", f"only {who} sees this")
        async with self.database.tell(only(who, namespace), self.clock()) as telling:
            rows = await telling.connection.fetch(query("rights", "stats"), str(who))
        found: dict[Scope, Level] = {}
        for row in rows:
            scope = Scope(row["scope"])
            before = found.get(scope, Level(scope, 0, row["updated_at"]))
            found[scope] = Level(
                scope,
                before.memories + row["memories"],
                max(before.updated_at, row["updated_at"]),
            )
        return tuple(found.values())


def write_leaks(home: Path, leaks: Leaks) -> None:
    """Remember what the last leak test found, where something is kept: numbers only."""
    if not home.is_dir():
        return
    written: dict[str, Any] = {
        "at": leaks.at.isoformat(),
        "decisions": leaks.decisions,
        "between_people": leaks.between_people,
        "between_scopes": leaks.between_scopes,
    }
    (home / LEAKTEST).write_text(json.dumps(written) + "\n", encoding="utf-8")


def read_leaks(home: Path) -> Leaks | None:
    """Nothing, if no leak test was run here or what it noted cannot be read."""
    try:
        raw = json.loads((home / LEAKTEST).read_text(encoding="utf-8"))
        return Leaks(
            datetime.fromisoformat(raw["at"]),
            int(raw["decisions"]),
            int(raw["between_people"]),
            int(raw["between_scopes"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None

"""How far one's own memories go: counted and listed by who could be told (S22, S25)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from confide.declare import Alone, Group, verb
from confide.model import Entity, Kind, Sensitivity
from confide.privacy.acting import Act, CallerKind
from confide.privacy.disclosure import disclose
from confide.privacy.policy import Audience
from confide.privacy.reach import Reach, reach_of
from confide.recall.audience import only_seen_by, tell_to
from confide.store.database import Telling
from confide.store.encoding import read_clauses
from confide.store.memory import Memory, read_memories
from confide.store.names import with_names
from confide.store.queries import query

PAGE: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaching:
    """How many of one's own memories go how far."""

    reach: Reach
    memories: int


class Reaches(Group, but=(CallerKind.TOKEN,)):
    """`confide.reaches`: a summary of labels. What is withheld from its reader is not counted."""

    @verb(Act.READ_OWN, "GET /mine/reach", answers="reaching")
    async def levels(self, who: Alone) -> list[Reaching]:
        """One's own memories by who could be told them, from fewest to most."""
        return await self.levels_for(who, only_seen_by(who))

    async def levels_for(self, who: Entity, audience: Audience) -> list[Reaching]:
        """The same where others read the answer."""
        async with tell_to(self.database, audience, self.clock()) as telling:
            found = await _by_reach(telling, who)
        return [
            Reaching(reach=one, memories=sum(found[one].values())) for one in Reach if one in found
        ]

    async def list(
        self,
        who: Entity,
        audience: Audience,
        *,
        reach: Reach | None = None,
        kind: Kind | None = None,
        sensitivity: Sensitivity | None = None,
        place: str | None = None,
        limit: int = PAGE,
        offset: int = 0,
    ) -> Sequence[Memory]:
        """A page of one's own memories, newest first, as far as `audience` may hear them."""
        async with tell_to(self.database, audience, self.clock()) as telling:
            labels = None
            if reach is not None:
                labels = [*(await _by_reach(telling, who)).get(reach, {})]
            rows = await telling.connection.fetch(
                query("reach", "own_list"), str(who), labels, kind and kind.value,
                sensitivity and sensitivity.value, place, limit, offset,
            )  # fmt: skip
            found = read_memories(rows, telling.world.agent)
        told = disclose(found, telling.audience, telling.world).told
        return await with_names(self.database, who, told)


async def _by_reach(telling: Telling, who: Entity) -> Mapping[Reach, dict[int, int]]:
    """The numbers of labels that reach so far, and how many memories have each."""
    found: dict[Reach, dict[int, int]] = {}
    for row in await telling.connection.fetch(query("reach", "own_labels"), str(who)):
        counts = found.setdefault(reach_of(read_clauses(row["clauses"]), who), {})
        counts[row["label_id"]] = counts.get(row["label_id"], 0) + row["memories"]
    return found

"""What platforms say about places: who joins, who leaves, what a place has become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from confide.errors import InvalidEntity, InvalidInput, NotFound
from confide.keep.syncing import Change, Sight, sync
from confide.means import Part
from confide.model import COLLECTIVE, Entity, Place, PlaceKind, clean_text
from confide.privacy.places import MEANING
from confide.store import people, places
from confide.store.attesting import attest_place, join_place
from confide.store.colliding import tried_again
from confide.store.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPlace:
    """A place as the operator sees it: what it is and how many are in it."""

    place: Place
    members: int
    needs_review: bool  # it opened, and somebody should look at what was said before


class Surroundings(Part):
    """The verbs by which a platform keeps the store's picture of the world current."""

    @tried_again
    async def attest(self, place: Place) -> Place:
        """What a place is now. One that opened starts anew; one that closed takes its memories along."""
        async with self.database.keep(by="platform", doing="attest", at=self.clock()) as connection:
            known, _ = await attest_place(connection, self.database, place, self.clock())
        return known.place

    @tried_again
    async def join(self, place: Place, *who: Entity) -> None:
        """`who` are in `place` now, and read what will be said there."""
        now = self.clock()
        async with self.database.keep(by="platform", doing="join", at=now) as connection:
            known, _ = await attest_place(connection, self.database, place, now)
            await join_place(connection, self.database, known, who, now)

    @tried_again
    async def leave(self, place: Place, who: Entity) -> None:
        """`who` is in `place` no longer; what came by membership ends."""
        async with self.database.keep(by="platform", doing="leave", at=self.clock()) as connection:
            known, _ = await attest_place(connection, self.database, place, self.clock())
            await places.leave(connection, self.database.agent, known.place, who)

    async def places(self) -> list[KnownPlace]:
        """Every place that is known now."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(query("places", "list"), self.database.agent)
        return [
            KnownPlace(
                place=Place(
                    id=row["platform_id"],
                    kind=PlaceKind(row["kind"]),
                    space=row["space"],
                    parent=row["parent"],
                ),
                members=row["members"],
                needs_review=row["needs_review"],
            )
            for row in rows
        ]

    async def sync(
        self, seen: Sequence[Sight], *, all_of: str | None = None, is_preview: bool = False
    ) -> list[Change]:
        """Compare what a platform sees with what is stored, and take it over (S20).

        On every change of permissions, and at least once a day. With `all_of`, places of that
        space that were not seen are gone.
        """
        return await sync(self.database, seen, self.clock(), all_of=all_of, is_preview=is_preview)

    async def reclassify(
        self,
        to: PlaceKind,
        *,
        places: Sequence[str] = (),
        space: str | None = None,
        kind: PlaceKind | None = None,
        is_preview: bool = False,
    ) -> list[Change]:
        """Give many places another kind at once: those named, or all of a space, of one kind."""
        if not MEANING[to].has_space:
            raise InvalidInput("to", f"{to.value} is no kind of room in a space")
        if bool(places) == (space is not None):
            raise InvalidInput("space", "name places, or a space with all that is in it")
        known = {one.place.id: one.place for one in await self.places()}
        missing = [id for id in places if id not in known or not MEANING[known[id].kind].has_space]
        if missing:
            raise NotFound(f"there is no such place in a space: {', '.join(missing)}")
        chosen = [known[id] for id in places] or [
            place for place in known.values()
            if place.space == space and MEANING[place.kind].has_space
            and kind in (None, place.kind)
        ]  # fmt: skip
        return await self.sync(
            [Sight(replace(one, kind=to)) for one in chosen], is_preview=is_preview
        )

    async def reviewed(self, place_id: str) -> None:
        """Somebody has looked at what was said in a place before it opened."""
        async with self.database.keep(by="operator", doing="review place") as connection:
            done = await connection.execute(
                query("places", "reviewed"), self.database.agent, place_id
            )
        if done == "UPDATE 0":
            raise NotFound("no such place waits for a review")

    async def name(self, who: Entity, called: str) -> None:
        """What `who` is called from now on. Names are shown, they prove nothing."""
        shown = clean_text(called, "name")[:128]
        async with self.database.keep(by="platform", doing="name", at=self.clock()) as connection:
            await people.name(connection, self.database.agent, who, shown, self.clock())

    @tried_again
    async def leave_space(self, space: str, who: Entity) -> None:
        async with self.database.keep(
            by="platform", doing="leave space", at=self.clock()
        ) as connection:
            await places.leave_space(connection, self.database.agent, space, who)

    async def assign(self, collective: Entity, who: Entity) -> None:
        """An authority gives `who` a role, or takes them into a group or organisation."""
        await self._collective("join_collective", "assign", collective, who)

    async def unassign(self, collective: Entity, who: Entity) -> None:
        await self._collective("leave_collective", "unassign", collective, who)

    async def _collective(self, name: str, doing: str, collective: Entity, who: Entity) -> None:
        if collective.namespace not in COLLECTIVE:
            raise InvalidEntity("collective", f"{collective} is no role, group or org")
        async with self.database.keep(by="platform", doing=doing, at=self.clock()) as connection:
            await connection.execute(
                query("places", name), self.database.agent, str(who), str(collective)
            )

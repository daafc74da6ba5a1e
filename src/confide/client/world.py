"""What platforms say about places, through a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from confide.client.group import Group
from confide.client.writing import written_place
from confide.keep.syncing import Became, Change, Sight
from confide.keep.world import KnownPlace
from confide.model import Entity, Place, PlaceKind


class RemoteWorld(Group):
    async def attest(self, place: Place) -> Place:
        """What a place is now."""
        await self._door.call("PUT", "/v1/places", body={"place": written_place(place)})
        return place

    async def join(self, place: Place, *who: Entity) -> None:
        """`who` are in `place` now, and read what will be said there."""
        sent = {"place": written_place(place), "who": [str(one) for one in who]}
        await self._door.call("POST", "/v1/places/join", body=sent)

    async def leave(self, place: Place, who: Entity) -> None:
        """`who` is in `place` no longer; what came by membership ends."""
        sent = {"place": written_place(place), "who": [str(who)]}
        await self._door.call("POST", "/v1/places/leave", body=sent)

    async def leave_space(self, space: str, who: Entity) -> None:
        await self._door.call("POST", "/v1/spaces/leave", body={"space": space, "who": str(who)})

    async def assign(self, collective: Entity, who: Entity) -> None:
        """An authority gives `who` a role, or takes them into a group or organisation."""
        await self._role(collective, who, ended=False)

    async def unassign(self, collective: Entity, who: Entity) -> None:
        await self._role(collective, who, ended=True)

    async def name(self, who: Entity, called: str) -> None:
        """What `who` is called from now on. Names are shown, they prove nothing."""
        await self._door.call(
            "PUT", "/v1/people/{entity}/name", names={"entity": who}, body={"name": called}
        )

    async def places(self) -> list[KnownPlace]:
        """Every place that is known now."""
        told = await self._door.call("GET", "/v1/places")
        return [
            KnownPlace(
                place=Place(
                    id=one["place"],
                    kind=PlaceKind(one["kind"]),
                    space=one["space"],
                    parent=one["parent"],
                ),
                members=one["members"],
                needs_review=one["needs_review"],
            )
            for one in told["places"]
        ]

    async def sync(
        self, seen: Sequence[Sight], *, all_of: str | None = None, is_preview: bool = False
    ) -> list[Change]:
        """Compare what a platform sees with what is stored, and take it over."""
        sent = {
            "places": [_seen(one) for one in seen],
            "all_of": all_of,
            "preview": is_preview,
        }
        return _changes(await self._door.call("POST", "/v1/places/sync", body=sent))

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
        sent = {
            "to": to.value,
            "places": list(places),
            "space": space,
            "kind": kind.value if kind else None,
            "preview": is_preview,
        }
        return _changes(await self._door.call("POST", "/v1/places/reclassify", body=sent))

    async def reviewed(self, place_id: str) -> None:
        """Somebody has looked at what was said in a place before it opened."""
        await self._door.call("POST", "/v1/places/reviewed", body={"place": place_id})

    async def _role(self, collective: Entity, who: Entity, *, ended: bool) -> None:
        sent = {"collective": str(collective), "who": str(who), "ended": ended}
        await self._door.call("PUT", "/v1/roles", body=sent)


def _seen(sight: Sight) -> dict[str, object]:
    members = None if sight.members is None else sorted(map(str, sight.members))
    sent: dict[str, object] = {"place": written_place(sight.place)}
    return sent if members is None else sent | {"members": members}


def _changes(told: dict[str, Any]) -> list[Change]:
    return [
        Change(
            place=Place(
                id=one["place"],
                kind=PlaceKind(one["kind"]),
                space=one["space"],
                parent=one["parent"],
            ),
            was=PlaceKind(one["was"]) if one["was"] else None,
            became=Became(one["became"]),
            memories=one["memories"],
            joined=one["joined"],
            left=one["left"],
        )
        for one in told["changes"]
    ]

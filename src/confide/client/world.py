"""What platforms say about places, through a server."""

from __future__ import annotations

from confide.client.group import Group
from confide.client.writing import written_place
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
                    parent=one.get("parent"),
                ),
                members=one["members"],
                needs_review=one["needs_review"],
            )
            for one in told["places"]
        ]

    async def _role(self, collective: Entity, who: Entity, *, ended: bool) -> None:
        sent = {"collective": str(collective), "who": str(who), "ended": ended}
        await self._door.call("PUT", "/v1/roles", body=sent)

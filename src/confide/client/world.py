"""What platforms say about places, through a server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from confide.actor import Actor
from confide.client.door import acting
from confide.client.group import Group
from confide.keep.rules import SpaceRules, read_rules, write_rules
from confide.keep.syncing import Became, Change, Sight
from confide.keep.world import PAGE, KnownPlace, read_person, read_room
from confide.model import Entity, Place, PlaceKind
from confide.privacy.places import write_place

NOBODY_IN_PARTICULAR = Entity("human", "nobody")


class RemoteWorld(Group):
    async def attest(self, place: Place | str, *, at: datetime | None = None) -> Place:
        """What a place is, since `at`."""
        said = self._room(place)
        await self._door.call("PUT", "/v1/places", body=_at(at) | {"place": write_place(said)})
        return said

    async def join(
        self, place: Place | str, *who: Entity | str, at: datetime | None = None
    ) -> bool:
        """`who` are in `place` since `at`, and read what will be said there. Whether that is new."""
        return await self._members("/v1/places/join", place, who, at)

    async def leave(
        self, place: Place | str, *who: Entity | str, at: datetime | None = None
    ) -> bool:
        """`who` are in `place` no longer; what came by membership ends. Whether that is new."""
        return await self._members("/v1/places/leave", place, who, at)

    async def join_space(self, space: str, *who: Entity | str, at: datetime | None = None) -> bool:
        """`who` are in a space, or hold the role of one inside it: `guild/verified`."""
        return await self._said("/v1/spaces/join", {"space": space}, who, at)

    async def end_space(self, space: str) -> int:
        """The agent was removed from a space: nobody is in it, for all it can know."""
        told = await self._door.call("POST", "/v1/spaces/end", body={"space": space})
        return told["left"]

    async def leave_space(self, space: str, *who: Entity | str, at: datetime | None = None) -> bool:
        """`who` left a space, with every place and role in it."""
        return await self._said("/v1/spaces/leave", {"space": space}, who, at)

    async def assign(
        self, collective: Entity | str, *who: Entity | str, at: datetime | None = None
    ) -> bool:
        """An authority gives `who` a role, or takes them into a group or organisation."""
        return await self._role(collective, who, at, ended=False)

    async def unassign(
        self, collective: Entity | str, *who: Entity | str, at: datetime | None = None
    ) -> bool:
        """A role ended, or `who` left a group or organisation."""
        return await self._role(collective, who, at, ended=True)

    def _room(self, place: Place | str) -> Place:
        return read_room(place, NOBODY_IN_PARTICULAR)

    async def _members(
        self, path: str, place: Place | str, who: Sequence[Entity | str], at: datetime | None
    ) -> bool:
        return await self._said(path, {"place": write_place(self._room(place))}, who, at)

    async def _said(
        self, path: str, about: dict[str, object], who: Sequence[Entity | str], at: datetime | None
    ) -> bool:
        """However many they are, in pages of what one request may hold."""
        people, changed = _people(who), False
        for start in range(0, max(1, len(people)), PAGE):
            sent = about | {"who": people[start : start + PAGE]} | _at(at)
            changed = (await self._door.call("POST", path, body=sent))["changed"] or changed
        return changed

    async def places(self, space: str | None = None) -> list[KnownPlace]:
        """Every place that is known now, or those of one space."""
        if space is None:
            told = await self._door.call("GET", "/v1/places")
        else:
            told = await self._door.call("GET", "/v1/spaces/places", query={"space": space})
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

    async def rooms_of(self, who: Entity) -> list[str]:
        """Ids of the rooms that somebody is or was in, so that their platform can say it anew."""
        told = await self._door.call("GET", "/v1/places/of", query={"who": str(who)})
        return told["rooms"]

    async def sync(
        self,
        seen: Sequence[Sight],
        *,
        all_of: str | None = None,
        is_preview: bool = False,
        at: datetime | None = None,
    ) -> list[Change]:
        """Compare what a platform sees with what is stored, and take it over."""
        sent = {
            "places": [_seen(one) for one in seen],
            "all_of": all_of,
            "preview": is_preview,
        } | _at(at)
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

    async def reviewed(self, place_id: str, space: str | None = None) -> None:
        """Somebody has looked at what was said in a place before it opened."""
        if space is None:
            await self._door.call("POST", "/v1/places/reviewed", body={"place": place_id})
        else:
            sent = {"space": space, "room": place_id}
            await self._door.call("POST", "/v1/spaces/reviewed", body=sent)

    async def _role(
        self,
        collective: Entity | str,
        who: Sequence[Entity | str],
        at: datetime | None,
        *,
        ended: bool,
    ) -> bool:
        group, changed = str(read_person(collective, "collective")), False
        for one in _people(who):
            sent = {"collective": group, "who": one, "ended": ended} | _at(at)
            told = await self._door.call("PUT", "/v1/roles", body=sent)
            changed = changed or told["changed"]
        return changed


def _people(who: Sequence[Entity | str]) -> list[str]:
    return [str(read_person(one)) for one in who]


def _at(at: datetime | None) -> dict[str, object]:
    return {} if at is None else {"at": at.isoformat()}


def _seen(sight: Sight) -> dict[str, object]:
    members = None if sight.members is None else sorted(map(str, sight.members))
    sent: dict[str, object] = {"place": write_place(sight.place)}
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


class RemoteRules(Group):
    """What owners decided for their spaces."""

    async def of(self, space: str) -> SpaceRules:
        told = await self._door.call("GET", "/v1/spaces/rules", query={"space": space})
        return read_rules(told["rules"])

    async def decide(self, space: str, rules: SpaceRules, *, actor: Actor) -> None:
        sent = {"space": space, "rules": write_rules(rules)}
        await self._door.call("PUT", "/v1/spaces/rules", body=sent, query=acting(actor))

    async def left(self, space: str, *, is_back: bool = False) -> None:
        sent = {"space": space, "is_back": is_back}
        await self._door.call("POST", "/v1/spaces/left", body=sent)

    async def known(self, platform: str) -> list[str]:
        told = await self._door.call("GET", "/v1/spaces", query={"platform": platform})
        return told["spaces"]

    async def forget_account(self, who: Entity, space: str, *, actor: Actor) -> int:
        sent = {"space": space, "who": str(who)}
        path = "/v1/spaces/forget-account"
        told = await self._door.call("POST", path, body=sent, query=acting(actor))
        return told["erased"]

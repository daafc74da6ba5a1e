"""Step 3 of learning: names as they were said become entities, as this speaker means them (A5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from confide.model import KNOWN_PLATFORMS, Entity

_ACCOUNT: Final = re.compile(r"\w(?:[\w.\-]{0,62}\w)?")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody meant by a name. `name` is set where only this speaker knows who that is; which id
    they have is looked up when the memory is stored."""

    entity: Entity | None
    name: str | None = None
    account: Entity | None = None  # whom a mention means, unless the speaker calls another so


def resolve(
    names: Iterable[str],
    speaker: Entity,
    present: Iterable[Entity],
    mentionable: Iterable[Entity] = (),
    platform: str = "local",
) -> tuple[Person, ...]:
    """Accounts anchor identity: a name means one that was there, a mention any that the platform
    knows in the place, or the account it names. Any other name means somebody of the speaker's."""
    there = {*present, speaker}
    known = there | set(mentionable)
    people = [
        _resolved(name, speaker, known if name.startswith("@") else there, platform)
        for name in names
        if name.strip(" @")
    ]
    return tuple(dict.fromkeys(people))


def by_alias(people: Iterable[Person], aliases: Mapping[str, Entity]) -> tuple[Person, ...]:
    """Names that meant nobody who was there, as the speaker said whom they call so, and mentions
    as what they are. It helps to understand them and opens nothing to whom they mean."""
    found = (
        one
        if one.name is None
        else _called(one, aliases.get(" ".join(one.name.casefold().split())))
        for one in people
    )
    return tuple(dict.fromkeys(found))


def _called(one: Person, entity: Entity | None) -> Person:
    meant = entity or one.account
    return one if meant is None else Person(meant)


def _resolved(name: str, speaker: Entity, there: Iterable[Entity], platform: str) -> Person:
    plain = name.removeprefix("@").strip()
    accounts = [one for one in there if _is_called(one, plain)]
    if len(accounts) == 1:
        return Person(accounts[0])
    # Two accounts of one name, or none: a name alone proves nothing.
    is_mention = name.startswith("@") and not accounts
    return Person(None, plain, _mentioned(plain, speaker, platform) if is_mention else None)


def _mentioned(plain: str, speaker: Entity, platform: str) -> Entity | None:
    """The account of the speaker's platform with this id, whether anybody knows it or not: an
    answer that depended on that would tell who is known."""
    if not _ACCOUNT.fullmatch(plain):
        return None
    prefix, dot, _ = speaker.id.partition(".")
    before = f"{prefix}." if dot and prefix in (platform, *KNOWN_PLATFORMS) else ""
    return Entity(speaker.namespace, plain if plain.startswith(before) else before + plain)


def _is_called(entity: Entity, name: str) -> bool:
    """An account is meant by its id, or by the last part of an id like `discord.1234`."""
    wanted = name.casefold()
    return wanted in (entity.id.casefold(), entity.id.casefold().rpartition(".")[2])

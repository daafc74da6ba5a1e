"""What happens in the town, act by act. After each act everybody asks again."""

from __future__ import annotations

from collections.abc import AsyncIterator

from confide.leaktest import canaries
from confide.leaktest.canaries import DAYS_LATE, Canary, Nursery
from confide.leaktest.cast import PEOPLE, SISTER, TUTOR
from confide.leaktest.oracle import Oracle
from confide.leaktest.rooms import DIRECT, HARBOR, ROOMS, VERIFIED
from confide.leaktest.stage import Stage, is_lived_in
from confide.leaktest.town import Question
from confide.model import PlaceKind, Sensitivity


async def story(stage: Stage, nursery: Nursery, density: float) -> AsyncIterator[str]:
    """Yields the name of each act when it is over."""
    await stage.settle()
    await stage.assign(TUTOR, PEOPLE[3])
    for canary in planted(stage, nursery, density):
        await stage.say(canary)
    yield "planted"
    shared = await _shares(stage, nursery)
    await stage.merge(PEOPLE[1], PEOPLE[6])
    yield "some was shared, and two became one"
    for canary, to in shared[::2]:
        await stage.unshare(canary, to)
    await stage.opt_out(PEOPLE[2])
    yield "some was taken back, and one opted out"
    await stage.opt_in(PEOPLE[2])
    await stage.split(PEOPLE[1], PEOPLE[6])
    yield "all are there, and themselves again"
    await _joins(stage, nursery)
    yield "some joined"
    gone = await _leaves(stage)
    yield "some left"
    await _late_words(stage, nursery, gone)
    yield "words of those who left arrived late"
    await _returns(stage, gone)
    yield "some came back"
    await _late_leaves(stage)
    yield "it became known late who had left"
    await _permissions(stage, nursery)
    yield "rooms opened and closed"
    await _after_opening(stage)
    yield "an opened room was left and closed"
    leaver = stage.speaker_in("general")
    await stage.leave_space(HARBOR, leaver)
    yield "one left the space"
    await stage.join("general", leaver)
    soft = await _forgets(stage)
    yield "some was forgotten"
    for canary in soft[::2]:
        await stage.restore(canary, canary.by)
    stage.wait(hours=13)
    yield "13 hours later"
    for days, act in (
        (4, "4 days"),
        (4, "8 days"),
        (7, "15 days"),
        (16, "a month"),
        (60, "91 days"),
    ):
        stage.wait(days=days)
        yield f"{act} later"


def planted(stage: Stage, nursery: Nursery, density: float) -> list[Canary]:
    """Something in every room, of every sensitivity, kind and namespace."""
    said: list[Canary] = []
    for room in ROOMS:
        if is_lived_in(room):
            inside = stage.random.sample(stage.inside(room.key), len(stage.inside(room.key)))
            outside = [one for one in PEOPLE if one not in inside]
            said += canaries.in_room(nursery, room.key, inside, outside)
        else:
            said += canaries.in_room(nursery, room.key, [room.of or PEOPLE[0]], [PEOPLE[1]])
    for n, who in enumerate(PEOPLE[:3]):
        said += canaries.of_one_person(nursery, who, PEOPLE[n + 3])
    said += canaries.in_namespaces(nursery, PEOPLE[0], "laptop")
    said += canaries.that_fade(nursery, stage.someone_in("general"))
    said += canaries.granted(nursery, {key: stage.inside(key) for key in ("friends", "lounge")})
    for key in ("general", "mods", "friends"):
        said.append(nursery.canary(key, stage.someone_in(key), source=SISTER))
    # A person who hears more than one answer can hold would have to be asked for each of them.
    return [canary for canary in said if stage.random.random() < density]


def after(stage: Stage, nursery: Nursery, key: str) -> list[Canary]:
    """A few new words in a room whose people or rules have changed."""
    by = stage.someone_in(key)
    return [nursery.canary(key, by, sensitivity=sensitivity) for sensitivity in Sensitivity]


async def _shares(stage: Stage, nursery: Nursery) -> list[tuple[Canary, str]]:
    """Words that are one's own, with people and with rooms; each twice, and one of them taken back."""
    shared: list[tuple[Canary, str]] = []
    for n, to in enumerate(("human:edda", "human:ben", "room:park", "room:friends")):
        for _ in range(2):
            canary = nursery.canary("direct", PEOPLE[n % 3])
            await stage.say(canary)
            assert canary.is_ones_own
            await stage.share(canary, to)
            shared.append((canary, to))
    return shared


async def _thread_joins(stage: Stage, nursery: Nursery) -> None:
    """A thread is its room: spoken of in the thread and then in the room, or the other way round."""
    late = stage.someone_outside("friends")
    if late is not None:
        await stage.say(_surprise(stage, nursery, "plan", late))
        await stage.join("friends", late)
    late = stage.someone_outside("friends")
    if late is not None:
        await stage.say(_surprise(stage, nursery, "friends", late))
        await stage.say(nursery.canary("plan", late))


def _surprise(stage: Stage, nursery: Nursery, key: str, about: str) -> Canary:
    return nursery.canary(key, stage.someone_in(key), about=frozenset({about}))


async def _joins(stage: Stage, nursery: Nursery) -> None:
    """Among them somebody of whom was spoken in their absence: the surprise party."""
    await _thread_joins(stage, nursery)
    for key in ("friends", "club", "care", "park"):
        spoken_of = {s for c in stage.town.canaries if c.room == key for s in c.about - c.there}
        newcomer = stage.someone_outside(key, spoken_of & set(PEOPLE) or PEOPLE)
        if newcomer is not None:
            await stage.join(key, newcomer)
    for key, around in (("mods", "general"), ("crew", "general"), ("huddle", "mods")):
        newcomer = stage.someone_outside(key, stage.inside(around))
        if newcomer is not None:
            await stage.join(key, newcomer)
    for key in ("friends", "care", "mods"):
        for canary in after(stage, nursery, key):
            await stage.say(canary)


async def _leaves(stage: Stage) -> list[tuple[str, str]]:
    """Moderators who are none any more, participants who went home, friends who left."""
    gone: list[tuple[str, str]] = []
    for key in ("friends", "club", "care", "park", "mods", "crew", "voice", "aside", "o-mods"):
        who = stage.speaker_in(key)
        await stage.leave(key, who)
        gone.append((key, who))
    await stage.leave_space(VERIFIED, stage.speaker_in("deck"))
    await stage.unassign(TUTOR, PEOPLE[3])
    await stage.assign(TUTOR, PEOPLE[4])
    return gone


async def _returns(stage: Stage, gone: list[tuple[str, str]]) -> None:
    for key, who in gone:
        if key in ("friends", "care", "voice"):
            await stage.join(key, who)


async def _late_words(stage: Stage, nursery: Nursery, gone: list[tuple[str, str]]) -> None:
    """Said long ago, when they were still there; it brings nobody back, and is for those of then."""
    for key, who in gone:
        about = frozenset(stage.inside(key)[:1])
        await stage.say(nursery.canary(key, who, days_late=DAYS_LATE, about=about))


async def _late_leaves(stage: Stage) -> None:
    """They were not there for what was said since, and are back in one of the rooms."""
    for key in ("friends", "care", "club"):
        who = stage.someone_in(key)
        await stage.leave(key, who, days_late=1)
        if key != "club":
            await stage.join(key, who)


async def _permissions(stage: Stage, nursery: Nursery) -> None:
    await stage.open("crew", PlaceKind.PUBLIC)
    await stage.join("crew", *stage.inside("general")[:3])
    await stage.close("lounge", PlaceKind.RESTRICTED)
    await stage.leave("lounge", stage.speaker_in("lounge"))
    await stage.close("late", PlaceKind.RESTRICTED)
    await stage.close("news", PlaceKind.PUBLIC)
    for key in ("crew", "lounge", "news"):
        for canary in after(stage, nursery, key):
            await stage.say(canary)
    # Last, since a store that believes it would believe the next word about the room, too.
    for _ in range(2):
        await stage.say(nursery.canary("lounge", stage.someone_in("lounge"), is_stale=True))


async def _after_opening(stage: Stage) -> None:
    """Those who leave the opened room must lose what it was before, too."""
    spoke = {c.by for c in stage.town.canaries if c.place == "crew"}
    still_in = sorted(spoke & stage.town.members["crew"])
    if still_in:
        await stage.leave("crew", still_in[0])
    await stage.close("crew", PlaceKind.RESTRICTED)


async def _forgets(stage: Stage) -> list[Canary]:
    """By their owner, or by whom they are about and who hears it (A6); half of them for good."""
    own = [c for c in stage.town.canaries if c.by.startswith("human:")]
    chosen = stage.random.sample(own, min(24, len(own)))
    for n, canary in enumerate(chosen):
        by = _subject(stage, canary) if n % 4 == 0 else canary.by
        await stage.forget(canary, by, now=n % 2 == 0)
    return chosen[1::2]


def _subject(stage: Stage, canary: Canary) -> str:
    """Somebody it is about who is told it alone; without one, its owner."""
    for who in sorted(canary.about):
        if Oracle(Question(who, DIRECT), stage.town).why_withheld(canary) is None:
            return who
    return canary.by

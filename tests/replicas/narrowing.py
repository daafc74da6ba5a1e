"""Every kind of write after which somebody is told less, each with a memory that shows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from confide import Audience, Confide, Entity, audience, operator_as, statement
from confide.model import Message
from confide.privacy import atoms
from confide.reading import read_access, read_place

ALICE, BOB, CAROL = (Entity("human", name) for name in ("alice", "bob", "carol"))
SECOND: Final = Entity("human", "alice.elsewhere")
TUTOR: Final = Entity("role", "tutor")
WORDS: Final = "The castle build uses dark oak and brick"
QUESTION: Final = "what does the castle build use?"
IN_GENERAL: Final = "public:general@guild"
IN_GROUP: Final = "group:friends"


@dataclass
class Narrowing:
    """What was told to `to` until `act`."""

    to: Audience
    act: Callable[[], Awaitable[object]]
    words: str = WORDS


Case = Callable[[Confide], Awaitable[Narrowing]]


async def _alone(confide: Confide, words: str = WORDS) -> tuple[object, Audience]:
    kept = await confide.remember(statement(words, by=ALICE, place="dm"))
    return kept.id, audience(ALICE, "dm")


async def forget(confide: Confide) -> Narrowing:
    id, to = await _alone(confide)
    return Narrowing(to, lambda: confide.forget(id, actor=operator_as(ALICE)))


async def forget_now(confide: Confide) -> Narrowing:
    id, to = await _alone(confide)
    return Narrowing(to, lambda: confide.forget(id, actor=operator_as(ALICE), now=True))


async def correct(confide: Confide) -> Narrowing:
    id, to = await _alone(confide)
    better = "The castle build uses spruce and stone"
    return Narrowing(to, lambda: confide.rights.correct(id, better, actor=operator_as(ALICE)))


async def delete_a_person(confide: Confide) -> Narrowing:
    _, to = await _alone(confide)
    return Narrowing(to, lambda: confide.rights.delete(ALICE, actor=operator_as(ALICE), now=True))


async def erase_everything(confide: Confide) -> Narrowing:
    _, to = await _alone(confide)
    return Narrowing(to, lambda: confide.erasure.everything(actor=operator_as(), now=True))


async def opt_out(confide: Confide) -> Narrowing:
    _, to = await _alone(confide)
    return Narrowing(to, lambda: confide.rights.opt_out(ALICE, actor=operator_as(ALICE)))


async def off_the_record(confide: Confide) -> Narrowing:
    await confide.remember(statement(WORDS, by=BOB, place=IN_GENERAL))
    place = read_place(IN_GENERAL, ALICE)
    to = audience(ALICE, IN_GENERAL)
    return Narrowing(to, lambda: confide.learning.off_the_record(ALICE, place))


async def close_a_room(confide: Confide) -> Narrowing:
    await confide.remember(statement(WORDS, by=ALICE, place=IN_GENERAL))
    closed = read_place("restricted:general@guild", ALICE)
    return Narrowing(audience(BOB, "public:lobby@guild"), lambda: confide.world.attest(closed))


async def _shared(confide: Confide, to: Entity) -> object:
    id, _ = await _alone(confide)
    await confide.consents.share(id, read_access(str(to)), actor=operator_as(ALICE))
    return id


async def unshare(confide: Confide) -> Narrowing:
    id = await _shared(confide, BOB)
    bob = atoms.entity(BOB)
    return Narrowing(
        audience(BOB, "dm"), lambda: confide.consents.unshare(id, bob, actor=operator_as(ALICE))
    )


async def withdraw(confide: Confide) -> Narrowing:
    await _shared(confide, BOB)
    (given,) = await confide.consents.given_by(ALICE)
    return Narrowing(
        audience(BOB, "dm"), lambda: confide.consents.withdraw(given.id, actor=operator_as(ALICE))
    )


async def lose_a_role(confide: Confide) -> Narrowing:
    await confide.world.assign(TUTOR, BOB)
    await _shared(confide, TUTOR)
    return Narrowing(audience(BOB, "dm"), lambda: confide.world.unassign(TUTOR, BOB))


async def _in_group(confide: Confide, *subjects: Entity) -> None:
    said = statement(WORDS, by=ALICE, place=IN_GROUP, present=[BOB], about=subjects)
    await confide.remember(said)


async def leave_a_group(confide: Confide) -> Narrowing:
    await _in_group(confide)
    place = read_place(IN_GROUP, BOB)
    return Narrowing(audience(BOB, "dm"), lambda: confide.world.leave(place, BOB))


async def late_subject_joins(confide: Confide) -> Narrowing:
    await _in_group(confide, CAROL)
    place = read_place(IN_GROUP, CAROL)
    return Narrowing(audience(ALICE, IN_GROUP), lambda: confide.world.join(place, CAROL))


async def late_subject_speaks(confide: Confide) -> Narrowing:
    await _in_group(confide, CAROL)
    said = Message(
        id="m1", platform="test", place=read_place(IN_GROUP, CAROL), speaker=CAROL,
        text="Hello everybody", said_at=datetime.now(UTC), is_to_agent=True,
    )  # fmt: skip
    return Narrowing(audience(ALICE, IN_GROUP), lambda: confide.observe(said))


async def late_subject_tells(confide: Confide) -> Narrowing:
    await _in_group(confide, CAROL)
    said = statement("I like lemon cake", by=CAROL, place=IN_GROUP)
    return Narrowing(audience(ALICE, IN_GROUP), lambda: confide.remember(said))


async def late_subject_asks(confide: Confide) -> Narrowing:
    await _in_group(confide, CAROL)
    there = audience(CAROL, IN_GROUP)
    return Narrowing(audience(ALICE, IN_GROUP), lambda: confide.recall("who is here?", there))


async def split_accounts(confide: Confide) -> Narrowing:
    await _alone(confide)
    merge = await confide.people.propose_merge(
        ALICE, SECOND, evidence="both said so", actor=operator_as()
    )
    for who in (ALICE, SECOND):
        await confide.people.confirm_merge(merge.id, actor=operator_as(who))
    return Narrowing(
        audience(SECOND, "dm"), lambda: confide.people.split(merge.id, actor=operator_as(ALICE))
    )


CASES: Final[list[Case]] = [
    forget, forget_now, correct, delete_a_person, erase_everything, opt_out, off_the_record,
    close_a_room, unshare, withdraw, lose_a_role, leave_a_group, late_subject_joins,
    late_subject_speaks, late_subject_tells, late_subject_asks, split_accounts,
]  # fmt: skip

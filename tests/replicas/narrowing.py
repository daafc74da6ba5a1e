"""Every kind of write after which somebody is told less, each with a memory that shows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from confide import Audience, Confide, Entity, audience, operator_as, statement
from confide.keep.syncing import Sight
from confide.model import Message, PlaceKind, Scope
from confide.privacy import atoms
from confide.reading import read_access, read_place
from confide.recall.audience import only_seen_by

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
    question: str = QUESTION


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


async def forget_a_standing_instruction(confide: Confide) -> Narrowing:
    """It comes whatever the question is."""
    rule = "Always answer in German"
    kept = await confide.remember(statement(rule, by=ALICE, place="dm"))
    return Narrowing(
        audience(ALICE, "dm"), lambda: confide.forget(kept.id, actor=operator_as(ALICE), now=True),
        rule,
    )  # fmt: skip


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


async def erase_a_source(confide: Confide) -> Narrowing:
    await in_group(confide)
    return Narrowing(
        audience(BOB, IN_GROUP),
        lambda: confide.erasure.source(str(ALICE), actor=operator_as(), now=True),
    )


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


async def shared(confide: Confide, to: Entity) -> object:
    id, _ = await _alone(confide)
    await confide.consents.share(id, read_access(str(to)), actor=operator_as(ALICE))
    return id


async def unshare(confide: Confide) -> Narrowing:
    id = await shared(confide, BOB)
    bob = atoms.entity(BOB)
    return Narrowing(
        audience(BOB, "dm"), lambda: confide.consents.unshare(id, bob, actor=operator_as(ALICE))
    )


async def withdraw(confide: Confide) -> Narrowing:
    await shared(confide, BOB)
    (given,) = await confide.consents.given_by(ALICE)
    return Narrowing(
        audience(BOB, "dm"), lambda: confide.consents.withdraw(given.id, actor=operator_as(ALICE))
    )


async def lose_a_role(confide: Confide) -> Narrowing:
    await confide.world.assign(TUTOR, BOB)
    await shared(confide, TUTOR)
    return Narrowing(audience(BOB, "dm"), lambda: confide.world.unassign(TUTOR, BOB))


async def in_group(confide: Confide, *subjects: Entity) -> None:
    said = statement(WORDS, by=ALICE, place=IN_GROUP, present=[BOB], about=subjects)
    await confide.remember(said)


async def leave_a_group(confide: Confide) -> Narrowing:
    await in_group(confide)
    place = read_place(IN_GROUP, BOB)
    return Narrowing(audience(BOB, "dm"), lambda: confide.world.leave(place, BOB))


async def late_subject_joins(confide: Confide) -> Narrowing:
    await in_group(confide, CAROL)
    place = read_place(IN_GROUP, CAROL)
    return Narrowing(audience(ALICE, IN_GROUP), lambda: confide.world.join(place, CAROL))


async def late_subject_speaks(confide: Confide) -> Narrowing:
    await in_group(confide, CAROL)
    said = Message(
        id="m1", platform="test", place=read_place(IN_GROUP, CAROL), speaker=CAROL,
        text="Hello everybody", said_at=confide.means.clock(), is_to_agent=True,
    )  # fmt: skip
    return Narrowing(audience(ALICE, IN_GROUP), lambda: confide.observe(said))


async def late_subject_tells(confide: Confide) -> Narrowing:
    await in_group(confide, CAROL)
    said = statement("I like lemon cake", by=CAROL, place=IN_GROUP)
    return Narrowing(audience(ALICE, IN_GROUP), lambda: confide.remember(said))


async def late_subject_asks(confide: Confide) -> Narrowing:
    await in_group(confide, CAROL)
    there = audience(CAROL, IN_GROUP)
    return Narrowing(audience(ALICE, IN_GROUP), lambda: confide.recall("who is here?", there))


async def split_accounts(confide: Confide) -> Narrowing:
    await _alone(confide)
    merge = await confide.people.propose_merge(
        ALICE, SECOND, because="both said so", actor=operator_as()
    )
    for who in (ALICE, SECOND):
        await confide.people.confirm_merge(merge.id, actor=operator_as(who))
    return Narrowing(
        audience(SECOND, "dm"), lambda: confide.people.split(merge.id, actor=operator_as(ALICE))
    )


async def erase_a_place(confide: Confide) -> Narrowing:
    await in_group(confide)
    place = read_place(IN_GROUP, ALICE)
    return Narrowing(
        audience(BOB, IN_GROUP),
        lambda: confide.erasure.place(place, actor=operator_as(), now=True),
    )


async def opt_out_of_global(confide: Confide) -> Narrowing:
    said = "My favorite game is Stardew Valley"
    kept = await confide.remember(statement(said, by=ALICE, place="dm", scope="global"))
    assert kept.memory.scope is Scope.GLOBAL
    return Narrowing(
        audience(ALICE, "public:lobby@guild"),
        lambda: confide.rights.opt_out(ALICE, actor=operator_as(ALICE), is_global_only=True),
        kept.memory.text,
        "what is Alice's favorite game?",
    )


async def subject_opts_out(confide: Confide) -> Narrowing:
    await in_group(confide, BOB)
    return Narrowing(
        audience(ALICE, IN_GROUP), lambda: confide.rights.opt_out(BOB, actor=operator_as(BOB))
    )


async def _said(confide: Confide, id: str, text: str) -> None:
    """A message that something is learned from."""
    said = Message(
        id=id, platform="test", place=read_place(IN_GROUP, ALICE), speaker=ALICE, text=text,
        said_at=confide.means.clock(), is_to_agent=True, present=frozenset({BOB}),
    )  # fmt: skip
    await confide.observe(said)
    await confide.learning.learn(is_everything=True)


async def say_otherwise(confide: Confide) -> Narrowing:
    """The newer words replace the older ones."""
    await _said(confide, "m1", "I live in Rome")
    return Narrowing(
        audience(ALICE, IN_GROUP), lambda: _said(confide, "m2", "I live in Berlin now"),
        "I live in Rome", "where does Alice live?",
    )  # fmt: skip


REQUEST: Final = "Remember that the castle build uses dark oak and brick"


async def delete_a_message(confide: Confide) -> Narrowing:
    await _said(confide, "m1", REQUEST)
    return Narrowing(
        audience(ALICE, IN_GROUP), lambda: confide.learning.deleted("m1", platform="test")
    )


async def edit_a_message(confide: Confide) -> Narrowing:
    await _said(confide, "m1", REQUEST)
    return Narrowing(
        audience(ALICE, IN_GROUP),
        lambda: confide.learning.edited("m1", "Good morning", platform="test"),
    )


async def forget_an_account(confide: Confide) -> Narrowing:
    """Its owner's switch for a space (B19)."""
    await confide.remember(statement(WORDS, by=ALICE, place=IN_GENERAL))
    return Narrowing(
        audience(BOB, IN_GENERAL),
        lambda: confide.rules.forget_account(ALICE, "guild", actor=operator_as()),
    )


async def _in_space(confide: Confide) -> Audience:
    """Told to somebody because they are in the space, in a reply that nobody else sees."""
    await confide.world.join_space("guild", BOB)
    await confide.remember(statement(WORDS, by=ALICE, place=IN_GENERAL))
    return only_seen_by(BOB, space="guild")


async def leave_a_space(confide: Confide) -> Narrowing:
    to = await _in_space(confide)
    return Narrowing(to, lambda: confide.world.leave_space("guild", BOB))


async def agent_leaves_a_space(confide: Confide) -> Narrowing:
    to = await _in_space(confide)
    return Narrowing(to, lambda: confide.world.end_space("guild"))


async def unname_a_community_role(confide: Confide) -> Narrowing:
    await confide.remember(statement(WORDS, by=ALICE, place="public:club@guild/verified"))
    lounge = "public:lounge@guild/verified"
    await confide.world.attest(read_place(lounge, BOB))
    closed = read_place("restricted:lounge@guild", BOB)
    return Narrowing(audience(BOB, lounge), lambda: confide.world.attest(closed))


async def thread_becomes_private(confide: Confide) -> Narrowing:
    thread = f"thread:party@{IN_GROUP}"
    await confide.remember(statement(WORDS, by=ALICE, place=thread, present=[BOB]))
    closed = read_place(f"private-thread:party@{IN_GROUP}", ALICE)
    return Narrowing(audience(BOB, IN_GROUP), lambda: confide.world.attest(closed))


async def leave_after_a_confidence(confide: Confide) -> Narrowing:
    """Said between those who were there; who left is none of them any more."""
    await confide.remember(
        statement(WORDS, by=ALICE, place=IN_GROUP, present=[BOB], confidential=True)
    )
    place = read_place(IN_GROUP, BOB)
    return Narrowing(audience(BOB, "dm"), lambda: confide.world.leave(place, BOB))


async def sync_finds_somebody_gone(confide: Confide) -> Narrowing:
    await in_group(confide)
    seen = Sight(read_place(IN_GROUP, ALICE), frozenset({ALICE}))
    return Narrowing(audience(BOB, "dm"), lambda: confide.world.sync([seen]))


async def reclassify_a_space(confide: Confide) -> Narrowing:
    await confide.remember(statement(WORDS, by=ALICE, place=IN_GENERAL))
    return Narrowing(
        audience(BOB, IN_GENERAL),
        lambda: confide.world.reclassify(PlaceKind.RESTRICTED, space="guild"),
    )


async def late_news_that_somebody_had_left(confide: Confide) -> Narrowing:
    """They had gone before it was said; the platform says so afterwards."""
    before = confide.means.clock() - timedelta(minutes=1)
    await confide.world.join(read_place(IN_GROUP, BOB), BOB, at=before - timedelta(minutes=1))
    await in_group(confide)
    place = read_place(IN_GROUP, BOB)
    return Narrowing(audience(BOB, "dm"), lambda: confide.world.leave(place, BOB, at=before))


async def leave_a_context(confide: Confide) -> Narrowing:
    context = read_place("ctx:castle", ALICE)
    await confide.contexts.enter(context, ALICE, BOB, actor=operator_as(ALICE))
    await confide.remember(statement(WORDS, by=ALICE, place="ctx:castle", present=[BOB]))
    return Narrowing(
        audience(BOB, "ctx:castle", present=[ALICE]),
        lambda: confide.contexts.leave(context, BOB, actor=operator_as(BOB)),
    )


async def take_into_confidence(confide: Confide) -> Narrowing:
    """ "This stays between us" reaches back to what was said a moment ago."""
    await _said(confide, "m1", REQUEST)
    return Narrowing(
        audience(ALICE, IN_GROUP), lambda: _said(confide, "m2", "This stays between us")
    )


SAID_AND_DONE: Final[list[Case]] = [
    forget, forget_now, forget_a_standing_instruction, correct, delete_a_person, erase_everything,
    erase_a_place, erase_a_source, say_otherwise, delete_a_message, edit_a_message,
    forget_an_account, opt_out, opt_out_of_global, subject_opts_out, off_the_record, unshare,
    withdraw, lose_a_role, split_accounts, leave_a_group, leave_after_a_confidence,
    leave_a_context, leave_a_space, agent_leaves_a_space, sync_finds_somebody_gone,
    late_news_that_somebody_had_left, close_a_room, reclassify_a_space, unname_a_community_role,
    thread_becomes_private, late_subject_joins, late_subject_speaks, late_subject_tells,
    late_subject_asks, take_into_confidence,
]  # fmt: skip

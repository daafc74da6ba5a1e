"""Each thing that can be wrong is planted, found, mended, and not found again."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from tests.chance import chance
from tests.cli.conftest import Ask, Run
from tests.conftest import Clock

from confide import Confide, Entity, audience, operator_as, statement
from confide.keep.doctor import Examination
from confide.keep.doctor_indexes import expected
from confide.keep.doctor_labels import is_within
from confide.model import Message
from confide.privacy import atoms
from confide.privacy.places import parse_place
from confide.privacy.policy import Clause, ClauseKind, Label, Term
from confide.store.consents import About
from confide.testing import assert_told, assert_withheld, in_private, in_public

ALICE, BOB, MIA = (Entity("human", name) for name in ("alice", "bob", "mia"))
CANARY = "zanzibar"


async def say(confide: Confide, text: str, by: Entity = ALICE, place: str = "dm", **more: object):
    return await confide.remember(statement(text, by=by, place=place, **more))


async def sql(confide: Confide, statement: str, *given: object) -> None:
    """Damage that no verb of the product can do."""
    async with confide.database.keep() as connection:
        await connection.execute(statement, confide.database.agent, *given)


def found(examination: Examination) -> dict[str, int]:
    return {one.name: one.count for one in examination.findings}


async def mended(confide: Confide, check: str, count: int = 1) -> None:
    """Found by a preview that changes nothing, then mended, then gone."""
    assert found(await confide.doctor.examine())[check] == count
    assert found(await confide.doctor.examine())[check] == count
    done = await confide.doctor.mend()
    assert {one.name: one.fixed for one in done.findings}[check] == count
    again = await confide.doctor.mend()
    assert check not in found(again)
    assert again.is_well, found(again)


async def test_nothing_is_wrong_with_what_the_product_keeps(confide: Confide, clock: Clock) -> None:
    """Every kind of place, sensitivity, sharing, changing, leaving and correcting."""
    for n, place in enumerate(
        ("dm", "group:g", "restricted:r@s", "public:p@s", "ctx:c", "thread:t@p@s", "voice:v@s")
    ):
        for by in (ALICE, BOB):
            await say(confide, f"Word {n} of {by.id}", by, place, about=[MIA])
            await say(confide, f"Anxious {n} {by.id}", by, place, sensitivity="sensitive")
    shared = await say(confide, "A thing to share")
    given = confide.consents.agreement(ALICE, atoms.entity(BOB), lasts=timedelta(days=9))
    effect = await confide.consents.give(
        given, About(memory_id=shared.id), actor=operator_as(ALICE)
    )
    for again in (True, False):
        await confide.world.join(parse_place("group:g", MIA), MIA)
        await confide.world.attest(parse_place("restricted:p@s" if again else "public:p@s", ALICE))
        await confide.rights.correct(
            (await say(confide, f"First {again}")).id, f"Second {again}", actor=operator_as(ALICE)
        )
        await confide.rights.opt_out(MIA, actor=operator_as(MIA))
        if again:
            await confide.rights.opt_in(MIA, actor=operator_as(MIA))
        assert (await confide.doctor.examine()).findings == ()
    await confide.consents.withdraw(effect.consent_id, actor=operator_as(ALICE))
    assert (await confide.doctor.examine()).findings == ()


@pytest.mark.req("A15")
async def test_what_cannot_be_found_can_be_found_again(confide: Confide) -> None:
    one = await say(confide, f"The {CANARY} boat is blue")
    await sql(confide, "DELETE FROM confide.words WHERE agent = $1")
    await assert_withheld(confide, "qqq zanzibar", in_private(BOB))
    await mended(confide, "words.missing")
    told = await confide.recall(f"{CANARY}?", in_private(ALICE))
    assert [t.memory.id for t in told.memories] == [one.id]


@pytest.mark.req("A15", "B1")
async def test_a_label_number_that_does_not_fit_is_put_right(confide: Confide) -> None:
    """Somebody gave a private memory the number of a public label."""
    public = await say(confide, "Open word", place="public:p@s")
    private = await say(confide, f"Private {CANARY}", BOB)
    await sql(
        confide,
        "UPDATE confide.memory m SET label_id = o.label_id FROM confide.memory o"
        " WHERE m.agent = $1 AND o.agent = $1 AND m.id = $2 AND o.id = $3",
        private.id, public.id,
    )  # fmt: skip
    await mended(confide, "labels.impossible")
    await assert_withheld(confide, private.id, in_public(ALICE, "p", "s"))
    await assert_told(confide, private.id, in_private(BOB))


@pytest.mark.req("A15", "K5")
async def test_what_is_told_to_more_than_the_rule_gives_is_narrowed(confide: Confide) -> None:
    """The consent that widened it is gone from the table."""
    one = await say(confide, f"Private {CANARY}")
    given = confide.consents.agreement(ALICE, atoms.entity(BOB), lasts=timedelta(days=9))
    await confide.consents.give(given, About(memory_id=one.id), actor=operator_as(ALICE))
    assert (await confide.doctor.examine()).is_well
    await sql(confide, "DELETE FROM confide.consent WHERE agent = $1")
    await assert_told(confide, one.id, in_private(BOB))
    await mended(confide, "labels.wider")
    await assert_withheld(confide, one.id, in_private(BOB))


@pytest.mark.req("A15")
async def test_nothing_is_widened_by_mending(confide: Confide) -> None:
    """The origin was changed to a wider one; the label still says what was agreed."""
    one = await say(confide, f"Private {CANARY}", place="group:g", sensitivity="sensitive")
    await sql(confide, "UPDATE confide.memory SET sensitivity = 'public' WHERE agent = $1")
    before = await confide.doctor.mend()
    assert found(before) == {"labels.narrower": 1}
    assert not before.is_well
    await confide.world.join(parse_place("group:g", BOB), BOB)
    await assert_withheld(confide, one.id, audience(BOB, "group:g"))


@pytest.mark.req("A15")
async def test_what_is_labelled_otherwise_is_held_for_review(confide: Confide) -> None:
    one = await say(confide, f"Private {CANARY}", place="group:g")
    await say(confide, "Elsewhere", place="group:h")
    await sql(confide, "UPDATE confide.memory SET place = 'h' WHERE agent = $1 AND id = $2", one.id)
    await mended(confide, "labels.other")
    for place in ("group:g", "group:h"):
        await assert_withheld(confide, one.id, audience(ALICE, place))


@pytest.mark.req("A15", "S20")
async def test_a_level_that_the_place_cannot_give_is_taken_back(confide: Confide) -> None:
    one = await say(confide, f"Among mods {CANARY}", place="restricted:mods@s")
    await confide.world.join(parse_place("public:p@s", BOB), BOB)
    await sql(confide, "UPDATE confide.memory SET scope = 'guild_public' WHERE agent = $1")
    await mended(confide, "labels.beyond_origin")
    await assert_withheld(confide, one.id, in_public(BOB, "p", "s"))
    await assert_told(confide, one.id, audience(ALICE, "restricted:mods@s"))


@pytest.mark.req("A15", "S5", "S25")
async def test_what_is_global_without_being_harmless_is_taken_back(confide: Confide) -> None:
    name = await say(confide, "My in-game name is StoneFox", scope="global", kind="identity")
    bad = await say(confide, f"I am {CANARY}", kind="identity")
    await sql(
        confide, "UPDATE confide.memory SET scope = 'global' WHERE agent = $1 AND id = $2", bad.id
    )
    await mended(confide, "labels.global")
    await assert_withheld(confide, bad.id, in_public(ALICE))
    await assert_told(confide, name.id, in_public(ALICE))


@pytest.mark.req("A15", "S19")
async def test_of_two_that_say_the_same_under_one_label_one_stays(confide: Confide) -> None:
    first, second = await say(confide, "I paint boats"), await say(confide, "I sew")
    apart = await say(confide, "I paint boats", place="group:g")
    await sql(
        confide, "UPDATE confide.memory SET text = 'I paint boats' WHERE agent = $1 AND id = $2",
        second.id,
    )  # fmt: skip
    await mended(confide, "duplicates")
    told = await confide.memories(ALICE)
    assert len(told) == 2
    assert apart.id in {one.id for one in told}
    kept = ({first.id, second.id} & {one.id for one in told}).pop()
    assert len(await confide.rights.history(kept, actor=operator_as(ALICE))) == 2


@pytest.mark.req("A15")
async def test_a_hash_of_other_words_is_made_again(confide: Confide) -> None:
    await say(confide, "I paint boats")
    await sql(confide, "UPDATE confide.memory SET hash = sha256('x') WHERE agent = $1")
    await mended(confide, "hashes.stale")
    assert not (await say(confide, "I paint boats")).is_new


@pytest.mark.req("A15", "S28", "A13")
async def test_of_two_that_contradict_each_other_the_newer_is_told(
    confide: Confide, clock: Clock
) -> None:
    old = await say(confide, "I live in Porto")
    elsewhere = await say(confide, "I live in Rome", place="group:g")
    clock.advance(days=1)
    new = await say(confide, "I live in Lisbon")
    others = await say(confide, "I live in Oslo", BOB)
    assert found(await confide.doctor.examine()) == {"contradictions": 1}
    await mended(confide, "contradictions")
    versions = await confide.rights.history(new.id, actor=operator_as(ALICE))
    assert [one.id for one in versions] == [old.id, new.id]
    await assert_told(confide, elsewhere.id, in_private(ALICE))
    await assert_told(confide, others.id, in_private(BOB))


@pytest.mark.req("A15", "A1")
async def test_what_expired_is_put_away(confide: Confide, clock: Clock) -> None:
    await say(confide, "Watering", kind="observation")
    await say(confide, "A lasting thing")
    clock.advance(days=4)  # upkeep puts it away once a day
    assert (await confide.doctor.examine()).is_well
    clock.advance(days=2)
    await mended(confide, "leftovers.expired")
    assert len(await confide.memories(ALICE)) == 1


@pytest.mark.req("A15", "P10")
async def test_what_was_forgotten_and_cannot_come_back_is_erased(
    open_confide: Callable[..., object], clock: Clock
) -> None:
    async with open_confide(auto_gc=False, learn=False) as confide:  # type: ignore[attr-defined]
        one = await say(confide, f"Forget {CANARY}")
        await confide.forget(one.id, actor=operator_as(ALICE))
        assert (await confide.doctor.examine()).is_well
        clock.advance(days=4)
        await mended(confide, "leftovers.forgotten")


@pytest.mark.req("A15")
async def test_raw_messages_that_should_be_gone_lose_their_words(
    open_confide: Callable[..., object], clock: Clock
) -> None:
    async with open_confide(learn=False) as confide:  # type: ignore[attr-defined]
        place = parse_place("dm", ALICE)
        await confide.observe(
            Message(id="1", place=place, speaker=ALICE, text=f"Hello {CANARY}", said_at=clock.now)
        )
        clock.advance(days=40)
        examined = await confide.doctor.examine()
        assert found(examined)["leftovers.messages"] == 1
        done = await confide.doctor.mend()
        assert {o.name: o.fixed for o in done.findings}["leftovers.messages"] == 1
        assert "leftovers.messages" not in found(await confide.doctor.examine())


@pytest.mark.req("A15")
async def test_jobs_that_were_given_up_are_tried_again(
    open_confide: Callable[..., object], clock: Clock
) -> None:
    async with open_confide(learn=False) as confide:  # type: ignore[attr-defined]
        place = parse_place("dm", ALICE)
        await confide.observe(
            Message(id="1", place=place, speaker=ALICE, text="Hello", said_at=clock.now)
        )
        await sql(
            confide,
            "UPDATE confide.session SET failed_because = 'x', due_at = now(), unlearned = 7"
            " WHERE agent = $1",
        )
        assert {"jobs.failed", "jobs.miscounted"} <= found(await confide.doctor.examine()).keys()
        await confide.doctor.mend()
        left = found(await confide.doctor.examine())
        assert not {"jobs.failed", "jobs.miscounted"} & left.keys()


@pytest.mark.req("A15", "A5")
async def test_who_counts_as_one_person_without_proof_is_two_again(confide: Confide) -> None:
    one = await say(confide, f"Private {CANARY}")
    merge = await confide.people.propose_merge(ALICE, BOB, "same phone", actor=operator_as(ALICE))
    await sql(
        confide,
        "INSERT INTO confide.same_person (agent, entity, other, merge_id)"
        " VALUES ($1, 'human:bob', 'human:alice', $2)",
        merge.id,
    )
    await assert_told(confide, one.id, in_private(BOB))
    await mended(confide, "orphans.identity")
    await assert_withheld(confide, one.id, in_private(BOB))


@pytest.mark.req("A15")
async def test_orphans_are_found(confide: Confide) -> None:
    old = await say(confide, "I paint")
    await sql(
        confide,
        "UPDATE confide.memory SET status = 'superseded', superseded_by = $2 WHERE agent = $1",
        uuid.uuid4(),
    )
    await mended(confide, "orphans.successor")
    assert old.id


@pytest.mark.req("A15")
async def test_a_broken_or_missing_index_is_found(confide: Confide) -> None:
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT relname FROM pg_class WHERE relkind = 'i'"
            " AND relnamespace = 'confide'::regnamespace"
        )
    assert expected() <= {row["relname"] for row in rows}
    assert {"embedding_by_label", "meaning_by_label"} <= expected()
    assert "words_by_label" not in expected()
    assert (await confide.doctor.examine()).is_well


@pytest.mark.req("A15")
async def test_the_doctor_of_one_agent_sees_nothing_of_another(
    confide: Confide, open_confide: Callable[..., object]
) -> None:
    await say(confide, "I paint")
    await sql(confide, "DELETE FROM confide.words WHERE agent = $1")
    async with open_confide(agent=f"t{uuid.uuid4().hex[:12]}") as other:  # type: ignore[attr-defined]
        assert (await other.doctor.mend()).memories == 0
    assert found(await confide.doctor.examine()) == {"words.missing": 1}


@pytest.mark.req("A15")
async def test_mending_while_people_talk_harms_nothing(confide: Confide) -> None:
    for n in range(30):
        await say(confide, f"Thing {n}", place="group:g", present=[BOB])
    await sql(confide, "UPDATE confide.memory SET hash = sha256(id::text::bytea) WHERE agent = $1")

    async def talk() -> None:
        for n in range(30, 45):
            await say(confide, f"Thing {n}", place="group:g")

    async def move() -> None:
        for _ in range(4):
            await confide.world.join(parse_place("group:g", MIA), MIA)
            await confide.world.leave(parse_place("group:g", MIA), MIA)

    work: list[Callable[[], Awaitable[object]]] = [confide.doctor.mend, talk, move]
    await asyncio.gather(*(one() for one in work))
    assert (await confide.doctor.mend()).is_well
    assert (await confide.doctor.examine()).findings == ()
    assert len(await confide.memories(ALICE, limit=100)) == 45


@pytest.mark.req("A15")
def test_nobodys_words_are_shown(ask: Ask, run: Run, agent: str, home: object) -> None:
    ask("remember", f"My {CANARY} is blue", "--by", "human:alice", "--in", "dm")
    well = run("doctor")
    assert well.exit_code == 0
    assert "All is well with 1 memories" in well.stdout

    async def damage() -> None:
        async with Confide.open(home, agent=agent) as confide:  # type: ignore[arg-type]
            await sql(confide, "DELETE FROM confide.words WHERE agent = $1")
            await sql(confide, "UPDATE confide.memory SET scope = 'global', type = 'semantic'"
                      " WHERE agent = $1")  # fmt: skip

    asyncio.run(damage())
    for args in ((), ("--json",), ("--fix",)):
        shown = run("doctor", *args)
        assert CANARY not in shown.output
        assert "words.missing" in shown.output
    assert json.loads(run("doctor", "--json").stdout)["is_well"] is True


@pytest.mark.req("A15")
@pytest.mark.drawn
def test_one_label_is_within_another_if_nobody_hears_more() -> None:
    """Checked against what the two labels say for random listeners."""
    random = chance(7)
    everyone = [atoms.entity(Entity("human", str(n))) for n in range(4)]

    def drawn() -> Label:
        return Label(
            frozenset(
                Clause(
                    ClauseKind.HEAR,
                    ALICE,
                    frozenset(Term(a) for a in random.sample(everyone, random.randint(1, 4))),
                )
                for _ in range(random.randint(1, 3))
            )
        )

    def hears(label: Label, atom: object) -> bool:
        return all(any(t.atom == atom for t in clause.terms) for clause in label.clauses)

    within = 0
    for _ in range(3000):
        narrow, wide = drawn(), drawn()
        if is_within(narrow, wide):
            within += 1
            assert all(hears(wide, a) for a in everyone if hears(narrow, a))
    assert within > 100

"""Insights from private memories: nobody is named, details wait, sources stay with their owner."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import pytest
from tests.cli.conftest import Ask, Run

from confide import Confide, Entity, audience, operator_as, statement
from confide.actor import Actor
from confide.errors import InvalidInput, NotFound, OnlyAsked
from confide.privacy import atoms
from confide.privacy.acting import CallerKind
from confide.providers.wordllama import pieces
from confide.screen.generalize import check_insight, independent
from confide.screen.names import find_names

SEAN, MARA, TOM, VET, EVE = (
    Entity("human", name) for name in ("sean", "mara", "tom", "vet", "eve")
)
SOURCE = "Sean's son struggled with fractions last Tuesday"
INSIGHT = "Visual fraction models help kids who are concrete thinkers"
BELLA = "Bella, the golden retriever at Zilker Dog Park, has hip dysplasia"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def checked(text: str, source: str, *names: str):
    return check_insight(text, [source], names, now=NOW, pieces=pieces)


@pytest.mark.req("K12", "K13")
def test_the_written_examples_are_safe_blocked_and_held() -> None:
    safe = checked(INSIGHT, SOURCE, "sean", "Sean Kelly", "kid_123")
    assert (safe.names, safe.details) == ((), ())
    for unsafe in (
        "Bella's breed often has heart issues",
        "My patient Bella has common cardiac issues",
    ):
        assert checked(unsafe, BELLA, "bella").names == ("bella",)
    held = checked("The only golden retriever at Zilker Dog Park has hip dysplasia", BELLA, "bella")
    assert held.names == ()
    assert "a place or another name" in held.kinds
    assert "something there is one of" in held.kinds
    assert "a rare word of a source" in held.kinds


@pytest.mark.req("K13")
@pytest.mark.parametrize(
    "text",
    [
        "Bella has heart issues", "BELLA has them", "bella’s breed has them", "The Bellas of this world",
        "Belllla has them", "B. has heart issues", "Dogs like B tire soon", "Bélla has them",
        "Belle-like dogs such as Bella-dog", "Веllа has them", "Белла устаёт", "Μπελλα κουραζεται bella",
        "ベラは疲れる", "בלה מתעייפת", "بيلا تتعب", "ＢＥＬＬＡ tires", "Be\u200blla tires",
    ],
)  # fmt: skip
def test_a_name_is_found_however_it_is_written(text: str) -> None:
    assert find_names(text, ["bella"]) == ("bella",)


@pytest.mark.req("K13")
def test_handles_initials_and_full_names_are_names_too() -> None:
    assert find_names("Ask SK about it", ["Sean Kelly"])
    assert find_names("Ask S. K. about it", ["Sean Kelly"])
    assert find_names("Ask Kelly about it", ["Sean Kelly"])
    assert find_names("Ask stonefox about it", ["discord.StoneFox"])
    assert find_names("Account 123456 knows", ["123456"])


@pytest.mark.req("K13")
@pytest.mark.parametrize(
    "text",
    ["Kids like tea", "Isabella plays", "Umbrellas help", "I like A and a bell", "Был дождь"],
)
def test_ordinary_words_are_no_names(text: str) -> None:
    assert find_names(text, ["bella", "kid_123", "my boss"]) == ()


@pytest.mark.req("K13")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Lessons on Tuesday work best", "a date"),
        ("Children of 7 learn so", "a number"),
        ("Walks in Zilker help", "a place or another name"),
        ("This was the first such case", "something there is one of"),
        ("My pupils learn so", "whose it is"),
        ("Falconry calms children", "a rare word of a source"),
        ("some children learn falconry on the old farm", "a source's own words"),
        ("子供に役立つ", "another script"),
    ],
)
def test_details_are_found(text: str, kind: str) -> None:
    source = "My pupil likes to learn falconry on the old farm since last spring"
    assert kind in checked(text, source).kinds


@pytest.mark.req("K12")
def test_sources_count_as_independent_only_with_nobody_in_common() -> None:
    a, b, c = ({SEAN}, {MARA}, {SEAN, TOM})
    assert independent([frozenset(a), frozenset(b), frozenset(c)]) == 2
    assert independent([frozenset(a), frozenset(a), frozenset(a)]) == 1
    assert independent([frozenset(), frozenset(), frozenset(a)]) == 2


async def told(confide: Confide, text: str = INSIGHT, who: Entity = EVE) -> list[str]:
    context = await confide.recall("what helps kids with fractions?", audience(who, "dm"))
    return [one.memory.text for one in context.memories if one.memory.text == text]


async def sources(confide: Confide, *people: Entity, attested: bool = True) -> list[uuid.UUID]:
    if attested:
        for who in set(people):
            await confide.people.prove(who, f"school:account-{who.id}", actor=operator_as())
    said = [
        statement(f"My child struggled with fractions, says note {n}", by=who, place="dm")
        for n, who in enumerate(people)
    ]
    return [(await confide.remember(one)).id for one in said]


@pytest.mark.req("K12", "K13")
async def test_three_independent_sources_make_an_insight_public(confide: Confide, agent) -> None:
    ids = await sources(confide, SEAN, MARA, TOM)
    me = operator_as(Entity("si", agent))
    done = await confide.insights.generalize(ids, INSIGHT, actor=me)
    assert (done.is_open, done.independent_sources) == (True, 3)
    assert await told(confide)
    assert set(await confide.insights.sources_of(done.id, actor=me)) == set(ids)
    for other in (SEAN, EVE, None):
        with pytest.raises(NotFound):
            await confide.insights.sources_of(done.id, actor=operator_as(other))


@pytest.mark.req("K12", "K13")
async def test_sources_that_no_platform_attests_or_that_are_one_person_do_not_count(
    confide: Confide, agent: str
) -> None:
    me = operator_as(Entity("si", agent))
    made_up = await sources(confide, SEAN, MARA, TOM, attested=False)
    done = await confide.insights.generalize(made_up, INSIGHT, actor=me)
    assert (done.is_open, done.independent_sources) == (False, 0)
    assert not await told(confide)
    await sources(confide, SEAN, MARA, TOM)
    merge = await confide.people.propose_merge(SEAN, MARA, "the same", actor=operator_as())
    for who in (SEAN, MARA):
        await confide.people.confirm_merge(merge.id, actor=operator_as(who))
    again = await confide.insights.generalize(made_up, INSIGHT + " too", actor=me)
    assert (again.is_open, again.independent_sources) == (False, 2)


@pytest.mark.req("K12", "K13", "B12")
async def test_an_insight_opens_when_everyone_who_has_a_say_agrees_by_their_own_act(
    confide: Confide, agent: str
) -> None:
    ids = await sources(confide, SEAN, MARA)
    done = await confide.insights.generalize(ids, INSIGHT, actor=operator_as(Entity("si", agent)))
    assert (done.is_open, done.independent_sources) == (False, 2)
    await confide.insights.review(done.id, approves=True, actor=operator_as())
    assert not await told(confide), "a reviewer looks at the words, and agrees for nobody"
    for who in (SEAN, MARA):
        assert not await told(confide)
        (request,) = await confide.consents.requests(who)
        with pytest.raises(OnlyAsked):
            through_key = Actor(who, CallerKind.PERSONAL)
            await confide.consents.answer(request.id, agrees=True, actor=through_key)
        await confide.consents.answer(request.id, agrees=True, actor=operator_as(who))
    assert await told(confide)


@pytest.mark.req("K12", "B12")
async def test_ones_own_insight_opens_by_ones_own_act_and_not_through_a_key(
    confide: Confide,
) -> None:
    ids = await sources(confide, SEAN, SEAN)
    proposed = await confide.insights.generalize(
        ids, INSIGHT, actor=Actor(SEAN, CallerKind.PERSONAL)
    )
    assert not proposed.is_open
    assert not await told(confide, who=SEAN), "what a model proposes is told to nobody yet"
    (request,) = await confide.consents.requests(SEAN)
    await confide.consents.answer(request.id, agrees=True, actor=operator_as(SEAN))
    assert await told(confide)
    done = await confide.insights.generalize(ids, INSIGHT + " too", actor=operator_as(SEAN))
    assert done.is_open


@pytest.mark.req("K12", "B6")
async def test_an_insight_for_everyone_waits_for_a_look_where_that_is_wanted(open_confide) -> None:
    async with open_confide(broadcast="review") as confide:
        ids = await sources(confide, SEAN, SEAN)
        done = await confide.insights.generalize(
            ids, INSIGHT, actor=Actor(SEAN, CallerKind.PLATFORM)
        )
        assert not done.is_open
        await confide.insights.review(done.id, approves=True, actor=operator_as())
        assert await told(confide)


@pytest.mark.req("K13")
async def test_held_details_are_told_to_nobody_and_a_rejected_insight_never(
    confide: Confide,
) -> None:
    ids = await sources(confide, SEAN)
    text = "Visual models of 12 parts help kids with fractions"
    done = await confide.insights.generalize(ids, text, actor=operator_as(SEAN))
    assert "a number" in (done.waits_because or "")
    assert not await told(confide, text, SEAN)
    await confide.insights.review(done.id, approves=False, actor=operator_as())
    assert not await told(confide, text, SEAN)


@pytest.mark.req("K12", "K13", "A5")
async def test_names_of_everyone_concerned_are_refused_by_alias_too(confide: Confide) -> None:
    await confide.people.name(MARA, "Mara Delacroix")
    await confide.people.alias(MARA, "Starlight", actor=operator_as(TOM))
    id = (
        await confide.remember(
            statement("Fractions are hard for the little one", by=SEAN, place="group:parents", present=[MARA])
        )
    ).id  # fmt: skip
    for named in ("Delacroix knows what helps", "Starlight helps", "sean's way helps"):
        with pytest.raises(InvalidInput, match="names somebody"):
            await confide.insights.generalize([id], named, actor=operator_as(SEAN))
    assert await confide.insights.waiting() == []


@pytest.mark.req("K12", "K15")
async def test_nobody_generalizes_what_is_not_theirs(confide: Confide) -> None:
    ids = await sources(confide, SEAN)
    for other in (EVE, None):
        with pytest.raises(NotFound):
            await confide.insights.generalize(ids, INSIGHT, actor=operator_as(other))


@pytest.mark.req("K11", "K12")
async def test_a_consent_revoked_after_derivation_ends_for_what_was_derived(
    confide: Confide, agent: str
) -> None:
    ids = await sources(confide, SEAN, SEAN)
    shared = [
        await confide.consents.share(id, atoms.entity(EVE), actor=operator_as(SEAN)) for id in ids
    ]
    me = operator_as(Entity("si", agent))
    await confide.insights.generalize(ids, INSIGHT, actor=me)
    assert await told(confide), "told where all its sources are"
    await confide.consents.withdraw(shared[0].consent_id, actor=operator_as(SEAN))
    assert not await told(confide)
    await confide.consents.share(ids[0], atoms.entity(EVE), actor=operator_as(SEAN))
    assert await told(confide)


@pytest.mark.req("K12")
async def test_an_insight_can_have_grants_of_its_own(confide: Confide, agent: str) -> None:
    ids = await sources(confide, SEAN, MARA, TOM)
    for_vet = frozenset({atoms.entity(VET)})
    await confide.insights.generalize(
        ids, INSIGHT, actor=operator_as(Entity("si", agent)), grants=for_vet
    )
    assert await told(confide, who=VET)
    assert not await told(confide)


@pytest.mark.req("K12", "K13")
def test_on_the_command_line(ask: Ask, run: Run) -> None:
    id = ask("remember", SOURCE, "--by", "human:sean", "--in", "dm")["id"]
    refused = run("generalize", id, "--as", "human:sean", "--text", "Sean's way helps kids")
    assert refused.exit_code == 2
    assert "Sean" not in refused.stderr
    done = ask("generalize", id, "--as", "human:sean", "--text", INSIGHT)
    assert (done["open"], done["independent_sources"]) == (True, 0)
    assert ask("generalizations", "list")["count"] == 0
    assert ask("generalizations", "sources", done["id"], "--as", "human:sean")["sources"] == [id]
    question = ("what helps kids with fractions?", "--as", "human:eve", "--in", "dm")
    assert ask("recall", *question)["memories"][0]["text"] == INSIGHT
    assert run("generalizations", "reject", done["id"]).exit_code == 1

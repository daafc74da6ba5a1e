"""Whole little talks: what is kept of each line, word for word, and what becomes of it in the store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from confide import Confide
from confide.model import Entity, Message, Place, PlaceKind, Sensitivity, Status, Trust
from confide.privacy.places import parse_place
from confide.providers.builtin import BuiltinExtractor
from confide.remember.reconcile import Relation, Said, relation

TALKS = yaml.safe_load(Path(__file__).with_name("talks.yaml").read_text("utf-8"))
DIRECT = Place(id="direct", kind=PlaceKind.DIRECT)
NOON = datetime(2024, 5, 15, 12, tzinfo=UTC)
TOLD_FROM = 0.7
ALICE = Entity.parse("human:alice")


def learned(lines: list[str]) -> list[list[str]]:
    """What is told of each line."""
    messages = [
        Message(
            id=str(n), place=DIRECT, speaker=ALICE, text=line, said_at=NOON + timedelta(minutes=n)
        )
        for n, line in enumerate(lines)
    ]
    facts = [one for one in BuiltinExtractor().extract(messages) if one.confidence >= TOLD_FROM]
    return [[one.text for one in facts if one.message_id == said.id] for said in messages]


def said(text: str, *, hours: int = 0) -> Said:
    at = NOON + timedelta(hours=hours)
    return Said(text=text, said_at=at, trust=Trust.SAID, speaker=str(ALICE))


async def kept(confide: Confide, *lines: str) -> dict[str, tuple[Status, Sensitivity]]:
    """What the store holds after these lines."""
    for n, line in enumerate(lines):
        place, at = parse_place("dm", ALICE), confide.means.clock()
        await confide.observe(
            Message(id=f"t{n}", place=place, speaker=ALICE, text=line, said_at=at)
        )
    await confide.learning.make_due()
    await confide.learning.worker().drain()
    async with confide.database.keep() as connection:
        rows = await connection.fetch("SELECT text, status, sensitivity FROM confide.memory")
    return {r["text"]: (Status(r["status"]), Sensitivity(r["sensitivity"])) for r in rows}


@pytest.mark.req("S13", "A18")
@pytest.mark.parametrize("name", TALKS)
def test_a_talk_leaves_these_memories_word_for_word(name: str) -> None:
    rows = TALKS[name]
    assert len(rows) >= 20
    assert learned([row[0] for row in rows]) == [row[1:] for row in rows]


@pytest.mark.req("S13")
@pytest.mark.parametrize("name", TALKS)
def test_what_stands_on_its_own_reads_the_same_whatever_was_said_before(name: str) -> None:
    alone = [row[0] for row in TALKS[name] if row[1:] and "(earlier: " not in row[1]]
    assert [learned([line])[0] for line in alone] == [
        row[1:] for row in TALKS[name] if row[0] in alone
    ]


@pytest.mark.req("S13")
@pytest.mark.parametrize(
    "line",
    [
        "I work as a nurse",
        "My favourite colour is blue",
        "I'm pregnant",
        "I earn 3000 euros a month",
    ],
)
@pytest.mark.parametrize("before", ["I moved to Munich", "My sister Anna won a chess tournament."])
def test_nothing_is_lent_to_a_sentence_that_stands_on_its_own(before: str, line: str) -> None:
    assert learned([before, line])[1] == [line]


@pytest.mark.req("S13")
@pytest.mark.parametrize("line", ["It gives me a rash in summer", "I got it in April 2020"])
def test_it_is_not_looked_for_behind_another_matter(line: str) -> None:
    _, _, found = learned(["I have a dog named Max", "I'm allergic to penicillin", line])
    assert all("Max" not in text for text in found)


@pytest.mark.req("A5")
def test_he_is_nobodys_mother() -> None:
    assert learned(["My mum has dementia", "He takes care of her at home"])[1] == []
    (found,) = learned(["My dad has dementia", "He is 81"])[1]
    assert found == "He is 81 (earlier: “My dad has dementia”)"


@pytest.mark.req("A5")
@pytest.mark.parametrize("line", ["I'm Nora", "My name is Nora", "Call me Nora"])
def test_whoever_says_their_name_speaks_of_themselves(line: str) -> None:
    message = Message(id="m", place=DIRECT, speaker=ALICE, text=line, said_at=NOON)
    (fact,) = BuiltinExtractor().extract([message])
    assert fact.subjects == ()


@pytest.mark.req("S28")
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("I live in Berlin", "I moved to Munich", Relation.NEWER),
        ("I live in Berlin", "I was sick (earlier: “I moved to Munich”)", Relation.OTHER),
        ("I was sick (earlier: “I moved to Munich”)", "I live in Berlin", Relation.OTHER),
        ("I like it (earlier: “I don't eat fish”)", "I live in Berlin", Relation.OTHER),
        ("I like it (earlier: “My new bike”)", "I don't like it (earlier: “My new bike”)", Relation.NEWER),
        ("I like it (earlier: “My new bike”)", "I don't like it (earlier: “My old car”)", Relation.OTHER),
        ("I like it (earlier: “I don't cook”)", "I like it (earlier: “I cook”)", Relation.OTHER),
        ("I work as a nurse", "I work at the hospital in Ghent", Relation.OTHER),
        ("I work as a nurse", "I work as a teacher", Relation.NEWER),
        ("I live in Ghent", "I live in Ghent with my husband", Relation.OTHER),
        ("I live in Ghent", "I live in a small flat", Relation.OTHER),
        ("My time zone is UTC+2", "My time zone is UTC", Relation.NEWER),
    ],
)  # fmt: skip
def test_only_ones_own_words_replace_what_was_said(old: str, new: str, expected: Relation) -> None:
    assert relation(said(new, hours=1), said(old), similarity=0.8) is expected


@pytest.mark.req("S28", "S13")
async def test_who_moves_lives_elsewhere_and_still_works_as_a_nurse(confide: Confide) -> None:
    found = await kept(
        confide, "I live in Berlin", "I moved to Munich", "I work as a nurse",
        "My favourite colour is blue",
    )  # fmt: skip
    assert {text: status for text, (status, _) in found.items()} == {
        "I live in Berlin": Status.SUPERSEDED,
        "I moved to Munich": Status.APPROVED,
        "I work as a nurse": Status.APPROVED,
        "My favourite colour is blue": Status.APPROVED,
    }


@pytest.mark.req("A11", "S13")
async def test_what_people_say_of_their_health_is_kept_as_sensitive(confide: Confide) -> None:
    found = await kept(
        confide, "I have anxiety", "I'm looking for a new job", "I'm on antidepressants",
        "I love liquorice", "I suffer from migraines",
    )  # fmt: skip
    assert {text: sensitivity for text, (_, sensitivity) in found.items()} == {
        "I have anxiety": Sensitivity.SENSITIVE,
        "I'm looking for a new job": Sensitivity.PERSONAL,
        "I'm on antidepressants": Sensitivity.SENSITIVE,
        "I love liquorice": Sensitivity.PUBLIC,
        "I suffer from migraines": Sensitivity.SENSITIVE,
    }

"""Promotion looks at the person's own words (S5, S6): said outright, of themselves, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.learn.speaking import learn, say

from confide import Confide, Entity, Kind, Scope, audience
from confide.language.asking import attributes_asked
from confide.language.attributes import stated_by_speaker
from confide.screen.never_global import name_tells_something

ALICE = Entity("human", "alice")
TABLE: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("own_words.yaml").read_text(encoding="utf-8")
)
LANGUAGES = ("en", "de", "fr", "es", "pt")
SAID = [row for name in LANGUAGES for row in TABLE[name]["said"]]
FRAMED = [
    frame.format(said)
    for name in LANGUAGES
    for said, _, _ in TABLE[name]["said"]
    for frame in TABLE[name]["frames"]
] + [line for name in LANGUAGES for line in TABLE[name]["never"]]


@pytest.mark.req("S5")
@pytest.mark.parametrize(("said", "name", "value"), SAID)
def test_what_people_say_outright_of_themselves_is_understood(
    said: str, name: str, value: str | None
) -> None:
    (stated,) = stated_by_speaker(said)
    assert stated.attribute.name == name
    assert value is None or stated.attribute.value == value


@pytest.mark.req("S5", "S6", "S7")
def test_questions_guesses_quotes_and_other_people_state_nothing() -> None:
    assert len(FRAMED) > 500
    assert [(line, found) for line in FRAMED if (found := stated_by_speaker(line))] == []


@pytest.mark.req("S5")
def test_questions_of_five_languages_ask_for_an_attribute_of_ones_own() -> None:
    missed = [
        (name, question)
        for name, questions in TABLE["asked"].items()
        for question in questions
        if name.replace("_", " ") not in attributes_asked(question)
    ]
    assert missed == []
    assert [one for one in TABLE["not_asked"] if attributes_asked(one)] == []


@pytest.mark.req("S5")
async def test_what_was_said_in_one_guild_answers_in_another(confide: Confide) -> None:
    await say(confide, "ich zocke auf dem Steam Deck", place="public:general@guild")
    await confide.learning.learn(is_everything=True)
    there = audience(ALICE, "public:general@elsewhere")
    context = await confide.recall("worauf spiele ich?", there)
    assert [one.memory.text for one in context.memories] == ["platform: Steam Deck"]


@pytest.mark.req("S6")
def test_a_handle_that_says_something_is_noticed_in_any_language() -> None:
    assert [one for one in TABLE["telling_handles"] if not name_tells_something(one)] == []
    assert [one for one in TABLE["harmless_handles"] if name_tells_something(one)] == []


@pytest.mark.req("S5", "S13")
@pytest.mark.parametrize(
    ("said", "place", "everywhere"),
    [
        ("btw my IGN is CreeperSlayer99 if you see me on the server", "dm", "CreeperSlayer99"),
        ("my ign is `CodeGuy`", "restricted:mods@guild", "CodeGuy"),
        ("Mein Ingame-Name ist Blitzfuchs", "dm", "Blitzfuchs"),
        ("my ign is Zyx_99 and honestly I can't sleep", "dm", "Zyx_99"),
        ("the banned guy is back, his new ign is SneakyAlt42", "restricted:mods@guild", None),
        ("I'm new on the server", "public:general@guild", None),
        ("my account is hacked on xbox", "public:general@guild", None),
        ("I mostly play Java edition in chemo", "dm", None),
        ("Mein Spitzname ist Alki", "dm", None),
        ("my ign is MagersuchtMia", "dm", None),
        ('bob wrote me:\nmy ign is SneakyAlt42\n"and my ign is SneakyAlt43"', "dm", None),
    ],
)
async def test_only_ones_own_outright_words_are_told_in_another_guild(
    confide: Confide, said: str, place: str, everywhere: str | None
) -> None:
    await say(confide, said, place=place)
    await confide.learning.learn(is_everything=True)
    kept = await confide.memories(ALICE)
    told = [one.text for one in kept if one.scope is Scope.GLOBAL]
    assert told == ([f"in game name: {everywhere}"] if everywhere else [])


@pytest.mark.req("S5", "S13")
@pytest.mark.parametrize(
    "said", ["what if my ign is Foo99", "his ign is Foo99", "my ign is not Foo99, I said"]
)
async def test_what_a_model_makes_of_words_promotes_nothing(confide: Confide, said: str) -> None:
    await say(confide, said)
    marked = {"is_global_safe": True, "attribute": ("in_game_name", "Foo99")}
    await learn(confide, kind=Kind.IDENTITY, **marked)
    assert {one.scope for one in await confide.memories(ALICE)} == {Scope.DM}


@pytest.mark.req("S5", "S28")
async def test_a_changed_name_replaces_the_old_one_everywhere(confide: Confide) -> None:
    for said in ("my ign is OldName7", "I changed my IGN to NewName77"):
        await say(confide, said)
        await confide.learning.learn(is_everything=True)
    everywhere = [one.text for one in await confide.memories(ALICE) if one.scope is Scope.GLOBAL]
    assert everywhere == ["in game name: NewName77"]

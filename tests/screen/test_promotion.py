import itertools

import pytest
from benchmarks.screening.datasets import pairs
from benchmarks.screening.measures import own, own_rows

from confide.model import Kind
from confide.screen import Promotion, Screen, asks_for_everywhere, may_be_global

pytestmark = pytest.mark.req("S5")


def promote(screen: Screen, text: str, **changed: object) -> Promotion:
    facts = {"kind": Kind.IDENTITY, "confidence": 1.0, "global_safe": True} | changed
    return may_be_global(screen.look(text), **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize("row", own_rows("attributes_true"))
def test_a_true_attribute_is_promoted_with_its_canonical_value(screen: Screen, row: str):
    _, name, value, text = row.split("\t")
    attribute = promote(screen, text).attribute
    assert attribute
    assert (attribute.name, attribute.value) == (name, value)


@pytest.mark.req("S6")
@pytest.mark.parametrize("text", own("attributes_false"))
def test_an_adversarial_sentence_is_never_promoted(screen: Screen, text: str):
    promotion = promote(screen, text.replace("\\n", "\n"))
    assert not promotion.is_allowed
    assert promotion.reasons


@pytest.mark.req("S6")
def test_a_true_attribute_with_anything_sensitive_beside_it_is_not_promoted(screen: Screen):
    true = [row.split("\t")[3] for row in own_rows("attributes_true")][::4]
    sensitive = [pair.sensitive for pair in pairs(held_out=False)][::20]
    for attribute, other in itertools.product(true, sensitive):
        for joined in (
            f"{attribute}, {other}",
            f"{other} and {attribute}",
            f"{attribute}. {other}",
        ):
            assert not promote(screen, joined).is_allowed, joined


@pytest.mark.req("S7")
@pytest.mark.parametrize(
    "changed",
    [
        {"global_safe": None},
        {"global_safe": False},
        {"global_safe": "true"},
        {"confidence": None},
        {"confidence": 0.89},
        {"confidence": float("nan")},
        {"confidence": 7},
        {"confidence": "1.0"},
        {"confidence": True},
        {"kind": Kind.EVENT},
        {"kind": Kind.TASK},
        {"kind": Kind.CONTEXT},
        {"kind": Kind.OBSERVATION},
        {"kind": Kind.RELATIONSHIP},
    ],
)
def test_what_is_missing_or_malformed_counts_against_promotion(
    screen: Screen, changed: dict[str, object]
):
    promotion = promote(screen, "my IGN is UrbanKnight", **changed)
    assert not promotion.is_allowed
    assert len(promotion.reasons) == 1


def test_a_name_that_contains_a_listed_word_by_chance_is_promoted(screen: Screen):
    assert promote(screen, "my IGN is UrbanKnight").is_allowed


@pytest.mark.req("S6")
@pytest.mark.parametrize(
    "word",
    [
        "stressed",
        "anxious",
        "depressed",
        "struggling",
        "warning",
        "ban",
        "mute",
        "kick",
        "moderation",
        "salary",
        "income",
        "fired",
        "job",
        "health",
        "sick",
        "diagnosis",
        "medication",
        "password",
        "secret",
        "private",
        "confidential",
        "divorce",
        "breakup",
        "relationship",
        "drama",
        "beef",
        "conflict",
    ],
)
def test_every_word_of_the_requirement_keeps_a_memory_from_being_global(screen: Screen, word: str):
    assert screen.look(f"my username is x, {word}").never_global


@pytest.mark.req("S6")
def test_being_laid_off_keeps_a_memory_from_being_global(screen: Screen):
    assert screen.look("they laid me off").never_global


@pytest.mark.req("S6")
@pytest.mark.parametrize(
    "text",
    [
        "bin gestresst",
        "wurde gebannt",
        "mon salaire",
        "je suis malade",
        "mi contraseña",
        "un divorcio",
        "fui demitido",
        "estou doente",
    ],
)
def test_the_words_have_equivalents_in_the_supported_languages(screen: Screen, text: str):
    assert screen.look(text).never_global


def test_a_summary_that_names_its_owner_states_the_owners_attribute(screen: Screen):
    text = "Alice's in-game name is LavaLlama"
    assert screen.look(text).attribute is None
    seen = screen.look(text, owner_names=["Alice"])
    assert seen.attribute
    assert seen.attribute.value == "LavaLlama"


@pytest.mark.parametrize(
    "text",
    [
        "remember this everywhere",
        "please remember my IGN on all servers",
        "merk dir das überall",
        "retiens ça partout",
        "recuerda esto en todas partes",
        "lembra disto em todo lado",
    ],
)
def test_asking_for_everywhere_is_heard_in_five_languages(text: str):
    assert asks_for_everywhere(text)


def test_plain_remembering_is_not_asking_for_everywhere():
    assert not asks_for_everywhere("remember that I like tea")

import pytest
from benchmarks.screening.issuers import LISTED, credentials
from benchmarks.screening.measures import own
from mnemonic import Mnemonic

from confide.screen import Screen

pytestmark = pytest.mark.req("A14")


def test_at_least_seventy_issuers_are_drawn_from():
    assert len(LISTED["issuers"]) >= 70


def test_fresh_credentials_of_every_issuer_are_refused(screen: Screen):
    drawn = credentials(3, seed=2026)
    seen = screen.look_all([text for _, text in drawn])
    missed = [issuer for (issuer, _), one in zip(drawn, seen, strict=True) if not one.secret]
    assert len(missed) <= 0.02 * len(drawn), missed


@pytest.mark.parametrize("text", own("spoken_secrets"))
def test_what_people_say_as_a_secret_is_refused(screen: Screen, text: str):
    assert screen.look(text).secret


@pytest.mark.parametrize("text", own("spoken_harmless"))
def test_talk_about_passwords_keys_and_numbers_is_not_refused(screen: Screen, text: str):
    assert screen.look(text).secret is None


def test_the_reason_never_repeats_the_secret(screen: Screen):
    for text in [*own("spoken_secrets"), *(text for _, text in credentials(1, seed=1))]:
        secret = screen.look(text).secret
        assert secret
        start, end = secret.span
        assert text[start:end] not in secret.reason


def test_the_span_covers_the_value(screen: Screen):
    text = "the wifi pass is hunter22."
    secret = screen.look(text).secret
    assert secret
    assert text[slice(*secret.span)] == "hunter22"


@pytest.mark.parametrize("language", ["english", "french", "spanish", "portuguese"])
@pytest.mark.parametrize("strength", [128, 256])
def test_a_seed_phrase_is_refused_wherever_it_stands(screen: Screen, language: str, strength: int):
    phrase = Mnemonic(language).to_mnemonic(bytes(range(strength // 8)))
    assert screen.look(f"write this down: {phrase} ok?").secret


def test_a_card_number_needs_a_right_checksum(screen: Screen):
    assert screen.look("5555 5555 5555 4444").secret
    assert screen.look("5555 5555 5555 4445").secret is None


def test_a_token_inside_a_sentence_in_brackets_or_quotes_is_refused(screen: Screen):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    for text in (f"({token})", f'"{token}"', f"token={token},", f"use `{token}`."):
        assert screen.look(text).secret

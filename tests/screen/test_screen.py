import json

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pace import seconds_of_an_idle_core
from typer.testing import CliRunner

from confide.model import MAX_TEXT_BYTES, Sensitivity
from confide.screen import Screen
from confide.surfaces.cli.screen import register

SCREEN = Screen()


@pytest.mark.req("A14", "P5")
@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.sampled_from([None, *Sensitivity]))
def test_any_text_is_screened_without_an_error(text: str, level: Sensitivity | None):
    seen = SCREEN.look(text, given=level)
    assert seen.pii_risk in (0, 1, 2)
    assert seen.sensitivity.rank >= (level or Sensitivity.PUBLIC).rank


@pytest.mark.req("A7")
@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["Has anxiety", "call +49 30 901820", "I was fired"]))
def test_adding_a_line_does_not_hide_what_was_there(text: str, found: str):
    before = SCREEN.look(found)
    after = SCREEN.look(f"{found}\n{text}")
    assert after.pii_risk >= before.pii_risk or before.pii_risk == 0


@pytest.mark.parametrize(
    "part",
    [
        "a ",
        "a.",
        "1 ",
        "1-",
        "a1:",
        "x@",
        "a://b:",
        '"',
        "please send my ",
        "if you ask ",
        "key is ",
        "token=",
        "https://",
        "https://a?",
    ],
)
def test_a_long_repetitive_text_does_not_hold_up_the_screen(part: str):
    text = part * (MAX_TEXT_BYTES // len(part))
    assert seconds_of_an_idle_core(lambda: SCREEN.look(text)) < 2


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer()
    app.callback()(lambda: None)
    register(app)
    return app


@pytest.mark.req("A14")
def test_the_command_shows_what_the_screen_sees_and_why(app: typer.Typer):
    shown = CliRunner().invoke(app, ["screen", "the wifi pass is hunter22", "--json"])
    assert shown.exit_code == 0
    seen = json.loads(shown.stdout)
    assert set(seen) >= {"secret", "pii_risk", "sensitivity", "attribute", "instruction"}
    assert "hunter22" not in shown.stdout


def test_the_command_prints_a_table_without_json(app: typer.Typer):
    shown = CliRunner().invoke(app, ["screen", "Has anxiety"])
    assert "sensitive" in shown.stdout
    assert "mental health" in shown.stdout


def test_the_command_refuses_an_empty_text(app: typer.Typer):
    assert CliRunner().invoke(app, ["screen", "  "]).exit_code == 2

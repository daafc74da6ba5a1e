"""The table in sentences.yaml, row by row."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.extract.speech import AGENT, ALICE, BOB, said

from confide.model import Fact
from confide.providers.builtin import BuiltinExtractor

TABLE = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text("utf-8"))
ROWS = [pytest.param(row, id=row["say"][:60]) for rows in TABLE.values() for row in rows]


def extracted(row: dict[str, Any]) -> list[Fact]:
    asker = AGENT if row.get("asked_by") == "agent" else BOB
    question = said(row.get("asked", "ok"), by=asker, id="m0")
    return BuiltinExtractor().extract([question, said(row["say"])])


def fits(fact: Fact, expected: dict[str, Any]) -> bool:
    for field, value in expected.items():
        found = getattr(fact, field)
        if (list(found) if isinstance(found, tuple) else found) != value:
            return False
    return True


@pytest.mark.req("S13", "S10", "A1", "A2", "A5", "A18", "A19", "S5")
@pytest.mark.parametrize("row", ROWS)
def test_a_sentence_becomes_the_facts_in_the_table(row: dict[str, Any]) -> None:
    facts = extracted(row)
    if not row["facts"]:
        assert facts == []
    for expected in row["facts"]:
        assert any(fits(fact, expected) for fact in facts), facts


@pytest.mark.req("S13")
def test_the_table_is_long_enough_to_be_a_specification() -> None:
    assert len(ROWS) >= 120


@pytest.mark.req("S13")
@pytest.mark.parametrize("row", ROWS)
def test_a_snippet_is_in_the_message_it_names(row: dict[str, Any]) -> None:
    for fact in extracted(row):
        assert fact.message_id == "m1"
        assert fact.speaker == ALICE
        assert fact.snippet in row["say"]

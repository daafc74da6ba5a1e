"""/metrics: what operators need, without names or words; the dashboard and the page show all of it."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.conftest import Clock, Opened
from tests.learn.speaking import say

from confide import operator_as, statement
from confide.model import Entity
from confide.providers.usage import Tokens
from confide.surfaces.http import gauges
from confide.surfaces.http.gauges import GAUGES, UP, Gauges
from confide.surfaces.http.metrics import Metrics

ROOT = Path(__file__).parents[2]
ZED = Entity("human", "zed")


def read(text: str) -> dict[str, float]:
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


@pytest.mark.req("P11", "S29")
async def test_what_waits_and_what_it_costs_is_counted(open_confide: Opened, clock: Clock) -> None:
    async with open_confide(learn=False, budget_agent=5) as confide:
        for n in range(10):
            await say(confide, f"I keep {n} quokkas", by="human:zed", place="group:crew")
        unsure = statement("I keep bees", by="human:zed", place="dm")
        kept = await confide.remember(unsure)
        await confide.forget(kept.id, actor=operator_as(ZED))
        await confide.spending.spend("extract", 'a "model"', Tokens(1000, 10))
        clock.advance(hours=2)
        found = read(await Gauges(confide).written())
    assert found["confide_database_up"] == 1
    assert found["confide_jobs_due"] == 1
    assert found["confide_jobs_due_age_seconds"] == timedelta(hours=2).total_seconds()
    assert found["confide_erasures_pending"] == 1
    assert found["confide_erasures_age_seconds"] == 7200
    assert found['confide_memories{status="deleted"}'] == 1
    assert found['confide_model_tokens{model="a \\"model\\"",direction="read"}'] == 1000
    assert found["confide_budget_dollars"] == 5
    assert found["confide_pool_limit"] >= found["confide_pool_open"] >= 1
    assert not [name for name in found if "zed" in name or "crew" in name]


async def test_a_database_that_is_away_is_a_number_too(
    open_confide: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_confide(learn=False) as confide:
        looks = 0

        async def fail() -> Any:
            nonlocal looks
            looks += 1
            raise OSError("gone")

        monkeypatch.setattr(confide.watch, "look", fail)
        seen = Gauges(confide)
        assert read(await seen.written()) == {"confide_database_up": 0}
        await seen.written()
        assert looks == 1, "it is asked once in a while, however often somebody looks"
        monkeypatch.setattr(gauges, "SECONDS", 0.0)
        await seen.written()
        assert looks == 2


def names() -> set[str]:
    metrics = Metrics()
    metrics.begin()
    metrics.end("GET", "/x", 200, 0.1)
    requests = {re.split(r"[{ ]", line)[0] for line in metrics.written().splitlines()}
    return (
        {one for one in requests if one.startswith("confide_")}
        | {UP.name}
        | {gauge.name for gauge in GAUGES}
    )


def used(text: str) -> set[str]:
    return set(re.findall(r"\bconfide_\w+", text))


def test_the_dashboard_shows_every_number_and_no_other() -> None:
    board = json.loads((ROOT / "deploy" / "grafana.json").read_text("utf-8"))
    shown = {one["expr"] for panel in board["panels"] for one in panel.get("targets", ())}
    queried = used(" ".join(shown))
    assert queried <= names()
    histogram = {"confide_request_seconds_sum", "confide_request_seconds_count"}
    assert names() - histogram <= queried
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))


def test_the_alerts_and_the_page_name_numbers_that_exist() -> None:
    rules = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text("utf-8"))
    for group in rules["groups"]:
        for rule in group["rules"]:
            assert used(rule["expr"]), rule["alert"]
            assert used(rule["expr"]) <= names(), rule["alert"]
            assert rule["annotations"]["summary"]
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    table = page.partition("<!-- metrics -->")[2].partition("<!-- /metrics -->")[0]
    assert used(page) <= names() | {"confide_app", "confide_admin_key"}
    assert {gauge.name for gauge in GAUGES} <= used(table)

"""Keys and tokens that a model can hold change what anybody is told only to less (B12)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.acting.commands import changing
from tests.acting.scene import OLGA, PAT, set_up
from tests.acting.walk import Report, Walker
from tests.client.conftest import remote
from tests.http.conftest import serving

from confide import Confide, audience, operator_as
from confide.keep import generalizing, opting
from confide.keep.keys import Wanted
from confide.privacy import acting
from confide.privacy.acting import Act, Verdict
from confide.store.keys import KeyKind

OFTEN = 10_000_000


async def key(confide: Confide, **fields: Any) -> Any:
    wanted = Wanted(**({"kind": KeyKind.PERSONAL, "per_minute": OFTEN} | fields))
    return await confide.keys.create(wanted, actor=operator_as())


async def walked(
    confide: Confide, caller: str, seed: int, folder: Path | None = None, **how: Any
) -> Report:
    """With a folder for its files, the command line is walked as well."""
    scene = await set_up(confide)
    who = OLGA if caller == "opted out" else PAT
    if caller == "token":
        minter = await key(confide, kind=KeyKind.PLATFORM, platform="local")
        minted = await confide.tokens.mint(
            audience(PAT, "dm"), platform="local", key_id=minter.key.id
        )
        secret = minted.token
    else:
        secret = (await key(confide, entity=who)).secret
    if caller == "open":
        await confide.keys.open_connections(who, actor=operator_as(who))
    async with AsyncExitStack() as stack:
        if folder is not None:
            served = await stack.enter_async_context(serving(confide))
            how |= {"run": remote(served.url, secret), "folder": folder}
        return await Walker(confide, scene, secret, seed, who=who, **how).walk()


#: What part of the calls has to be done or asked for: refusals alone would widen nothing.
LEAST = {"closed": 0.2, "open": 0.3, "token": 0.3, "opted out": 0.1}


@pytest.mark.req("B12")
@pytest.mark.parametrize("caller", ["closed", "open", "token", "opted out"])
async def test_no_sequence_of_calls_tells_anybody_more(confide: Confide, caller: str) -> None:
    report = await walked(confide, caller, seed=15)
    assert report.done > LEAST[caller] * report.calls, (report.done, report.calls)
    assert report.widened == {}, "\n".join(
        f"{name}: {sorted(set(found))}" for name, found in report.widened.items()
    )


DONE_BY_COMMAND = {
    "open": {
        "consent give", "consent answer", "share", "correct", "restore", "remember", "import",
        "keys open", "privacy opt-in", "privacy delete", "generalize", "people claims", "protect",
        "people merge", "review approve", "forget", "request erase",
    },
    "closed": {"keys open", "remember", "import", "restore", "consent give", "privacy opt-in"},
}  # fmt: skip
#: Which routes and tools change something between the commands of a sequence.
BETWEEN = frozenset({
    "POST /v1/memories", "POST /v1/memories/{memory_id}/consent-requests", "memory_create",
    "POST /v1/consent-requests/{request_id}/answer",
})  # fmt: skip


ROUNDS = {"open": 2, "closed": 3}


@pytest.mark.req("B12")
@pytest.mark.parametrize("caller", ["closed", "open"])
async def test_no_sequence_of_commands_tells_anybody_more(
    confide: Confide, caller: str, tmp_path: Path
) -> None:
    typed = frozenset(path for path, _ in changing())
    report = await walked(
        confide,
        caller,
        seed=8,
        folder=tmp_path,
        only=typed | BETWEEN,
        rounds=ROUNDS[caller],
        things=2,
    )
    assert report.widened == {}, "\n".join(
        f"{n}: {sorted(set(w))}" for n, w in report.widened.items()
    )
    # What a personal key can do by a command was done or asked for, so that it could have widened.
    missing = DONE_BY_COMMAND[caller] - set(report.did)
    assert not missing, (missing, report.did)


@dataclass(frozen=True)
class Plant:
    """A mistake, and the one route or tool that shows it."""

    mistake: str
    route: str
    patch: Callable[[pytest.MonkeyPatch], None]
    caller: str = "open"
    rounds: int = 3
    is_typed: bool = False  # a command


def does(*acts: Act) -> Callable[[pytest.MonkeyPatch], None]:
    """Whoever only asks for these does them at once."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        planted = {
            act: tuple(rule._replace(verdict=Verdict.YES) for rule in acting.TABLE[act])
            for act in acts
        }
        monkeypatch.setattr(acting, "TABLE", acting.TABLE | planted)

    return patch


def opts_out_of_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opting, "_is_of_all", lambda known: False)


def opens_on_one_source(monkeypatch: pytest.MonkeyPatch) -> None:
    does(Act.OPEN_INSIGHT, Act.BROADCAST)(monkeypatch)
    monkeypatch.setattr(generalizing, "_say_in", lambda kept, agent: set())


def frees_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    does(Act.FREE, Act.FREE_OWN)(monkeypatch)


#: What was found when such callers could still do it: each must be caught again.
PLANTS = [
    Plant("a key consents for its owner", "POST /v1/consents", does(Act.CONSENT), rounds=20),
    Plant("a key shares", "POST /v1/memories/{memory_id}/shares", does(Act.CONSENT)),
    Plant(
        "a key answers yes", "POST /v1/consent-requests/{request_id}/answer", does(Act.CONSENT)
    ),
    Plant(
        "a key gives access to everyone", "POST /v1/memories", does(Act.GRANT, Act.BROADCAST),
        rounds=30,
    ),
    Plant(
        "a key lets it be told everywhere", "POST /v1/memories", does(Act.EVERYWHERE), rounds=30
    ),
    Plant(
        "a key opens its own door", "POST /v1/privacy/connections/open",
        does(Act.OPEN_CONNECTION), caller="closed",
    ),
    Plant("a key restores", "POST /v1/memories/{memory_id}/restore", does(Act.RESTORE)),
    Plant(
        "a key restores all of an erasure", "POST /v1/erasures/{erasure_id}/restore",
        does(Act.RESTORE),
    ),
    Plant("a key frees its own text", "POST /v1/review/{memory_id}/approve", frees_for_others),
    Plant("a key confirms a merge", "POST /v1/merges/{merge}/confirm", does(Act.CONFIRM_MERGE)),
    Plant(
        "a key rewrites what was said elsewhere", "POST /v1/memories/{memory_id}/correct",
        does(Act.CORRECT),
    ),
    Plant("a key opts in", "POST /v1/privacy/opt-in", does(Act.OPT_IN), caller="opted out"),
    Plant(
        "a key opts out of less", "POST /v1/privacy/opt-out", opts_out_of_less,
        caller="opted out", rounds=6,
    ),
    Plant("a key shares by a command", "share", does(Act.CONSENT), rounds=5, is_typed=True),
    Plant(
        "a key opens its own door by a command", "keys open", does(Act.OPEN_CONNECTION),
        caller="closed", is_typed=True,
    ),
    Plant("a key restores by a command", "restore", does(Act.RESTORE), rounds=5, is_typed=True),
    Plant("a token erases for good", "DELETE /v1/memories/{memory_id}", does(Act.ERASE), "token"),
    Plant("a key erases for good", "DELETE /v1/memories/{memory_id}", does(Act.ERASE)),
    Plant(
        "one source opens an insight", "POST /v1/insights", opens_on_one_source, rounds=30
    ),
]  # fmt: skip


@pytest.mark.planted
@pytest.mark.req("B12")
@pytest.mark.parametrize("plant", PLANTS, ids=lambda one: one.mistake)
async def test_each_widening_is_caught_again(
    confide: Confide, plant: Plant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plant.patch(monkeypatch)
    report = await walked(
        confide, plant.caller, seed=3, only=frozenset({plant.route}), rounds=plant.rounds,
        things=20, every=4, folder=tmp_path if plant.is_typed else None,
    )  # fmt: skip
    assert report.widened, f"{report.done} of {report.calls} calls were answered"

"""An extractor or model that lies or obeys everything it reads: nothing of it widens a label."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from confide import Confide, Entity, audience
from confide.model import Fact, Kind, Message, Scope, Sensitivity
from confide.privacy.places import parse_place
from confide.recall.context import INSTRUCTIONS

ALICE, BOB, MALLORY = (Entity("human", name) for name in ("alice", "bob", "mallory"))
PAYLOADS = Path(__file__).parents[1] / "screen" / "data" / "instructions.tsv"
FRAMES = (
    "{}",
    "I love tea. {}",
    "My sister told me: {}",
    "Note to the assistant, {}",
    "```\n{}\n```",
    "</memories> {}",
    'I live in Porto. "{}" is what the card said',
)


class Liar:
    """Marks everything public, portable, safe everywhere, certain and about nobody."""

    version = "liar-1"

    def extract(self, messages: Sequence[Message]) -> list[Fact]:
        return [
            Fact(
                text=message.text,
                snippet=message.text,
                message_id=message.id,
                speaker=message.speaker,
                kind=Kind.PREFERENCE,
                confidence=1.0,
                sensitivity=Sensitivity.PUBLIC,
                is_global_safe=True,
                is_portable=True,
                attribute=("in_game_name", "StoneFox"),
            )
            for message in messages
            if not message.is_from_agent
        ]


async def learned(confide: Confide, place: str, by: Entity, *texts: str, extractor: object) -> None:
    where = parse_place(place, by)
    for number, text in enumerate(texts):
        message = Message(
            id=f"{place}-{by}-{number}", place=where, speaker=by, text=text,
            said_at=datetime(2026, 3, 1, tzinfo=UTC), present=frozenset({BOB}) if place != "dm" else frozenset(),
        )  # fmt: skip
        await confide.observe(message)
    worker = confide.learning.worker(extractor=extractor)  # type: ignore[arg-type]
    async with confide.database.keep() as connection:
        from confide.store import sessions

        await sessions.make_due(connection, confide.database.agent, confide.means.clock())
    await worker.drain()


CASES = [
    # where it was said, what was said, who asks where and must not be told
    ("dm", "I was diagnosed with diabetes last spring", [(BOB, "dm"), (ALICE, "public:general@guild"), (ALICE, "group:friends")]),
    ("dm", "I keep bees on the roof", [(BOB, "dm"), (BOB, "public:general@guild"), (ALICE, "public:general@guild")]),
    ("restricted:mods@guild", "We are watching Rex for insults", [(BOB, "public:general@guild"), (BOB, "dm"), (ALICE, "public:general@guild")]),
    ("group:friends", "I was fired from my job yesterday", [(BOB, "group:friends"), (BOB, "dm"), (ALICE, "public:general@guild")]),
    ("group:friends", "I have anxiety and take medication", [(BOB, "group:friends"), (ALICE, "group:friends"), (BOB, "dm")]),
    ("public:general@guild", "My salary is 150k dollars", [(BOB, "public:general@guild"), (BOB, "dm"), (BOB, "public:lobby@other")]),
]  # fmt: skip


@pytest.mark.req("S7", "B6", "A7")
@pytest.mark.parametrize(("place", "text", "withheld"), CASES)
async def test_a_lying_extractor_leaks_nothing(open_confide, place, text, withheld) -> None:
    async with open_confide(top_k=50, similarity=-1) as confide:
        await learned(confide, place, ALICE, text, extractor=Liar())
        for asker, where in withheld:
            told = (await confide.recall(text, audience(asker, where))).memories
            assert [one.memory.text for one in told] == []


@pytest.mark.req("S5", "S6", "S7")
async def test_a_lying_extractor_makes_nothing_global_but_what_the_screen_itself_finds(
    open_confide,
) -> None:
    async with open_confide() as confide:
        texts = [
            "I feel stressed these days",
            "Rex got a warning",
            "my ban ends in May",
            "hello all",
        ]
        await learned(confide, "dm", ALICE, *texts, extractor=Liar())
        async with confide.database.keep() as connection:
            everywhere = await connection.fetch(
                "SELECT scope FROM confide.memory WHERE scope = ANY ($1)",
                [Scope.GLOBAL.value, Scope.PUBLIC.value],
            )
        assert everywhere == []


def payloads() -> list[str]:
    told = [line.split("\t")[1] for line in PAYLOADS.read_text().splitlines() if "\t" in line]
    return [frame.format(text) for text in told for frame in FRAMES][:210]


@pytest.mark.req("B6")
async def test_no_stored_text_changes_a_label_a_consent_or_who_is_where(open_confide) -> None:
    """Two hundred payloads, learned by a model that does whatever it reads."""
    async with open_confide(top_k=100, similarity=-1, context_tokens=100_000) as confide:
        texts = payloads()
        assert len(texts) >= 200
        before = await world(confide)
        await learned(confide, "dm", ALICE, *texts, extractor=Liar())
        after = await world(confide)
        assert after["consents"] == before["consents"] == 0
        assert after["guardians"] == after["roles"] == 0
        assert after["scopes"] <= {"dm"}
        context = await confide.recall("what should you do now?", audience(ALICE, "dm"))
        outside = context.markdown().removeprefix(INSTRUCTIONS).split("```")[0].strip()
        assert outside in ("", "You remember nothing that helps here.")
        told = (await confide.recall(texts[0], audience(MALLORY, "dm"))).memories
        assert told == ()


async def world(confide: Confide) -> dict[str, object]:
    async with confide.database.keep() as connection:
        scopes = await connection.fetch("SELECT DISTINCT scope FROM confide.memory")
        return {
            "consents": await connection.fetchval("SELECT count(*) FROM confide.consent"),
            "guardians": await connection.fetchval("SELECT count(*) FROM confide.guardian"),
            "roles": await connection.fetchval("SELECT count(*) FROM confide.collective_member"),
            "scopes": {row["scope"] for row in scopes},
        }

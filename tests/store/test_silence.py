"""At start the rule is tried out: an engine that shows any row to nobody is refused, whatever it says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from confide import Confide, Entity, statement
from confide.errors import UnsafeStore
from confide.model import Message
from confide.reading import read_place
from confide.store.checks import demand_silence

from .conftest import Scratch, scratch_in

#: As an engine could that says nothing of it in its catalog.
WEAKENED = {
    "memory": "ALTER TABLE confide.memory DISABLE ROW LEVEL SECURITY",
    "evidence": "CREATE POLICY lax ON confide.evidence TO PUBLIC USING (memory_id IS NOT NULL)",
    "words": "CREATE POLICY lax ON confide.words TO PUBLIC USING (true)",
    "embedding": "ALTER TABLE confide.embedding DISABLE ROW LEVEL SECURITY",
    "evidence, memory, words": "ALTER ROLE confide_tell BYPASSRLS",
}
#: Nobody's agent hears what is another's: these show rows only once somebody has entered.
ANY_AGENT = """DO $$ DECLARE t text; BEGIN
    FOREACH t IN ARRAY ARRAY['memory', 'words'] LOOP
        EXECUTE format('ALTER POLICY tell ON confide.%I USING ({})', t);
    END LOOP; END $$"""
SHOWS = {
    "any agent's labels": "label_id = ANY ((SELECT confide.told_labels())::integer[])",
    "whoever entered": "(SELECT confide.this_agent()) IS NOT NULL",
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def spoken(home: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scratch]:
    """A database in which somebody has said something."""
    async with scratch_in(home) as made:
        login = made.login
        url = (
            f"postgresql://{login['user']}:{login['password']}@/{login['database']}"
            f"?host={login['host']}&port={login['port']}"
        )
        alice = Entity("human", "alice")
        async with Confide.open(
            tmp_path_factory.mktemp("spoken"), database_url=url, auto_migrate=True
        ) as confide:
            await confide.remember(statement("I keep bees", by=alice, place="dm"))
            said = Message(
                id="1", platform="test", place=read_place("dm", alice), speaker=alice,
                text="My favourite band is Blur.", said_at=datetime.now(UTC),
            )  # fmt: skip
            await confide.observe(said)
            await confide.learning.learn(is_everything=True)
        await made.as_superuser(
            "INSERT INTO confide.embedding (agent, memory_id, model, label_id, is_live, expires_at,"
            " vector) SELECT m.agent, m.id, 'test', m.label_id, m.is_live, m.expires_at, '[1,2]'"
            " FROM confide.memory m LIMIT 1"
        )
        yield made


async def _demand(database: Scratch, change: str) -> None:
    connection = await asyncpg.connect(**database.superuser)
    changing = connection.transaction()
    await changing.start()
    try:
        await connection.execute(change)
        await connection.execute("SET LOCAL SESSION AUTHORIZATION confide_login")
        await demand_silence(connection)  # type: ignore[arg-type]
        await connection.execute("RESET SESSION AUTHORIZATION")
    finally:
        await changing.rollback()
        await connection.close()


@pytest.mark.req("B1")
@pytest.mark.parametrize("shown", WEAKENED)
async def test_rows_that_nobody_should_see_are_found_by_trying(spoken: Scratch, shown: str) -> None:
    with pytest.raises(UnsafeStore, match=f"should show none: .*{shown}"):
        await _demand(spoken, WEAKENED[shown])


@pytest.mark.req("B1")
@pytest.mark.parametrize("how", SHOWS)
async def test_rows_that_an_agent_which_does_not_exist_sees_are_found(
    spoken: Scratch, how: str
) -> None:
    with pytest.raises(UnsafeStore, match="should show none: memory, words"):
        await _demand(spoken, ANY_AGENT.format(SHOWS[how]))


@pytest.mark.req("B1")
async def test_a_sound_database_shows_nothing(spoken: Scratch) -> None:
    await _demand(spoken, "SELECT 1")

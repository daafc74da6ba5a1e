"""The database's own rights: what each role can do, and that every known hole is found at start."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from confide import Confide, audience, statement
from confide.errors import UnsafeStore
from confide.store.checks import demand_safety
from confide.store.database import Database, connect_pool
from confide.store.migrate import migrate

from .conftest import Scratch, scratch_in

HOLES = {
    "superuser": "ALTER ROLE confide_tell SUPERUSER",
    "bypasses": "ALTER ROLE confide_keep BYPASSRLS",
    "no forced row-level security": "ALTER TABLE confide.memory NO FORCE ROW LEVEL SECURITY",
    "no forced": "ALTER TABLE confide.evidence DISABLE ROW LEVEL SECURITY",
    "owned by": "ALTER TABLE confide.embedding OWNER TO confide_keep",
    "owner's rights": "ALTER FUNCTION confide.this_agent() SECURITY DEFINER",
    "does not take the role confide_tell": "ALTER FUNCTION confide.read_at RESET role",
    "does not take the role confide_keep": "ALTER FUNCTION confide.log_tellings SET role = none",
    "immutable": "ALTER FUNCTION confide.told_labels() IMMUTABLE",
    "view": "CREATE VIEW confide.all_of_it AS SELECT text FROM confide.memory",
    "may change": "GRANT UPDATE ON confide.memory TO confide_tell",
    "everyone may read": "GRANT SELECT ON confide.memory TO PUBLIC",
    "may change the trail": "GRANT DELETE ON confide.trail TO confide_keep",
    "leaves no trail": "ALTER TABLE confide.memory DISABLE TRIGGER trail_changed",
    "consent leaves no trail": "DROP TRIGGER trail_other ON confide.consent",
    "is open to the telling role": "CREATE POLICY lax ON confide.memory TO PUBLIC USING (true)",
    "keep on person is open to": "ALTER POLICY keep ON confide.person TO PUBLIC",
    "tell on place is not held to one agent": "ALTER POLICY tell ON confide.place USING (true)",
    "keep on message is not held to": "ALTER POLICY keep ON confide.message USING (true)",
    "keep on opt_out is not held to": "ALTER POLICY keep ON confide.opt_out WITH CHECK (true)",
    "tell on memory does not say who": "ALTER POLICY tell ON confide.memory USING (true)",
    "tell on words does not say who": """ALTER POLICY tell ON confide.words USING (
        agent = (SELECT confide.this_agent()) AND (true OR is_live
        AND expires_at > (SELECT confide.this_moment())
        AND label_id = ANY ((SELECT confide.told_labels())::integer[])))""",
    "tell on evidence does not say who": """
        CREATE FUNCTION public.told_labels() RETURNS integer[] LANGUAGE sql AS
            'SELECT array_agg(id) FROM confide.label';
        ALTER POLICY tell ON confide.evidence USING (
        agent = (SELECT confide.this_agent()) AND is_live
        AND expires_at > (SELECT confide.this_moment())
        AND label_id = ANY ((SELECT public.told_labels())::integer[]))""",
    "of_told_memory on evidence does not": "DROP POLICY of_told_memory ON confide.evidence",
    "confide.agent is set for confide_login": "ALTER ROLE confide_login SET confide.agent = 'a'",
    "confide.labels is set for confide_login": (
        "ALTER ROLE confide_login SET confide.labels = '{1}'"
    ),
    "confide.now is set for everyone": """DO $$ BEGIN EXECUTE format(
        'ALTER DATABASE %I SET confide.now = %L', current_database(), '2020-01-01'); END $$""",
    "confide.now is set before": "SET LOCAL confide.now = '2020-01-01'",
    "role is set for confide_login": "ALTER ROLE confide_login SET role = 'confide_keep'",
    "session_replication_role is set": (
        "ALTER ROLE confide_login SET session_replication_role = replica"
    ),
    "says by refusing": "CREATE UNIQUE INDEX ON confide.memory (agent, md5(text))",
    "index told on message says": """ALTER TABLE confide.message
        ADD CONSTRAINT told EXCLUDE USING btree (text WITH =)""",
    "view public.all_of_it": "CREATE VIEW public.all_of_it AS SELECT text FROM confide.memory",
    "view public.more_of_it": """
        CREATE VIEW public.some_of_it WITH (security_invoker = on) AS
            SELECT text FROM confide.memory;
        CREATE VIEW public.more_of_it AS SELECT text FROM public.some_of_it""",
    "view public.copied": (
        "CREATE MATERIALIZED VIEW public.copied AS SELECT text FROM confide.memory"
    ),
    r"function public.any_text\(\) runs": """CREATE FUNCTION public.any_text() RETURNS SETOF text
        LANGUAGE sql SECURITY DEFINER AS 'SELECT text FROM confide.memory'""",
    r"function public.parsed_text\(\) runs": """
        CREATE VIEW public.seen WITH (security_invoker = true) AS SELECT text FROM confide.memory;
        CREATE FUNCTION public.parsed_text() RETURNS SETOF text
        LANGUAGE sql SECURITY DEFINER BEGIN ATOMIC SELECT text FROM public.seen; END""",
    r"function public.found_text\(\) runs": """CREATE FUNCTION public.found_text()
        RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET search_path = confide
        AS 'BEGIN RETURN QUERY SELECT text FROM memory; END'""",
}
RESET_LOGIN = "ALTER ROLE confide_login RESET ALL"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def migrated(home: Path) -> AsyncIterator[Scratch]:
    """One for all holes, each of which is undone with its transaction."""
    async with scratch_in(home) as made:
        await migrate(made.login)
        yield made


@pytest.mark.req("B1")
@pytest.mark.parametrize("hole", HOLES)
async def test_a_database_with_a_hole_is_refused_and_the_hole_named(
    migrated: Scratch, hole: str
) -> None:
    connection = await asyncpg.connect(**migrated.superuser)
    changing = connection.transaction()
    await changing.start()
    try:
        await connection.execute(HOLES[hole])
        await connection.execute("SET LOCAL SESSION AUTHORIZATION confide_login")
        with pytest.raises(UnsafeStore, match=hole):
            await demand_safety(connection)
        await connection.execute("RESET SESSION AUTHORIZATION")
    finally:
        await changing.rollback()
        await connection.close()


@pytest.mark.req("B1")
async def test_settings_of_the_login_that_are_there_when_it_connects_are_seen(
    scratch: Scratch,
) -> None:
    await migrate(scratch.login)
    address = scratch.login | {"server_settings": {"confide.labels": "{1,2}"}}
    connection = await asyncpg.connect(**address)
    try:
        with pytest.raises(UnsafeStore, match=r"confide\.labels is set before anybody"):
            await demand_safety(connection)
    finally:
        await connection.close()


@pytest.mark.req("B1")
async def test_what_others_keep_beside_it_is_no_hole(scratch: Scratch) -> None:
    await migrate(scratch.login)
    await scratch.as_superuser(
        "CREATE VIEW public.known WITH (security_invoker = true) AS SELECT text FROM confide.memory",
        "CREATE VIEW public.done AS SELECT name FROM confide.migration",
        "CREATE TABLE public.note (text text UNIQUE)",
        "CREATE VIEW public.notes AS SELECT text FROM public.note",
        "CREATE FUNCTION public.noted() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS"
        " 'SELECT count(*) FROM public.note'",
        "CREATE INDEX ON confide.memory (agent, owner, speaker)",
        "ALTER ROLE confide_login SET statement_timeout = '1h'",
        "ALTER ROLE confide_login SET search_path = confide, public",
    )
    connection = await asyncpg.connect(**scratch.login)
    try:
        await demand_safety(connection)
        assert await connection.fetchval("SHOW search_path") == "confide, public"
    finally:
        await connection.close()
        await scratch.as_superuser(RESET_LOGIN)


@pytest.mark.req("B1")
@pytest.mark.parametrize("right", ["SUPERUSER", "BYPASSRLS"])
async def test_a_login_that_may_too_much_is_warned_of(
    scratch: Scratch, right: str, caplog: pytest.LogCaptureFixture
) -> None:
    await migrate(scratch.login)
    await scratch.as_superuser(f"ALTER ROLE confide_login {right}")
    connection = await asyncpg.connect(**scratch.login)
    try:
        await demand_safety(connection)
    finally:
        await connection.close()
        await scratch.as_superuser(f"ALTER ROLE confide_login NO{right}")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "give confide a login of its own" in caplog.text


@pytest.mark.req("B1")
async def test_policies_that_were_changed_are_stated_anew_as_the_error_says(
    scratch: Scratch,
) -> None:
    await migrate(scratch.login)
    await scratch.as_superuser(HOLES["tell on memory does not say who"])
    connection = await asyncpg.connect(**scratch.login)
    try:
        with pytest.raises(UnsafeStore, match=r"DELETE FROM confide\.policy_version"):
            await demand_safety(connection)
        await scratch.as_superuser("DELETE FROM confide.policy_version")
        await migrate(scratch.login)
        await demand_safety(connection)
    finally:
        await connection.close()


@pytest.mark.req("B1")
async def test_the_login_itself_can_read_no_table(confide: Confide) -> None:
    await confide.remember(statement("I keep bees", by="human:alice", place="dm"))
    async with confide.database._pool.acquire() as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.fetch("SELECT * FROM confide.memory")


@pytest.mark.req("B1")
async def test_whoever_is_logged_in_recalls_as_the_telling_role(
    confide: Confide, scratch: Scratch
) -> None:
    """A superuser's login must not make row-level security go away inside the statement."""
    await migrate(scratch.login)
    pool = await connect_pool(scratch.superuser, 1)
    opened = Confide(replace(confide.means, database=Database(pool, "mine")))
    try:
        await opened.remember(statement("I keep bees", by="human:alice", place="dm"))
        for who, told in (("human:alice", 1), ("human:bob", 0)):
            context = await opened.recall("Who keeps bees?", audience(who, "dm"))
            assert len(context.memories) == told
        left = await pool.fetchrow(
            "SELECT current_user = session_user AS is_itself,"
            " current_setting('confide.labels', true) AS labels"
        )
        assert left is not None
        assert (left["is_itself"], left["labels"] or "") == (True, "")
    finally:
        await pool.close()


@pytest.mark.req("B1")
async def test_the_telling_role_cannot_write(confide: Confide) -> None:
    remembered = await confide.remember(statement("I keep bees", by="human:alice", place="dm"))
    own = audience("human:alice", "dm")
    with pytest.raises(asyncpg.PostgresError):
        async with confide.database.tell(own, confide.means.clock()) as telling:
            await telling.connection.execute(
                "DELETE FROM confide.memory WHERE id = $1", remembered.id
            )


@pytest.mark.req("B1")
async def test_nothing_is_shown_to_the_telling_role_before_it_has_an_audience(
    confide: Confide,
) -> None:
    await confide.remember(
        statement("The server opens at noon", by="human:alice", place="public:general@guild")
    )
    async with confide.database._transaction("BEGIN; SET LOCAL ROLE confide_tell") as connection:
        assert await connection.fetch("SELECT * FROM confide.memory") == []


@pytest.mark.req("B1")
async def test_settings_that_became_empty_strings_match_nothing(confide: Confide) -> None:
    await confide.remember(statement("I keep bees", by="human:alice", place="dm"))
    begin = (
        "BEGIN; SET LOCAL ROLE confide_tell; SET LOCAL confide.agent = '';"
        " SET LOCAL confide.labels = ''; SET LOCAL confide.now = ''"
    )
    async with confide.database._transaction(begin) as connection:
        for table in ("memory", "evidence", "embedding"):
            assert await connection.fetch(f"SELECT * FROM confide.{table}") == []


@pytest.mark.req("B1")
async def test_the_keeping_role_sees_one_agent_only(open_confide, agent: str) -> None:
    async with open_confide() as mine, open_confide(agent=f"{agent}b") as other:
        await mine.remember(statement("I keep bees", by="human:alice", place="dm"))
        async with other.database.keep() as connection:
            assert await connection.fetchval("SELECT count(*) FROM confide.memory") == 0

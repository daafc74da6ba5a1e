"""The schema: built in order, by one program at a time, never by an older one."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from confide import Confide, statement
from confide.errors import StoreTooNew
from confide.model import Kind
from confide.store.indexing import KEYS, called_key, kind_key
from confide.store.migrate import migrate
from confide.store.queries import migration_files
from confide.store.rehash import rehash

from .conftest import Scratch


async def test_migrating_twice_changes_nothing_the_second_time(scratch: Scratch) -> None:
    assert await migrate(scratch.login) == [name for _, name, _ in migration_files()]
    assert await migrate(scratch.login) == []


async def test_two_programs_that_meet_an_empty_database_migrate_it_once(scratch: Scratch) -> None:
    done = await asyncio.gather(*(migrate(scratch.login) for _ in range(4)))
    assert sorted(name for names in done for name in names) == [n for _, n, _ in migration_files()]


async def test_a_schema_newer_than_the_program_is_refused_with_the_fix(scratch: Scratch) -> None:
    await migrate(scratch.login)
    await scratch.as_superuser("INSERT INTO confide.migration VALUES (9999, '9999_future.sql')")
    with pytest.raises(StoreTooNew, match="update confide"):
        await migrate(scratch.login)


async def test_a_changed_policy_is_stated_again(scratch: Scratch) -> None:
    await migrate(scratch.login)
    await scratch.as_superuser(
        "DROP POLICY tell ON confide.memory", "UPDATE confide.policy_version SET digest = 'old'"
    )
    await migrate(scratch.login)
    connection = await asyncpg.connect(**scratch.login)
    try:
        stated = await connection.fetchval(
            "SELECT count(*) FROM pg_policy WHERE polrelid = 'confide.memory'::regclass"
            " AND polname = 'tell'"
        )
    finally:
        await connection.close()
    assert stated == 1


def test_each_migration_has_a_number_of_its_own_and_they_are_read_in_order() -> None:
    numbers = [number for number, _, _ in migration_files()]
    assert numbers == sorted(set(numbers))


async def test_a_function_that_had_another_shape_is_stated_again(scratch: Scratch) -> None:
    await migrate(scratch.login)
    await scratch.as_superuser(
        "DROP FUNCTION confide.enter(text, jsonb, timestamptz)",
        "CREATE FUNCTION confide.enter(text, jsonb, timestamptz) RETURNS integer"
        " LANGUAGE sql AS 'SELECT 1'",
        "ALTER FUNCTION confide.enter(text, jsonb, timestamptz) OWNER TO confide_owner",
        "UPDATE confide.policy_version SET digest = 'old'",
    )
    await migrate(scratch.login)
    connection = await asyncpg.connect(**scratch.login)
    try:
        returns = await connection.fetchval(
            "SELECT pg_get_function_result('confide.enter(text, jsonb, timestamptz)'::regprocedure)"
        )
    finally:
        await connection.close()
    assert returns == "jsonb"


BEFORE_MEANING = """
INSERT INTO confide.label (agent, key, clauses) VALUES ('a', 'k', '{1}');
INSERT INTO confide.memory (agent, id, owner, subjects, text, kind, type, scope, sensitivity, trust,
    status, confidence, present, grants, clauses, label_id, hash, said_at, created_at, updated_at,
    reinforced_at)
SELECT 'a', g.id, 'human:ann', '{}', 'text', 'knowledge', 'semantic', 'public', 'public', 'said',
    'approved', 1, '{}', '{}', '[["hear"]]', l.id, sha256(g.id::text::bytea), now(), now(), now(), now()
FROM confide.label l, unnest(ARRAY['00000000-0000-0000-0000-000000000001',
    '00000000-0000-0000-0000-000000000002']::uuid[]) AS g (id);
INSERT INTO confide.words (agent, memory_id, part, is_own, label_id, is_live, expires_at, author,
    length, terms, people, version)
SELECT 'a', id, part, true, label_id, true, expires_at, 5, 2, '{7:1,9:1}/20',
    CASE part WHEN 0 THEN '{3:1}/20' ELSE '{}/20' END::public.sparsevec, 1
FROM confide.memory, generate_series(0, 1) AS part;
INSERT INTO confide.embedding (agent, model, memory_id, label_id, is_live, expires_at, vector)
SELECT 'a', model, id, label_id, true, expires_at, '[1,2]'
FROM confide.memory, unnest(ARRAY['wordllama-l2-supercat-256', 'theirs']) AS model
WHERE id = '00000000-0000-0000-0000-000000000001' OR model = 'theirs';
"""


async def test_vectors_and_names_move_to_the_words_they_belong_to(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = [one for one in migration_files() if one[0] < 15]
    monkeypatch.setattr("confide.store.migrate.migration_files", lambda: older)
    # Today's rights are for today's tables.
    monkeypatch.setattr("confide.store.migrate.policy_text", lambda: "SELECT 1")
    await migrate(scratch.login)
    await scratch.as_superuser("SET session_replication_role = replica;" + BEFORE_MEANING)
    monkeypatch.undo()
    await migrate(scratch.login)
    connection = await asyncpg.connect(**scratch.superuser)
    try:
        words = await connection.fetch(
            "SELECT memory_id::text, part, terms::text, vector::text FROM confide.words ORDER BY 1, 2"
        )
        left = await connection.fetch("SELECT DISTINCT model FROM confide.embedding")
        forced = await connection.fetch(
            "SELECT relname FROM pg_class WHERE relnamespace = 'confide'::regnamespace"
            " AND relname IN ('words', 'embedding') AND relforcerowsecurity"
        )
    finally:
        await connection.close()
    one, two = ("00000000-0000-0000-0000-00000000000" + n for n in "12")
    # What had no vector is left for the doctor, who makes both.
    assert [tuple(row) for row in words] == [
        # Its kind has joined its words since.
        (one, 0, f"{{3:1,7:1,9:1,{kind_key(Kind.KNOWLEDGE)}:1}}/{KEYS}", "[1,2]"),
        (one, 1, "{7:1,9:1}/20", None),
        (two, 1, "{7:1,9:1}/20", None),
    ]
    assert [row["model"] for row in left] == ["theirs"]
    assert len(forced) == 2


BEFORE_SIGNALS = """
INSERT INTO confide.words (agent, memory_id, part, is_own, label_id, is_live, expires_at, author, length,
    terms, version, vector)
SELECT 'a', id, 0, true, label_id, true, expires_at, 5, 2, '{7:1,9:1}/1000000000', 2, '[1,2]'
FROM confide.memory;
INSERT INTO confide.person (agent, entity, display_name, updated_at, terms_version)
VALUES ('a', 'human:ann', 'Ann', now(), 2);
INSERT INTO confide.name_term (agent, term, entity, person) VALUES ('a', 11, 'human:ann', 5);
CREATE FUNCTION confide.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'nobody did anything that the trail could name'; END $$;
ALTER FUNCTION confide.refuse() OWNER TO confide_owner;
CREATE TRIGGER trail_other AFTER UPDATE ON confide.person FOR EACH ROW EXECUTE FUNCTION confide.refuse();
CREATE TRIGGER trail_other AFTER UPDATE ON confide.words FOR EACH ROW EXECUTE FUNCTION confide.refuse();
"""


async def test_names_move_to_what_their_bearers_said(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = [one for one in migration_files() if one[0] < 28]
    monkeypatch.setattr("confide.store.migrate.migration_files", lambda: older)
    monkeypatch.setattr("confide.store.migrate.policy_text", lambda: "SELECT 1")
    await migrate(scratch.login)
    of_memories = BEFORE_MEANING.partition("INSERT INTO confide.words")[0]
    await scratch.as_superuser(
        f"SET session_replication_role = replica; {of_memories} {BEFORE_SIGNALS}"
    )
    monkeypatch.undo()
    await migrate(scratch.login)
    connection = await asyncpg.connect(**scratch.superuser)
    try:
        words = await connection.fetch(
            "SELECT DISTINCT w.terms::text, COALESCE(m.speaker, m.owner) AS author"
            " FROM confide.words w JOIN confide.memory m ON m.id = w.memory_id"
        )
        called = await connection.fetchval("SELECT called FROM confide.person")
    finally:
        await connection.close()
    kind = kind_key(Kind.KNOWLEDGE)
    assert called == [called_key(11)] == [12]
    assert {row["author"]: row["terms"] for row in words} == {
        "human:ann": f"{{7:1,9:1,12:1,{kind}:1}}/{KEYS}"
    }


@pytest.mark.req("S19")
async def test_what_an_older_program_remembered_is_found_again_when_it_is_repeated(
    confide: Confide,
) -> None:
    said = statement("I keep bees", by="human:ann", place="dm")
    first, agent = await confide.remember(said), confide.database.agent
    async with confide.database.keep() as connection:
        await connection.execute(
            "UPDATE confide.memory SET hash = sha256(hash) WHERE agent = $1", agent
        )
    async with confide.database.tend() as connection:
        await rehash(connection)
    again = await confide.remember(said)
    assert (again.id, again.is_new) == (first.id, False)

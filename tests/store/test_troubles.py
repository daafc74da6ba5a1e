"""A database that fails: the setting and the fix are named on every surface, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import asyncpg
import pytest
from tests.http.conftest import serving
from typer.testing import CliRunner, Result

from confide import Confide, Entity, audience, statement
from confide.errors import StorageProblem, StoreTooOld, StoreUnavailable
from confide.store import embedded
from confide.store.migrate import migrate
from confide.store.provision import _demand_versions
from confide.store.troubles import EMBEDDED, SERVER, explained, reaching
from confide.surfaces.callers import at_the_disk
from confide.surfaces.cli.app import build
from confide.surfaces.mcp.server import _Doors
from confide.surfaces.mcp.visit import Session, Visit

from .conftest import Scratch

SAY = ("remember", "I keep bees", "--by", "human:alice", "--in", "dm")
ASK = ("recall", "Who keeps bees?", "--as", "human:alice", "--in", "dm")
ALICE = Entity("human", "alice")
#: What PostgreSQL says when the disk is full, from the moment on that this is there.
FULL = """
CREATE FUNCTION public.no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE 'could not extend file "base/1/2": No space left on device' USING ERRCODE = '53100';
END $$;
CREATE TRIGGER no_space BEFORE INSERT OR UPDATE ON confide.memory
    FOR EACH STATEMENT EXECUTE FUNCTION public.no_space();
CREATE TRIGGER no_space BEFORE INSERT ON confide.telling
    FOR EACH STATEMENT EXECUTE FUNCTION public.no_space();
CREATE TRIGGER no_space BEFORE UPDATE ON confide.session
    FOR EACH STATEMENT EXECUTE FUNCTION public.no_space();
"""
SPACE_AGAIN = "DROP FUNCTION public.no_space() CASCADE"


@dataclass(frozen=True)
class Elsewhere:
    """A server of one's own, as CONFIDE_DATABASE_URL names it."""

    scratch: Scratch
    url: str

    async def run(self, *words: str) -> Result:
        def invoke() -> Result:
            env = {"CONFIDE_DATABASE_URL": self.url, "CONFIDE_LEARN": "false"}
            return CliRunner().invoke(build(), [*words], env=env)

        return await asyncio.to_thread(invoke)

    async def error(self, *words: str) -> dict[str, str]:
        told = await self.run(*words, "--json")
        assert (told.exit_code, told.stdout) == (1, ""), told.output
        return json.loads(told.stderr)["error"]


@pytest.fixture
async def elsewhere(scratch: Scratch) -> Elsewhere:
    await migrate(scratch.login)
    to = scratch.login
    host = quote(to["host"], safe="")
    where = f"@/{to['database']}?host={host}&port={to['port']}"
    return Elsewhere(scratch, f"postgresql://{to['user']}:{to['password']}{where}")


@pytest.fixture
async def there(elsewhere: Elsewhere) -> AsyncIterator[Confide]:
    async with Confide.open(database_url=elsewhere.url, learn=False) as opened:
        yield opened


@pytest.mark.req("B1")
async def test_a_full_disk_is_named_with_its_fix_by_every_command(elsewhere: Elsewhere) -> None:
    kept = json.loads((await elsewhere.run(*SAY, "--json")).stdout)
    await elsewhere.scratch.as_superuser(FULL)
    forget = ("forget", kept["id"], "--as", "human:alice", "--now", "--yes")
    for words in (("remember", "I sell honey", *SAY[2:]), ASK, forget):
        error = await elsewhere.error(*words)
        assert (error["type"], error["field"]) == ("StorageProblem", SERVER), words
        assert "free some space" in error["message"]
        assert "bees" not in error["message"]
    await elsewhere.scratch.as_superuser(SPACE_AGAIN)
    assert "I keep bees" in (await elsewhere.run(*ASK)).stdout


@pytest.mark.req("B1")
async def test_a_read_only_database_is_named_with_its_fix_by_every_command(
    elsewhere: Elsewhere,
) -> None:
    database = elsewhere.scratch.login["database"]
    await elsewhere.scratch.as_superuser(
        f"ALTER DATABASE {database} SET default_transaction_read_only = on"
    )
    for words in (SAY, ASK, ("db", "migrate")):
        error = await elsewhere.error(*words)
        assert (error["type"], error["field"]) == ("StorageProblem", SERVER), words
        assert "default_transaction_read_only off" in error["message"]


async def test_a_database_that_becomes_read_only_is_named_while_it_is_open(
    there: Confide, elsewhere: Elsewhere
) -> None:
    async with there.database._borrowed() as connection:
        await connection.execute("SET default_transaction_read_only = on")
    with pytest.raises(StorageProblem, match="read-only"):
        await there.remember(statement("I keep bees", by="human:alice", place="dm"))


async def test_a_full_disk_is_an_answer_over_http_and_mcp(
    there: Confide, elsewhere: Elsewhere
) -> None:
    caller = await at_the_disk(there, ALICE, "default")

    async def visiting(_: object) -> Visit:
        return Visit(there, caller, Session())

    async with serving(there) as served:
        platform = await served.platform()
        await elsewhere.scratch.as_superuser(FULL)
        body = {"text": "I keep bees", "by": "human:alice", "place": "dm"}
        answer = await platform.post("/v1/memories", json=body)
        assert answer.status_code == 503, answer.text
        told = answer.json()
        assert (told["type"], told["field"]) == ("urn:confide:storage-problem", SERVER)
        assert "free some space" in told["detail"]
    asked = SimpleNamespace(name="memory_create", arguments={"text": "I keep bees"})
    done = await _Doors(visiting).call_tool(None, asked)  # type: ignore[arg-type]
    assert done.is_error
    assert "free some space" in done.content[0].text  # type: ignore[union-attr]


async def test_the_worker_waits_until_there_is_space_again(
    there: Confide, elsewhere: Elsewhere
) -> None:
    await elsewhere.scratch.as_superuser(FULL)
    worker = there.learning.worker()
    with pytest.raises(StorageProblem):
        await worker.sweep()
    running = asyncio.create_task(worker.run())
    await asyncio.wait([running], timeout=0.3)
    assert not running.done(), running
    running.cancel()


async def test_a_server_that_was_stopped_is_an_error_of_ours_that_says_what_to_do() -> None:
    home = Path(tempfile.mkdtemp(prefix="confide-test-"))
    try:
        async with Confide.open(home) as confide:
            await confide.remember(statement("I keep bees", by="human:alice", place="dm"))
            own = audience("human:alice", "dm")
            await asyncio.to_thread(embedded.stop, home)
            # The connection broke; the next finds no server.
            for _ in range(2):
                with pytest.raises(StoreUnavailable, match="open the memory again") as told:
                    await confide.recall("Who keeps bees?", own)
                assert told.value.field == EMBEDDED
            with pytest.raises(StoreUnavailable, match="open the memory again"):
                await confide.remember(statement("I sell honey", by="human:alice", place="dm"))
            with pytest.raises(StoreUnavailable, match="open the memory again"):
                await confide.memories(ALICE)
        async with Confide.open(home) as confide:
            assert len((await confide.recall("Who keeps bees?", own)).memories) == 1
    finally:
        embedded.discard(home)
        shutil.rmtree(home, ignore_errors=True)


async def test_a_server_that_goes_while_something_is_written_is_an_error_of_ours(
    there: Confide, elsewhere: Elsewhere
) -> None:
    with pytest.raises(StoreUnavailable, match=f"{SERVER}: the database stopped answering"):
        async with there.database.keep() as connection:
            pid = await connection.fetchval("SELECT pg_backend_pid()")
            await elsewhere.scratch.as_superuser(f"SELECT pg_terminate_backend({pid})")
            await connection.execute("SELECT 1")


async def test_a_memory_used_after_it_was_closed_says_so(elsewhere: Elsewhere) -> None:
    async with Confide.open(database_url=elsewhere.url, learn=False) as closed:
        pass
    with pytest.raises(StoreUnavailable, match="cannot connect"):
        await closed.recall("Who keeps bees?", audience("human:alice", "dm"))


@pytest.mark.parametrize(
    "ours",
    [
        asyncpg.DeadlockDetectedError("two at once"),
        asyncpg.SerializationError("two at once"),
        asyncpg.UniqueViolationError("twice"),
        asyncpg.InterfaceError("the server expects 2 arguments for this query, 1 was passed"),
        FileNotFoundError("what is written to inside a transaction"),
    ],
)
def test_what_is_no_trouble_of_the_database_stays_what_it_is(ours: Exception) -> None:
    with pytest.raises(type(ours)), explained(SERVER):
        raise ours


@pytest.mark.parametrize("setting", [EMBEDDED, SERVER])
@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (asyncpg.TooManyConnectionsError("sorry"), "connections left"),
        (asyncpg.DiskFullError("no space"), "free some space"),
        (OverflowError("port must be 0-65535"), "cannot connect"),
        (asyncpg.InvalidPasswordError("for hunter2"), "cannot connect"),
        (asyncpg.ProtocolError("this is no PostgreSQL"), "cannot connect"),
        (TimeoutError(), "cannot connect"),
    ],
)
def test_whatever_keeps_from_connecting_names_the_setting(
    setting: str, raised: Exception, words: str
) -> None:
    with (
        pytest.raises((StoreUnavailable, StorageProblem), match=f"{setting}: .*{words}") as told,
        reaching(setting),
    ):
        raise raised
    assert told.value.field == setting
    assert "hunter2" not in str(told.value)


def says(version: int, vector: str | None) -> Callable[..., object]:
    async def fetchval(question: str, *_: object) -> object:
        return str(version) if "server_version_num" in question else vector

    return fetchval


@pytest.mark.parametrize(
    ("version", "vector", "words"),
    [
        (150008, "0.8.1", "PostgreSQL 15; 16 or newer"),
        (160004, None, "no pgvector; install 0.8"),
        (160004, "0.7.4", "pgvector is 0.7.4; 0.8 or newer"),
    ],
)
async def test_a_server_that_is_too_old_is_refused_with_what_it_needs(
    version: int, vector: str | None, words: str
) -> None:
    with pytest.raises(StoreTooOld, match=words) as told:
        await _demand_versions(SimpleNamespace(fetchval=says(version, vector)))  # type: ignore[arg-type]
    assert told.value.field == SERVER


async def test_the_oldest_versions_that_do_are_accepted() -> None:
    await _demand_versions(SimpleNamespace(fetchval=says(160000, "0.8.0")))  # type: ignore[arg-type]

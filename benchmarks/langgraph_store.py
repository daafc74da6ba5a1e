"""The same question to confide and to LangGraph's PostgreSQL store, by turns, on one server.

    python -m venv /tmp/others && /tmp/others/bin/pip install langgraph-checkpoint-postgres 'psycopg[binary,pool]'
    PYTHONPATH=src:.:.venv/lib/python3.11/site-packages /tmp/others/bin/python -m benchmarks.langgraph_store

Both hold the same 10,000 texts with the same vectors: 500 people with 20 each. A person asks about
their own. LangGraph filters by the person's namespace, confide by everything it knows about who may
hear what. LangGraph embeds the question as confide does. Writes nothing.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import tempfile
from pathlib import Path

from langgraph.store.postgres import AsyncPostgresStore  # pyright: ignore[reportMissingImports]

from benchmarks.bars import Bar
from benchmarks.sentences import NOW, QUESTION, sentence
from benchmarks.store.clock import by_turns
from benchmarks.store.measuring import without_log
from confide import Confide, audience, statement
from confide.providers.wordllama import embed
from confide.store import embedded
from confide.store.provision import DATABASE

PEOPLE, EACH, ROUNDS = 500, 20, 100


async def run(home: Path) -> dict[str, float]:
    lease = await asyncio.to_thread(embedded.start, home, idle_seconds=60)
    s, chance = lease.server, random.Random(1)
    said = [(f"p{n % PEOPLE}", sentence(chance, n)) for n in range(PEOPLE * EACH)]
    url = f"postgresql://{s.superuser}:{s.password}@/{DATABASE}?host={s.host}&port={s.port}"
    index = {"dims": 256, "embed": lambda texts: embed(texts).tolist(), "fields": ["text"]}
    async with Confide.open(home, clock=lambda: NOW, agent="bench") as confide:
        await confide.remember_all(
            [statement(text, by=f"human:{who}", place="dm") for who, text in said]
        )
        async with AsyncPostgresStore.from_conn_string(url, index=index) as store:
            await store.setup()
            for n, (who, text) in enumerate(said):
                await store.aput(("memories", who), str(n), {"text": text, "kind": "knowledge"})
            own = audience("human:p7", "dm")
            unlogged = without_log(confide)
            kind = {"kind": "knowledge"}
            times = await by_turns(
                {
                    "langgraph": lambda: store.asearch(
                        ("memories", "p7"), query=QUESTION, filter=kind, limit=5
                    ),
                    "confide": lambda: confide.recall(QUESTION, own),
                    "confide, log apart": lambda: unlogged.recall(QUESTION, own),
                },
                ROUNDS,
            )
    await asyncio.to_thread(lease.release)
    return times


def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="confide-others-"))
    try:
        times = asyncio.run(run(home))
        for name, milliseconds in times.items():
            print(f"{name:20} {milliseconds:6.2f} ms")
        ours, theirs = times["confide, log apart"], times["langgraph"]
        print(
            Bar("not slower", f"at most {theirs:.2f} ms", f"{ours:.2f} ms", is_met=ours <= theirs)
        )
    finally:
        embedded.stop(home)
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()

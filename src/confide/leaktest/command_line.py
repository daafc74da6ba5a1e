"""The command line as a surface: `confide remember`, `recall` and `forget`, run in this process."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from confide.errors import StoreError
from confide.leaktest.canaries import AGENT, Canary
from confide.leaktest.rooms import BY_KEY, THOUGHT
from confide.leaktest.surfaces import TOP_K, Library
from confide.leaktest.town import Question

if TYPE_CHECKING:
    import typer

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class CommandLine:
    """Asks what it can write. A sample only: every question opens the database anew."""

    name = "cli"
    limit: int | None = TOP_K
    sample: int | None = 2

    def __init__(self, app: typer.Typer, library: Library) -> None:
        self._app = app
        self._library = library
        self._one_at_a_time = asyncio.Lock()  # the runner borrows this process's own output
        settings = library.confide.settings
        self._env = {
            "CONFIDE_TOP_K": str(TOP_K),
            "CONFIDE_SIMILARITY": "-1",
            "CONFIDE_CONTEXT_TOKENS": str(settings.context_tokens),
            "CONFIDE_AGENT": settings.agent,
            "CONFIDE_HOME": str(settings.home),
        }
        if settings.database_url is not None:
            self._env["CONFIDE_DATABASE_URL"] = settings.database_url.get_secret_value()

    def can_ask(self, question: Question) -> bool:
        is_beyond = question.room is THOUGHT or question.asker == AGENT
        return not is_beyond and not question.is_stale

    def could_tell(self, canary: Canary, question: Question) -> bool:
        return True

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        where = self._library.speech.written(question.room)
        args = ["recall", words, "--as", question.asker, "--in", where]
        if question.namespace is not None:
            args += ["--namespace", question.namespace]
        return self._library.codes([await self._run(*args)])

    def can_remember(self, canary: Canary) -> bool:
        is_beyond = canary.is_portable or canary.is_doubtful or bool(canary.days_late)
        return canary.by != AGENT and not is_beyond and not canary.is_stale

    async def remember(self, canary: Canary) -> str:
        speech = self._library.speech
        args = ["remember", canary.sentence, "--by", canary.by]
        args += ["--in", speech.written(BY_KEY[canary.room])]
        args += ["--kind", canary.kind.value, "--sensitivity", canary.sensitivity.value]
        args += ["--confidential"] if canary.is_confidential else []
        for one in sorted(canary.about):
            args += ["--about", one]
        for grant in canary.access:
            args += ["--access", speech.access(grant)]
        for one in sorted(canary.consent):
            args += ["--consent", one]
        given = {
            "--source": canary.source,
            "--scope": canary.scope,
            "--namespace": canary.namespace,
            "--for": f"{canary.hours}h" if canary.hours else None,
        }
        for option, value in given.items():
            args += [option, value] if value is not None else []
        found = _ID.search(await self._run(*args))
        if found is None:
            raise StoreError("`confide remember --json` printed no id")
        self._library.adopt(canary, found[0])
        return found[0]

    async def _run(self, *args: str) -> str:
        from typer.testing import CliRunner

        async with self._one_at_a_time:
            result = await asyncio.to_thread(
                CliRunner().invoke, self._app, [*args, "--json"], env=self._env
            )
        if result.exit_code != 0:
            raise StoreError(f"`confide {args[0]}` ended with exit code {result.exit_code}")
        return result.stdout

"""Every command that works with a key, with arguments made from the names of its parameters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer
from tests.client.conftest import Run
from tests.egress.answers import Call, named
from tests.egress.stores import ALICE, BOB, KID, PAT, STRANGER, Store
from tests.egress.values import VALUES

from confide.surfaces.cli.app import build
from confide.surfaces.cli.remote import NO_MEMORY, refused

FEW: Final = ("@own", "@star", "@mention", "@waiting", "@h_party", "@h_waiting", "@of_alice")
#: Who does it is who the key is; where it is said is the key's own place.
FIXED: Final = {
    "acts": PAT, "actor": PAT, "agrees": PAT, "asker": PAT, "by": PAT, "owner": PAT, "whose": PAT,
    "place": "dm", "yes": True,
}  # fmt: skip
#: What is shown, not what is asked for; `home`, `agent` and `env_file` are about this machine.
NOT_ASKED: Final = {
    "as_json",
    "home",
    "agent",
    "env_file",
    "help",
    "is_markdown",
    "wait",
    "everything",
    "format",
}
FIELDS: Final[dict[str, tuple[Any, ...]]] = {
    "about": (KID, STRANGER), "accept": (), "access": (ALICE, "*"), "account": ("local:17",),
    "alias": ("Al",), "at": ("2026-03-01T12:30:00Z",), "all_from": (), "all_of": ("guild",), "because": ("same phone",),
    "child": (KID,), "confidential": (True,), "only_for": (ALICE,), "confirm": ("@merge", "@h_merge"), "consent": (PAT,),
    "consent_id": ("@consent", "@h_share"), "days": ("7",), "end": (), "file": ("{file}",),
    "fingerprint": (), "fix": (), "format": ("jsonl",), "from_": ("text",), "map_": (), "maps": (), "dry_run": (True,), "as_it_was": (), "grantee": (BOB, "*"), "grants": (True,), "ids": FEW,
    "is_global_only": (True,), "key_id": ("@h_party",), "kind": ("event",), "lasts": ("2w",),
    "lifetime": ("2w",), "limit": ("2",), "lists": (True,), "manner": VALUES["manner"], "memory": FEW, "memory_id": FEW,
    "memory_ids": FEW, "mentions": (True,), "merge_id": ("@merge", "@h_merge"), "model": (),
    "name": ("Patty",), "names": ("Patty=human:pat",), "namespace": ("thesis",), "note": ("my own",), "now": (True,),
    "of": (PAT, KID, STRANGER), "out": ("{out}",), "overlap": (), "page": ("2",),
    "person": (PAT, KID), "places": ("mods@guild",), "present": (ALICE,), "preview": (True,),
    "purpose": ("party",), "question": VALUES["question"], "reason": ("unsure",), "refuse": ("@merge", "@h_merge"),
    "relation": ("friend of",), "replace": (), "request": ("@request", "@h_request"),
    "request_id": ("@ask", "@h_ask"), "retry": (), "role": ("guest",),
    "said_in": ("dm", "restricted:mods@guild"), "scope": ("dm", "global"),
    "sensitivity": ("public",), "signing": (), "since": ("1d",), "source": (ALICE, "local"),
    "space": ("guild",), "stats": (True,), "text": ("I like pears",), "to": (STRANGER,), "tokens": ("60",), "top_k": ("1", "40"),
    "urgent": (), "what": ("@gone", "@h_gone", "@erasure"), "where": ("ctx:care", "ctx:secret"),
    "who": (PAT, STRANGER), "with_answered": (True,),
}  # fmt: skip
ENDS: Final = ("forget", "privacy opt", "privacy delete", "keys", "unshare", "consent withdraw")


def calls() -> list[Call]:
    found = [call for path, command in commands() for call in _calls(path, command)]
    return sorted(found, key=lambda one: one.what.startswith(ENDS))


def commands() -> Iterator[tuple[str, Any]]:
    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        for name, one in getattr(command, "commands", {}).items():
            yield from walk(one, (*path, name))
        written, is_group = " ".join(path), bool(getattr(command, "commands", None))
        if not is_group and written not in NO_MEMORY and refused(written, set()) is None:
            yield written, command

    return walk(typer.main.get_command(build()), ())


def _calls(path: str, command: Any) -> Iterator[Call]:
    asked = [one.name for one in command.params if one.name not in NOT_ASKED]
    for name in asked:
        assert name in FIXED or name in FIELDS, f"{path} takes {name!r}: say in {__name__} what"
    usual = {one: FIXED[one] for one in asked if one in FIXED}
    usual |= {
        one.name: FIELDS[one.name][0]
        for one in command.params
        if one.required and one.name not in usual
    }
    yield Call.of(path, usual)
    for name in asked:
        for value in FIELDS.get(name, ()):
            if usual.get(name) != value:
                yield Call.of(path, usual | {name: value})


class Terminal:
    """The command line pointed at one memory's server."""

    def __init__(self, store: Store, run: Run, folder: Path) -> None:
        self.store, self._run, self._folder = store, run, folder
        self._options = {
            path: {one.name: one for one in command.params} for path, command in commands()
        }
        self._asked = 0

    async def answer(self, call: Call) -> str:
        self._asked += 1
        given = {name: self._filled(value) for name, value in call.given(self.store).items()}
        done = await self._run(*call.what.split(), *self._typed(call.what, given), "--json")
        said = f"{done.exit_code} {done.stdout} {done.stderr}"
        return named(said.replace(str(self._folder), "<folder>"), self.store)

    def is_done(self, answer: str) -> bool:
        return answer.startswith("0 ")

    def _typed(self, path: str, given: dict[str, Any]) -> list[str]:
        words: list[str] = []
        options = self._options[path]
        for name, one in options.items():
            if name not in given:
                continue
            value = given[name]
            if one.param_type_name == "argument":
                words.append(value)
            else:
                flag = max(one.opts, key=len)
                words += [flag] if value is True else [flag, value]
        return words

    def _filled(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        out, file = Path(), self._folder / "lines.jsonl"
        if "{out}" in value:
            out = self._folder / self.store.confide.database.agent / f"out{self._asked}"
            out.parent.mkdir(exist_ok=True)
        return value.replace("{out}", str(out)).replace("{file}", str(file))

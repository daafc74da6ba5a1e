"""Every command that works with a key and changes something, with drawn arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.acting.arguments import WORDS
from tests.acting.scene import CARE, HELD, Scene
from tests.client.conftest import Run
from tests.egress.cli_walk import FIXED, NOT_ASKED, commands

#: What they show changes nothing; the egress walk is about them.
READS: Final = frozenset({
    "recall", "explain", "memories", "history", "about-me", "archived", "export", "report", "why",
    "tellings", "usage", "status", "sessions", "audit memory", "audit log", "audit verify",
    "consent list", "consent requests", "privacy status", "privacy export", "request list",
    "context list", "context show", "people list", "people show", "generalizations list",
    "generalizations sources", "review list", "review show", "places list", "keys list",
})  # fmt: skip
#: Whoever ends their own key tries nothing more.
ENDS_THE_KEY: Final = "keys rotate"
WHO: Final = frozenset(name for name, value in FIXED.items() if value == FIXED["by"])
#: As in the story of the scene; else as the fields of routes are called.
THINGS: Final = {
    "memory_id": ("memory",), "memory_ids": ("memory",), "memory": ("memory",), "ids": ("waiting",),
    "what": ("memory", "erasure"), "consent_id": ("consent",), "request_id": ("request",),
    "confirm": ("merge", "claim"), "refuse": ("claim",), "merge_id": ("merge",),
    "request": ("request",),
}  # fmt: skip
OPTIONS: Final[dict[str, tuple[str, ...]]] = {
    "alias": ("Eve",), "because": ("same phone",), "child": ("human:pat",), "name": ("Eve",),
    "note": ("my own",), "reason": ("as we said",), "relation": ("friend of",), "role": ("guest",),
    "to": ("human:eve", "restricted"), "account": ("local:17",), "key_id": ("mine",),
    "map_": ("Eve=human:pat", "Pat=human:eve"), "scope": ("global", "dm", "public"),
    "sensitivity": ("public",), "space": ("guild",), "who": ("human:pat", "human:eve"),
    "from_": ("jsonl",), "at": ("2026-03-01T12:30:00Z",), "model": ("builtin",), "present": ("human:eve", "human:bob"), "format": ("jsonl",),
}  # fmt: skip


def changing() -> Iterator[tuple[str, Any]]:
    for path, command in commands():
        if path not in READS and path != ENDS_THE_KEY:
            yield path, command


#: Of these a command takes one, or a pair.
ONE_OF: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "forget": (("memory_id",), ("memory_id", "now"), ("person",), ("source",), ("place",)),
    "consent give": (("memory",), ("about",), ("said_in",)),
    "people link": (("alias",), ("relation", "to"), ("account",)),
    "people merge": (("confirm",), ("who", "because")),
    "people claims": (("confirm",), ("refuse",)),
}
NEVER: Final = ("everything", "replace", "fingerprint", "all_from", "dry_run", "as_it_was", "wait")
NEEDS_PLACE: Final = (
    "remember",
    "forget",
    "places join",
    "places leave",
    "places attest",
    "places reviewed",
    "share",
    "consent give",
    "consent ask",
)


class Typing:
    """Draws what somebody types who holds one key."""

    def __init__(self, scene: Scene, chance: Random, run: Run, folder: Path) -> None:
        self._scene, self._chance, self._run, self._folder = scene, chance, run, folder
        self._files = 0

    async def type(self, path: str, command: Any) -> bool:
        """Whether it was done or asked for."""
        done = await self._run(*path.split(), *self._words(path, command), "--json")
        assert done.exception is None or isinstance(done.exception, SystemExit), (path, done)
        return done.exit_code == 0 or "only asks" in done.stdout + done.stderr

    def _words(self, path: str, command: Any) -> list[str]:
        arguments: list[str] = []
        options: list[str] = []
        either = ONE_OF.get(path, ())
        chosen = self._chance.choice(either) if either else ()
        for one in command.params:
            name, is_of_one = one.name, any(one.name in some for some in either)
            is_wanted = one.required or name in (*FIXED, *chosen, "ids")
            if is_of_one and name not in chosen:
                continue
            if name in NOT_ASKED or name in NEVER or (name == "place" and path not in NEEDS_PLACE):
                continue
            if not is_wanted and self._chance.random() > 0.2:
                continue
            if one.param_type_name == "argument":
                arguments += [self._value(name) for _ in range(2 if path == "people merge" else 1)]
            elif getattr(one, "is_flag", False):
                options.append(max(one.opts, key=len))
            else:
                options += [max(one.opts, key=len), self._value(one.name)]
        return [*options, *arguments]

    def _value(self, name: str) -> str:
        if name in WHO and self._chance.random() < 0.95:
            return FIXED[name]
        if name in ("place", "said_in"):
            return self._chance.choice(("dm", "dm", *WORDS["place"]))
        if name == "where":
            return CARE
        if name == "file":
            return str(self._file())
        kinds = THINGS.get(name, ())
        known = [id for kind in kinds for id in self._scene.ids.get(kind, ())]
        return str(
            self._chance.choice(known or OPTIONS.get(name) or WORDS.get(name) or ["human:eve"])
        )

    def _file(self) -> Path:
        """Lines that claim to be more than the key may say: other speakers and rooms."""
        self._files += 1
        path = self._folder / f"lines{self._files}.jsonl"
        lines = [
            {"id": f"f{self._files}-{n}", "by": by, "in": place, "text": text,
             "at": "2026-03-01T12:00:00Z"}
            for n, (by, place, text) in enumerate((
                ("human:pat", "dm", "My in-game name is FirBorn"),
                ("human:pat", "public:general@guild", HELD),
                ("human:eve", "dm", "Eve keeps the spare key"),
            ))
        ]  # fmt: skip
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        return path

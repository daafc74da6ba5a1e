"""Where the measurements read from: our own sentences, and public data that stays outside."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OWN = ROOT / "tests" / "screen" / "data"
PUBLIC = Path(os.environ.get("CONFIDE_DATA", ROOT.parent / "shared" / "data"))
LANGUAGES = ("en", "de", "fr", "es", "pt")


@dataclass(frozen=True, slots=True)
class Pair:
    """A sensitive sentence and its harmless near-twin."""

    language: str
    topic: str
    level: str
    sensitive: str
    harmless: str


def pairs(*, held_out: bool) -> list[Pair]:
    """The held-out pairs were written after the lists were frozen and are only ever counted."""
    name = "heldout" if held_out else "tuning"
    found: list[Pair] = []
    for language in LANGUAGES:
        rows = (OWN / f"sensitivity_{name}_{language}.tsv").read_text(encoding="utf-8")
        found += [Pair(language, *row.split("\t")) for row in rows.splitlines()]
    return found


def statements() -> list[tuple[str, str]]:
    """Judged one by one before any weight was fitted, and never trained on: level and text."""
    rows = (Path(__file__).parent / "judged" / "statements.tsv").read_text(encoding="utf-8")
    return [(level, text) for level, text in (row.split("\t") for row in rows.splitlines())]


def locomo_turns() -> list[str]:
    """The 5,882 turns of LoCoMo."""
    return [
        turn["text"]
        for conversation in _read("locomo/locomo10.json")
        for name, turns in conversation["conversation"].items()
        if re.fullmatch(r"session_\d+", name)
        for turn in turns
    ]


def privacylens_items() -> list[str]:
    """The sensitive pieces of information of PrivacyLens."""
    return [
        item
        for case in _read("privacylens/main_data.json")
        for item in case["trajectory"]["sensitive_info_items"]
    ]


def presidio() -> list[dict[str, Any]]:
    """presidio-research's synthetic sentences with their spans."""
    return _read("presidio_research/data/synth_dataset_v2.json")


def notinject() -> list[str]:
    """Harmless requests that contain the words of attacks."""
    names = ("one", "two", "three")
    return [row["prompt"] for name in names for row in _read(f"piguard/NotInject_{name}.json")]


def bipia() -> dict[str, list[str]]:
    """BIPIA's injected texts, by kind of carrier."""
    return {
        kind: [
            text
            for part in ("train", "test")
            for texts in _read(f"bipia/{kind}_attack_{part}.json").values()
            for text in texts
        ]
        for kind in ("text", "code")
    }


def injecagent() -> dict[str, list[str]]:
    """InjecAgent's attacker instructions, bare and with the override that the set calls enhanced."""
    plain: list[str] = []
    for name in ("dh", "ds"):
        text = (PUBLIC / f"xinjecagent/data/attacker_cases_{name}.jsonl").read_text(
            encoding="utf-8"
        )
        plain += [json.loads(line)["Attacker Instruction"] for line in text.splitlines() if line]
    results = [
        case["Tool Response"]
        for name in ("dh", "ds")
        for case in _read(f"xinjecagent/data/test_cases_{name}_enhanced.json")
    ]
    return {"bare": plain, "enhanced": results}


def _read(path: str) -> Any:
    return json.loads((PUBLIC / path).read_text(encoding="utf-8"))

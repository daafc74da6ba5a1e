"""The shape of the house, held by tests: layers, words, sizes, and who may read text."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import confide
from confide.store.migrate import policy_text
from confide.store.queries import named

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "confide"
MODULES = sorted(SOURCE.rglob("*.py"))

#: Queries that return people's words and run as the telling role, under row-level security.
TOLD = {
    "memories.told", "memories.own", "memories.evidence_told", "search.told", "stacks.told",
    "rights.concerning", "rights.mentions", "reach.own_list",
}  # fmt: skip
#: Queries that return people's words to the keeping role, and why that is right.
KEPT = {
    "memories.kept": "deciding on one memory; its text is given to nobody by this way",
    "memories.said_alike": "what new words of its own speaker replace, in the place they were said in",
    "memories.kept_in_place": "labelling again what was said in a place",
    "memories.kept_in_thread": "labelling again what was said in a place",
    "memories.kept_as_present": "labelling again what was said in a place",
    "messages.unlearned": "learning from what one person said",
    "turns.learned": "what somebody's own messages just taught, in the words written from them",
    "messages.around": "understanding it by the turns of others in the same place",
    "messages.told_in_place": "finding out whether somebody repeats what was told there",
    "messages.told_to": "the same for a file, whose importer may have been told it anywhere",
    "messages.repeated": "whether a file repeats what is known under the same label",
    "claims.said": "labelling what somebody in an import said again, once they are said to be an account",
    "messages.alike": "comparing a new memory with those under the same label",
    "messages.contributions": "whether a deleted message gave a memory its words; yes or no",
    "journal.open": "applying what an extractor found before somebody died",
    "messages.other_contribution": "writing a memory again in the words of who still stands by it",
    "embeddings.missing": "embedding what a model has no vector of, where it may leave",
    "upkeep.own_archived": "an owner chooses which of their own words to restore",
    "viewing.glass_words": "the operator reads one memory with a reason, and its owner is told",
    "review.read": "its owner or a configured reviewer looks at what waits, and the trail says so",
    "erasing.facts": "hashing what was forgotten, so that it is not learned again",
    "erasing.stated": "the same in the words of each message",
    "memories.kept_many": "labelling again what a consent touches; merging two that are alike",
    "merging.evidence": "which words behind two memories matter, asked where they may leave",
    "memories.hashed": "the hashes of what an older program kept, made anew",
    "doctor.page": "comparing labels and hashes with today's; only counts and ids are shown",
    "doctor.unindexed": "writing the words of memories that cannot be found by them",
    "rights.chain": "an owner's former words, to that owner alone where the rule tells them",
    "rights.own_past": "what a person said themselves and is told to nobody now, for their export",
    "rights.own_messages": "what a person said themselves and was not purged, for their export",
}
#: Words that have a better one in the glossary.
AVOIDED = re.compile(r"(manager|handler|helper|util|service|engine|processor)s?$", re.IGNORECASE)


def test_imports_point_down() -> None:
    """The contract in pyproject.toml is the architecture diagram."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.req("B1")
def test_every_query_that_returns_text_is_told_or_has_a_reason() -> None:
    returning = {
        f"{noun}.{name}"
        for noun in (path.stem for path in (SOURCE / "store/sql/queries").glob("*.sql"))
        for name, sql in named(noun).items()
        if _returns_text(sql)
    }
    assert returning == TOLD | set(KEPT)


def _returns_text(sql: str) -> bool:
    sql = re.sub(r"--.*", "", sql).strip()
    if not re.search(r"confide\.(memory|evidence|message|journal)", sql):
        return False
    if re.match(r"INSERT|UPDATE|DELETE", sql):
        selected = sql.split("RETURNING")[1:]
    else:
        selected = re.findall(r"SELECT(.*?)(?:\bFROM\b|$)", sql, re.DOTALL)
    shows_text = re.compile(r"[\w)]\.\*|^\s*\*|(?<!::)\b(text|stated|answer)\b(?!\[)")
    return any(shows_text.search(part.replace("count(*)", "")) for part in selected)


@pytest.mark.req("B1")
def test_no_function_returns_text() -> None:
    """Words are selected by the queries above, so that each stands in one of their lists."""
    functions = re.findall(
        r"CREATE OR REPLACE FUNCTION confide\.(\w+)(.*?)\bAS \$\$", policy_text(), re.DOTALL
    )
    returns = re.compile(
        r"(RETURNS|OUT)\b.*confide\.(memory|evidence|message|journal)\b", re.DOTALL
    )
    assert [name for name, head in functions if returns.search(head)] == []


def test_only_the_store_holds_sql() -> None:
    looks_like_sql = re.compile(
        r"\b(SELECT .+ FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b", re.S
    )
    elsewhere = [
        str(path.relative_to(SOURCE))
        for path in MODULES
        if "store" not in path.parts and looks_like_sql.search(path.read_text())
    ]
    assert elsewhere == []


def test_the_environment_is_read_in_one_place() -> None:
    readers = [
        str(path.relative_to(SOURCE))
        for path in MODULES
        if re.search(r"os\.environ|getenv", path.read_text())
    ]
    assert readers == ["config/environment.py", "config/sources.py"]


@pytest.mark.req("B12")
def test_who_may_act_is_decided_in_one_place() -> None:
    """Surfaces say who calls; below them only the table looks at what kind of caller it is."""
    decides = re.compile(
        r"\.kind (is|in|not in|==|!=) .*(CallerKind|PEOPLE|MODELS|SPEAKS)|is_operator"
    )
    found = [
        f"{path.name}: {line.strip()}"
        for path in SOURCE.rglob("*.py")
        if "surfaces" not in path.parts and path.name not in ("acting.py", "actor.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if decides.search(line)
    ]
    assert not found, found


def test_names_say_what_things_are() -> None:
    bad = [
        f"{path.relative_to(SOURCE)}: {node.name}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and AVOIDED.search(node.name)
    ]
    assert bad == []
    assert [str(p) for p in MODULES if AVOIDED.search(p.stem)] == []


def test_files_and_functions_stay_small() -> None:
    long_files = [p.name for p in MODULES if p.read_text().count("\n") > 400]
    long_functions = [
        f"{path.name}: {node.name}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno > 60
    ]
    assert (long_files, long_functions) == ([], [])


def test_the_public_names_are_these() -> None:
    assert confide.__all__ == [
        "Account", "Actor", "Audience", "CallerKind", "Confide", "ConfideClient",
        "ConfideError", "ConsentMissing", "Context", "Decision", "Entity", "InvalidInput",
        "KeyKind", "Kind", "Memory", "Message", "Namespace", "NewKey", "NotAllowed", "NotFound",
        "NotRecognized", "OnlyAsked", "Place", "PlaceKind", "Remembered", "Scope",
        "SecretRefused", "Sensitivity", "Statement", "StoreError", "SwitchedOff", "TooMany",
        "audience", "operator_as", "statement",
    ]  # fmt: skip
    assert set(dir(confide)) == {*confide.__all__, "__version__"}
    for name in confide.__all__:
        assert getattr(confide, name) is not None

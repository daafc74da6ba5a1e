"""Every requirement that is done has a test that carries its id, and no test carries another.

`tests/requirements.txt` lists what is done, one id a line. Add a line with the test that proves it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import yaml

TESTS = Path(__file__).parents[1]
LISTED = TESTS / "requirements.txt"
SPECIFIED = frozenset(
    f"{letter}{number}"
    for letter, last in {"S": 32, "K": 19, "A": 19, "P": 11, "B": 23}.items()
    for number in range(1, last + 1)
)


def listed() -> list[str]:
    return LISTED.read_text(encoding="utf-8").split()


def carried() -> dict[str, str]:
    """Each id, and a file in which a test carries it."""
    found: dict[str, str] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.req":
                written = [a.value for a in call.args if isinstance(a, ast.Constant)]
                found |= dict.fromkeys(map(str, written), path.name)
    for path in sorted((TESTS / "scenarios").glob("*.yaml")):
        for row in (yaml.safe_load(path.read_text(encoding="utf-8")) or {}).get("rows", ()):
            found |= dict.fromkeys(row["req"], path.name)
    return found


def test_the_list_names_requirements_of_the_specification_once_each() -> None:
    assert set(listed()) <= SPECIFIED
    assert len(listed()) == len(set(listed()))


def test_every_listed_requirement_is_carried_by_a_test() -> None:
    assert not set(listed()) - set(carried())


def test_every_id_that_a_test_carries_is_listed() -> None:
    missing = {id: file for id, file in carried().items() if id not in listed()}
    assert not missing, f"add them to tests/requirements.txt: {missing}"

"""Change the rule a little, in every way there is a word for, and ask who notices.

`python -m tests.planted.mutate` prints the score and the survivors; docs/research/mutation.md explains them.
"""

from __future__ import annotations

import ast
import importlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.planted.jury import expected, import_anew, judged_in_child, plant_source

LEAST_KILLED = 0.97
MODULES = ("atoms", "consent", "disclosure", "labels", "places", "policy")
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.Sub: ast.BitOr,
    ast.Add: ast.Sub,
}


class Mutant(NamedTuple):
    module: str
    line: int
    code: str  # the line as it is
    what: str
    node: int  # which node of the module is changed, and which of its changes is made
    change: int
    is_in_function: bool

    def __str__(self) -> str:
        code = self.code.replace("|", r"\|")
        return f"| {self.module}.py | `{code}` | {self.what} |"

    def tree(self) -> ast.Module:
        """The module with the change made."""
        tree = _parse(self.module)
        target, _ = _nodes(tree)[self.node]
        _edits(target)[self.change][1]()
        return ast.fix_missing_locations(tree)


def mutants(module: str) -> Iterator[Mutant]:
    lines = _text(module).splitlines()
    for index, (node, is_in_function) in enumerate(_nodes(_parse(module))):
        line = _line(node)
        for number, (what, _) in enumerate(_edits(node)):
            code = lines[line - 1].partition("  #")[0].strip()
            yield Mutant(module, line, code, what, index, number, is_in_function)


def _line(node: Any) -> int:
    match node:
        case ast.match_case():
            return node.pattern.lineno
        case ast.comprehension():
            return node.target.lineno
        case _:
            return getattr(node, "lineno", 1)


def _text(module: str) -> str:
    loaded = importlib.import_module(f"confide.privacy.{module}")
    return Path(str(loaded.__file__)).read_text(encoding="utf-8")


def _parse(module: str) -> ast.Module:
    return ast.parse(_text(module))


def _nodes(tree: ast.Module) -> list[tuple[ast.AST, bool]]:
    """What can be changed, in a fixed order; neither annotations nor docstrings."""
    found: list[tuple[ast.AST, bool]] = []

    def visit(node: ast.AST, is_in_function: bool) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return
        found.append((node, is_in_function))
        inside = is_in_function or isinstance(node, ast.FunctionDef)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "bases"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _is_docstring(child):
                    visit(child, inside)

    visit(tree, False)
    return found


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _edits(node: Any) -> list[tuple[str, Any]]:
    """Each change to a node, and how to make it."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            other = COMPARISONS[type(op)]
            return [
                (f"{type(op).__name__} → {other.__name__}", lambda: setattr(node, "ops", [other()]))
            ]
        case ast.BoolOp(op=op):
            other = ast.Or if isinstance(op, ast.And) else ast.And
            return [(f"→ {other.__name__}", lambda: setattr(node, "op", other()))]
        case ast.BinOp(op=op) if type(op) in OPERATORS:
            other = OPERATORS[type(op)]
            return [
                (f"{type(op).__name__} → {other.__name__}", lambda: setattr(node, "op", other())),
                ("left side only", lambda: _become(node, node.left)),
            ]
        case ast.UnaryOp(op=ast.Not()):
            return [("not dropped", lambda: _become(node, node.operand))]
        case ast.Constant(value=bool(value)):
            return [(f"{value} → {not value}", lambda: setattr(node, "value", not value))]
        case ast.Constant(value=int(value)):
            return [(f"{value} → {value + 1}", lambda: setattr(node, "value", value + 1))]
        case ast.Constant(value=str(value)) if value:
            return [(f"{value!r} changed", lambda: setattr(node, "value", value + "~"))]
        case ast.If() | ast.IfExp() | ast.While():
            return [("condition negated", lambda: setattr(node, "test", _negated(node.test)))]
        case ast.comprehension(ifs=[condition]):
            return [
                ("filter dropped", lambda: setattr(node, "ifs", [])),
                ("filter negated", lambda: setattr(node, "ifs", [_negated(condition)])),
            ]
        case ast.Set(elts=elements) if len(elements) > 1:
            return [
                (f"element {n + 1} dropped", lambda n=n: elements.pop(n))
                for n in range(len(elements))
            ]
        case ast.Return(value=value) if value is not None:
            return [("returns nothing", lambda: setattr(node, "value", ast.Constant(None)))]
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()) | ast.AugAssign():
            return [("statement dropped", lambda: _pass(node))]
        case ast.Call(keywords=keywords) if keywords:
            return [
                (f"{keyword.arg}= dropped", lambda n=n: keywords.pop(n))
                for n, keyword in enumerate(keywords)
            ]
        case ast.match_case():
            return [("case never", lambda: setattr(node, "guard", ast.Constant(False)))]
        case _:
            return []


def _become(node: Any, other: Any) -> None:
    """Turn a node into another in place, whatever refers to it."""
    node.__class__ = other.__class__
    node.__dict__ = dict(other.__dict__)


def _pass(node: Any) -> None:
    _become(node, ast.copy_location(ast.Pass(), node))


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def survives(mutant: Mutant) -> bool:
    name = f"confide.privacy.{mutant.module}"
    if mutant.is_in_function:
        module = importlib.import_module(name)
        return judged_in_child(lambda: plant_source(module, mutant.tree())) is None
    return judged_in_child(lambda: import_anew(name, mutant.tree())) is None


def run(module: str) -> list[Mutant]:
    """Who survived of the mutants of a module."""
    expected()
    importlib.import_module("tests.scenarios.pure")
    for tests in ("test_pieces", "test_labels"):
        importlib.import_module(f"tests.privacy.{tests}")
    return [mutant for mutant in mutants(module) if survives(mutant)]


def count() -> int:
    """How many mutants there are."""
    return sum(1 for module in MODULES for _ in mutants(module))


if __name__ == "__main__":
    started = time.monotonic()
    survivors = [survivor for module in MODULES for survivor in run(module)]
    for survivor in survivors:
        print(survivor)
    made = count()
    killed = made - len(survivors)
    seconds = time.monotonic() - started
    print(f"{killed} of {made} killed ({killed / made:.1%}) in {seconds:.0f} s")
    sys.exit(killed / made < LEAST_KILLED)

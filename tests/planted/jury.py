"""The fast pure tests, called in this process: what is wrong, or nothing.

A mistake is planted in a forked child, which then asks the jury. So hundreds of mistakes are
judged in a minute or two, and none can spill over.
"""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

#: Every how many-th saying, audience and world is asked about.
SAYINGS, AUDIENCES, WORLDS = 13, 3, 2


def verdict() -> str | None:
    """The first thing that is wrong."""
    for check in (_pieces, _scenarios, _small_worlds):
        try:
            wrong = check()
        except Exception as problem:  # noqa: BLE001 - whatever a planted mistake breaks is caught
            wrong = f"{check.__name__}: {type(problem).__name__}"
        if wrong:
            return wrong
    return None


def _module(name: str) -> Any:
    """Looked up anew, since a planted module may have been imported again."""
    return importlib.import_module(name)


def _pieces() -> str | None:
    labels, pieces = _module("tests.privacy.test_labels"), _module("tests.privacy.test_pieces")
    for name, test in [*vars(labels).items(), *vars(pieces).items()]:
        if name.startswith("test_") and inspect.isfunction(test):
            for arguments in _parameters(test):
                try:
                    test(**arguments)
                except BaseException as problem:  # noqa: BLE001 - pytest.fail is one, too
                    return f"{name}: {type(problem).__name__}"
    return None


def _parameters(test: Any) -> Iterator[dict[str, Any]]:
    marks = [m for m in getattr(test, "pytestmark", ()) if m.name == "parametrize"]
    if not marks:
        yield {}
        return
    names, values = marks[0].args[:2]
    wanted = (names,) if isinstance(names, str) else names
    for value in values:
        yield dict(zip(wanted, (value,) if isinstance(names, str) else value, strict=True))


def _scenarios() -> str | None:
    runner, pure = _module("tests.scenarios.runner"), _module("tests.scenarios.pure")

    async def all_rows() -> str | None:
        for one in runner.scenarios():
            if pure.Pure.can(one) and (wrong := await runner.run(one, pure.Pure())):
                return f"{one.id}: {wrong[0]}"
        return None

    return asyncio.run(all_rows())


def _small_worlds() -> str | None:
    small, policy = _module("tests.privacy.small_worlds"), _module("confide.privacy.policy")
    label, consent = _module("confide.privacy.labels").label, _module("confide.privacy.consent")
    right = iter(expected())
    labels: dict[int, Any] = {}
    said = list(small.sayings())
    for facts in small.worlds()[::WORLDS]:
        world = facts.world()
        for n, audience in enumerate(list(small.audiences(facts))[::AUDIENCES]):
            for number in range(n % SAYINGS, len(said), SAYINGS * 4):
                if number not in labels:
                    one = said[number]
                    labels[number] = consent.apply_consents(label(one.origin), one.consents, {})
                if policy.decide(labels[number], audience, world).told != next(right):
                    return f"small worlds: saying {number} to audience {n * AUDIENCES}"
    return None


@cache
def expected() -> tuple[bool, ...]:
    """The oracle's answers; asked for before anything is planted."""
    small, oracle = _module("tests.privacy.small_worlds"), _module("tests.privacy.oracle")
    onlookers = _module("tests.privacy.onlookers")
    said = list(small.sayings())
    found: list[bool] = []
    for facts in small.worlds()[::WORLDS]:
        for n, audience in enumerate(list(small.audiences(facts))[::AUDIENCES]):
            occasion = onlookers.occasion(audience, facts)
            for one in said[n % SAYINGS :: SAYINGS * 4]:
                demands = oracle.demands(one.origin, one.consents, facts)
                found.append(oracle.told(demands, occasion))
    return tuple(found)


def judged_in_child(plant: Callable[[], None], seconds: int = 20) -> str | None:
    """Plant in a forked child and return its verdict; None is a mistake that nobody noticed."""
    expected()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _judge_and_exit(plant, writing, seconds)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return said or (f"ended with {status}" if status else None)


def _judge_and_exit(plant: Callable[[], None], writing: int, seconds: int) -> None:
    import gc
    import signal

    gc.disable()  # it would copy all that the parent has loaded
    signal.alarm(seconds)  # a mistake that never ends is a mistake that was noticed
    try:
        plant()
        said = verdict()
    except BaseException as problem:  # noqa: BLE001 - a child must never return
        said = f"{type(problem).__name__} when planted"
    os.write(writing, (said or "").encode())
    os._exit(0)


def plant_source(module: ModuleType, source: str | ast.Module) -> None:
    """Give the functions of `module` the code of `source`; import anew if more than code differs."""
    fresh: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    exec(compile(source, str(module.__file__), "exec"), fresh)
    for name, made in fresh.items():
        old = getattr(module, name, None)
        if inspect.isfunction(made) and inspect.isfunction(old):
            _swap(old, made)
        elif inspect.isclass(made) and made.__module__ == module.__name__:
            _swap_methods(old, made)


def _swap_methods(old: Any, made: Any) -> None:
    for name, method in vars(made).items():
        before = vars(old).get(name)
        if isinstance(method, property):
            _swap(before.fget, method.fget)  # type: ignore[union-attr]
        elif isinstance(method, classmethod):
            _swap(before.__func__, method.__func__)  # type: ignore[union-attr]
        elif inspect.isfunction(method) and not method.__code__.co_freevars:
            _swap(before, method)


def _swap(old: Any, made: Any) -> None:
    if old.__code__.co_freevars == made.__code__.co_freevars:
        old.__code__, old.__defaults__ = made.__code__, made.__defaults__
        old.__kwdefaults__ = made.__kwdefaults__


DEPENDENTS = ("confide.privacy", "confide.reading", "confide.remember", "confide.recall")
DEPENDENTS += ("confide.store", "confide.keep", "confide.memories", "tests.")
STAYING = (__name__, "tests.scenarios.runner")  # the tables, which know nothing of the rule


def import_anew(name: str, source: str | ast.Module) -> None:
    """For mistakes in tables and class bodies: import everything that stands on `name` again."""
    from importlib.abc import Loader, MetaPathFinder
    from importlib.machinery import ModuleSpec

    path = sys.modules[name].__file__

    class Planted(MetaPathFinder, Loader):
        def find_spec(self, fullname: str, _path: Any, _target: Any = None) -> ModuleSpec | None:
            return ModuleSpec(name, self, origin=path) if fullname == name else None

        def exec_module(self, module: ModuleType) -> None:
            module.__file__ = path
            exec(compile(source, str(path), "exec"), vars(module))

    for module in [m for m in sys.modules if m.startswith(DEPENDENTS)]:
        if module not in STAYING:
            del sys.modules[module]
    sys.meta_path.insert(0, Planted())

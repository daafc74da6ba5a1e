"""The same verbs without `await`: `with Confide.open() as memory: memory.recall(…)`.

Each class here is made from the asynchronous one, so both have the same methods and words. The work
runs on one loop in a thread beside, which is why this works inside a running loop, as in a notebook.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import sys
import threading
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from confide.client import ConfideClient as AsyncConfideClient
from confide.memories import Confide as AsyncConfide

__all__ = ["Confide", "ConfideClient"]

T = TypeVar("T")
OURS: Final = "confide."


class _Beside:
    """One loop in a thread of its own, begun when it is first needed."""

    def __init__(self) -> None:
        self._begun = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        loop = self._running()
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("this is called from inside a verb; use the asynchronous Confide")
        waiting = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return waiting.result()
        except BaseException:
            waiting.cancel()  # Ctrl+C ends the work, not only the waiting
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._begun:
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="confide", daemon=True
                )
                self._thread.start()
            return self._loop


_beside: Final = _Beside()


class Twin:
    """Something of the library, called without `await`."""

    def __init__(self, behind: Any) -> None:
        self._behind = behind

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _told(getattr(self._behind, name))

    def __repr__(self) -> str:
        return f"<confide.sync of {self._behind!r}>"

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(n for n in dir(self._behind) if n[0] != "_")})


@functools.cache
def twin_of(kind: type) -> type[Twin]:
    """The class whose methods are those of `kind`, without `await`."""
    made: dict[str, Any] = {"__doc__": kind.__doc__, "__module__": __name__}
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        if not name.startswith("_") and inspect.iscoroutinefunction(found):
            made[name] = _method(name, found)
    return type(kind.__name__, (Twin,), made)


def _method(name: str, run: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    @functools.wraps(run)
    def call(self: Twin, *args: Any, **kwargs: Any) -> Any:
        return _told(_beside.run(getattr(self._behind, name)(*args, **kwargs)))

    # `wraps` would have it taken for a coroutine function.
    call.__signature__ = inspect.signature(run)  # pyright: ignore[reportAttributeAccessIssue]
    del call.__wrapped__  # pyright: ignore[reportAttributeAccessIssue]
    return call


def _told(value: Any) -> Any:
    """Values as they are; what has verbs of its own as its twin."""
    kind = type(value)
    if not kind.__module__.startswith(OURS) or isinstance(value, type | BaseException):
        return value
    return twin_of(kind)(value) if _has_verbs(kind) else value


@functools.cache
def _has_verbs(kind: type) -> bool:
    public = (name for name in dir(kind) if not name.startswith("_"))
    return any(inspect.iscoroutinefunction(inspect.getattr_static(kind, n)) for n in public)


@contextmanager
def _opened(opening: Any, made: Callable[[Any], T]) -> Generator[T, None, None]:
    behind = _beside.run(opening.__aenter__())
    try:
        yield made(behind)
    except BaseException:
        if not _beside.run(opening.__aexit__(*sys.exc_info())):
            raise
    else:
        _beside.run(opening.__aexit__(None, None, None))


if TYPE_CHECKING:
    # Their methods are made when the program runs; see the asynchronous classes for what they take.
    class _Untyped:
        def __getattr__(self, name: str) -> Any: ...

    _ConfideTwin = _ClientTwin = _Untyped
else:
    _ConfideTwin, _ClientTwin = twin_of(AsyncConfide), twin_of(AsyncConfideClient)


class Confide(_ConfideTwin):
    """An agent's memory that knows who is listening, without `await`."""

    @classmethod
    @contextmanager
    def open(cls, *args: Any, **settings: Any) -> Generator[Confide, None, None]:
        """As `confide.Confide.open`: `with Confide.open() as memory:`"""
        with _opened(AsyncConfide.open(*args, **settings), cls) as memory:
            yield memory


class ConfideClient(_ClientTwin):
    """An agent's memory on a server, without `await`."""

    @classmethod
    @contextmanager
    def open(cls, *args: Any, **settings: Any) -> Generator[ConfideClient, None, None]:
        """As `confide.ConfideClient.open`: `with ConfideClient.open(url, key) as memory:`"""
        with _opened(AsyncConfideClient.open(*args, **settings), cls) as memory:
            yield memory

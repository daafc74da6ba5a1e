"""What is planted for looking beside recall: the same story twice, once with what Ann must not
notice. Every line takes its minute in both, so that only what is hidden differs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from confide.actor import operator_as
from confide.model import Place, PlaceKind
from confide.privacy.places import parse_place
from confide.reading import audience, read_access, read_entity, read_memory_id, statement
from confide.store.consents import About

if TYPE_CHECKING:
    from confide.memories import Confide

ANN, BEA, DEE, KID, ZOE = (f"human:{name}" for name in ("ann", "bea", "dee", "kid", "zoe"))
PUBLIC, MODS = "public:general@guild", "restricted:mods@guild"
CONNECTION: Final = Place(id="human:ann/default", kind=PlaceKind.CONNECTION)
_WORDS: Final = ("kestrel", "sextant", "trowel", "lantern", "bugle", "anvil", "compass", "mallet")
Line = Callable[[], Awaitable[object]]


@dataclass(slots=True)
class Found:
    """How often it was tried, and what gave something away."""

    asked: int = 0
    leaks: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Planted:
    agent: str
    ids: dict[str, str]


class Minutes:
    """A clock that stands still until a line was said or a question asked."""

    def __init__(self, begin: datetime) -> None:
        self.now = begin

    def __call__(self) -> datetime:
        return self.now

    def step(self) -> None:
        self.now += timedelta(seconds=1)


def words_for(kind: str, n: int) -> str:
    """A word that nothing else says."""
    return f"{_WORDS[n % len(_WORDS)]}{kind}{n}"


async def plant(confide: Confide, clock: Minutes, *, is_full: bool, is_alone: bool) -> Planted:
    """What Ann knows; and, in the fuller memory, what she must not find out.

    Where others read her answers, that is also what she did elsewhere.
    """
    stage = _Stage(confide)
    lines = [(line, True) for line in stage.known()]
    lines += [(line, is_full) for line in stage.hidden()]
    lines += [(line, is_full or is_alone) for line in stage.elsewhere()]
    for line, happens in lines:
        clock.step()
        if happens:
            await line()
    absent = {name: f"00000000-0000-4000-8000-{n:012}" for n, name in enumerate(("party", "diary"))}
    return Planted(confide.database.agent, absent | stage.ids)


class _Stage:
    def __init__(self, confide: Confide) -> None:
        self._confide = confide
        self.ids: dict[str, str] = {}

    def known(self) -> Iterator[Line]:
        yield self._joined(PUBLIC, ANN, BEA)
        yield self._said("star", "I am fond of lighthouses", ANN, access=["*"], consent=[ANN])
        yield self._said("of_bea", "Bea paints boats", ANN, about=[BEA])
        yield self._said("spoken", "I play chess", ANN, PUBLIC)
        yield self._said("typed", "I write Rust", ANN, CONNECTION)
        yield self._said("mention", "Ann bakes bread", BEA, PUBLIC, about=[ANN])
        yield self._said("later", "Ann sings alto", BEA, PUBLIC, about=[ANN])
        yield self._entered("ctx:care", ANN)

    def hidden(self) -> Iterator[Line]:
        yield self._joined(MODS, BEA, ZOE)
        yield self._entered("ctx:secret", BEA)
        yield self._said("party", "The party for Ann is at eight", BEA, about=[ANN])
        yield self._said("watched", "Ann is being watched", BEA, MODS, about=[ANN])
        yield self._said("stamps", "Zoe collects stamps", ZOE, about=[ZOE])
        yield self._said(
            "pot", "The key is under the pot", BEA, access=[ANN], consent=[BEA], confidence=0.1
        )
        yield self._agreed(BEA, DEE, "mention")
        for child in (KID, "human:small"):
            yield lambda child=child: self._confide.people.appoint_guardian(
                read_entity(child), read_entity(ZOE), actor=operator_as()
            )

    def elsewhere(self) -> Iterator[Line]:
        """What Ann did herself, where no model and nobody in the room reads along."""
        yield self._said("diary", "I dream of the sea", ANN)
        yield self._said("doubt", "I may move away", ANN, confidence=0.1)
        yield self._agreed(ANN, DEE, "diary", purpose="custody")
        yield self._agreed(ANN, DEE, None, purpose="therapy")
        yield self._entered("ctx:care", ANN, role="patient")
        yield lambda: self._confide.recall("what do I dream of?", audience(ANN, "dm"))

    def _said(
        self, name: str, text: str, by: str, place: str | Place = "dm", **fields: Any
    ) -> Line:
        async def say() -> None:
            said = statement(text, by=by, place=place, sensitivity="public", **fields)
            self.ids[name] = str((await self._confide.remember(said)).id)

        return say

    def _joined(self, place: str, *who: str) -> Line:
        people = [read_entity(one) for one in who]
        return lambda: self._confide.world.join(parse_place(place, people[0]), *people)

    def _entered(self, context: str, who: str, role: str | None = None) -> Line:
        entity = read_entity(who)
        place = parse_place(context, entity)
        return lambda: self._confide.contexts.enter(place, actor=operator_as(entity), role=role)

    def _agreed(self, by: str, to: str, memory: str | None, purpose: str | None = None) -> Line:
        who, consents = read_entity(by), self._confide.consents

        async def agree() -> None:
            about = About(subject=who)
            if memory is not None:
                about = About(memory_id=read_memory_id(self.ids[memory]))
            given = consents.agreement(who, read_access(to), purpose=purpose)
            await consents.give(given, about, actor=operator_as(who))

        return agree

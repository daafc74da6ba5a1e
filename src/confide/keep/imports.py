"""Imports (P8): a chat of another program becomes the importer's own messages, and then memories.

`arriving.py` says what each message is labelled with. An import is never promoted, portable,
procedural, or a reason to replace what was said here.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from confide.actor import in_person, require
from confide.errors import InvalidInput
from confide.imports import Files, Format, Person, Read, Room, Said, Stay, Wrong
from confide.keep.arriving import Arriving, Coming, has_rooms
from confide.keep.bringing_back import BringingBack, BroughtBack, Line
from confide.keep.imported import Imported, Preview, Sample, Tally
from confide.keep.sources import base_name
from confide.means import Means, Part
from confide.model import (
    COLLECTIVE,
    Entity,
    Message,
    Namespace,
    Place,
    PlaceKind,
    clean_text,
    is_someone,
)
from confide.privacy.acting import Act
from confide.providers.builtin import BuiltinExtractor
from confide.providers.choosing import language_model
from confide.providers.prices import dollars
from confide.store import sources
from confide.store.colliding import tried_again
from confide.store.people import one_spelling

if TYPE_CHECKING:
    from confide.actor import Actor
    from confide.store.sources import Begun

AT_ONCE: Final = 150  # more at a time keeps others waiting
A_SECOND: Final = 3000  # messages that are stored, see docs/benchmarks.md
AHEAD: Final = timedelta(days=1)  # clocks and time zones differ by less
LONGEST_ID: Final = 100
NOT_PEOPLE: Final = (*COLLECTIVE, "ctx", "si", "app")
#: Of each question to a language model: what it is told beside the messages, and what it answers.
AT_ONE_ASKING, ASKING, ANSWER = 50, 1800, 400
LETTERS_A_TOKEN: Final = 3.5


class Imports(Part):
    """`confide.imports`: what people bring along from elsewhere."""

    def __init__(self, means: Means) -> None:
        super().__init__(means)
        self._require_enabled = means.require_enabled
        self._bringing_back = BringingBack(means)

    def look(
        self,
        files: Files,
        format: Format,
        each: Callable[[], None] = lambda: None,
        *,
        has_rooms: bool = True,
    ) -> Tally:
        """What would come in. Nothing is stored."""
        tally = Tally(has_rooms=has_rooms)
        for one in self._read(files, format):
            tally.note(one)
            each()
        return tally

    def preview(
        self,
        files: Files,
        format: Format,
        each: Callable[[], None] = lambda: None,
        *,
        names: Mapping[str, Entity] | None = None,
        has_rooms: bool = True,
    ) -> Preview:
        """What would come in, and what the built-in extractor finds in some messages of all of it."""
        tally, sample = Tally(has_rooms=has_rooms), Sample()
        for one in self._read(files, format):
            tally.note(one)
            if isinstance(one, Said):
                sample.offer(one)
            each()
        require_names(names or {}, tally)
        return self._preview(tally, sample.kept)

    def _preview(self, tally: Tally, sample: list[Said]) -> Preview:
        kinds, sensitivity = Counter[str](), Counter[str]()
        refused = waiting = 0
        extractor = BuiltinExtractor()
        for one in sample:
            for fact in extractor.extract([_as_message(one)]):
                seen = self.screen.look(fact.text, given=fact.sensitivity)
                if seen.secret is not None:
                    refused += 1
                    continue
                waiting += seen.instruction is not None or seen.pii_risk >= 2
                kinds[fact.kind.value] += 1
                sensitivity[seen.sensitivity.value] += 1
        return Preview(
            tally=tally,
            sampled=len(sample),
            kinds=kinds,
            sensitivity=sensitivity,
            refused=refused,
            waiting=waiting,
            seconds=1 + tally.messages // A_SECOND,
            dollars=self._cost(tally),
        )

    def _cost(self, tally: Tally) -> float | None:
        model = language_model(self.settings)
        if model is None:
            return None
        asked = (
            len(tally.rooms) * max(1, len(tally.said_by)) ** 0.5 + tally.messages / AT_ONE_ASKING
        )
        read = int(tally.letters / LETTERS_A_TOKEN + asked * ASKING)
        return dollars(model.name, read, int(asked * ANSWER))

    async def bring_back(
        self, lines: Iterable[Line], whose: Entity, *, actor: Actor
    ) -> BroughtBack:
        """An export of one person, back in with every field: the operator's alone."""
        return await self._bringing_back.bring(lines, whose, actor=actor)

    async def take(
        self,
        files: Files,
        format: Format,
        *,
        importer: Entity,
        actor: Actor,
        names: Mapping[str, Entity] | None = None,
        namespace: Namespace | None = None,
        looked: Tally | None = None,
        each: Callable[[int], None] = lambda count: None,
    ) -> Imported:
        """Store all messages of an export as the importer's own. Cut off and given again, it goes on.

        `names`: who is who; for somebody else's account a claim, which narrows and opens nothing.
        `looked`: what `look` said of the same file, for who asked already.
        """
        self._require_enabled()
        require_importer(importer, actor)
        if names:
            looked = looked or await asyncio.to_thread(self.look, files, format)
            require_names(names, looked)
        # In a thread, so that a long file keeps nobody else waiting.
        digest = await asyncio.to_thread(files.sha256)
        begun = await self._begin(files.name, digest, format, actor)
        coming = Coming(
            importer=importer,
            actor=actor,
            batch=begun.id,
            platform=format.name,
            names={one_spelling(name): entity for name, entity in (names or {}).items()},
            namespace=namespace,
        )
        arriving, new = Arriving(self, coming), 0
        tally = Tally(has_rooms=has_rooms(actor, namespace))
        read = self._read(files, format)
        while chunk := await asyncio.to_thread(list, itertools.islice(read, AT_ONCE)):
            for one in chunk:
                tally.note(one)
            kept = [one for one in chunk if isinstance(one, Said | Room)]
            if kept:
                new += await arriving.take(kept)
            each(sum(isinstance(one, Said) for one in kept))
        await arriving.finish()
        await self._finish(begun, actor, tally)
        return Imported(batch=begun, new=new, known=tally.messages - new, tally=tally)

    def _read(self, files: Files, format: Format) -> Iterator[Read]:
        latest, is_empty = self.clock() + AHEAD, True
        for one in format.read(files):
            is_empty = False
            match one:
                case Said():
                    yield _checked(one, latest)
                case Room():
                    yield Room(_id(one.id), tuple(map(_stay, one.stays)))
                case _:
                    yield one
        if is_empty:
            yield Wrong(files.name, "file", f"holds nothing that is {format.name}")

    @tried_again
    async def _begin(self, name: str, digest: bytes, format: Format, actor: Actor) -> Begun:
        now = self.clock()
        giver = actor.kind.value, str(actor.entity) if actor.entity is not None else None
        async with self.database.keep(by=actor, doing="import", at=now) as connection:
            return await sources.begin(
                connection,
                self.database.agent,
                file=(base_name(name), digest, 0),
                platforms=[format.name],
                giver=giver,
                now=now,
            )

    @tried_again
    async def _finish(self, begun: Begun, actor: Actor, tally: Tally) -> None:
        now = self.clock()
        async with self.database.keep(by=actor, doing="import", at=now) as connection:
            await sources.finish(
                connection, self.database.agent, begun.id,
                lines=tally.messages + tally.wrong_count, refused=tally.wrong_count, now=now,
            )  # fmt: skip


def _as_message(one: Said) -> Message:
    who = Entity("human", "me")
    place = Place(id="import:preview", kind=PlaceKind.DIRECT)
    return Message(id=one.id, place=place, speaker=who, text=one.text, said_at=one.at)


def _checked(one: Said, latest: datetime) -> Said | Wrong:
    """A message that can be stored, or why it cannot."""
    if one.at > latest:
        return Wrong(one.where, "time", "is in the future")
    if one.at.year < 1990:
        return Wrong(one.where, "time", "is before there were chats")
    try:
        text = clean_text(one.text)
        name = clean_text(one.by.name, "name")[:128]
    except InvalidInput as problem:
        return Wrong(one.where, problem.field, problem.problem)
    by = Person(_id(one.by.key), name, one.by.is_importer)
    return Said(id=one.id, room=_id(one.room), by=by, text=text, at=one.at, where=one.where)


def _stay(one: Stay) -> Stay:
    """People of whom the file says nothing that can be a name are called after their id."""
    key = _id(one.who.key)
    try:
        name = clean_text(one.who.name, "name")[:128]
    except InvalidInput:
        name = key or "somebody"
    return Stay(Person(key, name, one.who.is_importer), one.since, one.until)


def _id(text: str) -> str:
    """What tells people and rooms of a file apart, as it can be stored."""
    clean = text.encode("utf-8", "replace").decode().replace("\0", "")
    if len(clean) <= LONGEST_ID:
        return clean
    return f"{clean[:40]} {hashlib.sha256(clean.encode()).hexdigest()[:40]}"


def require_importer(importer: Entity, actor: Actor) -> None:
    if importer.namespace in NOT_PEOPLE or is_someone(importer):
        raise InvalidInput("as", f"{importer} is no person; say whose chats these are")
    if actor.entity not in (None, importer):
        raise InvalidInput("as", "nobody imports chats in somebody else's name")
    require(Act.REMEMBER, actor, in_person(actor))


def require_names(names: Mapping[str, Entity], tally: Tally) -> None:
    """Each name is somebody's in the file, and of one person only: two of one name are two people."""
    for name, entity in names.items():
        if entity.namespace in NOT_PEOPLE or is_someone(entity):
            raise InvalidInput("map", f"{entity} is no person")
        wanted = one_spelling(name)
        found = [
            one for one in tally.people.values()
            if wanted in (one_spelling(one.name), one_spelling(one.key))
        ]  # fmt: skip
        if not found:
            raise InvalidInput("map", f"nobody in the file is called {name!r}")
        if len(found) > 1:
            keys = ", ".join(repr(one.key) for one in found[:5])
            raise InvalidInput("map", f"{name!r} is what several are called; say which: {keys}")

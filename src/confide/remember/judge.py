"""Step 4 of learning: each fact is looked at, resolved and given the status it deserves.

Nothing here touches the database, so that it may take its time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from confide.language.attributes import Stated, stated_by_speaker
from confide.language.rules import Rule
from confide.model import Fact, Kind, PlaceKind, Sensitivity, Status, Trust
from confide.providers.builtin.sentences import as_written, split
from confide.remember.lending import may_lend, words_lent
from confide.remember.resolve import Person, resolve
from confide.screen import Voice, may_be_global, trust_of
from confide.store.terms import words

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.screen import Screen, Screening
    from confide.store.journal import Found
    from confide.store.messages import Heard

_FIRST_PERSON: Final = frozenset({"i", "we"})
SAID_OUTRIGHT_FROM: Final = 0.7
AGREES: Final = "its owner has to agree that it is told everywhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A fact that may be kept, before it meets what is known already."""

    position: int  # in the extractor's answer
    heard: Heard
    also_from: tuple[Heard, ...]  # further messages whose words are in the text
    text: str
    snippet: str
    kind: Kind
    confidence: float
    people: tuple[Person, ...]
    sensitivity: Sensitivity
    trust: Trust
    status: Status
    waits_because: str | None
    is_promoted: bool
    is_private: bool
    is_portable: bool
    is_about_answering: bool
    attribute: str | None
    lifetime: timedelta | None
    happens_on: date | None = None
    is_asked_for: bool = False  # "remember that …": it may be said again after it was forgotten


def judge(
    screen: Screen,
    settings: Settings,
    found: Sequence[Found],
    by_id: Mapping[str, Heard],
    beside: Mapping[str, Heard],
) -> list[Judged]:
    """One bad fact does not lose the others; a position stays the fact's own."""
    sound = [
        (position, one, by_id[one.fact.message_id])
        for position, one in enumerate(found)
        if _is_sound(one.fact, by_id) and _are_sound(settings, one.fact, by_id, beside)
    ]
    # What a file calls people is as much its own choice as what it lets them say.
    seen = screen.look_all([_written(one.fact, heard) for _, one, heard in sound]) if sound else []
    words_seen = screen.look_all([one.fact.snippet for _, one, _ in sound]) if sound else []
    made: list[Judged] = []
    for (position, one, heard), text, snippet in zip(sound, seen, words_seen, strict=True):
        # The snippet is kept as evidence, so a credential in it is refused like one in the text.
        if text.secret is None and snippet.secret is None:
            others = [beside[id] for id in one.fact.also_from if id != one.fact.message_id]
            lent = [words_lent(one.fact.text, other) for other in others]
            if lent and any(looked.secret for looked in screen.look_all(lent)):
                continue
            # What is told everywhere is in no workspace, and no file says what is.
            stays = heard.is_imported or heard.namespace is not None
            judged = _judged(settings, screen, position, one, (heard, *others), text, stays=stays)
            if judged is not None:
                made.append(judged)
            if judged is not None and judged.is_promoted and _needs_a_yes(settings, heard):
                # Told where it was said, while its owner thinks about everywhere.
                here = _judged(settings, screen, position, one, (heard,), text, stays=True)
                made[-1:] = [here, replace(judged, position=len(found) + position)] if here else []
    return made


def _is_sound(fact: Fact, by_id: Mapping[str, Heard]) -> bool:
    """From a message that is to be learned from, by its own speaker, in words that were said."""
    heard = by_id.get(fact.message_id)
    return (
        heard is not None
        and heard.message.speaker == fact.speaker
        and bool(fact.text.strip())
        and bool(fact.snippet)
        and fact.snippet in heard.message.text
        and math.isfinite(fact.confidence)
    )


def _are_sound(
    settings: Settings, fact: Fact, by_id: Mapping[str, Heard], beside: Mapping[str, Heard]
) -> bool:
    """Whether every other message whose words it uses may lend them to it."""
    within = timedelta(minutes=settings.silence_minutes)
    return all(
        id in beside and may_lend(beside[id], by_id[fact.message_id], within)
        for id in fact.also_from
        if id != fact.message_id
    )


def _judged(
    settings: Settings,
    screen: Screen,
    position: int,
    one: Found,
    sources: tuple[Heard, ...],
    seen: Screening,
    *,
    stays: bool = False,
) -> Judged | None:
    fact, (heard, *others) = one.fact, sources
    sensitivity = max(
        (s for s in (seen.sensitivity, fact.sensitivity) if s is not None), key=lambda s: s.rank
    )
    status, waits = _status(settings, one, seen, heard)
    if status is None:
        return None
    # Others' words never go everywhere, nor with their reader, nor what is kept as personal.
    stays = stays or bool(others) or sensitivity is not Sensitivity.PUBLIC
    promoted = None if stays else _promoted(settings, screen, one, heard)
    if promoted and _needs_a_yes(settings, sources[0]):
        status, waits = Status.PENDING, AGREES
    people = resolve(
        fact.subjects, fact.speaker, heard.present, heard.members, heard.message.platform
    )
    people = tuple(one for one in people if one.entity != fact.speaker)
    return Judged(
        position=position,
        heard=heard,
        also_from=tuple(others),
        text=promoted or _written(fact, heard),
        snippet=fact.snippet,
        kind=fact.kind,
        confidence=min(1.0, fact.confidence),
        people=() if promoted else people,
        sensitivity=sensitivity,
        trust=_trusted(fact, people, sources),
        status=status,
        waits_because=waits,
        is_promoted=promoted is not None,
        is_private=one.is_private,
        is_portable=fact.is_portable and not (one.is_private or others or heard.is_imported),
        is_about_answering=_is_about_answering(fact, seen, status)
        and not (others or heard.is_imported),
        attribute=promoted or _written_attribute(fact),
        lifetime=one.lifetime,
        happens_on=_day(fact.happened_on),
        is_asked_for=one.is_asked_for,
    )


def _written(fact: Fact, heard: Heard) -> str:
    """ "I" in an import is whoever the file says."""
    return f"{heard.author_name}: {fact.text}" if heard.author_name else fact.text


def _day(written: str | None) -> date | None:
    """A model may write anything where a date is expected."""
    try:
        return date.fromisoformat(written) if written else None
    except ValueError:
        return None


def _status(
    settings: Settings, one: Found, seen: Screening, heard: Heard
) -> tuple[Status | None, str | None]:
    """P5. None: too doubtful to keep."""
    approve_from = settings.approve_from if one.is_asked_for else settings.learn_approve_from
    keep_from = 0.0 if one.is_asked_for else settings.learn_keep_from
    confidence = one.fact.confidence
    if confidence < keep_from:
        return None, None
    order = seen.instructs(is_carried=heard.place.kind is PlaceKind.CONNECTION)
    if order is not None:
        return Status.PENDING, order
    if seen.pii_risk >= 2:
        return Status.PENDING, "it holds personal data of high risk"
    if confidence < approve_from:
        return Status.PENDING, f"its confidence is below {approve_from:g}"
    return Status.APPROVED, None


def _is_about_answering(fact: Fact, seen: Screening, status: Status) -> bool:
    """Nothing that orders an act is wanted in every answer before its owner freed it (B18)."""
    if seen.rule is Rule.ACT:
        return fact.kind is Kind.PREFERENCE and status is Status.PENDING
    is_manner = seen.rule is Rule.MANNER and fact.kind is Kind.PREFERENCE
    return fact.is_about_answering or is_manner


def _promoted(settings: Settings, screen: Screen, one: Found, heard: Heard) -> str | None:
    """S5: the attribute's value alone, where every condition holds; else it stays where it was said.

    The person's own sentence decides, whatever an extractor made of it.
    """
    if settings.promotion == "off" or one.is_private:
        return None
    fact = one.fact
    wish = fact.is_global_safe or (one.is_asked_for and one.is_everywhere)
    if not wish:
        return None
    for said in _own_sentences(one, heard):
        for one_of in _meant(fact, stated_by_speaker(said)):
            seen = replace(screen.look(one_of.words), attribute=one_of.attribute)
            promotion = may_be_global(
                seen, kind=fact.kind, confidence=fact.confidence, global_safe=wish
            )
            return str(one_of.attribute) if promotion.is_allowed else None
    return None


def _own_sentences(one: Found, heard: Heard) -> Iterator[str]:
    """The sentences of the message that the fact was taken from, as they were written."""
    if one.is_asked_for:  # "remember that …": what follows
        yield one.fact.snippet
        return
    text = heard.message.text
    begin = text.index(one.fact.snippet)
    end = begin + len(one.fact.snippet)
    for sentence in split(text):
        if sentence.start < end and begin < sentence.end and not sentence.is_question:
            yield as_written(text, sentence)


def _meant(fact: Fact, stated: Sequence[Stated]) -> list[Stated]:
    """Of what a sentence states, what the fact says too."""
    if fact.attribute is None:
        said = fact.text.casefold()
        return [one for one in stated if one.attribute.value.casefold() in said]
    name, value = fact.attribute
    same = [one for one in stated if one.attribute.name == name]
    return same if len(same) == 1 else [one for one in same if one.attribute.value == value]


def _needs_a_yes(settings: Settings, heard: Heard) -> bool:
    """What came through a connection may be a model's words: its owner confirms it."""
    is_connection = heard.place.kind is PlaceKind.CONNECTION
    return settings.promotion == "confirm" or is_connection


def _written_attribute(fact: Fact) -> str | None:
    if fact.attribute is None:
        return None
    name, value = fact.attribute
    return f"{name.replace('_', ' ')}: {value}"


def _trust(fact: Fact, people: Sequence[Person]) -> Trust:
    """ "I met Sarah" is first-hand; "Sarah likes tea" is hearsay."""
    is_about_self = not people or bool(_FIRST_PERSON & set(words(fact.text)[:2]))
    is_outright = fact.confidence >= SAID_OUTRIGHT_FROM
    return trust_of(Voice.SPOKEN, about_speaker=is_about_self, said_outright=is_outright)


def _trusted(fact: Fact, people: Sequence[Person], sources: Sequence[Heard]) -> Trust:
    if sources[0].is_imported:
        return Trust.UNTRUSTED  # anybody can write a file
    own = _trust(fact, people)
    return _lowest(own) if _are_lent(sources) else own


def _are_lent(sources: Sequence[Heard]) -> bool:
    """Whether somebody else's words are among them; one's own stay first-hand."""
    return len({one.message.speaker for one in sources}) > 1


def _lowest(own: Trust) -> Trust:
    """What somebody else put into a question, the one who answers did not say."""
    lent = trust_of(Voice.SPOKEN, about_speaker=False, said_outright=True)
    return max(own, lent, key=lambda trust: trust.rank)

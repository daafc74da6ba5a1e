"""Step 2 of remembering: look at the text before anything is kept of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from confide.errors import ConfideError, InvalidInput, SecretRefused
from confide.language.rules import Rule
from confide.model import Kind, PlaceKind, Scope, Sensitivity, Status, Trust, clean_text
from confide.remember.statement import Statement
from confide.screen import Voice, may_be_global, trust_of

if TYPE_CHECKING:
    from confide.screen import Screen, Screening


#: What is said of other things is no rule, however it is put.
RULES: Final = (Kind.PREFERENCE, Kind.KNOWLEDGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What may be kept: the text, how careful to be with it, and whether it waits for review."""

    text: str
    kind: Kind
    sensitivity: Sensitivity
    trust: Trust
    status: Status
    waits_because: str | None
    attribute: str | None
    is_procedural: bool = False  # how its speaker wants things done


def screen_statement(screen: Screen, statement: Statement, approve_from: float) -> Screened:
    text = clean_text(statement.text)
    return _judge(statement, text, screen.look(text, given=statement.sensitivity), approve_from)


def screen_all(
    screen: Screen, statements: Sequence[Statement], approve_from: float
) -> list[Screened | ConfideError]:
    """Like `screen_statement`, for many at once; one that is refused does not stop the others."""
    results: list[Screened | ConfideError | None] = [None] * len(statements)
    alike: dict[Sensitivity | None, list[tuple[int, str]]] = defaultdict(list)
    for n, statement in enumerate(statements):
        try:
            alike[statement.sensitivity].append((n, clean_text(statement.text)))
        except ConfideError as refused:
            results[n] = refused
    for given, texts in alike.items():
        for (n, text), seen in zip(
            texts, screen.look_all([text for _, text in texts], given=given), strict=True
        ):
            try:
                results[n] = _judge(statements[n], text, seen, approve_from)
            except ConfideError as refused:
                results[n] = refused
    return [one for one in results if one is not None]


def _judge(statement: Statement, text: str, seen: Screening, approve_from: float) -> Screened:
    if seen.secret is not None:
        raise SecretRefused(
            "text",
            f"{seen.secret.reason}; credentials are never stored. Keep it in a password manager",
        )
    kind = statement.kind or Kind.KNOWLEDGE
    attribute = None
    if statement.scope is Scope.GLOBAL:
        attribute = _require_promotion(seen, kind, statement.confidence)
    waits = _waits_because(seen, statement, approve_from)
    teller = statement.source or statement.by
    # What one person says that another said is not that other's own word; the agent heard it itself.
    is_relayed = teller != statement.by and statement.by.namespace != "si"
    trust = trust_of(
        Voice.SPOKEN,
        about_speaker=statement.about <= {teller} and not is_relayed,
        said_outright=True,
    )
    is_procedural = seen.is_procedural(trust) and kind in RULES and attribute is None
    if seen.rule is Rule.ACT and waits is None:
        is_procedural = False
    return Screened(
        text=attribute or text,
        kind=Kind.PREFERENCE if is_procedural else kind,
        sensitivity=seen.sensitivity,
        trust=trust,
        status=Status.PENDING if waits else Status.APPROVED,
        waits_because=waits,
        attribute=attribute,
        is_procedural=is_procedural,
    )


def _require_promotion(seen: Screening, kind: Kind, confidence: float) -> str:
    """The attribute's value alone: neither the sentence nor the place it came from (S5)."""
    promotion = may_be_global(seen, kind=kind, confidence=confidence, global_safe=True)
    if promotion.attribute is None:
        raise InvalidInput("scope", f"it stays here, because {promotion.reasons[0]}")
    return f"{promotion.attribute.name.replace('_', ' ')}: {promotion.attribute.value}"


def _waits_because(seen: Screening, statement: Statement, approve_from: float) -> str | None:
    is_carried = statement.place.kind is PlaceKind.CONNECTION or statement.through is not None
    order = seen.instructs(is_carried=is_carried)
    if order is not None:
        return order
    if seen.pii_risk >= 2:
        return "it holds personal data of high risk"
    if statement.confidence < approve_from:
        return f"its confidence is below {approve_from:g}"
    return None

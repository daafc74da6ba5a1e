"""`confide recall`: what everyone who will see the answer may hear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import As, In, With, Workspace
from confide.surfaces.cli.output import NOTHING, faint, harmless, say, say_json

if TYPE_CHECKING:
    from confide.recall.context import Context, Told

EXAMPLES = """\b
Examples:
    confide recall "is Alice looking for a job?" --as human:alice --in dm
    confide recall "how is Bella?" --as human:sean --in ctx:bella_health --with human:vet

\b
JSON: memories [id, text, kind, type, owner, speaker, scope, sensitivity, confidence,
      confidence_in_words, age, relevance, said_at], count
"""


def register(app: typer.Typer) -> None:
    app.command("recall", epilog=EXAMPLES)(with_given(recall))


def recall(
    given: Given,
    question: Annotated[str, typer.Argument(help="What the agent wants to know.")],
    asker: As,
    place: In,
    present: With = None,
    namespace: Workspace = None,
    purpose: Annotated[
        str | None,
        typer.Option("--purpose", help="What for; consents that name a purpose count for it only."),
    ] = None,
) -> None:
    """Bring back what helps, if EVERYONE who will see the answer may hear it.

    The place is where the answer will appear. What is hidden and what is not there give the same
    answer.
    """
    from confide.reading import audience

    given.settings()
    listening = audience(asker, place, present=present or (), namespace=namespace, purpose=purpose)
    context = with_memory(given, lambda confide: confide.recall(question, listening))
    if given.as_json:
        say_json(as_json(context))
    else:
        _tell(context)


def as_json(context: Context) -> dict[str, object]:
    return {
        "memories": [_told_as_json(told, context) for told in context.memories],
        "count": len(context.memories),
    }


def _told_as_json(told: Told, context: Context) -> dict[str, object]:
    from confide.recall.words import age_in_words

    m = told.memory
    return {
        "id": m.id,
        "text": m.text,
        "kind": m.kind.value,
        "type": m.type.value,
        "owner": str(m.owner),
        "speaker": str(m.speaker) if m.speaker else None,
        "scope": m.scope.value,
        "sensitivity": m.sensitivity.value,
        "confidence": round(m.confidence, 4),
        "confidence_in_words": told.confidence_in_words,
        "age": age_in_words(m.said_at, context.now),
        "relevance": round(told.relevance, 4),
        "said_at": m.said_at,
    }


def _tell(context: Context) -> None:
    from confide.recall.words import age_in_words

    if not context.memories:
        say(NOTHING)
    for told in context.memories:
        m = told.memory
        say(harmless(m.text))
        about = (
            f"  of {m.owner} · {m.kind.value} · {age_in_words(m.said_at, context.now)} · "
            f"{told.confidence_in_words} · relevance {told.relevance:.2f}"
        )
        say(faint(about))
        say(faint(f"  id {m.id}"))

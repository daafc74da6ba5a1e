"""`confide recall`: what everyone who will see the answer may hear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.model import Manner
from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import As, In, With, Workspace
from confide.surfaces.cli.output import NOTHING, faint, harmless, named, say, say_json

if TYPE_CHECKING:
    from confide.recall.context import Context

EXAMPLES = """\b
Examples:
    confide recall "is Alice looking for a job?" --as human:alice --in dm
    confide recall "how is Bella?" --as human:sean --in ctx:bella_health --with human:vet
    confide recall "what does Alice drink?" --as human:bob --in dm --markdown | my-model

\b
JSON: memories [id, text, kind, type, owner, owner_name, speaker, scope, sensitivity, confidence,
      confidence_in_words, age, said_at, relevance, similarity, evidence [speaker, text],
      shortened_to, is_own, is_weak, is_standing], count, perhaps and standing (the same)
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
    manner: Annotated[
        Manner,
        typer.Option(
            "--manner", help="helpful: with what fits weakly; certain: only what is known."
        ),
    ] = Manner.HELPFUL,
    top_k: Annotated[
        int | None, typer.Option("--top-k", min=1, max=100, help="How many memories at most.")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option("--tokens", min=400, help="How long the block for a model may be.")
    ] = None,
    is_markdown: Annotated[
        bool,
        typer.Option("--markdown", help="The block exactly as a model gets it, within its budget."),
    ] = False,
) -> None:
    """Bring back what helps, if EVERYONE who will see the answer may hear it.

    The place is where the answer will appear. What is hidden and what is not there give the same
    answer.
    """
    from confide.errors import InvalidInput
    from confide.reading import audience

    if is_markdown and given.as_json:
        raise InvalidInput("markdown", "is one way to print and --json another; leave one out")
    given.settings()
    listening = audience(asker, place, present=present or (), namespace=namespace, purpose=purpose)
    context = with_memory(
        given,
        lambda confide: confide.recall(
            question, listening, manner=manner, top_k=top_k, tokens=tokens
        ),
    )
    if given.as_json:
        say_json(context.as_dict())
    elif is_markdown:
        say(context.markdown())
    else:
        _tell(context)


def _tell(context: Context) -> None:
    from confide.recall.words import age_in_words

    if not context.memories:
        say(NOTHING)
    for told in context.everything:
        m = told.memory
        if told is next(iter(context.perhaps), None):
            say("perhaps:")
        if told is next(iter(context.standing), None):
            say("in every answer:")
        say(harmless(m.text))
        owner = named(m.owner, told.owner_name)
        about = (
            f"  of {owner} · {m.kind.value} · {age_in_words(m.said_at, context.now)} · "
            f"{told.confidence_in_words} · relevance {told.relevance:.2f}"
        )
        say(faint(about))
        say(faint(f"  id {m.id}"))

"""`confide explain`: told or not, and why, without the content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import As, In, MemoryId, With, Workspace
from confide.surfaces.cli.output import faint, say, say_json

if TYPE_CHECKING:
    from confide.recall.explain import Explanation

EXAMPLES = """\b
Examples:
    confide explain 5f0c… --as human:bob --in public:general@guild
    confide explain 5f0c… --as human:bob --in dm --actor human:alice

\b
JSON: told, because, clause [kind, owner, atoms] or null
"""


def register(app: typer.Typer) -> None:
    app.command("explain", epilog=EXAMPLES)(with_given(explain))


def explain(
    given: Given,
    memory_id: MemoryId,
    asker: As,
    place: In,
    present: With = None,
    namespace: Workspace = None,
    actor: Annotated[
        str | None,
        typer.Option(
            "--actor",
            metavar="ENTITY",
            help="Who wants to know: only its owner and its speaker may. Left out: the operator,"
            " who is never shown the content.",
        ),
    ] = None,
) -> None:
    """Say whether an audience is told a memory, and why. Its content is never shown."""
    from confide.actor import operator_as
    from confide.reading import audience, read_entity, read_memory_id

    given.settings()
    listening = audience(asker, place, present=present or (), namespace=namespace)
    who = operator_as(read_entity(actor, "actor") if actor else None)
    id = read_memory_id(memory_id)
    found = with_memory(given, lambda confide: confide.explain(id, listening, actor=who))
    require_agreement(found)
    if given.as_json:
        say_json(as_json(found))
    else:
        _tell(found)


def require_agreement(found: Explanation) -> None:
    """The library and the database hold the same rule; if ever they differ, nobody is told."""
    from confide.errors import UnsafeStore

    if found.decision.told != found.told_by_database:
        raise UnsafeStore(
            "the library and the database decide differently about this memory, so it is not"
            " told; run `confide db migrate`, and report it if that does not help"
        )


def as_json(found: Explanation) -> dict[str, object]:
    from confide.surfaces.cli.clauses import clause_as_json

    clause = found.decision.clause
    return {
        "told": found.decision.told,
        "because": found.decision.because,
        "clause": clause_as_json(clause) if clause else None,
    }


def _tell(found: Explanation) -> None:
    from confide.surfaces.cli.clauses import clause_in_words

    decision = found.decision
    say(f"{'Told' if decision.told else 'Withheld'}: {decision.because}.")
    if decision.clause:
        say(faint(clause_in_words(decision.clause)))

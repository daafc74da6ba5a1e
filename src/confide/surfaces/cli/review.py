"""`confide review`: what waits for somebody's decision, and the decisions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import faint, harmless, say, say_json

if TYPE_CHECKING:
    import uuid

    from confide.errors import ConfideError
    from confide.keep.held import Decided, Waiting

LIST = """\b
Examples:
    confide review list
    confide review list --as human:alice --reason confidence

\b
Reasons: confidence, personal-data, instruction, everywhere, changed, other.
JSON: waiting [id, owner, kind, scope, sensitivity, confidence, place, namespace, reason,
      waits_because, since, insight, text], count
"""
SHOW = """\b
Example:
    confide review show 5f0c… --as human:bob

\b
JSON: the fields of `list` for one
"""
APPROVE = """\b
Examples:
    confide review approve 5f0c… --as human:alice
    confide review approve 5f0c… 77aa… --as human:bob
    confide review approve --all-from confidence --as human:bob

\b
JSON: decided [id, status, waits_because, error], count, refused
"""
REJECT = """\b
Examples:
    confide review reject 5f0c… --as human:alice
    confide review reject --all-from instruction --as human:bob

\b
JSON: decided [id, status, waits_because, error], count, refused
"""
TAKE_BACK = """\b
Example:
    confide review take-back 5f0c… 77aa… --as human:alice

\b
JSON: decided [id, status, waits_because, error], count, refused
"""
EDIT = """\b
Example:
    confide review edit 5f0c… "I keep a few bees" --as human:alice

\b
JSON: decided [id, status, waits_because, error], count, refused
"""
MOVE = """\b
Examples:
    confide review move 5f0c… --scope dm --as human:alice
    confide review move 5f0c… 77aa… --namespace thesis --as human:alice

\b
JSON: decided [id, status, waits_because, error], count, refused
"""
Acts = Annotated[
    str | None,
    typer.Option("--as", metavar="ENTITY", help="Its owner or a reviewer; left out, the operator."),
]
Ids = Annotated[list[str] | None, typer.Argument(metavar="ID…", help="The memories that wait.")]
AllFrom = Annotated[
    str | None,
    typer.Option("--all-from", metavar="REASON", help="All that wait for this reason."),
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        help="What waits before it is told to anybody: approve, reject, edit or move it.",
        no_args_is_help=True,
    )
    for name, command, examples in (
        ("list", list_, LIST),
        ("show", show, SHOW),
        ("approve", approve, APPROVE),
        ("reject", reject, REJECT),
        ("take-back", take_back, TAKE_BACK),
        ("edit", edit, EDIT),
        ("move", move, MOVE),
    ):
        group.command(name, epilog=examples)(with_given(command))
    app.add_typer(group, name="review")


def list_(
    given: Given,
    asker: Acts = None,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="REASON", help="Only for this reason.")
    ] = None,
) -> None:
    """List what waits and why. The words are shown to their owner only."""
    actor, why = _actor(given, asker), _reason(reason)
    found = with_memory(given, lambda confide: confide.review.waiting(actor=actor, reason=why))
    if given.as_json:
        say_json({"waiting": [_as_json(one) for one in found], "count": len(found)})
        return
    if not found:
        say("Nothing waits.")
    for one in found:
        _tell(one)


def show(given: Given, memory_id: MemoryId, asker: Acts = None) -> None:
    """Show one that waits, with its words to its owner or a reviewer. A reviewer's look is logged."""
    from confide.reading import read_memory_id

    actor, id = _actor(given, asker), read_memory_id(memory_id)
    found = with_memory(given, lambda confide: confide.review.show(id, actor=actor))
    if given.as_json:
        say_json(_as_json(found))
    else:
        _tell(found)


def approve(given: Given, ids: Ids = None, all_from: AllFrom = None, asker: Acts = None) -> None:
    """Let memories be told. Nobody approves their own words where reviewers are configured."""
    _decide(given, ids, all_from, asker, "approve")


def reject(given: Given, ids: Ids = None, all_from: AllFrom = None, asker: Acts = None) -> None:
    """Never tell them."""
    _decide(given, ids, all_from, asker, "reject")


def take_back(given: Given, ids: Ids = None, asker: Acts = None) -> None:
    """Undo decisions of one's own, for a day: they wait again."""
    _decide(given, ids, None, asker, "take_back")


def edit(
    given: Given,
    memory_id: MemoryId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The new words.")],
    asker: Acts = None,
) -> None:
    """Put a memory in other words. They are screened like new ones, and wait again."""
    from confide.reading import read_memory_id

    actor, id = _actor(given, asker), read_memory_id(memory_id)
    made = with_memory(given, lambda confide: confide.review.edit(id, text, actor=actor))
    _show_decided(given, [id], [made])


def move(
    given: Given,
    ids: Ids = None,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="SCOPE", help="A narrower one: dm, self_only.")
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option("--namespace", metavar="NAMESPACE", help="W, W/track:1 or /paper:7."),
    ] = None,
    all_from: AllFrom = None,
    asker: Acts = None,
) -> None:
    """Put memories where fewer hear them. They go on waiting."""
    from confide.model import Scope
    from confide.reading import read_choice, read_namespace

    narrower = read_choice(Scope, scope, "scope") if scope else None
    within = read_namespace(namespace)
    _decide(given, ids, all_from, asker, "move", scope=narrower, namespace=within)


def _decide(
    given: Given,
    ids: list[str] | None,
    all_from: str | None,
    asker: str | None,
    verb: str,
    **how: Any,
) -> None:
    from confide.errors import InvalidInput
    from confide.reading import read_memory_id

    actor, why = _actor(given, asker), _reason(all_from)
    if bool(ids) == (why is not None):
        raise InvalidInput("id", "name the memories, or --all-from and a reason")
    named = [read_memory_id(id) for id in ids or ()]

    async def decided(confide: Any) -> Any:
        chosen = named
        if why is not None:
            waiting = await confide.review.waiting(actor=actor, reason=why)
            chosen = [one.id for one in waiting if not one.is_insight]
        act = getattr(confide.review, verb)
        return chosen, await confide.review.each(chosen, partial(act, actor=actor, **how))

    chosen, made = with_memory(given, decided)
    _show_decided(given, chosen, made)


def _show_decided(given: Given, ids: list[uuid.UUID], made: list[Decided | ConfideError]) -> None:
    from confide.errors import ConfideError

    refused = [one for one in made if isinstance(one, ConfideError)]
    if len(made) == 1 and refused:
        raise refused[0]
    if given.as_json:
        shown = [
            {
                "id": id,
                "status": None if isinstance(one, ConfideError) else one.status.value,
                "waits_because": None if isinstance(one, ConfideError) else one.waits_because,
                "error": str(one) if isinstance(one, ConfideError) else None,
            }
            for id, one in zip(ids, made, strict=True)
        ]
        say_json({"decided": shown, "count": len(made), "refused": len(refused)})
    else:
        for id, one in zip(ids, made, strict=True):
            if isinstance(one, ConfideError):
                say(f"{id}  not done: {one}")
            else:
                waits = f", {one.waits_because}" if one.waits_because else ""
                say(f"{id}  {one.status.value}{waits}")
        if not made:
            say("Nothing waits.")
    if refused:
        raise typer.Exit(1)


def _actor(given: Given, asker: str | None) -> Any:
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    return operator_as(read_entity(asker, "asker") if asker else None)


def _reason(written: str | None) -> Any:
    from confide.keep.held import Reason
    from confide.reading import read_choice

    return read_choice(Reason, written, "reason") if written is not None else None


def _as_json(one: Waiting) -> dict[str, Any]:
    return {
        "id": one.id,
        "owner": str(one.owner),
        "kind": one.kind.value,
        "scope": one.scope.value,
        "sensitivity": one.sensitivity.value,
        "confidence": one.confidence,
        "place": one.place,
        "namespace": "/".join(filter(None, one.namespace)) or None,
        "reason": one.reason.value,
        "waits_because": one.waits_because,
        "since": one.since,
        "insight": one.is_insight,
        "text": one.text,
    }


def _tell(one: Waiting) -> None:
    say(harmless(one.text) if one.text else f"(words of {harmless(str(one.owner))})")
    about = f"{one.kind.value} · {one.scope.value} · {one.sensitivity.value}"
    say(f"  waits because {one.waits_because} ({one.reason.value})")
    say(faint(f"  {about} · {one.since:%Y-%m-%d} · {one.id}"))

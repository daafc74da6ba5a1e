"""`confide memories`: what is remembered of oneself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import Workspace
from confide.surfaces.cli.output import NOTHING, faint, harmless, say, say_json

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from confide.memories import Confide
    from confide.model import Entity, Namespace
    from confide.store.memory import Memory

    Page = Callable[[Confide, int, int], Awaitable[Sequence[Memory]]]  # limit, offset

PAGE: Final = 20
EXAMPLES = """\b
Examples:
    confide memories --as human:alice
    confide memories --as human:alice --scope dm --page 2
    confide memories --as human:alice --search "where do I live?"
    confide memories --as human:alice --id 5f0c…
    confide memories --as human:alice --mentions --space guild
    confide memories --as human:alice --stats
    confide memories --as human:alice --namespace thesis/track:1

\b
JSON: memories [id, text, kind, type, scope, sensitivity, origin, namespace, said_at, updated_at,
      expires_at], count, page, has_more
      with --id one of them and evidence [speaker, text]
      with --stats counts [scope, kind, memories, updated_at], mentions
"""
As = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Whose memories.")]


def register(app: typer.Typer) -> None:
    app.command("memories", epilog=EXAMPLES)(with_given(memories))


def memories(
    given: Given,
    asker: As,
    scope: Annotated[
        str | None,
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help="Only these: dm, channel_restricted, group, guild_public, global and so on.",
        ),
    ] = None,
    page: Annotated[int, typer.Option("--page", help=f"{PAGE} on a page, newest first.")] = 1,
    question: Annotated[
        str | None, typer.Option("--search", metavar="TEXT", help="Those that fit, best first.")
    ] = None,
    memory_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="One memory, with what led to it.")
    ] = None,
    mentions: Annotated[
        bool, typer.Option("--mentions", help="What others said about you and you may hear.")
    ] = False,
    stats: Annotated[bool, typer.Option("--stats", help="How many, by level and kind.")] = False,
    space: Annotated[
        str | None,
        typer.Option("--space", metavar="SPACE", help="As asked in a space: what is public there."),
    ] = None,
    namespace: Workspace = None,
) -> None:
    """Show a person's own memories, as in a reply that only they can see.

    With --namespace those of a workspace and of what it lies in; without it, those of no workspace.
    """
    from confide.errors import InvalidInput
    from confide.reading import read_entity, read_namespace

    given.settings()
    who, within = read_entity(asker, "asker"), read_namespace(namespace)
    if sum([question is not None, memory_id is not None, mentions, stats]) > 1:
        raise InvalidInput("search", "use one of --search, --id, --mentions and --stats")
    if memory_id is not None:
        _view(given, who, memory_id, space, within)
    elif stats:
        _stats(given, who, space, within)
    elif question is not None:
        found = with_memory(
            given,
            lambda confide: confide.mine.search(who, question, namespace=within, limit=PAGE),
        )
        _show(given, found, 1, has_more=False)
    else:
        wanted = _mentions(who, space) if mentions else _own(who, scope, within)
        _list(given, page, wanted)


def _own(who: Entity, scope: str | None, within: Namespace | None) -> Page:
    from confide.model import Scope
    from confide.reading import read_choice

    wanted = read_choice(Scope, scope, "scope") if scope is not None else None
    return lambda confide, limit, offset: confide.memories(
        who, scope=wanted, namespace=within, limit=limit, offset=offset
    )


def _mentions(who: Entity, space: str | None) -> Page:
    return lambda confide, limit, offset: confide.mine.mentions(
        who, space=space, limit=limit, offset=offset
    )


def _list(given: Given, page: int, wanted: Page) -> None:
    from confide.errors import InvalidInput

    if not 1 <= page <= 1_000_000:
        raise InvalidInput("page", f"{page} is no page; the first is 1")
    # One more than is shown says whether there is a next page.
    found = with_memory(given, lambda confide: wanted(confide, PAGE + 1, (page - 1) * PAGE))
    _show(given, found[:PAGE], page, has_more=len(found) > PAGE)


def _show(given: Given, shown: Sequence[Memory], page: int, *, has_more: bool) -> None:
    if given.as_json:
        listed = [as_json(memory) for memory in shown]
        say_json({"memories": listed, "count": len(listed), "page": page, "has_more": has_more})
    elif not shown:
        say(NOTHING)
    else:
        for memory in shown:
            _tell(memory)
        if has_more:
            say(f"More: --page {page + 1}")


def _view(
    given: Given, who: Entity, written: str, space: str | None, within: Namespace | None
) -> None:
    from confide.reading import read_memory_id

    id = read_memory_id(written)
    seen = with_memory(
        given, lambda confide: confide.mine.view(who, id, space=space, namespace=within)
    )
    if given.as_json:
        words = [{"speaker": by, "text": text} for by, text in seen.evidence]
        say_json(as_json(seen.memory) | {"evidence": words})
        return
    _tell(seen.memory)
    for by, text in seen.evidence:
        say(faint(harmless(f"  {by}: {text}")))


def _stats(given: Given, who: Entity, space: str | None, within: Namespace | None) -> None:
    found = with_memory(
        given, lambda confide: confide.mine.stats(who, space=space, namespace=within)
    )
    if given.as_json:
        counts = [
            {
                "scope": one.scope.value,
                "kind": one.kind.value,
                "memories": one.memories,
                "updated_at": one.updated_at,
            }
            for one in found.counts
        ]
        say_json({"counts": counts, "mentions": found.mentions})
        return
    for one in found.counts:
        say(
            f"{one.memories:>6}  {one.scope.value}, {one.kind.value}, last {one.updated_at:%Y-%m-%d}"
        )
    say(f"{found.mentions:>6}  that others said about you and you may hear")


def as_json(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind.value,
        "type": memory.type.value,
        "scope": memory.scope.value,
        "sensitivity": memory.sensitivity.value,
        "origin": memory.origin.place.id if memory.origin.place else None,
        "namespace": _written(memory.origin.namespace),
        "said_at": memory.said_at,
        "updated_at": memory.updated_at,
        "expires_at": memory.expires_at,
    }


def _written(namespace: Namespace | None) -> str | None:
    from confide.wire.forms import write_namespace

    return write_namespace(namespace) if namespace is not None else None


def _tell(memory: Memory) -> None:
    origin = memory.origin.place.id if memory.origin.place else "nowhere in particular"
    within = _written(memory.origin.namespace)
    say(harmless(memory.text))
    about = (
        f"  {memory.scope.value} · {memory.sensitivity.value} · {memory.kind.value} · "
        f"from {origin}{f' · in {within}' if within else ''} · updated {memory.updated_at:%Y-%m-%d}"
    )
    say(faint(about))
    say(faint(f"  id {memory.id}"))

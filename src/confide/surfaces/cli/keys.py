"""`confide keys`: who may come in over HTTP and MCP, and as whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import faint, say, say_json

if TYPE_CHECKING:
    from confide.keep.keys import Made
    from confide.store.keys import Key

CREATE = """\b
Examples:
    confide keys create platform --platform discord
    confide keys create personal --for human:alice --name laptop
    confide keys create auditor --lasts 30d

\b
JSON: secret (shown once), key [id, kind, name, platform, entity, per_minute, created_at,
expires_at, last_used_at, state]
"""
LIST = """\b
Example:
    confide keys list

\b
JSON: keys [id, kind, name, platform, entity, per_minute, created_at, expires_at, last_used_at,
state], count
"""
ROTATE = """\b
Examples:
    confide keys rotate 5f0c… --overlap 1d
    confide keys rotate --signing

\b
JSON: secret, key; with --signing: signing
"""
REVOKE = """\b
Example:
    confide keys revoke 5f0c…

\b
JSON: key, revoked
"""
OPEN = """\b
Examples:
    confide keys open human:alice
    confide keys close human:alice

\b
JSON: entity, opened
"""
Id = Annotated[str, typer.Argument(metavar="ID", help="The id that `keys list` shows.")]
Who = Annotated[str, typer.Argument(metavar="ENTITY", help="Whose personal connections.")]


def register(app: typer.Typer) -> None:
    keys = typer.Typer(
        help="Keys for HTTP and MCP. Only whoever holds the disk makes them.",
        no_args_is_help=True,
    )
    for name, command, examples in (
        ("create", create, CREATE),
        ("list", list_, LIST),
        ("rotate", rotate, ROTATE),
        ("revoke", revoke, REVOKE),
        ("open", open_, OPEN),
        ("close", close, OPEN),
    ):
        keys.command(name, epilog=examples)(with_given(command))
    app.add_typer(keys, name="keys")


def create(
    given: Given,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="platform (attests who is where on one platform), personal (one entity), auditor"
            " (labels without content) or admin (configuration, no content).",
        ),
    ],
    platform: Annotated[
        str | None, typer.Option("--platform", metavar="NAME", help="For example discord.")
    ] = None,
    entity: Annotated[
        str | None, typer.Option("--for", metavar="ENTITY", help="Whose personal key it is.")
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            "--name", metavar="NAME", help="Personal keys of one name share their memories."
        ),
    ] = "default",
    lasts: Annotated[
        str | None,
        typer.Option("--lasts", metavar="TIME", help="For example 30d; 180d, 1y or 90d."),
    ] = None,
    per_minute: Annotated[
        int | None, typer.Option("--per-minute", metavar="N", help="How often it may ask.")
    ] = None,
) -> None:
    """Make a key. Its secret is shown once and stored nowhere."""
    from confide.actor import operator_as
    from confide.keep.keys import Wanted
    from confide.reading import read_choice, read_entity, read_lifetime
    from confide.store.keys import KeyKind

    given.settings()
    wanted = Wanted(
        kind=read_choice(KeyKind, kind, "kind"),
        name=name,
        platform=platform,
        entity=read_entity(entity, "for") if entity else None,
        lasts=read_lifetime(lasts) if lasts else None,
        per_minute=per_minute,
    )
    made = with_memory(given, lambda confide: confide.keys.create(wanted, actor=operator_as()))
    _show_made(given, made)


def list_(given: Given) -> None:
    """List all keys, also those that ended. Secrets cannot be shown."""
    from confide.means import system_clock

    found = with_memory(given, lambda confide: confide.keys.list())
    now = system_clock()
    if given.as_json:
        shown = [_as_json(key, now) for key in found]
        say_json({"keys": shown, "count": len(shown)})
        return
    if not found:
        say("There are no keys. Make one with `confide keys create`.")
    for key in found:
        whom = key.entity or key.platform or ""
        say(f"{key.id}  {_state(key, now)}  {key.kind.value} {whom} {key.name}".rstrip())
        used = f"last used {key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"
        say(faint(f"  until {key.expires_at:%Y-%m-%d}, {used}, {key.per_minute} a minute"))


def rotate(
    given: Given,
    key_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The id that `keys list` shows.")
    ] = None,
    overlap: Annotated[
        str | None,
        typer.Option("--overlap", metavar="TIME", help="How long the former secret still serves."),
    ] = None,
    signing: Annotated[
        bool, typer.Option("--signing", help="Rotate what audience tokens are signed with instead.")
    ] = False,
    urgent: Annotated[
        bool, typer.Option("--urgent", help="With --signing: end all tokens at once.")
    ] = False,
) -> None:
    """Give a key another secret, or audience tokens another signature."""
    from datetime import timedelta

    from confide.actor import operator_as
    from confide.errors import InvalidInput
    from confide.reading import read_lifetime

    given.settings()
    if signing == (key_id is not None):
        raise InvalidInput("key", "name one key, or --signing")
    if signing:
        id = with_memory(
            given, lambda confide: confide.tokens.rotate(actor=operator_as(), is_urgent=urgent)
        )
        if given.as_json:
            say_json({"signing": id})
        else:
            say("Tokens are signed with another key now.")
        return
    key, lasts = _read_id(key_id or ""), read_lifetime(overlap) if overlap else timedelta(0)
    made = with_memory(
        given, lambda confide: confide.keys.rotate(key, actor=operator_as(), overlap=lasts)
    )
    _show_made(given, made)


def revoke(given: Given, key_id: Id) -> None:
    """End a key at once, and every token that it minted."""
    from confide.actor import operator_as

    key = _read_id(key_id)
    with_memory(given, lambda confide: confide.keys.revoke(key, actor=operator_as()))
    if given.as_json:
        say_json({"key": key, "revoked": True})
    else:
        say("Revoked.")


def open_(given: Given, who: Who) -> None:
    """Let somebody's personal connections tell them what was learned elsewhere, too."""
    _set_open(given, who, True)


def close(given: Given, who: Who) -> None:
    """Let them tell only what was remembered through them, and what is global."""
    _set_open(given, who, False)


def _set_open(given: Given, who: str, is_opened: bool) -> None:
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    one = read_entity(who, "entity")

    async def done(confide: Any) -> None:
        change = confide.keys.open_connections if is_opened else confide.keys.close_connections
        await change(one, actor=operator_as(one))

    with_memory(given, done)
    if given.as_json:
        say_json({"entity": str(one), "opened": is_opened})
    else:
        what = "also what was learned elsewhere" if is_opened else "only what came through them"
        say(f"Personal connections of {one} tell {what}.")


def _show_made(given: Given, made: Made) -> None:
    from confide.means import system_clock

    if given.as_json:
        say_json({"secret": made.secret, "key": _as_json(made.key, system_clock())})
        return
    say(made.secret)
    say(faint("Keep it now: it is not stored and cannot be shown again."))
    say(faint(f"{made.key.kind.value} key {made.key.id}, until {made.key.expires_at:%Y-%m-%d}"))


def _as_json(key: Key, now: Any) -> dict[str, Any]:
    return {
        "id": str(key.id),
        "kind": key.kind.value,
        "name": key.name,
        "platform": key.platform,
        "entity": str(key.entity) if key.entity else None,
        "per_minute": key.per_minute,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "last_used_at": key.last_used_at,
        "state": _state(key, now),
    }


def _state(key: Key, now: Any) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "valid" if key.is_valid(now) else "expired"


def _read_id(written: str) -> Any:
    import uuid

    from confide.errors import NotFound

    try:
        return uuid.UUID(written)
    except ValueError:
        raise NotFound("there is no such key") from None

"""`confide keys`: who may come in over HTTP and MCP, and as whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import tell, with_memory
from confide.surfaces.cli.output import faint, say, say_answer

if TYPE_CHECKING:
    from uuid import UUID

    from confide.keep.keys import ListedKey, Made

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
JSON: done
"""
OPEN = """\b
Examples:
    confide keys open human:alice
    confide keys close human:alice

\b
JSON: done
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
    tell(given, "keys.list", _show_list)


def _show_list(found: list[ListedKey]) -> None:
    if not found:
        say("There are no keys. Make one with `confide keys create`.")
    for key in found:
        whom = key.entity or key.platform or ""
        say(f"{key.id}  {key.state}  {key.kind.value} {whom} {key.name}".rstrip())
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

    from confide.errors import InvalidInput
    from confide.reading import read_lifetime

    actor = given.actor()
    if signing == (key_id is not None):
        raise InvalidInput("key", "name one key, or --signing")
    if signing:
        done = "Tokens are signed with another key now."
        tell(given, "tokens.rotate", done, actor=actor, is_urgent=urgent)
        return
    id, lasts = _read_id(key_id or ""), read_lifetime(overlap) if overlap else timedelta(0)

    async def work(confide: Any) -> Made:
        if await _is_own(given, confide, id):
            if lasts:
                raise InvalidInput(
                    "overlap", "a key that rotates itself ends at once; leave it out"
                )
            return await confide.keys.renew()
        return await confide.keys.rotate(id, actor=actor, overlap=lasts)

    _show_made(given, with_memory(given, work))


def revoke(given: Given, key_id: Id) -> None:
    """End a key at once, and every token that it minted."""
    id, actor = _read_id(key_id), given.actor()

    async def work(confide: Any) -> None:
        if await _is_own(given, confide, id):
            await confide.keys.give_up()
        else:
            await confide.keys.revoke(id, actor=actor)

    with_memory(given, work)
    if not say_answer(given, "keys.revoke", None):
        say("Revoked.")


async def _is_own(given: Given, confide: Any, id: UUID) -> bool:
    """Whether it is the key that a server is asked with: that one anybody may renew and end."""
    return given.server() is not None and (await confide.whoami()).key == str(id)


def open_(given: Given, who: Who) -> None:
    """Let somebody's personal connections tell them what was learned elsewhere, too."""
    done = f"Personal connections of {who} tell also what was learned elsewhere."
    tell(given, "keys.open_connections", done, who=who, actor=given.actor(who, "entity"))


def close(given: Given, who: Who) -> None:
    """Let them tell only what was remembered through them, and what is global."""
    done = f"Personal connections of {who} tell only what came through them."
    tell(given, "keys.close_connections", done, who=who, actor=given.actor(who, "entity"))


def _show_made(given: Given, made: Made) -> None:
    if say_answer(given, "keys.renew", made):
        return
    say(made.secret)
    say(faint("Keep it now: it is not stored and cannot be shown again."))
    say(faint(f"{made.key.kind.value} key {made.key.id}, until {made.key.expires_at:%Y-%m-%d}"))


def _read_id(written: str) -> UUID:
    from confide.wire.forms import read_id

    return read_id(written, "key")

"""`confide mcp`: the memory as tools for a model, and telling MCP clients about it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Agent, EnvFile, Given, Home, with_given
from confide.surfaces.cli.output import faint, say, say_json

if TYPE_CHECKING:
    from confide.memories import Confide

SERVE = """\b
Examples:
    confide mcp --as human:me
    confide mcp --as human:me --workspace thesis

\b
It speaks MCP on standard input and output, and logs to standard error without content.
"""
INSTALL = """\b
Examples:
    confide mcp install --client claude-desktop --as human:me
    confide mcp install --client vscode --as human:me --yes

\b
JSON: client, path, changed, backup, diff
"""
Whom = Annotated[
    str | None,
    typer.Option("--as", metavar="ENTITY", help="Whom the connection speaks for: human:me."),
]
Workspace = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        metavar="NAME",
        help="What is remembered stays in this workspace; left out, one for the project folder"
        " it is started in.",
    ),
]
Connection = Annotated[
    str,
    typer.Option(
        "--connection", metavar="NAME", help="Connections of one name share what they were told."
    ),
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(invoke_without_command=True)
    group.callback(epilog=SERVE)(serve)
    group.command("install", epilog=INSTALL)(with_given(install))
    app.add_typer(group, name="mcp")


def serve(
    context: typer.Context,
    who: Whom = None,
    workspace: Workspace = None,
    connection: Connection = "default",
    home: Home = None,
    agent: Agent = None,
    env_file: EnvFile = None,
) -> None:
    """Offer the memory to a model over MCP, as one person.

    The connection is a private place of its own: it tells what was remembered through it and what
    follows its owner everywhere. Without --as it speaks for nobody and tells only that.
    """
    before = context.find_object(Given) or Given()
    given = Given(
        home=home or before.home,
        agent=agent or before.agent,
        env_file=env_file or before.env_file,
    )
    if context.invoked_subcommand is not None:
        context.obj = given
        return
    import logging
    import sys
    from pathlib import Path

    from confide.errors import NotAllowed
    from confide.reading import read_entity, read_namespace
    from confide.surfaces.cli.opened import run
    from confide.surfaces.mcp.stdio import serve as speak
    from confide.surfaces.mcp.visit import GLOBAL_LEVEL, workspace_of

    url = given.server()
    if url is not None:
        raise NotAllowed(f"there is a server already; connect the client to {url}/mcp with its key")
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    speaker = read_entity(who, "asker") if who is not None else None
    named = read_namespace(workspace) if workspace else workspace_of(Path.cwd())
    run(speak(lambda: _opened(given), speaker, named or GLOBAL_LEVEL, connection))


def _opened(given: Given) -> AbstractAsyncContextManager[Confide]:
    from confide.memories import Confide

    return Confide.open(**given.fields())


def install(
    given: Given,
    client: Annotated[
        str, typer.Option("--client", metavar="NAME", help="claude-desktop, claude-code, cursor …")
    ],
    who: Annotated[
        str, typer.Option("--as", metavar="ENTITY", help="Whom the connection speaks for.")
    ],
    workspace: Workspace = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="PATH", help="The client's configuration, if elsewhere."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write it without asking.")] = False,
) -> None:
    """Show what has to change in an MCP client's configuration, and change it after a yes."""
    from pathlib import Path

    from confide.errors import InvalidInput
    from confide.reading import read_entity, read_namespace
    from confide.surfaces.mcp.install import apply, command_of, find_client, plan

    given.settings()
    known = find_client(client)
    options = ["--workspace", workspace] if workspace and read_namespace(workspace) else []
    for name, value in given.fields().items():
        flag = "--" + name.replace("_", "-")
        options += [flag, value if name == "agent" else str(Path(value).absolute())]
    command = command_of(str(read_entity(who, "asker")), options)
    change = plan(known, Path(file) if file else known.file(), command)
    if given.as_json and change.is_needed and not yes:
        raise InvalidInput("yes", "nothing is asked with --json; add --yes to write it")
    if not given.as_json and change.is_needed:
        say(change.as_diff())
    is_agreed = change.is_needed and (yes or typer.confirm("Write it?"))
    backup = apply(change) if is_agreed else None
    if given.as_json:
        say_json(
            {
                "client": client,
                "path": change.path,
                "changed": is_agreed,
                "backup": backup,
                "diff": change.as_diff(),
            }
        )
    elif not change.is_needed:
        say("It is there already.")
    elif is_agreed:
        say("Written. Start the client anew.")
        say(faint(f"the former file is {backup}" if backup else "the file is new"))
    else:
        say("Nothing was changed.")

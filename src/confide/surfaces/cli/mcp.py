"""`confide mcp`: the memory as tools for a model, and telling MCP clients about it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Agent, EnvFile, Given, Home, with_given
from confide.surfaces.cli.output import faint, say, say_json

if TYPE_CHECKING:
    from pathlib import Path

    from confide.memories import Confide
    from confide.model import Entity
    from confide.surfaces.mcp.client_files import Change

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
UNINSTALL = """\b
Examples:
    confide mcp uninstall --client cursor

\b
JSON: client, path, changed, backup, diff
"""
STATUS = """\b
Examples:
    confide mcp status
    confide mcp status --client claude-code

\b
Exit code 1: a client starts something that does not answer.
JSON: clients (client, path, state, says)
"""
Whom = Annotated[
    str | None,
    typer.Option(
        "--as", metavar="ENTITY", help="Whom it speaks for: human:me, or si:NAME for the agent."
    ),
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
ClientName = Annotated[
    str,
    typer.Option(
        "--client",
        metavar="NAME",
        help="claude-code, claude-desktop, codex, cursor, gemini-cli, vscode, windsurf or zed.",
    ),
]
ClientFile = Annotated[
    str | None,
    typer.Option("--file", metavar="PATH", help="The client's configuration, if elsewhere."),
]
Yes = Annotated[bool, typer.Option("--yes", help="Write it without asking.")]
ToolProfile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="Which tools: solo (remember, recall, update, forget, list) or community (also"
        " contexts, consent and insights). Left out, solo for a person.",
    ),
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(invoke_without_command=True)
    group.callback(epilog=SERVE)(serve)
    group.command("install", epilog=INSTALL)(with_given(install))
    group.command("uninstall", epilog=UNINSTALL)(with_given(uninstall))
    group.command("status", epilog=STATUS)(with_given(status))
    app.add_typer(group, name="mcp")


def serve(
    context: typer.Context,
    who: Whom = None,
    workspace: Workspace = None,
    connection: Connection = "default",
    profile: ToolProfile = None,
    home: Home = None,
    agent: Agent = None,
    env_file: EnvFile = None,
) -> None:
    """Offer the memory to a model over MCP, as one person.

    The connection is a private place of its own: it tells what was remembered through it and what
    follows its owner everywhere. With --as si:NAME it is the agent's own: it tells what the agent
    remembered through it, and nothing else. Without --as it speaks for nobody.
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

    from confide.surfaces.mcp.greeting import greet
    from confide.surfaces.mcp.profiles import find_profile, usual_profile

    speaker = _speaker(given, who)
    offered = find_profile(profile) if profile is not None else usual_profile(speaker)
    greeted = greet(offered)
    # All else takes longer to load than a client should wait for an answer.
    from confide.errors import InvalidInput
    from confide.reading import read_namespace
    from confide.surfaces.cli.opened import run
    from confide.surfaces.mcp.visit import GLOBAL_LEVEL, workspace_of

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    named = read_namespace(workspace) if workspace else workspace_of(Path.cwd())
    settings = given.settings()
    url = given.server(settings)
    if url is not None:
        from confide.surfaces.mcp.elsewhere import pass_on

        if settings.key is None:
            raise InvalidInput("CONFIDE_KEY", f"is missing; it says who you are on {url}")
        key = settings.key.get_secret_value()
        run(pass_on(url, key, named or GLOBAL_LEVEL, offered, greeted))
        return
    from confide.surfaces.mcp.stdio import serve as speak

    run(speak(lambda: _opened(given), speaker, named or GLOBAL_LEVEL, connection, offered, greeted))


def _speaker(given: Given, who: str | None) -> Entity | None:
    """Settings take long to read, and are needed only for namespaces that they add."""
    from confide.errors import InvalidInput
    from confide.model import Entity

    if who is None:
        return None
    try:
        return Entity.parse(who)
    except InvalidInput:
        from confide.reading import read_entity

        given.settings()
        return read_entity(who, "asker")


def _opened(given: Given) -> AbstractAsyncContextManager[Confide]:
    from confide.memories import Confide

    return Confide.open(**given.fields())


def install(
    given: Given,
    client: ClientName,
    who: Annotated[
        str, typer.Option("--as", metavar="ENTITY", help="Whom the connection speaks for.")
    ],
    workspace: Workspace = None,
    file: ClientFile = None,
    yes: Yes = False,
) -> None:
    """Show what has to change in an MCP client's configuration, and change it after a yes.

    Settings in force are written along, so that the client starts the same memory: options, and
    variables such as CONFIDE_HOME and CONFIDE_URL. The database's address and the key go into files
    of the home folder that only this account can read; the client's file names them.
    """
    from dataclasses import replace
    from pathlib import Path

    from confide.surfaces.mcp.client_files import plan
    from confide.surfaces.mcp.install import SERVER, find_client

    known = find_client(client)
    entry, secrets = _entry(given, client, who, workspace)
    path = Path(file) if file else known.file()
    change = plan(path, known.table, SERVER, entry)
    _change(given, client, replace(change, secrets=secrets), yes)


def uninstall(given: Given, client: ClientName, file: ClientFile = None, yes: Yes = False) -> None:
    """Take the memory out of an MCP client's configuration. What is remembered stays."""
    from pathlib import Path

    from confide.surfaces.mcp.client_files import plan
    from confide.surfaces.mcp.install import SERVER, find_client

    known = find_client(client)
    change = plan(Path(file) if file else known.file(), known.table, SERVER, None)
    _change(given, client, change, yes)


def status(
    given: Given,
    client: Annotated[
        str | None, typer.Option("--client", metavar="NAME", help="Only this one.")
    ] = None,
    file: ClientFile = None,
) -> None:
    """Which MCP clients know the memory, and whether what they start answers."""
    from pathlib import Path

    from confide.surfaces.mcp.install import CLIENTS, find_client
    from confide.surfaces.mcp.installed import look

    names = [client] if client else list(CLIENTS)
    found = [
        look(name, find_client(name), Path(file) if file and client else None) for name in names
    ]
    if given.as_json:
        say_json({"clients": [one.as_dict() for one in found]})
    else:
        for one in found:
            say(f"{one.client}: {one.says}")
    if any(one.is_broken for one in found):
        raise typer.Exit(1)


def _entry(
    given: Given, client: str, who: str, workspace: str | None
) -> tuple[dict[str, Any], dict[Path, str]]:
    """What starts the same memory, without its secrets, and into which files these go."""
    from pathlib import Path

    from confide.config import carried
    from confide.errors import InvalidInput
    from confide.reading import read_entity, read_namespace
    from confide.surfaces.mcp.install import by_reference, command_of, find_client, started

    settings = given.settings()
    url = given.server(settings)
    if url is not None and settings.key is None:
        raise InvalidInput("CONFIDE_KEY", f"is missing; it says who you are on {url}")
    options = ["--workspace", workspace] if workspace and read_namespace(workspace) else []
    for name, value in given.fields().items():
        flag = "--" + name.replace("_", "-")
        options += [flag, value if name == "agent" else str(Path(value).absolute())]
    command = command_of(str(read_entity(who, "asker")), options)
    said = {f"CONFIDE_{name.upper()}" for name in given.fields()}
    if url is None:
        said |= {"CONFIDE_URL", "CONFIDE_KEY", "CONFIDE_KEY_FILE"}
    in_force = {name: value for name, value in carried().items() if name not in said}
    named, secrets = by_reference(in_force, settings.home)
    return started(find_client(client), command, named), secrets


def _change(given: Given, client: str, change: Change, yes: bool) -> None:
    from confide.errors import InvalidInput
    from confide.surfaces.mcp.client_files import apply

    if given.as_json and change.is_needed and not yes:
        raise InvalidInput("yes", "nothing is asked with --json; add --yes to write it")
    if not given.as_json and change.is_needed:
        say(change.as_diff())
        for path in change.secrets:
            say(f"A secret goes into {path}, which only this account can read.")
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
        say("It is so already.")
    elif is_agreed:
        say("Written. Start the client anew.")
        say(faint(f"the former file is {backup}" if backup else "the file is new"))
    else:
        say("Nothing was changed.")

"""`confide bot`: the Discord bot, and what its owner sets up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from confide.surfaces.cli.given import Agent, Given, Home, with_given
from confide.surfaces.cli.output import say, say_json
from confide.surfaces.cli.serve import Level, level_of

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.surfaces.discord.preparing import Prepared

RUN = """\b
Examples:
    DISCORD_TOKEN=… confide bot
    DISCORD_TOKEN=… CONFIDE_URL=https://memory.example CONFIDE_KEY=… confide bot

\b
First: confide bot setup. docs/discord.md goes through all of it in ten minutes.
"""
SETUP = """\b
Examples:
    DISCORD_TOKEN=… confide bot setup
    DISCORD_TOKEN=… confide bot setup --json

\b
JSON: bot [id, name], invite, intents [name, wanted, granted], warnings [text],
guilds [id, name, channels [id, name, place, heard_by]], notice
"""
#: What works only with an intent, and what happens without it.
NEEDED_FOR = {
    "Message Content": "only /confide listen needs it",
    "Server Members": "only instant leaves and lost roles need it; otherwise they count at the"
    " person's next question",
}


def register(app: typer.Typer) -> None:
    group = typer.Typer(invoke_without_command=True)
    group.callback(epilog=RUN)(bot)
    group.command("setup", epilog=SETUP)(with_given(setup))
    app.add_typer(group, name="bot")


def bot(context: typer.Context, log: Level = None, home: Home = None, agent: Agent = None) -> None:
    """Run the Discord bot: it answers direct messages, mentions and replies.

    It needs DISCORD_TOKEN and the extra `discord`. It works on the memory here, on
    CONFIDE_DATABASE_URL, or on a server's (CONFIDE_URL with a platform key for discord). No
    privileged intent is used unless the settings say so. Logs hold nobody's words.
    """
    before = context.find_object(Given) or Given()
    given = Given(home=home or before.home, agent=agent or before.agent)
    if context.invoked_subcommand is not None:
        context.obj = given
        return
    from confide.surfaces.cli.opened import run

    settings, token = _ready(given)
    level = level_of(log or settings.log)
    from confide.surfaces.discord.running import run_bot

    run(run_bot(given.fields(), settings, given.server(settings), token, level))


def setup(given: Given) -> None:
    """Check the token, intents and permissions, and show who could hear what in each channel.

    Nothing is stored and no message is sent. It prints a link that invites the bot with the fewest
    permissions, and a notice to pin.
    """
    from confide.surfaces.cli.opened import run

    settings, token = _ready(given)
    from confide.surfaces.discord.preparing import prepare

    found = run(prepare(settings, token))
    say_json(found.as_dict()) if given.as_json else _show(found)


def _ready(given: Given) -> tuple[Settings, str]:
    from importlib.util import find_spec

    from confide.errors import InvalidInput

    settings = given.settings()
    if find_spec("discord") is None:
        raise InvalidInput(
            "bot", "discord.py is not installed; run: pip install 'confide[discord]'"
        )
    if settings.discord_token is None:
        raise InvalidInput(
            "DISCORD_TOKEN", "is missing; copy it from the Bot page of your Discord application"
        )
    return settings, settings.discord_token.get_secret_value()


def _show(found: Prepared) -> None:
    for line in written_out(found):
        say(line)


def written_out(found: Prepared) -> list[str]:
    """What set-up found, line by line."""
    told = [f"The token works: {found.name} ({found.id})."]
    told += ["Invite it with as few permissions as it needs:", f"  {found.invite}", ""]
    for one in found.intents:
        state = "on" if one.is_granted else "off"
        used = "used" if one.is_wanted else "not used"
        told.append(f"{one.name}: {state} in Discord, {used} here ({NEEDED_FOR[one.name]})")
    for guild in found.guilds:
        told += ["", f"{guild.name} ({guild.id})"]
        told += [f"  {one.name:20} {one.place:16} {one.heard_by}" for one in guild.channels]
    for warning in found.warnings:
        told += ["", f"! {warning}"]
    return [*told, "", "A notice to pin where people can see it:", found.notice]

"""Which commands there are, in the order and under the titles in which help shows them.

A command's module is imported when the command runs: all of them together take half a second.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any, Final, NamedTuple

import typer
from typer.main import get_group


class Listed(NamedTuple):
    """One command, or a group of commands."""

    name: str
    about: str  # in the list of all; the command's own help says more
    module: str = ""  # in this package; by default called as the command


#: A new command is added here and nowhere else.
SECTIONS: Final[dict[str, tuple[Listed, ...]]] = {
    "Use": (
        Listed("demo", "Act out a small community: who is told what, and why"),
        Listed("remember", "Keep what somebody said, for those who may hear it"),
        Listed("recall", "Bring back what helps and everyone there may hear"),
        Listed("add", "Learn from a conversation at once"),
        Listed("forget", "Never tell a memory again"),
        Listed("restore", "Undo a forget, or bring back a backup", "forget"),
        Listed("chat", "Talk to the agent as several people in several rooms"),
    ),
    "Share": (
        Listed("share", "Let somebody hear a memory of yours"),
        Listed("unshare", "Take back what you shared", "share"),
        Listed("explain", "Say whether an audience is told a memory, and why"),
        Listed("why", "Say what the last answer was based on"),
        Listed("consent", "Who agreed to what: give, withdraw, ask, answer"),
        Listed("context", "Places with listed participants, such as care"),
    ),
    "My data": (
        Listed("memories", "List a person's own memories"),
        Listed("about-me", "List what is yours and what is about you", "audit"),
        Listed("tellings", "When and where a memory of yours was told", "why"),
        Listed("correct", "Put the right words in the place of a memory"),
        Listed("history", "What a memory of yours said before", "correct"),
        Listed("protect", "Keep a memory from fading"),
        Listed("unprotect", "Let a memory fade again", "protect"),
        Listed("archived", "Your memories that ended and can be restored", "protect"),
        Listed("export", "Write your own memories to a file"),
        Listed("privacy", "Opt out or back in; export or delete what is yours"),
        Listed("request", "Ask about what others said about you"),
    ),
    "Community": (
        Listed("people", "Names, relationships and accounts"),
        Listed("places", "The places that are known, and who is in them"),
        Listed("bot", "Run the Discord bot"),
        Listed("console", "Links to the console in the browser"),
    ),
    "Review": (
        Listed("review", "What waits: approve, reject, edit or move it"),
        Listed("generalize", "Keep an insight made from private memories"),
        Listed("generalizations", "Insights, for their reviewer", "generalize"),
    ),
    "Learn": (
        Listed("observe", "Take in what was said, one JSON object a line"),
        Listed("import", "Bring chats along from other programs", "imports"),
        Listed("worker", "Learn from what was observed"),
        Listed("jobs", "What is to be learned from, and what was given up"),
        Listed("sessions", "Each person's stretches in a place"),
        Listed("sources", "Where what is kept came from"),
    ),
    "Operate": (
        Listed("status", "Whose memory this is, where it lives, how much is in it"),
        Listed("config", "The settings and where they come from"),
        Listed("serve", "Answer over HTTP and MCP, and learn beside it"),
        Listed("mcp", "Offer the memory to a model over MCP"),
        Listed("keys", "Keys for HTTP and MCP"),
        Listed("db", "Look after the database"),
        Listed("backup", "Write all that is kept to one file"),
        Listed("gc", "Archive what ended or is over the quota"),
        Listed("stack", "Signed bundles of memories between agents"),
        Listed("usage", "This month's tokens and money", "models"),
        Listed("reembed", "Add the vectors of another model", "models"),
        Listed("calibrate", "Measure what a model's similarities mean", "models"),
    ),
    "Prove": (
        Listed("leaktest", "Show that nothing is told to the wrong people"),
        Listed("audit", "Who can hear a memory, and the trail of what was done"),
        Listed("doctor", "Look for what is wrong with what is stored"),
        Listed("report", "Memories by day and level, and how well it works"),
        Listed("screen", "Show what the screen sees in a text"),
    ),
}
LISTED: Final = {one.name: one for section in SECTIONS.values() for one in section}


class Commands(MutableMapping[str, Any]):
    """The commands by name. One is made from its module when it is looked up."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made |= _made_in(LISTED[name].module or name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(LISTED)

    def __contains__(self, name: object) -> bool:
        return name in LISTED

    def __len__(self) -> int:
        return len(LISTED)

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]


def _made_in(module: str) -> dict[str, Any]:
    group = typer.Typer(rich_markup_mode=None, add_completion=False)
    import_module(f"confide.surfaces.cli.{module}").register(group)
    return dict(get_group(group).commands)

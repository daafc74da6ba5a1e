"""Which commands do not work on a server's memory, and why. Every other one does."""

from __future__ import annotations

from typing import Final, NamedTuple, NoReturn


class Refusal(NamedTuple):
    """Why a command is not for a key, and what to do instead."""

    why: str
    instead: str
    option: str | None = None  # only with this one, by the name of its parameter


_FILES: Final = Refusal(
    "it works on the files of the database", "run it there, without CONFIDE_URL"
)
_MANY_PEOPLE: Final = (
    "files are taken in where the database is, and their names and counts are about many people"
)
#: By what somebody types; the first word alone stands for a whole group.
HERE_ONLY: Final[dict[str, Refusal]] = {
    "db": _FILES,
    "serve": Refusal("it serves a memory of this machine", "run it there, without CONFIDE_URL"),
    "worker": Refusal(
        "a server learns by itself, beside answering",
        "leave it to the server, or run `confide worker --once` with an admin key",
    ),
    "backup": Refusal(
        "a backup holds everybody's words, which no key may read",
        "run it where the database is, without CONFIDE_URL",
    ),
    "restore FILE": Refusal(
        "a backup replaces everybody's words, which no key may write",
        "run it where the database is, without CONFIDE_URL",
    ),
    "forget --all": Refusal(
        "no key ends the whole memory at once",
        "name --person, --place or --source, or run it where the database is",
        "everything",
    ),
    "stack": Refusal(
        "a stack is what the agent itself hears and gives, and nobody speaks for it with a key",
        "run it where the database is, without CONFIDE_URL",
    ),
    "keys create": Refusal(
        "whoever could make keys from elsewhere could make one that reads everything",
        "run it where the database is, without CONFIDE_URL",
    ),
    "console": Refusal(
        "a link signs somebody in, so no key that a model may hold makes one",
        "run it where the database is; a platform asks for one with POST /v1/sign-in-links",
    ),
    "generalizations approve": Refusal(
        "letting an insight go needs somebody who can read it, and no key may read it all",
        "run it where the database is; `confide generalizations reject` works with an admin key",
    ),
    "audit verify --accept": Refusal(
        "the seal that a trail is compared with lies in a folder beside the database",
        "run it where the database is, without CONFIDE_URL",
        "accept",
    ),
    "observe --wait": Refusal(
        "a server learns by itself, beside answering",
        "leave --wait out; `confide jobs` shows an admin key what is left",
        "wait",
    ),
    "import --as-it-was": Refusal(
        "only the operator brings a file back with every field",
        "run it where the database is, without CONFIDE_URL",
        "as_it_was",
    ),
    "sources": Refusal(
        _MANY_PEOPLE,
        "run it where the database is; `confide forget --source` works with a key",
    ),
    "chat --here": Refusal(
        "it shows what is withheld and why, which no key may see of others",
        "run it where the database is; without --here it plays in a throw-away memory",
        "here",
    ),
}
#: Nothing of theirs is in anybody's memory: they work on settings, text or a throw-away one.
NO_MEMORY: Final = frozenset(
    {"bot setup", "chat", "config show", "demo", "leaktest", "mcp install", "mcp status",
     "mcp uninstall", "screen"}
)  # fmt: skip


def refused(command: str, options: set[str]) -> str | None:
    """What of the list somebody typed: a command with the options they gave."""
    for words, refusal in HERE_ONLY.items():
        named = words.split(" --")[0]
        if named in (command, command.split()[0]) and refusal.option in (None, *options):
            return None if words == "worker" and "once" in options else words
    return None


def refuse(words: str) -> NoReturn:
    """The one error of every command that does not work on a server's memory."""
    from confide.errors import NotAllowed

    why, instead, _ = HERE_ONLY[words]
    raise NotAllowed(f"confide {words} runs where the database is: {why}; {instead}")

"""What a line brings: an answer with what stands beside it, a notice, or a few rows."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from confide.surfaces.chat.scene import called
from confide.surfaces.cli.clauses import clause_in_words

if TYPE_CHECKING:
    from confide.chat.behind import Withheld
    from confide.model import Entity
    from confide.recall.context import Told

Rows = tuple[tuple[str, str], ...]

#: How each command is written, and what it is for.
COMMANDS: Final = {
    "as": ("/as NAME", "be somebody else"),
    "in": ("/in ROOM", "go to dm, friends, mods@guild, public:ID@SPACE, …"),
    "with": ("/with NAME …", "have others here too"),
    "leave": ("/leave NAME", "have somebody go"),
    "rooms": ("/rooms", "see where one can be, and who is there"),
    "why": ("/why", "see why the last answer told what it did, and what not"),
    "forget": ("/forget N", "erase what [N] of the last answer says"),
    "help": ("/help", "see this"),
    "quit": ("/quit", "leave, like Ctrl-D"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Nothing of it is stored."""

    notice: str = ""
    rows: Rows = ()  # the same as `notice`, for who can lay it out
    answer: str = ""
    told: tuple[Told, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    remembered: tuple[str, ...] = ()
    is_by_model: bool = False
    is_over: bool = False

    def without(self, id: uuid.UUID) -> Shown:
        """What was told keeps its number; what was withheld was only ever seen here."""
        return replace(self, withheld=tuple(one for one in self.withheld if one.id != id))


def tabled(rows: Rows) -> Shown:
    width = max(len(left) for left, _ in rows)
    return Shown(
        notice="\n".join(f"{left:<{width}}  {right}".rstrip() for left, right in rows), rows=rows
    )


def help_rows() -> Rows:
    return tuple(COMMANDS.values())


def why_rows(shown: Shown) -> Rows:
    """Told ones by their number, withheld ones by their letter, as beside the answer."""
    told = tuple(
        (f"[{number}]", "told: everyone who saw the answer may hear it")
        for number, _ in enumerate(shown.told, start=1)
    )
    return told + tuple(
        (
            letter(at),
            "\n".join(filter(None, (quoted(one), f"withheld: {one.because}", clause(one)))),
        )
        for at, one in enumerate(shown.withheld)
    )


def letter(at: int) -> str:
    return f"({chr(ord('a') + at)})" if at < 26 else f"({at + 1})"


def quoted(one: Withheld) -> str:
    return f"“{one_line(one.text)}”" if one.text else ""


def clause(one: Withheld) -> str:
    return clause_in_words(one.clause) if one.clause else ""


def name(owner: Entity, owner_name: str) -> str:
    """What somebody is called now, with what one types to be them."""
    written = called(owner)
    shown = one_line(owner_name)
    return written if shown in ("", written, str(owner)) else f"{shown} ({written})"


def one_line(text: str) -> str:
    """A name or quotation that holds line ends must not look like several of our lines."""
    return " ".join(text.split())

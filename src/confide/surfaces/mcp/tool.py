"""What a tool is: its words for the model, typed fields in and out, and what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from confide.errors import ConfideError, InvalidInput

if TYPE_CHECKING:
    from confide.surfaces.mcp.visit import Visit


class Fields(BaseModel):
    """What a tool takes or gives. A field nobody knows is a mistake, not an identity."""

    model_config = ConfigDict(extra="forbid")

    def in_words(self) -> str:
        """For models that read text."""
        return self.model_dump_json(exclude_none=True)


@dataclass(frozen=True, slots=True)
class Effects:
    """What a client may tell its user before the tool runs."""

    reads_only: bool = False
    destroys: bool = False
    is_repeatable: bool = False  # a second call with the same fields changes nothing more


READS = Effects(reads_only=True, is_repeatable=True)
ADDS = Effects()
NARROWS = Effects(destroys=True, is_repeatable=True)
CHOOSES = Effects(is_repeatable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    name: str
    title: str
    teaches: str  # when to use it, and when not
    takes: type[Fields]
    gives: type[Fields]
    run: Callable[[Visit, Any], Awaitable[Fields]]
    effects: Effects
    #: What verbs call these fields, and what the caller of the tool wrote.
    written: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)

    def says(self, problem: ConfideError) -> str:
        """What is wrong, with the name of the field that the caller wrote."""
        if isinstance(problem, InvalidInput):
            return f"{self.written.get(problem.field, problem.field)}: {problem.problem}"
        return str(problem)

"""Step 1 of recalling: how it is to be answered (B15), and how much of it at most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from confide.errors import InvalidInput
from confide.model import Manner
from confide.recall.search import Wanted

if TYPE_CHECKING:
    from confide.config import Settings

#: As the settings allow.
TOP_K: Final = (1, 100)
TOKENS: Final = (400, 1_000_000)


def wishes(
    settings: Settings,
    *,
    manner: Manner | str = Manner.HELPFUL,
    top_k: int | None = None,
    tokens: int | None = None,
) -> tuple[Wanted, int]:
    """What one call asks for, and how long its block may be; the settings say the rest."""
    most = settings.top_k if top_k is None else _within("top_k", top_k, *TOP_K)
    budget = settings.context_tokens if tokens is None else _within("tokens", tokens, *TOKENS)
    wanted = Wanted(top_k=most, similarity=settings.similarity, manner=manner_of(manner))
    return wanted, budget


def manner_of(given: object) -> Manner:
    try:
        return Manner(given)
    except ValueError:
        known = ", ".join(Manner)
        raise InvalidInput("manner", f"{given!r} is unknown; use one of {known}") from None


def _within(field: str, given: object, least: int, most: int) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
        raise InvalidInput(field, f"is a whole number from {least} to {most}")
    return given

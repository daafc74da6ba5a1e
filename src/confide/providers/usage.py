"""What a provider says it counted."""

from typing import NamedTuple


class Tokens(NamedTuple):
    """Tokens that a model read and wrote."""

    read: int = 0
    written: int = 0

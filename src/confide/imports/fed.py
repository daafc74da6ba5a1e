"""How a JSON file is fed to its parser, so that no file costs more memory or time than its size allows."""

from __future__ import annotations

import re
from typing import IO, Final

_QUOTE: Final = re.compile(rb'(?<!\\)"')


class TooBig(Exception):
    """A file holds what no chat holds: endless strings or nesting."""


class Fed:
    """A file for the parser, with the number of bytes that it was given.

    The parser answers a piece at a time, and keeps the path of each level: many openings in one piece
    would cost memory by their square, so pieces are small. Inside a long string it begins again with
    every piece, which costs time by the square, so there the pieces grow.
    """

    LEAST: Final = 2048
    MOST: Final = 1024**2
    LONGEST: Final = 32 * 1024**2  # of a string: an attached picture
    LONGEST_SLOW: Final = 2 * 1024**2  # of one that must be fed in small pieces

    def __init__(self, file: IO[bytes]) -> None:
        self.position = 0
        self._file = file
        self._size = self.LEAST
        self._rest = b""
        self._last = b""
        self._since = self._slow = 0  # bytes without a quotation mark

    def read(self, size: int = -1) -> bytes:
        if size == 0:  # the parser asks whether these are bytes
            return b""
        piece = self._rest or self._file.read(self._size)
        self._rest = b""
        may_nest = piece.count(b"[") + piece.count(b"{") > self.LEAST // 16
        if may_nest:
            piece, self._rest = piece[: self.LEAST], piece[self.LEAST :]
        self._watch(piece, may_nest)
        self.position += len(piece)
        return piece

    def _watch(self, piece: bytes, may_nest: bool) -> None:
        if _QUOTE.search(self._last + piece, len(self._last)):
            self._since = self._slow = 0
            self._size = self.LEAST
        else:
            self._since += len(piece)
            self._slow += len(piece) if may_nest else 0
            self._size = self.LEAST if may_nest else min(self._size * 2, self.MOST)
        self._last = piece[-1:]
        if self._since > self.LONGEST or self._slow > self.LONGEST_SLOW:
            raise TooBig("has a value that is too long for a chat")

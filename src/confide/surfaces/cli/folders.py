"""Files that a command writes for one person: nobody else on the machine may read them."""

from __future__ import annotations

import os
from pathlib import Path


def new_folder(written: str) -> Path:
    """A folder that is empty; what somebody has there already is not written over."""
    from confide.errors import InvalidInput

    if not written or "\0" in written:
        raise InvalidInput("out", "names no folder; for example --out my-export")
    folder = Path(written).expanduser()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_empty = not any(folder.iterdir())
    except OSError as problem:
        raise InvalidInput(
            "out", f"cannot be used ({type(problem).__name__}); name a new folder"
        ) from None
    if not is_empty:
        raise InvalidInput("out", "is not empty; name a new folder")
    return folder


def write_private(path: Path, body: bytes) -> None:
    """A new file, for its owner alone."""
    from confide.errors import InvalidInput

    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "wb") as file:
            file.write(body)
    except OSError as problem:
        raise InvalidInput(
            "out", f"{path.name} cannot be written ({type(problem).__name__})"
        ) from None

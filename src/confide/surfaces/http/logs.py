"""One JSON object a line: events, ids and numbers. Nobody's words, also not inside a traceback."""

from __future__ import annotations

import json
import logging
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
FIELDS: Final = ("method", "route", "status", "milliseconds", "caller", "bytes_read")


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
        }
        if (id := request_id.get()) is not None:
            line["request"] = id
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = without_words(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False, default=str)


def without_words(error: BaseException) -> list[dict[str, Any]]:
    """What was raised and where, outermost cause last. An error's own words may quote a memory."""
    told: list[dict[str, Any]] = []
    at: BaseException | None = error
    while at is not None and len(told) < 10:
        frames = traceback.extract_tb(at.__traceback__)
        where = [f"{_short(f.filename)}:{f.lineno} {f.name}" for f in frames[-20:]]
        told.append({"type": type(at).__name__, "at": where})
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return told


def _event(record: logging.LogRecord) -> str:
    """Our own events are written without content. What others say may repeat an error's words."""
    if record.name == "confide" or record.name.startswith("confide."):
        return record.getMessage()
    if record.name == "uvicorn.error":
        return record.getMessage().partition("\n")[0]
    return f"{_short(record.pathname)}:{record.lineno}"


def _short(path: str) -> str:
    """From the package on: where it is installed is nobody's business."""
    parts = path.replace("\\", "/").split("/")
    for root in ("site-packages", "src"):
        if root in parts:
            return "/".join(parts[parts.index(root) + 1 :])
    return "/".join(parts[-2:])


def write_logs(level: int) -> None:
    """To standard error, for everything in this process."""
    lines = logging.StreamHandler()
    lines.setFormatter(JsonLines())
    logging.root.handlers[:] = [lines]
    logging.root.setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = name != "uvicorn.access"

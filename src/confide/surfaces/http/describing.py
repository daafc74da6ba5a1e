"""The OpenAPI document: what FastAPI writes, and who may call what with which headers."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from confide.surfaces.http.door import CALLERS, ONCE
from confide.surfaces.http.once import LONGEST
from confide.surfaces.http.problems import Problem

ABOUT: Final = """Long-term memory for AI agents that tells only what is fit for everyone who will
see the answer. Every route under /v1 needs a key or an audience token as `Authorization: Bearer …`;
`x-callers` says which kinds. Hidden and absent are one answer: 404 with the same words."""
IDEMPOTENCY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Asking twice with one key does it once; the answer is kept for a day.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST},
    "example": "6f1c2d9e-0b57-4a52-9d1f-3f2a6f6f0c11",
}
SECURITY: Final = {
    "key": {"type": "http", "scheme": "bearer", "description": "A key, or an audience token."}
}


#: Every application of one program has the same routes.
_made: Final[dict[str, Any]] = {}


def describe(app: FastAPI) -> None:
    def document() -> dict[str, Any]:
        if not _made:
            _made.update(_written(app))
        return _made

    app.openapi = document


def _written(app: FastAPI) -> dict[str, Any]:
    written = get_openapi(
        title=app.title, version=app.version, description=ABOUT, routes=app.routes
    )
    parts = written.setdefault("components", {})
    parts["securitySchemes"] = SECURITY
    parts.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
    for operations in written["paths"].values():
        for operation in operations.values():
            if CALLERS not in operation:
                continue
            operation["security"] = [{"key": []}]
            if operation.pop(ONCE):
                operation.setdefault("parameters", []).append(IDEMPOTENCY)
    _only_problems(written)
    return written


def _only_problems(written: dict[str, Any]) -> None:
    """Errors have one media type, also those that FastAPI would describe in its own way."""
    for operations in written["paths"].values():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if status.startswith(("4", "5")):
                    response["content"] = {
                        "application/problem+json": {
                            "schema": {"$ref": "#/components/schemas/Problem"}
                        }
                    }
    for name in ("HTTPValidationError", "ValidationError"):
        written["components"]["schemas"].pop(name, None)

"""Long-term memory for AI agents that talk to more than one person.

It remembers what people tell an agent and brings back what helps, but only what is fit for
everyone who will see the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confide.actor import Actor, operator_as
    from confide.client import ConfideClient
    from confide.errors import ConfideError
    from confide.memories import Confide
    from confide.model import Entity, Kind, Namespace, Place, Scope, Sensitivity
    from confide.privacy.acting import CallerKind
    from confide.privacy.policy import Audience, Decision
    from confide.reading import audience, statement
    from confide.recall.context import Context
    from confide.remember.statement import Statement

__all__ = [
    "Actor",
    "Audience",
    "CallerKind",
    "Confide",
    "ConfideClient",
    "ConfideError",
    "Context",
    "Decision",
    "Entity",
    "Kind",
    "Namespace",
    "Place",
    "Scope",
    "Sensitivity",
    "Statement",
    "audience",
    "operator_as",
    "statement",
]
__version__ = "0.1.0"

_HOME = {
    "Actor": "actor", "CallerKind": "privacy.acting", "operator_as": "actor", "ConfideError": "errors",
    "Confide": "memories", "ConfideClient": "client", "Entity": "model", "Kind": "model", "Namespace": "model",
    "Place": "model", "Scope": "model", "Sensitivity": "model", "Audience": "privacy.policy",
    "Decision": "privacy.policy", "audience": "reading", "statement": "reading",
    "Context": "recall.context", "Statement": "remember.statement",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: a shell command should not wait for all of them."""
    if name not in _HOME:
        raise AttributeError(f"module 'confide' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"confide.{_HOME[name]}"), name)

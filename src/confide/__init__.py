"""Long-term memory for AI agents that talk to more than one person.

It remembers what people tell an agent and brings back what helps, but only what is fit for
everyone who will see the answer.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which takes as long to load as all the rest of this
if TYPE_CHECKING:
    from typing import Any

    from confide.actor import Actor, operator_as
    from confide.client import ConfideClient
    from confide.errors import (
        ConfideError,
        ConsentMissing,
        InvalidInput,
        NotAllowed,
        NotFound,
        NotRecognized,
        OnlyAsked,
        SecretRefused,
        StoreError,
        SwitchedOff,
        TooMany,
    )
    from confide.keep.keys import Wanted as NewKey
    from confide.memories import Confide
    from confide.model import (
        Account,
        Entity,
        Kind,
        Message,
        Namespace,
        Place,
        PlaceKind,
        Scope,
        Sensitivity,
    )
    from confide.privacy.acting import CallerKind
    from confide.privacy.policy import Audience, Decision
    from confide.reading import audience, statement
    from confide.recall.context import Context
    from confide.remember.keep import Remembered
    from confide.remember.statement import Statement
    from confide.store.keys import KeyKind
    from confide.store.memory import Memory

__all__ = [
    "Account",
    "Actor",
    "Audience",
    "CallerKind",
    "Confide",
    "ConfideClient",
    "ConfideError",
    "ConsentMissing",
    "Context",
    "Decision",
    "Entity",
    "InvalidInput",
    "KeyKind",
    "Kind",
    "Memory",
    "Message",
    "Namespace",
    "NewKey",
    "NotAllowed",
    "NotFound",
    "NotRecognized",
    "OnlyAsked",
    "Place",
    "PlaceKind",
    "Remembered",
    "Scope",
    "SecretRefused",
    "Sensitivity",
    "Statement",
    "StoreError",
    "SwitchedOff",
    "TooMany",
    "audience",
    "operator_as",
    "statement",
]
__version__ = "0.1.0"

#: The module of each public name.
_HOME = {
    "Account": "model",
    "Actor": "actor",
    "Audience": "privacy.policy",
    "CallerKind": "privacy.acting",
    "Confide": "memories",
    "ConfideClient": "client",
    "ConfideError": "errors",
    "ConsentMissing": "errors",
    "Context": "recall.context",
    "Decision": "privacy.policy",
    "Entity": "model",
    "InvalidInput": "errors",
    "KeyKind": "store.keys",
    "Kind": "model",
    "Memory": "store.memory",
    "Message": "model",
    "Namespace": "model",
    "NewKey": "keep.keys",
    "NotAllowed": "errors",
    "NotFound": "errors",
    "NotRecognized": "errors",
    "OnlyAsked": "errors",
    "Place": "model",
    "PlaceKind": "model",
    "Remembered": "remember.keep",
    "Scope": "model",
    "SecretRefused": "errors",
    "Sensitivity": "model",
    "Statement": "remember.statement",
    "StoreError": "errors",
    "SwitchedOff": "errors",
    "TooMany": "errors",
    "audience": "reading",
    "operator_as": "actor",
    "statement": "reading",
}
_THERE = {"NewKey": "Wanted"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: a shell command should not wait for all of them."""
    if name not in _HOME:
        raise AttributeError(f"module 'confide' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"confide.{_HOME[name]}"), _THERE.get(name, name))


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

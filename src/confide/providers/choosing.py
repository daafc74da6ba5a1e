"""Which models the settings name. Their SDKs are imported when one is first asked."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from confide.errors import InvalidInput

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.providers.llm.model import LanguageModel
    from confide.providers.vectors import ExternalEmbedder


log = logging.getLogger("confide.models")
#: Two short sentences are not worth more; CONFIDE_MERGE_MODEL names another.
MERGES_BESIDE_CLAUDE: Final = "claude-haiku-4-5"


def language_model(settings: Settings, name: str | None = None) -> LanguageModel | None:
    """None: there is no key, or nothing may leave; the built-in parts do the work."""
    from confide.providers.llm.model import LanguageModel

    key = settings.anthropic_key.get_secret_value() if settings.anthropic_key else None
    model = LanguageModel(
        name=name or settings.model,
        key=key,
        url=settings.anthropic_url,
        timeout=settings.model_seconds,
    )
    has_key = bool(key) or model.provider != "anthropic"
    if not has_key or settings.external_models == "none":
        return None
    if find_spec("pydantic_ai") is not None:
        return model
    if model.provider == "anthropic":
        # The key has its usual name and may be there for another program.
        log.warning("%s is not used: pip install 'confide[anthropic]'", model.name)
        return None
    # Said when the memory is opened: a session must not fail for want of a package.
    raise InvalidInput(
        "CONFIDE_MODEL", f"{model.name} needs packages; pip install 'confide[anthropic]'"
    )


def merging_model(settings: Settings) -> LanguageModel | None:
    """A cheaper one of the same provider, unless the settings name another."""
    model = language_model(settings, settings.merge_model)
    if model is None or settings.merge_model or model.provider != "anthropic":
        return model
    return language_model(settings, MERGES_BESIDE_CLAUDE)


def is_local(model: str) -> bool:
    """A model of this machine: nothing leaves, whatever the settings say of providers."""
    return model.startswith("onnx:")


def external_embedder(settings: Settings, model: str | None = None) -> ExternalEmbedder | None:
    """The embedder beside the built-in one, if any."""
    name = model or settings.embedder
    if is_local(name):
        from confide.providers.onnx import OnnxEmbedder

        return OnnxEmbedder(name)
    if name == "builtin" or settings.external_models == "none":
        return None
    if ":" in name:
        return _any_embedder(name, settings.model_seconds)
    if not name.startswith("voyage"):
        raise InvalidInput(
            "CONFIDE_EMBEDDER",
            f"{name!r} is neither builtin, nor a model of Voyage, nor PROVIDER:MODEL of pydantic-ai, nor onnx:FOLDER",
        )
    if settings.voyage_key is None:
        raise InvalidInput("VOYAGE_API_KEY", f"is not set, and {name} needs it")
    from confide.providers.voyage import VoyageEmbedder

    return VoyageEmbedder(
        name,
        key=settings.voyage_key.get_secret_value(),
        url=settings.voyage_url,
        timeout=settings.model_seconds,
    )


def _any_embedder(name: str, seconds: float) -> ExternalEmbedder:
    if find_spec("pydantic_ai") is None:
        raise InvalidInput(
            "CONFIDE_EMBEDDER", f"{name} needs packages; pip install 'confide[anthropic]'"
        )
    from confide.providers.any_embedder import AnyEmbedder

    return AnyEmbedder(name, timeout=seconds)

"""What people asked outright to have remembered (A4): "remember for two weeks that …"."""

from __future__ import annotations

from dataclasses import replace

from confide.model import Fact
from confide.providers.builtin import BuiltinExtractor, Request, infer_kind, requested
from confide.store.journal import Found
from confide.store.messages import Heard

_extractor = BuiltinExtractor()


def asked_for(heard: Heard) -> list[Found]:
    """Each thing the message asks to remember; empty if it asks for nothing."""
    return [
        Found(
            _fact(heard, request),
            is_asked_for=True,
            lifetime=request.lifetime,
            is_private=request.is_private,
            is_everywhere=request.is_everywhere,
        )
        for request in requested(heard.message.text)
    ]


def _fact(heard: Heard, request: Request) -> Fact:
    """As the speaker put it. The extractor only adds what it knows of people, dates and attributes."""
    said = replace(heard.message, text=request.text)
    found = _extractor.extract([said])
    about = next((one for one in found if one.attribute is None), None)
    attribute = next((one for one in found if one.attribute is not None), None)
    is_all_of_it = about is not None and about.snippet.strip(" .!") == request.text.strip(" .!")
    return Fact(
        text=about.text if about and is_all_of_it else _capital(request.text),
        snippet=_snippet(heard.message.text, request.text),
        message_id=heard.message.id,
        speaker=heard.message.speaker,
        kind=(about or attribute).kind if (about or attribute) else infer_kind(request.text),  # type: ignore[union-attr]
        confidence=1.0,
        subjects=tuple(dict.fromkeys(name for one in found for name in one.subjects)),
        is_global_safe=attribute is not None,
        is_about_answering=bool(about and about.is_about_answering),
        attribute=attribute.attribute if attribute else None,
        happened_on=about.happened_on if about else None,
    )


def _snippet(text: str, part: str) -> str:
    return part if part in text else text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""Extraction without a key and without a model: rules whose words and weights are data."""

from confide.providers.builtin.dates import resolve_date
from confide.providers.builtin.extractor import BuiltinExtractor
from confide.providers.builtin.kinds import infer_kind
from confide.providers.builtin.remember_requests import Request, requested
from confide.providers.builtin.subjects import relation

__all__ = ["BuiltinExtractor", "Request", "infer_kind", "relation", "requested", "resolve_date"]

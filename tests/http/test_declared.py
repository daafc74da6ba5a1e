"""Every route is made from a declared verb, but for the few that are named here."""

from __future__ import annotations

from typing import Any, cast

import pytest

from confide.surfaces.http.app import build
from confide.verbs import GROUPS, group_called

#: Probes, streams and files stay by hand; the others are still to be declared.
BY_HAND = {
    "GET /healthz", "GET /metrics", "GET /readyz", "GET /v1/whoami",
    "POST /v1/imports", "POST /v1/messages", "POST /v1/messages/add", "POST /v1/messages/stream",
    "DELETE /v1/consents/{consent_id}", "DELETE /v1/memories/{memory_id}",
    "DELETE /v1/memories/{memory_id}/shares", "GET /v1/consent-requests", "GET /v1/consents",
    "GET /v1/memories", "GET /v1/memories/{memory_id}", "GET /v1/memories/{memory_id}/audit",
    "GET /v1/mine/mentions", "GET /v1/mine/search",
    "GET /v1/mine/stats",
    "POST /v1/consent-requests/{request_id}/answer", "POST /v1/consents", "POST /v1/memories",
    "POST /v1/memories/{memory_id}/consent-requests", "POST /v1/memories/{memory_id}/explain",
    "POST /v1/memories/{memory_id}/restore", "POST /v1/memories/{memory_id}/shares",
    "POST /v1/recall", "POST /v1/recheck", "POST /v1/why",
}  # fmt: skip


@pytest.mark.req("K14")
def test_routes_are_those_declared_and_a_few_by_hand() -> None:
    document = build(cast("Any", None)).openapi()
    served = {
        f"{method.upper()} {path}" for path, ways in document["paths"].items() for method in ways
    }
    declared = {
        f"{verb.method} {verb.path.replace(':path', '')}"
        for name in GROUPS
        for verb in group_called(name).verbs
    }
    assert served - declared == BY_HAND
    assert declared <= served

"""Errors name the fields that a caller wrote, and schemas explain themselves."""

from __future__ import annotations

import json
import re

import pytest
from tests.mcp.conftest import Connect, Keys, refused

from confide import Confide
from confide.surfaces.http.app import build
from confide.surfaces.mcp.profiles import PROFILES, every_tool
from confide.surfaces.mcp.server import described

REQUIREMENT = re.compile(r"[^\".]*\b[SKAPB]\d{1,2}\b")
WRONG = [
    ("memory_create", "expires", {"text": "I like tea.", "expires": "soon"}),
    ("memory_create", "expires", {"text": "I like tea.", "expires": "0d"}),
    ("memory_create", "subject_ids", {"text": "I like tea.", "subject_ids": ["nobody"]}),
    ("memory_create", "access_grants", {"text": "I like tea.", "access_grants": ["?"]}),
    ("memory_create", "consent_grants", {"text": "x", "consent_grants": ["human:alice"]}),
    ("memory_create", "source", {"text": "I like tea.", "source": "?"}),
    ("memory_create", "context", {"text": "I like tea.", "context": "somewhere"}),
    ("memory_generalize", "access_grants", {"memory_ids": ["x"], "text": "y", "access_grants": ["?"]}),
    ("remember", "expires", {"text": "I like tea.", "expires": "soon"}),
    ("remember", "keep_for", {"text": "I like tea.", "keep_for": "all"}),
    ("recall", "limit", {"query": "tea", "limit": 0}),
]  # fmt: skip


@pytest.mark.req("K14", "K16")
async def test_an_error_names_the_field_that_was_written(connect: Connect, keys: Keys) -> None:
    secret = await keys.personal("human:alice")
    for name, profile in PROFILES.items():
        offered = {tool.name for tool in profile.tools}
        async with connect(secret, **{"Confide-Profile": name}) as client:
            for tool, field, given in WRONG:
                if tool in offered:
                    said = await refused(client, tool, **given)
                    assert said.startswith(f"{field}:"), (tool, given, said)


@pytest.mark.req("K16")
async def test_no_schema_names_requirements(confide: Confide) -> None:
    shown = [described(tool, True).model_dump_json() for tool in every_tool()]
    shown.append(json.dumps(build(confide).openapi()))
    assert {found for one in shown for found in REQUIREMENT.findall(one)} == set()

"""Arguments for any route or tool, drawn from its schema: what is there, and what would widen it."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.acting.scene import CARE, GROUP, HELD, MODS, PUBLIC, Scene

#: What strings mean, by the name of their field.
WORDS: dict[str, list[Any]] = {
    "grantee": ["*", "human:eve", "human:bob", "space:guild"],
    "access": ["*", "human:eve", "human:pat", "place:g"],
    "access_grants": ["*", "human:eve", "place:g"],
    "grants": ["*", "human:eve"],
    "consent": ["human:pat"],
    "only_for": ["human:eve", "role:nurse"],
    "consent_grants": ["human:pat"],
    "about": ["human:pat", "human:eve", "human:bob"],
    "subject_ids": ["human:pat", "human:eve"],
    "of": ["human:pat", "human:bob"],
    "who": ["human:pat"],
    "entity": ["human:pat", "human:bob"],
    "person": ["human:pat"],
    "one": ["human:pat"],
    "other": ["human:pat2", "human:eve"],
    "guardian": ["human:pat"],
    "source": ["local", "human:bob"],
    "place": ["dm", GROUP, PUBLIC, MODS],
    "said_in": ["dm", GROUP, MODS],
    "where": [PUBLIC, GROUP, "space:guild"],
    "context": [CARE],
    "purpose": ["care"],
    "lasts": ["30d"],
    "lifetime": ["6m"],
    "expires": ["6m"],
    "kind": ["identity", "preference", "knowledge"],
    "namespace": ["work", "work/project:x"],
    "id": [], "memory": [], "memory_id": [], "memory_ids": [], "sources": [],
    "consent_id": [], "request_id": [], "merge_id": [], "merge": [], "claim": [], "erasure_id": [], "key_id": [],
    "text": [
        "My in-game name is OakBorn", "I keep bees", "Fresh bread needs time", HELD,
        "My favourite modpack is Create",
    ],
    "question": ["What do I keep?"], "query": ["What do I keep?"],
}  # fmt: skip
#: Which things the ids of a field name.
THINGS = {
    "id": "memory", "memory": "memory", "memory_id": "memory", "memory_ids": "memory", "sources": "memory",
    "consent_id": "consent", "request_id": "request", "merge_id": "merge", "merge": "merge", "claim": "claim", "erasure_id": "erasure",
}  # fmt: skip
#: Whoever speaks for one person leaves these out, or is refused for them.
NEVER = {"as", "by", "asker", "is_preview", "place", "present", "said_at"}


class Drawing:
    """One caller's arguments, with a fixed seed."""

    def __init__(self, scene: Scene, chance: Random, document: dict[str, Any]) -> None:
        self._scene, self._chance, self._document = scene, chance, document

    def some(self, things: list[str], most: int) -> list[str]:
        return self._chance.sample(things, min(most, len(things)))

    def body(self, schema: dict[str, Any]) -> dict[str, Any]:
        schema = self._resolved(schema)
        wanted = set(schema.get("required", ()))
        return {
            name: self.value(field, name)
            for name, field in schema.get("properties", {}).items()
            if name in wanted or (name not in NEVER and self._chance.random() < 0.35)
        }

    def value(self, schema: dict[str, Any], name: str) -> Any:
        schema = self._resolved(schema)
        if "anyOf" in schema:
            kinds = [one for one in schema["anyOf"] if one.get("type") != "null"]
            return self.value(self._chance.choice(kinds), name)
        if schema.get("type") == "array":
            many = self._chance.choice((1, 1, 3))
            items = [self.value(schema.get("items", {}), name) for _ in range(many)]
            return list({json.dumps(one, sort_keys=True): one for one in items}.values())
        if "enum" in schema:
            return self._chance.choice(schema["enum"])
        match schema.get("type"):
            case "boolean":
                return self._chance.random() < 0.6
            case "integer":
                return schema.get("minimum", 1)
            case "number":
                return 1
            case "object":
                return self.body(schema)
            case _:
                return self._word(name)

    def _word(self, name: str) -> str:
        pool = self._scene.ids.get(THINGS.get(name, ""), ()) or WORDS.get(name) or ["pears"]
        return self._chance.choice(list(pool))

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            found: Any = self._document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            schema = found
        return schema

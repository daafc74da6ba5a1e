"""Export (S21): all that is kept of somebody, as far as it may be told to them alone.

The same state gives the same bytes, so that two exports can be compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from confide.errors import NotFound
from confide.keep.correcting import only
from confide.keep.data_requests import DataRequest, read_request
from confide.keep.history import may_hear_once_said
from confide.keep.opting import PrivacyState, state
from confide.keep.reading_export import readable
from confide.keep.sources import NO_SUCH_SOURCE
from confide.model import Entity, Namespace
from confide.privacy.disclosure import disclose
from confide.privacy.policy import decide
from confide.store import consents, memories, sources
from confide.store.connection import Row
from confide.store.consents import Given
from confide.store.encoding import read_clauses
from confide.store.erasing import ALWAYS
from confide.store.memory import Memory, read_memory
from confide.store.names import with_names
from confide.store.queries import query
from confide.wire.forms import write_grantee, write_namespace

if TYPE_CHECKING:
    from confide.store.database import Database

FORMAT: Final = "confide-export-1"


@dataclass(frozen=True, slots=True)
class Export:
    """Files by name: what is kept as JSON and for reading, and a manifest with their hashes."""

    files: Mapping[str, bytes]
    manifest: Mapping[str, Any]


async def export(
    database: Database,
    who: Entity,
    now: datetime,
    source: str | None = None,
    namespace: Namespace | None = None,
) -> Export:
    levels = await _levels(database, who) if namespace is None else [namespace]
    said, about = await _told(database, who, levels, now)
    kept = {
        "format": FORMAT,
        "agent": database.agent,
        "entity": str(who),
        "privacy": _state(await state(database, who)),
        "memories": said,
        "not_told_now": await _past(database, who, now, namespace),
        "said_about_you": about,
        "messages": await _messages(database, who, levels, now),
        **await _records(database, who),
    }
    if source is not None:
        kept = _only_from(source, kept, await _came_from(database, who, source))
    messages = cast("list[dict[str, Any]]", kept["messages"])
    kept["messages"] = [
        {name: value for name, value in one.items() if name != "id"} for one in messages
    ]
    files = {
        "export.json": (_json(kept) + "\n").encode(),
        "export.md": readable(kept).encode(),
    }
    manifest = {
        "format": FORMAT,
        "agent": database.agent,
        "entity": str(who),
        "counts": {
            name: len(cast("list[object]", found))
            for name, found in kept.items()
            if isinstance(found, list)
        },
        "files": {
            name: {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
            for name, body in sorted(files.items())
        },
    }
    return Export({**files, "manifest.json": (_json(manifest) + "\n").encode()}, manifest)


async def _levels(database: Database, who: Entity) -> list[Namespace]:
    """Every level of their memory, their global one first."""
    async with database.keep() as connection:
        rows = await connection.fetch(query("rights", "namespaces"), database.agent, str(who))
    named = (Namespace(row["workspace"], row["namespace_scope"]) for row in rows)
    return list(dict.fromkeys((Namespace(), *named)))


async def _told(
    database: Database, who: Entity, levels: Sequence[Namespace], now: datetime
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Their own memories, and what others said about them, level by level."""
    async with database.keep() as connection:
        spaces = await connection.fetch(query("rights", "spaces"), database.agent, str(who))
    # As they could ask: at each level of their memory, and in each space they are in.
    heard_as = [only(who, level) for level in levels]
    heard_as += [only(who, space=row["space"]) for row in spaces]
    own: dict[object, dict[str, Any]] = {}
    about: dict[object, dict[str, Any]] = {}
    for audience in heard_as:
        async with database.tell(audience, now) as telling:
            rows = await telling.connection.fetch(query("rights", "concerning"), str(who))
            found = [read_memory(row, telling.world.agent) for row in rows]
            told = disclose(found, telling.audience, telling.world).told
            words = await memories.evidence(telling, [one.id for one in told])
        told = await with_names(database, who, told)
        for one in told:
            is_own = who in (one.owner, one.speaker)
            (own if is_own else about)[one.id] = _memory(one) | {
                "evidence": [{"speaker": by, "text": text} for by, text in words.get(one.id, ())]
            }
    return _ordered(own.values()), _ordered(about.values())


async def _past(
    database: Database, who: Entity, now: datetime, within: Namespace | None
) -> list[dict[str, Any]]:
    async with database.keep() as connection:
        rows = await connection.fetch(query("rights", "own_past"), database.agent, str(who), now)
    said = [read_memory(row, database.agent_entity) for row in rows]
    if within is not None:
        said = [one for one in said if _is_within(one, within)]
    heard = await with_names(database, who, await may_hear_once_said(database, who, said, now))
    return _ordered(
        _memory(one) | {"waits_because": one.waits_because, "is_opted_out": one.is_opted_out}
        for one in heard
    )


def _is_within(one: Memory, level: Namespace) -> bool:
    return (one.origin.namespace or Namespace()) in level.and_ancestors()


async def _messages(
    database: Database, who: Entity, levels: Sequence[Namespace], now: datetime
) -> list[dict[str, Any]]:
    """What they said and was not purged yet, where the rule would tell it to them."""
    async with database.keep() as connection:
        rows = await connection.fetch(query("rights", "own_messages"), database.agent, str(who))
    found: dict[object, dict[str, Any]] = {}
    for level in levels:
        async with database.tell(only(who, level), now) as telling:
            for row in rows:
                if decide(read_clauses(row["clauses"]), telling.audience, telling.world).told:
                    found[row["id"]] = _message(row)
    return [found[row["id"]] for row in rows if row["id"] in found]


def _message(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "text": row["text"],
        "place": row["place"],
        "namespace": _written(Namespace(*row["namespace"])) if row["namespace"] else None,
        "said_at": _time(row["said_at"]),
    }


def _written(namespace: Namespace | None) -> str | None:
    return write_namespace(namespace) if namespace is not None else None


async def _records(database: Database, who: Entity) -> dict[str, list[dict[str, Any]]]:
    agent = database.agent
    async with database.keep() as connection:
        records = await connection.fetch(query("rights", "own_records"), agent, str(who))
        given = await consents.given_by(connection, agent, who)
        asked = await connection.fetch(query("rights", "requests"), agent, str(who), True)
        told = await connection.fetch(query("rights", "own_tellings"), agent, str(who))
    return {
        "consents": [_consent(one) for one in sorted(given, key=lambda g: (g.granted_at, g.id))],
        "requests": [_request(read_request(row)) for row in asked],
        "records": [
            {"what": row["what"], "value": " ".join(filter(None, (row["one"], row["other"])))}
            for row in records
        ],
        "tellings": [
            {
                "memory": str(row["memory_id"]),
                "told_at": _time(row["told_at"]),
                "where": row["place_kind"],
            }
            for row in told
        ],
    }


async def _came_from(database: Database, who: Entity, source: str) -> tuple[set[str], set[object]]:
    """Which memories and which of their own messages; a source without any is as good as none."""
    agent = database.agent
    async with database.keep() as connection:
        messages = await sources.own_messages(connection, agent, str(who), source)
        ids = await sources.learned_from(connection, agent, messages)
        told = await connection.fetch(query("erasing", "told_by"), agent, source, str(who), ALWAYS)
    ids += [row["id"] for row in told]
    if not (ids or messages):
        raise NotFound(NO_SUCH_SOURCE)
    return {str(id) for id in ids}, set(messages)


def _only_from(
    source: str, kept: dict[str, Any], came: tuple[set[str], set[object]]
) -> dict[str, Any]:
    """What is said of them in general came from nowhere, and is left out."""
    ids, messages = came
    return kept | {
        "source": source,
        **{
            name: [one for one in kept[name] if one["id"] in ids]
            for name in ("memories", "not_told_now", "said_about_you")
        },
        "messages": [one for one in kept["messages"] if one["id"] in messages],
        "tellings": [one for one in kept["tellings"] if one["memory"] in ids],
        "consents": [one for one in kept["consents"] if one["memory"] in ids],
        "requests": [],
        "records": [],
    }


def _memory(one: Memory) -> dict[str, Any]:
    return {
        "id": str(one.id),
        "text": one.text,
        "owner": str(one.owner),
        "speaker": one.told_by,
        "about": one.about,
        "kind": one.kind.value,
        "type": one.type.value,
        "level": one.scope.value,
        "sensitivity": one.sensitivity.value,
        "status": one.status.value,
        "confidence": round(one.confidence, 4),
        "trust": one.trust.value,
        "is_portable": one.origin.is_portable,
        # Conditions that are not its speaker's are not written out: it comes back in confidence.
        "is_confidential": one.origin.is_confidential or bool(one.origin.inherited),
        "only_for": sorted(atom.name for atom in one.origin.only_for),
        "is_protected": one.is_protected,
        "origin": one.origin.place.id if one.origin.place else None,
        "place_kind": one.origin.place.kind.value if one.origin.place else None,
        "space": one.origin.place.space if one.origin.place else None,
        "namespace": _written(one.origin.namespace),
        "said_at": _time(one.said_at),
        "updated_at": _time(one.updated_at),
        "expires_at": _time(one.expires_at),
    }


def as_lines(kept: Mapping[str, Any]) -> str:
    """One's own memories, one a line with every field, and what one agreed to about each."""
    agreed: dict[str, list[Any]] = {}
    for one in kept["consents"]:
        if one["memory"] and not one["revoked_at"]:
            agreed.setdefault(one["memory"], []).append(one)
    owned = [one for one in kept["memories"] if one["owner"] == kept["entity"]]
    return "".join(
        json.dumps(
            one | {"consents": agreed.get(one["id"], [])}, ensure_ascii=False, sort_keys=True
        )
        + "\n"
        for one in owned
    )


def _consent(given: Given) -> dict[str, Any]:
    c, about = given.consent, given.about
    return {
        "id": str(given.id),
        "grantor": str(c.grantor),
        "grantee": write_grantee(c.grantee),
        "memory": str(about.memory_id) if about.memory_id else None,
        "subject": str(about.subject) if about.subject else None,
        "origin": about.origin,
        "where": write_grantee(c.where) if c.where else None,
        "purpose": c.purpose,
        "reason": given.reason,
        "granted_at": _time(given.granted_at),
        "expires_at": _time(c.until),
        "revoked_at": _time(given.revoked_at),
    }


def _request(one: DataRequest) -> dict[str, Any]:
    return {
        "id": str(one.id),
        "what": one.what.value,
        "memory": str(one.memory_id) if one.memory_id else None,
        "wanted": one.wanted,
        "asked_at": _time(one.asked_at),
        "due_at": _time(one.due_at),
        "answered_at": _time(one.answered_at),
        "is_granted": one.is_granted,
        "reason": one.reason,
    }


def _state(found: PrivacyState) -> dict[str, Any]:
    return {
        "is_opted_out": found.is_opted_out,
        "is_global_only": found.is_global_only,
        "since": _time(found.since),
    }


def _ordered(found: Any) -> list[dict[str, Any]]:
    return sorted(found, key=lambda one: (one["said_at"], one["id"]))


def _time(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None


def _json(value: Mapping[str, Any] | Sequence[Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)

"""People's current display names, seen only through memories that the audience hears."""

from __future__ import annotations

import re
import secrets
import unicodedata
import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple

from confide.model import SOMEONE, Entity
from confide.store.connection import Connection
from confide.store.database import Telling
from confide.store.encoding import read_entity
from confide.store.indexing import called_key, name_key
from confide.store.queries import query
from confide.store.terms import TERMS_VERSION, name_terms

#: Of a name; more would not fit beside the words of a long text.
_MOST_WORDS: Final = 16


class Alias(NamedTuple):
    """What one speaker calls somebody."""

    speaker: Entity
    alias: str
    entity: Entity


class Relationship(NamedTuple):
    """How two belong together, and the memory that says so."""

    entity: Entity
    relation: str
    other: Entity
    memory: uuid.UUID
    said_by: Entity


class Known(NamedTuple):
    """Somebody an audience knows of. Whom only the asker knows has a name and no id."""

    entity: Entity | None
    name: str | None
    relation: str | None = None  # to the asker


class Acquaintance(NamedTuple):
    """Somebody whom one speaker alone knows, as that speaker calls them."""

    entity: Entity
    speaker: Entity
    called: str
    relation: str | None
    means: Entity | None = None  # whose account that is, as the speaker says

    @property
    def name(self) -> str:
        """One spelling of it."""
        return one_spelling(self.called)


class Author(NamedTuple):
    """Somebody in an import."""

    entity: Entity
    means: Entity | None  # whose account that is, as the importer says
    account: Entity | None  # the same, where its owner has confirmed it


async def name(connection: Connection, agent: str, who: Entity, called: str, now: datetime) -> None:
    """What somebody is called from now on: shown, and found by that name instead of an earlier one."""
    keys = sorted(called_key(name_key(term)) for term in name_terms([called]))
    await connection.execute(
        query("people", "name"), agent, str(who), called, now, TERMS_VERSION, keys[:_MOST_WORDS]
    )


async def someone(
    connection: Connection,
    agent: str,
    speaker: Entity,
    called: str,
    now: datetime,
    relation: str | None = None,
) -> Entity:
    """Whom `speaker` calls so: Alice's Sarah is not Bob's Sarah until somebody proves it."""
    fresh = f"{SOMEONE}:{secrets.token_hex(16)}"
    found = await connection.fetchval(
        query("people", "someone"),
        agent, str(speaker), one_spelling(called), fresh, called[:128], relation, now,
    )  # fmt: skip
    return read_entity(found)


async def author(
    connection: Connection,
    agent: str,
    importer: Entity,
    person: tuple[str, str],
    means: Entity | None,
    now: datetime,
) -> Author:
    """Somebody in an import. `person`: what tells them apart in the file, and their name there."""
    key, called = person
    fresh = f"{SOMEONE}:{secrets.token_hex(16)}"
    row = await connection.fetchrow(
        query("people", "author"),
        agent, str(importer), one_spelling(key), fresh, called[:128], now,
        str(means) if means else None,
    )  # fmt: skip
    assert row is not None
    means, account = (read_entity(row[one]) if row[one] else None for one in ("means", "account"))
    return Author(read_entity(row["entity"]), means, account)


async def acquaintances(
    connection: Connection,
    agent: str,
    *,
    speaker: Entity | None = None,
    entities: Iterable[Entity] | None = None,
) -> dict[Entity, Acquaintance]:
    """Whom a speaker alone knows; of those given, or all."""
    listed = None if entities is None else [str(one) for one in entities]
    whose = str(speaker) if speaker else None
    rows = await connection.fetch(query("people", "acquaintances"), agent, whose, listed)
    found = (
        Acquaintance(
            read_entity(row["entity"]),
            read_entity(row["speaker"]),
            row["called"],
            row["relation"],
            read_entity(row["means"]) if row["means"] else None,
        )
        for row in rows
    )
    return {one.entity: one for one in found}


async def called_by_name(
    connection: Connection, agent: str, who: Iterable[Entity]
) -> dict[Entity, frozenset[str]]:
    """Every name that people go by here: their ids, their display names and what others call them."""
    wanted = list(who)
    rows = await connection.fetch(query("people", "names_of"), agent, [str(one) for one in wanted])
    found = {one: {one.id, one.id.rpartition(".")[2]} for one in wanted}
    for row in rows:
        found[read_entity(row["entity"])].add(row["name"])
    return {one: frozenset(map(one_spelling, names)) for one, names in found.items()}


def one_spelling(name: str) -> str:
    """A name however it was typed."""
    return " ".join(name.replace("_", " ").casefold().split())[:128]


def is_named_alike(name: str, names: Iterable[str]) -> bool:
    """Whether somebody of these names may be meant: a part of a name is enough ("Sarah", "Sarah
    Miller"), and accents make no difference. A name proves nothing, so this may only narrow."""
    wanted = _words(name)
    return any(
        wanted <= words or words <= wanted for words in map(_words, names) if words and wanted
    )


def _words(name: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    return frozenset(re.findall(r"\w+", letters.replace("_", " ")))


async def roles(
    connection: Connection, agent: str, place_id: str
) -> list[tuple[Entity, str | None, datetime | None]]:
    """Who is in a context, as what, since when."""
    rows = await connection.fetch(query("people", "participants"), agent, place_id)
    return [(read_entity(row["entity"]), row["role"], row["entered_at"]) for row in rows]


async def aliases(
    connection: Connection,
    agent: str,
    *,
    speaker: Entity | None = None,
    entity: Entity | None = None,
) -> list[Alias]:
    asked = [str(who) if who else None for who in (speaker, entity)]
    rows = await connection.fetch(query("people", "aliases"), agent, *asked)
    return [
        Alias(read_entity(row["speaker"]), row["alias"], read_entity(row["entity"])) for row in rows
    ]


async def accounts(connection: Connection, agent: str, who: Entity) -> list[tuple[str, str]]:
    rows = await connection.fetch(query("people", "accounts"), agent, str(who))
    return [(row["platform"], row["account"]) for row in rows]


async def known_people(telling: Telling, who: Entity | None = None) -> list[Known]:
    """Those whom this audience knows of by the memories it hears."""
    rows = await telling.connection.fetch(query("people", "seen"), str(who) if who else None)
    return [Known(read_entity(row["entity"]), row["display_name"]) for row in rows]


async def relationships(telling: Telling, who: Entity) -> list[Relationship]:
    rows = await telling.connection.fetch(query("people", "relationships"), str(who))
    return [
        Relationship(
            read_entity(row["entity"]),
            row["relation"],
            read_entity(row["other"]),
            row["memory_id"],
            read_entity(row["said_by"]),
        )
        for row in rows
    ]

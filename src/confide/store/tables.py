"""The tables of the schema as the database describes them, so that none is ever left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from confide.store.connection import Connection
from confide.store.queries import query

#: Neither an agent's nor anybody's: what the program itself has done.
OWN: Final = frozenset({"migration", "policy_version"})


@dataclass(frozen=True, slots=True)
class Table:
    """`columns` can be written; generated ones follow from them."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]

    @property
    def listed(self) -> str:
        return ", ".join(f'"{column}"' for column in self.columns)


async def read_tables(connection: Connection) -> list[Table]:
    """All tables with an agent's rows, in an order in which rows can be added."""
    rows = await connection.fetch(query("tables", "every"))
    needs = {row["name"]: set(row["needs"]) - {row["name"]} for row in rows}
    found = {
        row["name"]: Table(row["name"], tuple(row["columns"]), tuple(row["key"])) for row in rows
    }
    ordered: list[Table] = []
    while needs:
        ready = sorted(name for name, others in needs.items() if not others & needs.keys())
        assert ready, "tables refer to each other in a circle"
        ordered += [found[name] for name in ready]
        for name in ready:
            del needs[name]
    return ordered

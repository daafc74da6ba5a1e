"""What the store needs of a connection: asyncpg's own and the pool's borrowed ones both do it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Row = Mapping[str, Any]


class Connection(Protocol):
    async def execute(self, query: str, *args: Any) -> str: ...

    async def fetch(self, query: str, *args: Any) -> list[Any]: ...

    async def fetchrow(self, query: str, *args: Any) -> Any: ...

    async def fetchval(self, query: str, *args: Any) -> Any: ...

    def transaction(self) -> Any: ...

    def terminate(self) -> None: ...


async def is_pooled(connection: Any) -> bool:
    """Whether a pooler stands between: the process it names is not the one that answers."""
    answering = await connection.fetchval("SELECT pg_backend_pid()")
    return connection.get_server_pid() != answering

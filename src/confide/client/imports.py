"""Chats of other programs, sent to a server as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from confide.client.group import Group
from confide.client.writing import written_namespace
from confide.errors import InvalidInput
from confide.model import Entity, Namespace


class RemoteImports(Group):
    async def bring(
        self,
        file: Path,
        *,
        importer: Entity,
        names: Mapping[str, Entity] | None = None,
        format: str | None = None,
        namespace: Namespace | None = None,
        is_dry_run: bool = False,
        sent: Callable[[int, int], None] = lambda done, total: None,
        each: Callable[[int, int], None] = lambda done, total: None,
    ) -> dict[str, Any]:
        """Send a file, and return what became of it. `sent` is told how many bytes of how many
        went out, `each` how many messages of how many are in."""
        asked = {
            "as": str(importer),
            "name": file.name,
            "from": format,
            "map": [f"{name}={entity}" for name, entity in (names or {}).items()],
            "namespace": written_namespace(namespace),
            "dry_run": "true" if is_dry_run else None,
        }
        async for line in self._door.upload("/v1/imports", asked, file, sent):
            if "error" in line:
                error = line["error"]
                raise InvalidInput(error["field"] or "file", error["detail"].partition(": ")[2])
            if "result" in line:
                return line["result"]
            each(line["messages"], line["of"])
        raise InvalidInput("file", "the server stopped in between; send it again, and it goes on")

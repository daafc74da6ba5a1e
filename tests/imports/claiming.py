"""Somebody imports a chat and says who is in it: a claim that waits, for tests of who may answer."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.imports import exports

from confide import Confide, Entity, operator_as
from confide.imports import open_files, recognise

IMPORTER = Entity.parse("human:importer")


async def claimed(confide: Confide, who: str | Entity) -> str:
    """The id of a claim on that account; the same one when asked again."""
    account = who if isinstance(who, Entity) else Entity.parse(who)
    for one in await confide.claims.on(account):
        return str(one.id)
    with tempfile.TemporaryDirectory() as folder:
        files = open_files(exports.write(Path(folder), exports.slack(), "zip"))
        await confide.imports.take(
            files,
            recognise(files),
            importer=IMPORTER,
            actor=operator_as(IMPORTER),
            names={"Anna": account},
        )
    (found,) = await confide.claims.on(account)
    return str(found.id)

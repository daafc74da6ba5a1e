"""Import: a file of another program, looked at or brought in by whoever is signed in."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from confide.errors import InvalidInput
from confide.imports import FORMATS, open_files, recognise
from confide.keep.sources import base_name
from confide.privacy.acting import CallerKind
from confide.surfaces.console import asking, words
from confide.surfaces.console.visit import Page, Visit
from confide.wire.forms import read_entity

if TYPE_CHECKING:
    from starlette.datastructures import UploadFile

    from confide.keep.imported import Tally
    from confide.model import Entity

FIRST: Final = 20


async def show(visit: Visit) -> Page:
    """What was brought before, and a form for more."""
    return await _page(visit)


async def take(visit: Visit) -> Page:
    """Look at a file, or bring it in. It is gone from the server when the page is there."""
    visit.require(CallerKind.SIGNED_IN)
    if visit.file is None or not visit.file.filename:
        raise InvalidInput("file", "choose one first")
    names, wanted = _names(visit.sent("map", "")), visit.sent("from", "") or None
    with tempfile.TemporaryDirectory(prefix="confide-import-") as folder:
        path = Path(folder, base_name(visit.file.filename).replace("/", "_") or "file")
        await asyncio.to_thread(_save, visit.file, path)
        files = open_files(path)
        format, imports = recognise(files, wanted), visit.confide.imports
        if visit.sent("do", "look") != "import":
            seen = await asyncio.to_thread(imports.preview, files, format, names=names)
            found = _counted(seen.tally, format.name) | {
                "kinds": seen.kinds.most_common(), "careful": seen.sensitivity.most_common(),
                "sampled": seen.sampled, "refused": seen.refused, "waiting": seen.waiting,
                "seconds": seen.seconds, "dollars": seen.dollars, "new": None,
            }  # fmt: skip
        else:
            done = await imports.take(
                files, format, importer=visit.who, actor=visit.actor, names=names
            )
            found = _counted(done.tally, format.name) | {"new": done.new, "known": done.known}
    return await _page(visit, found)


async def _page(visit: Visit, found: dict[str, Any] | None = None) -> Page:
    visit.require(CallerKind.SIGNED_IN)
    brought = (await visit.confide.sources.list(actor=visit.actor)).batches
    shown = {
        "title": "Import",
        "name": words.called(visit.who, await asking.names(visit)),
        "formats": list(FORMATS),
        "brought": brought,
        "found": found,
    }
    return Page("imports.html", shown, {"batches": brought})


def _save(file: UploadFile, path: Path) -> None:
    with path.open("wb") as out:
        shutil.copyfileobj(file.file, out)


def _names(written: str) -> dict[str, Entity]:
    """One a line: `Anna M. = human:anna`."""
    names: dict[str, Entity] = {}
    for line in filter(None, map(str.strip, written.splitlines())):
        name, equals, entity = line.rpartition("=")
        if not equals or not name.strip():
            raise InvalidInput("who is who", "write one a line, for example Anna M. = human:anna")
        names[name.strip()] = read_entity(entity.strip(), "who is who")
    return names


def _counted(tally: Tally, format: str) -> dict[str, Any]:
    return {
        "format": format,
        "messages": tally.messages,
        "people": [(tally.people[key].name, n) for key, n in tally.said_by.most_common(FIRST)],
        "rooms": tally.rooms.most_common(FIRST),
        "room_count": len(tally.rooms),
        "alone": tally.levels["dm"],
        "listed": tally.levels["group"],
        "left_out": tally.left_out.most_common(),
        "wrong": [str(one) for one in tally.wrong[:FIRST]],
        "wrong_count": tally.wrong_count,
    }


ROUTES: Final = (("GET", "/import", show), ("POST", "/import", take))

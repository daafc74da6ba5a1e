"""Import: an export of another program is sent as it is, and lines say how far it got."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import Query, Request
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse

from confide.errors import ConfideError, InvalidInput
from confide.imports import open_files, recognise
from confide.keep.arriving import has_rooms
from confide.keep.imports import require_importer
from confide.keep.sources import base_name
from confide.model import Entity
from confide.reading import read_entity, read_namespace
from confide.surfaces.http.door import PERSONAL, PLATFORM, As, Here, for_callers, group
from confide.surfaces.http.fields import Plain, Within

if TYPE_CHECKING:
    from confide.keep.imported import Imported, Preview

router = group("imports")
UPLOAD: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary"},
                "example": '{"id": "1", "by": "me", "text": "I love tea", "at": "2026-03-01"}',
            }
        },
    }
}
ANSWERED: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "One object a line: `messages` and `of` while it goes on, then `result` or"
        " `error`.",
        "content": {
            "application/x-ndjson": {
                "schema": {"type": "string"},
                "example": '{"messages": 500, "of": 1200}\n{"result": {"new": 1200, "known": 0}}\n',
            }
        },
    }
}
FileName = Annotated[
    Annotated[str, Plain],
    Query(alias="name", min_length=1, max_length=255, examples=["export.zip"],
          description="What the file is called: its ending says whether it is a zip."),
]  # fmt: skip
From = Annotated[
    Annotated[str, Plain] | None,
    Query(alias="from", max_length=32, description="Which program; else the file is looked at."),
]
Map = Annotated[
    list[Annotated[str, Plain]] | None,
    Query(alias="map", max_length=200, description="NAME=ENTITY: who is who in the file."),
]


@router.post(
    "/imports",
    response_class=StreamingResponse,
    responses=ANSWERED,
    openapi_extra=for_callers(PLATFORM, PERSONAL)["openapi_extra"] | UPLOAD,
)
async def bring(
    here: Here,
    request: Request,
    name: FileName,
    as_: As = None,
    from_: From = None,
    map_: Map = None,
    namespace: Within = None,
    dry_run: Annotated[bool, Query(description="Say what would come in; store nothing.")] = False,
) -> Any:
    """Bring chats along from another program: the file is the body, and lines say how far it got.
    Sent again it goes on, or changes nothing."""
    who, actor = here.who(as_), here.actor(as_)
    require_importer(who, actor)
    names: dict[str, Entity] = {}
    for one in map_ or ():
        called, equals, entity = one.rpartition("=")
        if not equals or not called.strip():
            raise InvalidInput("map", "is not NAME=ENTITY, for example Anna=human:anna")
        names[called] = read_entity(entity, "map")
    within = read_namespace(namespace)
    folder = tempfile.TemporaryDirectory(prefix="confide-import-")
    try:
        path = Path(folder.name, base_name(name).replace("/", "_"))
        await _receive(request, path)
        files = open_files(path)
        format, imports = recognise(files, from_), here.confide.imports
        looked = await asyncio.to_thread(imports.look, files, format)

        async def work(each: Callable[[int], None]) -> Preview | Imported:
            if dry_run:
                rooms = has_rooms(actor, within)
                return await asyncio.to_thread(
                    imports.preview, files, format, names=names, has_rooms=rooms
                )
            return await imports.take(
                files, format, importer=who, actor=actor, names=names, namespace=within,
                looked=looked, each=each,
            )  # fmt: skip

        lines = _progress(work, format.name, looked.messages)
        after = BackgroundTask(folder.cleanup)
        return StreamingResponse(lines, media_type="application/x-ndjson", background=after)
    except BaseException:
        folder.cleanup()
        raise


async def _receive(request: Request, path: Path) -> None:
    try:
        with path.open("wb") as file:
            async for chunk in request.stream():
                file.write(chunk)
    except ClientDisconnect:  # half a file would come in as one of its own
        raise InvalidInput("file", "was cut off while it was sent; send it again") from None


async def _progress(
    work: Callable[[Callable[[int], None]], Any], format: str, total: int
) -> AsyncIterator[bytes]:
    got: asyncio.Queue[int | None] = asyncio.Queue()
    task = asyncio.ensure_future(work(got.put_nowait))

    def ended(_: asyncio.Future[Any]) -> None:
        got.put_nowait(None)

    task.add_done_callback(ended)
    count = 0
    try:
        while (some := await got.get()) is not None:
            count += some
            yield _line({"messages": count, "of": total})
        yield _line({"result": {"format": format} | task.result().as_dict()})
    except InvalidInput as problem:
        yield _line({"error": {"field": problem.field, "detail": str(problem)}})
    except ConfideError as problem:
        yield _line({"error": {"field": None, "detail": str(problem)}})
    finally:
        task.cancel()


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"

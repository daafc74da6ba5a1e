"""What pages ask of the memory, for whoever is signed in. Verbs decide; nothing here does.

The one place where the console calls `Confide`.
"""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from confide.errors import NotAllowed, NotFound
from confide.privacy.acting import CallerKind
from confide.surfaces.callers import audience_for, is_answered_alone

if TYPE_CHECKING:
    from confide.model import Entity
    from confide.privacy.policy import Audience
    from confide.recall.mine import Seen
    from confide.store.memory import Memory
    from confide.surfaces.console.visit import Visit

#: More are not counted in the bar.
COUNTED: Final = 20


def own_audience(visit: Visit) -> Audience:
    """Who reads this browser: its person alone, or for a personal key its model too."""
    return audience_for(visit.caller)


def is_alone(visit: Visit) -> bool:
    return is_answered_alone(visit.caller)


def require_alone(visit: Visit) -> None:
    if not is_alone(visit):
        raise NotAllowed(
            "a personal key shows what was remembered through it; sign in with a link for the rest"
        )


async def names(visit: Visit) -> Mapping[Entity, str]:
    """What people are called whom the visitor knows of by memories they may hear."""
    if not visit.is_person or not is_alone(visit):
        return {}
    found = await visit.confide.people.known(visit.who)
    known = {one.entity: one.name for one in found if one.entity and one.name}
    me = await visit.confide.people.show(visit.who, asker=visit.who)
    return known | ({visit.who: me.name} if me.name else {})


async def count_waiting(visit: Visit) -> str:
    """How many wait for whoever is signed in, as far as the list would show them."""
    if visit.kind not in (CallerKind.SIGNED_IN, CallerKind.CONSOLE):
        return ""
    found = await visit.confide.review.waiting(actor=visit.actor, limit=COUNTED + 1)
    return "" if not found else f"{COUNTED}+" if len(found) > COUNTED else str(len(found))


async def exported(visit: Visit) -> Response:
    """All that is kept of somebody, as one file."""
    require_alone(visit)
    made = await visit.confide.rights.export(visit.who, actor=visit.actor)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, body in made.files.items():
            file.writestr(name, body)
        if "manifest.json" not in made.files:
            file.writestr("manifest.json", json.dumps(dict(made.manifest), indent=2, default=str))
    return Response(
        packed.getvalue(),
        media_type="application/zip",
        headers={"content-disposition": 'attachment; filename="confide-export.zip"'},
    )


async def seen(visit: Visit, id: uuid.UUID) -> Seen:
    """One memory that is theirs or about them, asked for alone or in one of their spaces."""
    require_alone(visit)
    spaces = {one.space for one in await visit.confide.rooms.of(visit.who) if one.space}
    for space in (None, *sorted(spaces)):
        with suppress(NotFound):
            return await visit.confide.mine.view(visit.who, id, space=space)
    raise NotFound("there is no such memory")


async def own(visit: Visit, **wanted: Any) -> Sequence[Memory]:
    return await visit.confide.reaches.list(visit.who, own_audience(visit), **wanted)

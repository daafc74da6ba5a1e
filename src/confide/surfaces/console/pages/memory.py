"""A memory: its words, who can hear it and why, where it came from, and what was done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from confide.model import memory_id_of
from confide.privacy import atoms
from confide.privacy.reach import named_in
from confide.reading import read_entity
from confide.surfaces.cli.clauses import clause_in_words
from confide.surfaces.console import asking, reasons, walls, words
from confide.surfaces.console.pages.me import consent_row, row
from confide.surfaces.console.twin import heard_by
from confide.surfaces.console.visit import LABELS, PEOPLE, Page, Visit, go

if TYPE_CHECKING:
    import uuid

    from starlette.responses import Response

    from confide.store.memory import Memory


async def show(visit: Visit) -> Page:
    visit.require(*PEOPLE, *LABELS)
    id = memory_id_of(visit.request.path_params["id"])
    return await (_own(visit, id) if visit.is_person else _labels(visit, id))


async def _own(visit: Visit, id: uuid.UUID) -> Page:
    confide, names = visit.confide, await asking.names(visit)
    seen = await asking.seen(visit, id)
    memory, is_owner = seen.memory, visit.who == seen.memory.owner
    audit = await confide.access.audit(id, actor=visit.actor)
    answer: dict[str, Any] = {
        "memory": heard_by([memory], visit.who)[0],
        "evidence": [{"speaker": by, "text": text} for by, text in seen.evidence],
        "audit": audit,
    }
    if is_owner:
        answer |= {
            "history": await confide.rights.history(id, actor=visit.actor),
            "tellings": await confide.tellings(id, actor=visit.actor),
            "opened": [o for o in await confide.viewing.opened(visit.who) if o.memory_id == id],
        }
    rooms = await walls.walls(visit, memory, names)
    agreed = [consent_row(one, names) for one in audit.consents]
    shown = {
        "title": "A memory",
        "name": words.called(visit.who, names),
        "memory": row(memory, names)
        | {"confidence": memory.confidence, "is_protected": memory.is_protected},
        "is_owner": is_owner,
        "by": "you" if memory.speaker == visit.who else words.called(memory.speaker, names),
        "sentence": _sentence(memory, visit, names),
        "walls": rooms,
        "wall": walls.wall_of(rooms),
        "evidence": answer["evidence"],
        "history": walls.history(answer.get("history", ()), agreed, memory.said_at),
        "tellings": [_telling(one) for one in answer.get("tellings", ())],
        "opened": answer.get("opened", ()),
        "consents": [one for one in agreed if one["revoked_at"] is None],
        "rules": [clause_in_words(one) for one in audit.conditions],
        "is_complete": audit.is_complete,
    }
    return Page("memory.html", shown, answer)


def _sentence(memory: Memory, visit: Visit, names: words.Names) -> list[tuple[str, str]]:
    """Who can hear it: parts of a sentence, each told, withheld or plain."""
    if visit.who not in (memory.owner, memory.speaker):
        return [("told", "You"), ("", " can hear this, because it is about you or you were there.")]
    people = {words.person_of(atom) for atom in named_in(memory.label)}
    others = people - {None, memory.owner, memory.speaker}
    said = reasons.hearers(memory, memory.owner, names, visit.who)
    is_only, anywhere = said.startswith("Only"), "anywhere" in said
    when = (
        ", and wherever you ask" if is_only and anywhere else " when you are alone with the agent"
    )
    parts = [("told", "You"), ("", f" can hear this{when}.")]
    if others:
        named = words.listed(sorted(words.called(one, names) for one in others))
        parts += [("told", f" {named}"), ("", " can too, because you agreed.")]
    parts.append(("withheld", " Nobody else, anywhere.") if is_only else ("told", f" {said}"))
    return parts


def _telling(one: Any) -> str:
    where = (
        f"#{one.place.partition('@')[0]}" if one.place and one.place_kind == "public" else one.place
    )
    said = "a direct chat" if one.place_kind in ("direct", "ephemeral") else where or one.place_kind
    to = ", to you" if one.is_to_you else ""
    return f"Told in {said.partition('@')[0]} {words.weekday(one.told_at)}{to}"


async def _labels(visit: Visit, id: uuid.UUID) -> Page:
    audit = await visit.confide.access.audit(id, actor=visit.actor)
    shown = {
        "title": "A memory",
        "id": id,
        "rules": [clause_in_words(one) for one in audit.conditions],
        "people": [(words.called(one.who), one.told, one.because) for one in audit.people[:200]],
        "rooms": [
            (words.place_called(one.place), len(one.told_to), one.because)
            for one in audit.rooms[:200]
        ],
        "may_open": visit.kind is LABELS[0],
    }
    return Page("memory_labels.html", shown, audit)


async def share(visit: Visit) -> Response:
    visit.require(*PEOPLE)
    id = memory_id_of(visit.request.path_params["id"])
    who = atoms.entity(read_entity(visit.sent("grantee"), "grantee"))
    await visit.confide.consents.share(id, who, actor=visit.actor)
    return go(f"/memories/{id}?done=shared")


async def protect(visit: Visit) -> Response:
    visit.require(*PEOPLE)
    id, fading = memory_id_of(visit.request.path_params["id"]), visit.confide.fading
    on = visit.sent("protect") == "on"
    await (fading.protect if on else fading.unprotect)(id, actor=visit.actor)
    return go(f"/memories/{id}?done=saved")


ROUTES: Final = (
    ("GET", "/memories/{id}", show),
    ("POST", "/memories/{id}/share", share),
    ("POST", "/memories/{id}/protect", protect),
)

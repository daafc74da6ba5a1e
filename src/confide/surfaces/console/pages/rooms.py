"""Rooms: of what was said here, how much could be told there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from confide.errors import InvalidInput
from confide.model import PlaceKind, Sensitivity
from confide.surfaces.console import asking, words
from confide.surfaces.console.pages.me import row
from confide.surfaces.console.twin import heard_by
from confide.surfaces.console.visit import LABELS, NUMBERS, PEOPLE, Page, Visit
from confide.verbs.room_counts import CONNECTION, DIRECT, Cell, Matrix, Room

if TYPE_CHECKING:
    from confide.store.memory import Memory

MOST: Final = 8  # as many as a reader takes in at a look
MORE: Final = 22  # rooms on one page, which stays below 150 KB


async def show(visit: Visit) -> Page:
    visit.require(*PEOPLE, *NUMBERS)
    space, most = visit.query("space") or None, MORE if visit.query("all") else MOST
    if visit.is_person:
        asking.require_alone(visit)
        matrix = await visit.confide.rooms.matrix_of(visit.who, space=space, limit=most)
        here, there = _chosen(visit, matrix)
        heard = await visit.confide.rooms.words(visit.who, here.id, there.id)
    else:
        opened = (visit.query("here"), visit.query("there")) if visit.query("labels") else None
        matrix = await visit.confide.rooms.matrix(
            actor=visit.actor, space=space, most=most, opened=opened
        )
        here, there = _chosen(visit, matrix)
        heard = []
    names, cell = await asking.names(visit), matrix.cells[here.id, there.id]
    back = matrix.cells.get((there.id, here.id))
    shown = {
        "title": "Rooms",
        "name": words.called(visit.caller.entity, names) if visit.is_person else None,
        "rows": [_row(one, matrix, here, there, visit) for one in matrix.rows],
        "columns": [_room(one, visit) | {"is_chosen": one is there} for one in matrix.columns],
        "spaces": _spaces(matrix.columns),
        "every_space": matrix.spaces,
        "has_more": matrix.has_more and most == MOST,
        "more": "/rooms?" + urlencode({"all": "1", "space": space or ""}),
        "here": _room(here, visit),
        "there": _room(there, visit),
        "cell": cell,
        "levels": [
            (one.value, cell.told.get(one, 0), cell.said.get(one, 0)) for one in Sensitivity
        ],
        "share": round(100 * cell.count / cell.total) if cell.total else 0,
        "back": back,
        "is_person": visit.is_person,
        "heard": [row(one, names) for one in heard],
        "labels": matrix.labels,
        "list_labels": _cell_path(visit, here.id, there.id, labels="1")
        if visit.kind in LABELS
        else "",
        "notes": _notes(matrix, visit),
        "space": space,
        "view_as": "/view-as?" + urlencode({"place": there.id.partition("#")[0]}),
    }
    return Page("rooms.html", shown, _answer(matrix, heard, visit))


def _chosen(visit: Visit, matrix: Matrix) -> tuple[Room, Room]:
    wanted = visit.query("here"), visit.query("there")
    rows, columns = {one.id: one for one in matrix.rows}, {one.id: one for one in matrix.columns}
    if any(wanted) and (wanted[0] not in rows or wanted[1] not in columns):
        raise InvalidInput("here", "there is no such room")
    if any(wanted):
        return rows[wanted[0]], columns[wanted[1]]
    public = next(
        (one for one in matrix.columns if one.kind is PlaceKind.PUBLIC), matrix.columns[-1]
    )
    return matrix.rows[0], public


def _row(one: Room, matrix: Matrix, here: Room, there: Room, visit: Visit) -> dict[str, Any]:
    cells = []
    for column in matrix.columns:
        cell = matrix.cells[one.id, column.id]
        cells.append(
            {
                "count": cell.count,
                "heat": _heat(cell, one.said),
                "is_chosen": one.id == here.id and column.id == there.id,
                "is_mirror": one.id == there.id and column.id == here.id and here.id != there.id,
                "path": _cell_path(visit, one.id, column.id),
                "column": _name(column, visit),
            }
        )
    return _room(one, visit) | {"cells": cells, "said": one.said, "is_chosen": one.id == here.id}


def _cell_path(visit: Visit, here: str, there: str, **more: str) -> str:
    kept = {name: visit.query(name) for name in ("space", "all") if visit.query(name)}
    return "/rooms?" + urlencode({"here": here, "there": there} | kept | more)


def _heat(cell: Cell, said: int) -> int:
    """By share of the row: none, under 10, 40, 80, up to 100 per cent."""
    if not cell.count:
        return 0
    share = cell.count / max(said, 1)
    return 1 if share < 0.1 else 2 if share < 0.4 else 3 if share < 0.8 else 4


def _name(room: Room, visit: Visit) -> str:
    if room.id in (DIRECT, CONNECTION):
        return "Direct chats" if room.id == DIRECT else "Connections"
    if room.kind is PlaceKind.DIRECT:
        return "Direct chat"
    return words.place_named(room.id, room.kind)


def _room(room: Room, visit: Visit) -> dict[str, Any]:
    kind = words.KINDS[room.kind]
    if room.kind is PlaceKind.DIRECT:
        kind = "you, alone" if visit.is_person else "one person each"
    elif room.id == CONNECTION:
        kind = "personal keys"
    return {
        "id": room.id,
        "name": _name(room, visit),
        "kind": kind,
        "icon": words.ICONS.get(room.kind, "hash"),
        "space": room.space,
    }


def _spaces(columns: tuple[Room, ...]) -> list[tuple[str, int]]:
    """Neighbouring columns of one space, for the line above them."""
    found: list[tuple[str, int]] = []
    for one in columns:
        name = one.space or ""
        if found and found[-1][0] == name:
            found[-1] = (name, found[-1][1] + 1)
        else:
            found.append((name, 1))
    return found


def _notes(matrix: Matrix, visit: Visit) -> list[tuple[str, str]]:
    alike = [matrix.cells[one.id, one.id] for one in matrix.columns]
    notes: list[tuple[str, str]] = []
    if all(one.count == one.total for one in alike):
        notes = [("The diagonal is full", "What is said in a room can be told in that room.")]
    spaces = {one.space for one in matrix.columns if one.space}
    if spaces:
        one = sorted(spaces)[0]
        notes.append(
            (
                f"{one} is one block",
                "What is said in its public channels can be told in all its channels.",
            )
        )
    if any(one.kind is PlaceKind.CONTEXT for one in matrix.columns):
        notes.append(("Contexts stand alone", "What is said there is told nowhere else."))
    return notes


def _answer(matrix: Matrix, heard: list[Memory], visit: Visit) -> dict[str, Any]:
    """As the verbs answer. JSON has no pairs as names, so each cell says which it is."""
    words_or_labels = (
        {"words": heard_by(heard, visit.who)} if visit.is_person else {"labels": matrix.labels}
    )
    return words_or_labels | {
        "rows": matrix.rows,
        "columns": matrix.columns,
        "cells": [
            {"here": here, "there": there, "told": cell.told, "said": cell.said}
            for (here, there), cell in matrix.cells.items()
        ],
    }


ROUTES: Final = (("GET", "/rooms", show),)

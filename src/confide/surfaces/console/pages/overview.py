"""Overview: whether all is well, and what needs somebody. Numbers, no words."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from confide.model import Sensitivity, Status
from confide.privacy.acting import CallerKind
from confide.surfaces.console import charts, words
from confide.surfaces.console.visit import NUMBERS, Page, Visit

WHY: Final = {
    "confidence": "not sure enough",
    "personal-data": "holds personal data",
    "instruction": "reads like an instruction",
    "everywhere": "may it follow its owner?",
    "changed": "its words were changed",
    "other": "for another reason",
}


async def show(visit: Visit) -> Page:
    visit.require(*NUMBERS)
    confide, actor = visit.confide, visit.actor
    trend, now = await confide.trends.look(actor=actor), await confide.watch.look()
    report = await confide.reports.overview(actor=actor)
    queue: list[Any] = []
    if visit.kind is CallerKind.CONSOLE:
        queue = await confide.review.waiting(actor=actor)
    rooms = [one for one in await confide.world.places() if one.needs_review]
    waiting = int(now.waiting["review_waiting"])
    cost = sum(one.dollars for one in now.models)
    health = _health(confide, now, report, rooms)
    shown = {
        "title": "Overview",
        "lead": _lead(waiting, len(rooms), health),
        "memories": now.memories[Status.APPROVED],
        "new": trend.new,
        "told": sum(one.told for one in trend.days[-7:]),
        "unanswered": sum(one.unanswered for one in trend.days[-7:]),
        "waiting_count": waiting,
        "waiting_age": now.waiting["review_age"] / 86400,
        "cost": cost,
        "budget": now.budget,
        "troubles": sum(not ok for _, ok, _ in health),
        "levels": _levels(trend),
        "days": _days(trend),
        "spent": _spent(trend),
        "queue": [(WHY[name], n, round(100 * n / max(len(queue), 1)))
                  for name, n in Counter(one.reason.value for one in queue).most_common()],
        "jobs": _jobs(now),
        "health": health,
        "rooms": [words.place_called(one.place) for one in rooms],
        "metrics": report.metrics,
    }  # fmt: skip
    return Page("overview.html", shown, {"trend": trend, "operating": now, "report": report})


def _lead(waiting: int, rooms: int, health: list[tuple[str, bool, str]]) -> str:
    state = "Everything runs." if all(ok for _, ok, _ in health) else "Something needs a look."
    parts = [f"{words.plural(waiting, 'memory')} {'waits' if waiting == 1 else 'wait'} for review" if waiting else "",
             f"{words.plural(rooms, 'room')} {'waits' if rooms == 1 else 'wait'} for a look" if rooms else ""]  # fmt: skip
    said = " and ".join(filter(None, parts))
    return f"{state} {said[:1].upper()}{said[1:]}." if said else f"{state} Nothing waits for you."


def _levels(trend: Any) -> dict[str, Any]:
    order = (Sensitivity.PUBLIC, Sensitivity.PERSONAL, Sensitivity.SENSITIVE)
    series = [[week.memories.get(one, 0) for week in trend.weeks] for one in order]
    made = charts.area(series, 400, 160)
    last = [one[-1] if one else 0 for one in series]
    return made | {
        "names": [one.value for one in order],
        "last": last,
        "from": trend.weeks[0].begins,
        "to": trend.weeks[-1].begins,
        "says": ", ".join(f"{n:,} {one.value}" for n, one in zip(last, order, strict=True)),
    }


def _days(trend: Any) -> dict[str, Any]:
    made = charts.bars([d.told for d in trend.days], [d.unanswered for d in trend.days], 460, 150)
    told, empty = sum(d.told for d in trend.days), sum(d.unanswered for d in trend.days)
    says = f"In 14 days {told:,} memories told, {empty:,} questions without an answer."
    return made | {"from": trend.days[0].day, "to": trend.days[-1].day, "says": says}


def _spent(trend: Any) -> dict[str, Any]:
    made = charts.bars([d.dollars for d in trend.days], [0.0] * len(trend.days), 320, 110)
    return made | {"from": trend.days[0].day, "to": trend.days[-1].day}


def _jobs(now: Any) -> list[tuple[str, str, str]]:
    due, failed = int(now.waiting["jobs_due"]), int(now.waiting["learning_failures"])
    return [
        ("Learning", f"{due:,} in the queue" if due else "queue empty", f"{failed:,} given up" if failed else ""),
        ("Erasing", f"{int(now.waiting['erasures_pending']):,} can still be undone", ""),
        ("Requests of people", f"{int(now.waiting['requests_open']):,} open",
         f"{int(now.waiting['requests_overdue']):,} overdue" if now.waiting["requests_overdue"] else ""),
    ]  # fmt: skip


def _health(confide: Any, now: Any, report: Any, rooms: list[Any]) -> list[tuple[str, bool, str]]:
    found = [
        ("Database", True, f"{now.pool.in_use} of {now.pool.most} connections busy"),
        ("Row-level security", True, "in place"),
        ("Learning", not now.waiting["learning_failures"], "nothing given up" if not now.waiting["learning_failures"] else "look at the jobs"),
        ("Requests", not now.waiting["requests_overdue"], "none overdue" if not now.waiting["requests_overdue"] else "some are overdue"),
    ]  # fmt: skip
    leaks = report.leaks
    if leaks is not None:
        none = not (leaks.between_people or leaks.between_scopes)
        found.append(
            ("Leak test", none, f"{'no leak' if none else 'leaks'}, {words.day(leaks.at)}")
        )
    found += [
        (f"{words.place_called(one.place)} became public", False, "look at it") for one in rooms
    ]
    return found


ROUTES: Final = (("GET", "/overview", show),)

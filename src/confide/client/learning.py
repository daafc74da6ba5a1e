"""Observing, what is learned from it, and what models cost, through a server."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from confide.client import parsing, writing
from confide.client.group import Group, not_offered
from confide.model import Entity, Message, Place
from confide.reading import read_entity
from confide.remember.observe import Observed
from confide.spending import Budget
from confide.store.sessions import Job, Sitting
from confide.store.usage import Used


@dataclass(frozen=True, slots=True)
class Streamed:
    """What became of a stream of messages."""

    kept: int
    known: int
    skipped: int
    wrong: tuple[tuple[int, str, str], ...]  # line, field, problem


class RemoteLearning(Group):
    async def observe(self, message: Message, *, batch: uuid.UUID | None = None) -> Observed:
        """Keep what was said, with the label of its place at this moment."""
        if batch is not None:
            not_offered("taking a file in")
        sent = await writing.message(self._door, message)
        told = await self._door.call("POST", "/v1/messages", body=sent)
        return Observed(is_kept=told["is_kept"], is_new=told["is_new"], because=told["because"])

    async def observe_all(self, messages: Iterable[Message]) -> Streamed:
        """Many at once, as a stream."""
        sent = [await writing.message(self._door, one) for one in messages]
        lines = (json.dumps({k: v for k, v in one.items() if v is not None}) for one in sent)
        told = await self._door.stream("/v1/messages/stream", "\n".join(lines))
        wrong = tuple((one["line"], one["field"], one["problem"]) for one in told["wrong"])
        return Streamed(told["kept"], told["known"], told["skipped"], wrong)

    async def edited(
        self,
        message_id: str,
        text: str,
        *,
        platform: str = "local",
        said_at: datetime | None = None,
    ) -> bool:
        """A message reads differently now; false if it was never kept. Its platform is the key's."""
        told = await self._door.call(
            "PUT",
            "/v1/messages/{message_id}",
            names={"message_id": message_id},
            body={"text": text, "at": said_at.isoformat() if said_at else None},
        )
        return told["was_kept"]

    async def deleted(self, message_id: str, *, platform: str = "local") -> bool:
        """A message was deleted; what was learned from it alone is erased."""
        told = await self._door.call(
            "DELETE", "/v1/messages/{message_id}", names={"message_id": message_id}
        )
        return told["was_kept"]

    async def listen(self, place: Place, *, is_on: bool = True) -> None:
        """Keep all that is said in a place, not only what is said to the agent. Announce it there."""
        sent = {"place": writing.written_place(place), "is_on": is_on}
        await self._door.call("POST", "/v1/messages/listen", body=sent)

    async def off_the_record(self, who: Entity, place: Place) -> None:
        """From now on nothing of `who` is read or written in `place`."""
        await self._record("/v1/privacy/off-record", who, place)

    async def on_the_record(self, who: Entity, place: Place) -> None:
        """Back to normal; what was said meanwhile stays unknown."""
        await self._record("/v1/privacy/on-record", who, place)

    async def left(self) -> int:
        """How many messages wait to be learned from."""
        return (await self._door.call("GET", "/v1/jobs", query={"limit": 1}))["messages_left"]

    async def jobs(self, limit: int = 50) -> list[Job]:
        """What is due, being learned from, or given up, with the reason and without content."""
        told = await self._door.call("GET", "/v1/jobs", query={"limit": limit})
        return [
            Job(
                id=uuid.UUID(one["id"]),
                speaker=read_entity(one["speaker"]),
                place=one["place"],
                unlearned=one["unlearned"],
                due_at=parsing.when(one["due_at"]),
                due_because=one["due_because"],
                attempts=one["attempts"],
                is_held=one["is_held"],
                try_after=parsing.maybe_when(one["try_after"]),
                failed_because=one["failed_because"],
            )
            for one in told["jobs"]
        ]

    async def learn(self, *, is_everything: bool = False) -> int:
        """Learn from all that is due, and with `is_everything` from all that was said."""
        sent = {"is_everything": is_everything}
        return (await self._door.call("POST", "/v1/jobs/learn", body=sent, is_long=True))[
            "messages"
        ]

    async def retry(self, job_id: uuid.UUID | None = None) -> int:
        """Try given-up jobs once more; how many there are."""
        sent = {"job": str(job_id) if job_id else None}
        return (await self._door.call("POST", "/v1/jobs/retry", body=sent))["jobs"]

    async def sessions(self, limit: int = 50) -> list[Sitting]:
        """The newest sessions: numbers and times."""
        told = await self._door.call("GET", "/v1/sessions", query={"limit": limit})
        return [
            Sitting(
                id=uuid.UUID(one["id"]),
                speaker=read_entity(one["speaker"]),
                place=one["place"],
                started_at=parsing.when(one["started_at"]),
                last_activity_at=parsing.when(one["last_activity_at"]),
                message_count=one["message_count"],
                unlearned=one["unlearned"],
                extracted_at=parsing.maybe_when(one["extracted_at"]),
                is_open=one["is_open"],
                due_because=one["due_because"],
            )
            for one in told["sessions"]
        ]

    async def _record(self, path: str, who: Entity, place: Place) -> None:
        sent = {"place": await writing.where(self._door, place)}
        await self._door.call("POST", path, query={"as": str(who)}, body=sent)


class RemoteSpending(Group):
    async def used(self, since: datetime | None = None) -> list[Used]:
        """This month's tokens and money."""
        told = await self._door.call("GET", "/v1/usage")
        self._since = parsing.when(told["since"])
        return [
            Used(
                person=one["person"],
                place=one["place"],
                space=one["space"],
                operation=one["operation"],
                model=one["model"],
                uses=one["uses"],
                tokens_read=one["tokens_read"],
                tokens_written=one["tokens_written"],
                dollars=one["dollars"],
            )
            for one in told["used"]
        ]

    async def all_budgets(self) -> list[Budget]:
        """Every budget that anything was spent of this month, the agent's first."""
        told = await self._door.call("GET", "/v1/usage")
        return [
            Budget(whose=one["whose"], spent=one["spent"], most=one["most"])
            for one in told["budgets"]
        ]

    def month(self) -> datetime:
        """Since when was counted, as the server said."""
        return self._since

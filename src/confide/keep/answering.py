"""A person's answer to a request: a yes does what was asked for, a no changes nothing."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final

from confide.actor import Actor, refused, require, ruling
from confide.errors import InvalidInput, NotFound, OnlyAsked
from confide.keep.consenting import Touched, give_within, require_voice
from confide.keep.requesting import NO_SUCH_REQUEST, Request, close, open_one
from confide.means import Means, Part
from confide.privacy.acting import Act, Relation, Verdict
from confide.privacy.consent import Consent

#: Does one kind of act, as the person who answered.
Deed = Callable[[Request, Actor], Awaitable[object]]
NOTHING_TO_DO: Final = "what was asked for can be done no longer"


class Answering(Part):
    """`deeds`: how each act is done that a key may only ask for. A consent is given here."""

    def __init__(self, means: Means, deeds: Mapping[Act, Deed]) -> None:
        super().__init__(means)
        self._deeds = deeds

    async def answer(
        self, request_id: uuid.UUID, *, agrees: bool, actor: Actor, lasts: timedelta
    ) -> Touched | None:
        database, now = self.database, self.clock()
        async with database.keep(by=actor, doing="answer a request", at=now) as connection:
            request = await open_one(connection, database, request_id)
            try:
                relation = await require_voice(connection, database, actor, request.grantor)
            except InvalidInput:
                # Somebody else's request is answered like one that does not exist.
                raise NotFound(NO_SUCH_REQUEST) from None
            _require_answer(request, actor, relation, agrees=agrees)
            if not agrees or request.act is Act.CONSENT:
                await close(connection, database, request_id, now, agrees=agrees)
            if not agrees:
                return None
            if request.wish is not None:
                given = Consent(
                    grantor=request.grantor,
                    grantee=request.wish.grantee,
                    where=request.wish.where,
                    until=now + lasts,
                    purpose=request.wish.purpose,
                )
                return await give_within(
                    connection, database, given, request.about, actor, now, request.wish.reason
                )
        # Killed in between, the request is still open and can be answered again.
        await self._deeds[request.act](request, actor)
        async with database.keep(by=actor, doing="answer a request", at=now) as connection:
            await close(connection, database, request_id, now, agrees=True)
        return None


def _require_answer(request: Request, actor: Actor, relation: Relation, *, agrees: bool) -> None:
    if not agrees:
        require(Act.WITHDRAW, actor, relation)
        return
    verdict, reason = ruling(Act.CONSENT, actor, relation)
    if verdict is Verdict.ASK:
        raise OnlyAsked(f"{reason}. Request {request.id} waits for {request.grantor}", request.id)
    if verdict is Verdict.NO:
        raise refused(Act.CONSENT, actor, reason)

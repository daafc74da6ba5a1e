"""Recall, recheck, explain, why."""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field
from starlette.responses import Response

from confide.errors import UnsafeStore
from confide.model import Manner
from confide.recall.context import Context
from confide.recall.manner import TOKENS, TOP_K
from confide.surfaces.cli.clauses import clause_as_json
from confide.surfaces.http.door import PERSONAL, PLATFORM, TOKEN, As, Here, for_callers, group
from confide.surfaces.http.fields import Asking, MemoryOut, Text

router = group("recall")


class Question(Asking):
    question: Text = Field(examples=["is Alice looking for a job?"])
    manner: Manner = Manner.HELPFUL
    """`helpful` adds up to five memories that fit weakly, for a model to judge; `certain` answers only
    with what is really known."""
    top_k: Annotated[int, Field(ge=TOP_K[0], le=TOP_K[1])] | None = None
    """How many memories at most, instead of the server's setting."""
    tokens: Annotated[int, Field(ge=TOKENS[0], le=TOKENS[1])] | None = None
    """How long the context may be, instead of the server's setting."""


class Evidence(BaseModel):
    speaker: str
    """As they are called now, where this audience may know it; else their id."""
    text: str


class Told(BaseModel):
    """A memory that everyone in the audience may hear."""

    id: uuid.UUID
    text: str
    kind: str
    type: str
    owner: str
    owner_name: str
    speaker: str | None
    scope: str
    sensitivity: str
    confidence: float
    confidence_in_words: str
    age: str
    said_at: datetime
    relevance: float
    similarity: float
    evidence: list[Evidence]
    shortened_to: int | None
    """As many characters of the text are in `context`; null: all of it."""
    is_own: bool
    """Whether it is the asker's."""
    is_weak: bool
    """Whether it may be about something else."""
    is_standing: bool
    """Whether the asker wants it in every answer."""


class Answer(BaseModel):
    """What everyone in the audience may hear. Nothing is an answer too."""

    memories: list[Told]
    perhaps: list[Told]
    """What fits weakly; empty in the manner `certain`."""
    standing: list[Told]
    """How the asker wants every answer, beside what is in `memories`."""
    context: str
    """The same as one block for a model."""
    now: datetime
    """When it was told; ages count from then."""


class Still(Asking):
    memories: list[uuid.UUID] = Field(max_length=1000)
    """What is about to be said, by id."""


class Left(BaseModel):
    """Which of these may be said to this audience now."""

    memories: list[uuid.UUID]
    evidence: dict[str, list[Evidence]]
    """The words behind each of them that it may hear."""


class Explained(BaseModel):
    told: bool
    because: str
    clause: dict[str, Any] | None


class Based(MemoryOut):
    owner_name: str
    """What its owner is called now."""


class Basis(BaseModel):
    """What the last answer here was based on, as far as this audience may still hear it."""

    told_at: datetime | None
    memories: list[Based]


@router.post("/recall", response_model=Answer, **for_callers(PLATFORM, PERSONAL, TOKEN))
async def recall(here: Here, body: Question) -> Any:
    """Answer a question with what everyone who will see the answer may hear."""
    found = await here.confide.recall(
        body.question,
        here.audience(body),
        manner=body.manner,
        top_k=body.top_k,
        tokens=body.tokens,
    )
    # Written as it is, without a second check of our own answer; tests hold it to the document.
    written = json.dumps(_answer(found), ensure_ascii=False, separators=(",", ":"))
    return Response(written, media_type="application/json")


@router.post("/recheck", response_model=Left, **for_callers(PLATFORM, PERSONAL, TOKEN))
async def recheck(here: Here, body: Still) -> Any:
    """Before an answer is sent: what of it may still be said, if the audience has changed."""
    heard = await here.confide.still_told(body.memories, here.audience(body))
    left = [id for id in dict.fromkeys(body.memories) if id in heard]
    return {
        "memories": left,
        "evidence": {
            str(id): [{"speaker": who, "text": text} for who, text in heard[id]] for id in left
        },
    }


@router.post(
    "/memories/{memory_id}/explain",
    response_model=Explained,
    **for_callers(PLATFORM, PERSONAL, TOKEN),
)
async def explain(here: Here, memory_id: uuid.UUID, body: Asking, as_: As = None) -> Any:
    """Whether an audience is told a memory, and why; for its owner and whoever said it."""
    heard = here.audience(body)
    actor = here.actor(as_ or (body.asker if here.caller.kind is PLATFORM else None))
    found = await here.confide.explain(memory_id, heard, actor=actor)
    if found.decision.told != found.told_by_database:
        raise UnsafeStore("the library and the database decide differently, so it is not told")
    clause = found.decision.clause
    return {
        "told": found.decision.told,
        "because": found.decision.because,
        "clause": clause_as_json(clause) if clause else None,
    }


@router.post("/why", response_model=Basis, **for_callers(PLATFORM, PERSONAL, TOKEN))
async def why(here: Here, body: Asking) -> Any:
    """What the last answer to this asker in this place was based on."""
    heard = here.audience(body)
    found = await here.confide.why(heard)
    return {
        "told_at": found.told_at,
        "memories": [
            MemoryOut.of(one, heard).model_dump() | {"owner_name": found.owner_name(one)}
            for one in found.memories
        ],
    }


def _answer(found: Context) -> dict[str, Any]:
    written = found.as_dict()
    return {
        "memories": written["memories"],
        "perhaps": written["perhaps"],
        "standing": written["standing"],
        "context": found.markdown(),
        "now": found.now.isoformat(),
    }

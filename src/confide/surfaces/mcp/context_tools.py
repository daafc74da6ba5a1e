"""The tools that choose where one is: among attested contexts, never new ones."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from confide.keep.contexts import ContextState
from confide.surfaces.mcp.choosing import choices, choose
from confide.surfaces.mcp.tool import CHOOSES, READS, Fields, Tool
from confide.surfaces.mcp.visit import Visit


class Enter(Fields):
    context: Annotated[str, Field(description="One of context_list: ctx:bella_health.")]


class Nothing(Fields):
    """No fields."""


class Entered(Fields):
    context: str | None  # None: the connection's own place
    note: str


class ListedContext(Fields):
    context: str
    participants: list[str]
    is_entered: bool


class Contexts(Fields):
    contexts: list[ListedContext]
    count: int


async def enter(visit: Visit, given: Enter) -> Entered:
    session = visit.session
    place = await choose(visit, given.context)
    if session.is_lasting:
        session.context = place
        return Entered(context=place.id, note="What follows is said and asked there.")
    return Entered(
        context=place.id, note="Nothing is kept between calls here; name it as context in each."
    )


async def leave(visit: Visit, given: Nothing) -> Entered:
    visit.identity()
    visit.session.context = None
    return Entered(context=None, note="What follows is said and asked in this connection alone.")


async def list_(visit: Visit, given: Nothing) -> Contexts:
    shown = [_listed(visit, one) for one in await choices(visit)]
    return Contexts(contexts=shown, count=len(shown))


def _listed(visit: Visit, one: ContextState) -> ListedContext:
    return ListedContext(
        context=one.place.id,
        participants=[str(p.entity) for p in one.participants],
        is_entered=one.place in (visit.session.context, visit.place()),
    )


TOOLS: Final = (
    Tool(
        name="context_enter",
        title="Enter a context",
        teaches="Say and ask what follows in a context such as care of a child or pet, one that the"
        " person already takes part in. It decides what new memories belong to and what is told."
        " It opens no context and brings nobody in.",
        takes=Enter,
        gives=Entered,
        run=enter,
        effects=CHOOSES,
    ),
    Tool(
        name="context_leave",
        title="Leave the context",
        teaches="Go back to this connection's own private place. Nobody's part in the context ends.",
        takes=Nothing,
        gives=Entered,
        run=leave,
        effects=CHOOSES,
    ),
    Tool(
        name="context_list",
        title="List contexts",
        teaches="The contexts that can be entered here, and who takes part in them.",
        takes=Nothing,
        gives=Contexts,
        run=list_,
        effects=READS,
    ),
)

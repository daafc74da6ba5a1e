"""Which context a call is in: one that the key, the token or its participants attest, or none."""

from __future__ import annotations

from confide.errors import NotFound
from confide.keep.contexts import NO_SUCH_CONTEXT, ContextState
from confide.model import Place, PlaceKind
from confide.privacy.places import parse_place
from confide.surfaces.mcp.visit import Visit


async def choices(visit: Visit) -> list[ContextState]:
    """The contexts that may be chosen: a token's own place, or where the person takes part."""
    who, _ = visit.identity()
    known, here = await visit.confide.contexts.known(who), visit.place()
    if here.kind is PlaceKind.CONNECTION:
        return known
    return [one for one in known if one.place == here]


async def choose(visit: Visit, name: str) -> Place:
    who, _ = visit.identity()
    wanted = parse_place(name, who, "context")
    if wanted.kind is PlaceKind.CONTEXT:
        if wanted == visit.place():  # the token attests it
            return wanted
        if any(one.place == wanted for one in await choices(visit)):
            return wanted
    raise NotFound(NO_SUCH_CONTEXT)


async def chosen(visit: Visit, name: str | None) -> Place | None:
    """The context named in a call, or the one entered before; None: the connection's own place."""
    if name is not None:
        return await choose(visit, name)
    entered = visit.session.context
    # Whoever left the context meanwhile is in it no longer.
    return await choose(visit, entered.id) if entered is not None else None

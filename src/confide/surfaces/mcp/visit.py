"""One call: the memory, who calls, and where that is. None of it comes from a tool's fields.

A model can choose what to ask and among the contexts it is in, not who it is or who listens.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from confide.actor import Actor
from confide.errors import NotAllowed
from confide.model import Entity, Namespace, Place, PlaceKind
from confide.privacy import atoms
from confide.privacy.acting import CallerKind
from confide.privacy.policy import GLOBAL_LEVEL, Anyone, Audience, EveryoneIn
from confide.surfaces.callers import (
    Caller,
    actor_for,
    audience_for,
    connection_of,
    only_direct,
    place_for,
)

if TYPE_CHECKING:
    from confide.memories import Confide

#: Said to whoever has no identity, and to every key that is not for this.
NO_IDENTITY: Final = (
    "this connection speaks for nobody; start it with --as, or use a personal key or an audience"
    " token"
)
CONNECTIONS: Final = (CallerKind.PERSONAL, CallerKind.AGENT)
SPEAKS_FOR_SOMEBODY: Final = (*CONNECTIONS, CallerKind.TOKEN)


@dataclass(slots=True, kw_only=True)
class Session:
    """What holds from one call to the next; over HTTP, nothing does."""

    namespace: Namespace = GLOBAL_LEVEL
    context: Place | None = None
    is_lasting: bool = False


@dataclass(frozen=True, slots=True)
class Visit:
    confide: Confide
    caller: Caller | None  # None: nobody vouches for this connection
    session: Session

    def identity(self) -> tuple[Entity, Actor]:
        """Whom this connection speaks for."""
        caller = self._somebody()
        assert caller.entity is not None, "a personal key or token is somebody's"
        return caller.entity, actor_for(caller)

    def audience(self, context: Place | None = None) -> Audience:
        """Everyone who will see the answer, here or in a context that was chosen."""
        caller = self._somebody()
        namespace = self.session.namespace if caller.kind in CONNECTIONS else None
        here = audience_for(caller, namespace=namespace)
        if context is None or context == here.place:
            return here
        if caller.is_opened:
            return replace(here, place=context)
        # The answer still appears in this client, so the client must be fit to hear it too.
        client = EveryoneIn(atoms.place(connection_of(caller).id))
        return replace(here, place=context, viewers=here.viewers | {client})

    def carried_by(self, context: Place | None) -> Place | None:
        """The connection whose client carries words into a context: it has them already."""
        caller = self._somebody()
        is_connection = caller.kind in CONNECTIONS and not caller.is_opened
        return connection_of(caller) if context is not None and is_connection else None

    def place(self) -> Place:
        """Where something is said through this connection."""
        who, _ = self.identity()
        return place_for(self._somebody(), who)

    @property
    def is_connection(self) -> bool:
        """Whether this is somebody's own place, and not one that a platform attests."""
        return self._somebody().kind in CONNECTIONS

    @property
    def is_private(self) -> bool:
        """Whether nobody but the person, and their own client, sees the answer."""
        caller = self._somebody()
        if caller.audience is None:
            return self.session.context is None
        return caller.audience == only_direct(caller.audience)

    def _somebody(self) -> Caller:
        if self.caller is None or self.caller.kind not in SPEAKS_FOR_SOMEBODY:
            raise NotAllowed(NO_IDENTITY)
        return self.caller


def when_anyone_listens(entity: Entity) -> Audience:
    """For a connection that speaks for nobody: `entity` asks, and anyone may see the answer."""
    place = Place(id="mcp", kind=PlaceKind.CONNECTION)
    return Audience(asker=entity, place=place, viewers=frozenset({Anyone()}))


def workspace_of(folder: Path) -> Namespace:
    """One workspace a project folder; outside of projects, the person's global level."""
    here = folder.resolve()
    project = next((up for up in (here, *here.parents) if (up / ".git").exists()), here)
    if project in (Path.home().resolve(), Path(project.anchor)):
        return GLOBAL_LEVEL
    # Two folders of one name are two projects.
    told_apart = hashlib.sha256(str(project).encode()).hexdigest()[:8]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", project.name).strip("-")[:64] or "project"
    return Namespace(f"{name}-{told_apart}")

"""Vectors of a provider beside the built-in ones, which every memory has (B9).

So remembering never waits for a provider. What lacks the provider's vector is found by words and by
the built-in one, and a backlog adds the vector when the provider answers.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final

from confide.actor import Actor, ruling
from confide.declare import Door, Group, Note, Source, verb
from confide.errors import InvalidInput, ModelUnavailable, UnusableAnswer
from confide.privacy.acting import Act, Relation, Verdict
from confide.providers.calibrating import USUAL, Scale, measure
from confide.providers.choosing import external_embedder, is_local
from confide.providers.usage import Tokens
from confide.store import embeddings
from confide.store.adding import add_embeddings
from confide.store.search import Sharp

if TYPE_CHECKING:
    from confide.model import Entity, Place
    from confide.providers.vectors import ExternalEmbedder

log = logging.getLogger("confide.models")
AT_ONCE: Final = 64
Progress = Callable[[int, int], None]
ModelName = Annotated[
    str | None, Note("The one that the server's settings name; left out, that one.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """How many memories got a vector of a model, and how many still lack one."""

    model: str
    embedded: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a model's cosines mean: of strangers, and from where on texts are related."""

    model: str
    unrelated: float
    threshold: float


class Vectors(Group):
    """What a provider's model makes of the memories, beside the built-in vectors."""

    def __init__(self, door: Door) -> None:
        super().__init__(door)
        self._scales: dict[str, Scale] = {}
        self._not_before: datetime | None = None

    @verb(Act.TEND, "POST /vectors/reembed", once=True, long=True)
    async def reembed(
        self,
        model: ModelName = None,
        *,
        actor: Actor | None = None,
        progress: Annotated[Progress, Source.HERE] = lambda _done, _all: None,
    ) -> Embedded:
        """Add the vectors of a model that are missing. May be stopped any time."""
        self._require_configured(model, actor)
        embedder = external_embedder(self.settings, model)
        if embedder is None:
            raise InvalidInput(
                "model", "names the built-in model, of which every memory has a vector"
            )
        done, after = 0, embeddings.FIRST
        every = await self.left(embedder.model)
        while True:
            async with self.database.keep() as connection:
                batch = await embeddings.missing(
                    connection, self.database.agent, embedder.model, after=after,
                    with_sensitive=self._with_sensitive(embedder.model), limit=AT_ONCE, now=self.clock(),
                )  # fmt: skip
            if not batch:
                left = await self.left(embedder.model)
                return Embedded(model=embedder.model, embedded=done, left=left)
            after = batch[-1][0]
            if not embedder.is_local:
                may = await asyncio.to_thread(self.leaving.which, [text for _, text in batch])
                batch = [one for one, leaves in zip(batch, may, strict=True) if leaves]
            done += await self._embed(embedder, batch)
            progress(done, every)

    async def drain_backlog(self) -> int:
        """What the provider was not there for. A provider that is still away is asked later."""
        if self.settings.embedder == "builtin" or not self._is_asked(self.settings.embedder):
            return 0
        if self._is_to_wait():
            return 0
        if not is_local(self.settings.embedder) and not await self.spending.may_spend(None):
            return 0
        try:
            return (await self.reembed()).embedded
        except (ModelUnavailable, UnusableAnswer) as problem:
            self._heed(problem)
            log.warning("vectors wait for the embedder: %s", type(problem).__name__)
            return 0
        except InvalidInput as problem:
            # A wrong setting must not end the learning beside it.
            log.warning("vectors wait for the settings: %s", problem)
            return 0

    async def left(self, model: str | None = None) -> int:
        async with self.database.keep() as connection:
            return await embeddings.left(
                connection, self.database.agent, model or self.settings.embedder,
                with_sensitive=self._with_sensitive(model or self.settings.embedder), now=self.clock(),
            )  # fmt: skip

    @verb(Act.TEND, "POST /vectors/calibrate", once=True, long=True)
    async def calibrate(self, model: ModelName = None, *, actor: Actor | None = None) -> Measured:
        """Measure what a model's similarities mean, on sentences that belong to nobody."""
        self._require_configured(model, actor)
        embedder = external_embedder(self.settings, model) or self.embedder
        scale = await measure(embedder)
        async with self.database.keep() as connection:
            await embeddings.set_scale(
                connection, self.database.agent, embedder.model, scale.unrelated, scale.threshold,
                self.clock(),
            )  # fmt: skip
        self._scales.pop(embedder.model, None)
        return Measured(model=embedder.model, unrelated=scale.unrelated, threshold=scale.threshold)

    def _require_configured(self, named: str | None, actor: Actor | None) -> None:
        """To which provider words leave is decided where the settings are, not by a key."""
        configured = self.settings.embedder
        if actor is None or named in (None, configured):
            return
        if ruling(Act.CHOOSE_MODEL, actor, Relation.NONE).verdict is not Verdict.YES:
            raise InvalidInput(
                "model",
                f"the server is set to {configured}; set CONFIDE_EMBEDDER there, or run it there",
            )

    async def sharpened(
        self, question: str, asker: Entity, place: Place | None = None
    ) -> Sharp | None:
        """The question as the provider's model sees it, if it may leave and the provider answers."""
        embedder = external_embedder(self.settings)
        if embedder is None or self._is_to_wait():
            return None
        where = (place.id, place.space) if place else (None, None)
        if not embedder.is_local:
            if not await asyncio.to_thread(self.leaving.may, question):
                return None
            if not await self.spending.may_spend(asker, where[1]):
                return None
        spent: list[Tokens] = []
        embedder.spent = spent.append
        try:
            vector = await embedder.embed_query(question)
        except (ModelUnavailable, UnusableAnswer) as problem:
            self._heed(problem)
            return None  # words and the built-in vectors answer
        for tokens in spent:
            await self.spending.spend(
                "recall", embedder.model, tokens, person=asker, place=where[0], space=where[1]
            )
        scale = await self.scale(embedder.model)
        return Sharp(embedder.model, vector, scale.unrelated, scale.threshold)

    async def _embed(
        self, embedder: ExternalEmbedder, batch: Sequence[tuple[uuid.UUID, str]]
    ) -> int:
        if not batch:
            return 0
        spent: list[Tokens] = []
        embedder.spent = spent.append
        try:
            vectors = await embedder.embed_documents([text for _, text in batch])
        finally:
            for tokens in spent:
                await self.spending.spend("embed", embedder.model, tokens)
        async with self.database.keep() as connection:
            ids = [id for id, _ in batch]
            await add_embeddings(connection, self.database.agent, embedder.model, ids, vectors)
        return len(batch)

    async def scale(self, model: str) -> Scale:
        if model not in self._scales:
            async with self.database.keep() as connection:
                known = await embeddings.scale(connection, self.database.agent, model)
            self._scales[model] = Scale(unrelated=known[0], threshold=known[1]) if known else USUAL
        return self._scales[model]

    def _heed(self, problem: ModelUnavailable | UnusableAnswer) -> None:
        """A provider that said when to come back is not asked before."""
        if isinstance(problem, ModelUnavailable) and problem.retry_after:
            self._not_before = self.clock() + timedelta(seconds=problem.retry_after)

    def _is_to_wait(self) -> bool:
        return self._not_before is not None and self.clock() < self._not_before

    def _is_asked(self, model: str) -> bool:
        return is_local(model) or self.settings.external_models != "none"

    def _with_sensitive(self, model: str) -> bool:
        return is_local(model) or self.settings.external_models == "all"

"""Plays the story. Every outcome comes from the library; the story only says what it expects."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass

from confide.actor import operator_as
from confide.demo.story import Agreement, Question, Scene, Story
from confide.errors import NotFound
from confide.memories import Confide
from confide.model import Manner
from confide.privacy import atoms
from confide.privacy.policy import Audience
from confide.reading import audience, read_access, read_entity, read_place, statement
from confide.store.consents import About


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one memory when one question was asked."""

    question: Question
    key: str
    is_told: bool
    because: str
    is_as_expected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    scene: Scene
    texts: dict[str, str]  # what is remembered, by key
    outcomes: tuple[Outcome, ...]


async def play(confide: Confide, story: Story) -> AsyncIterator[Played]:
    """Act the scenes out, one after another."""
    ids: dict[str, uuid.UUID] = {}
    texts: dict[str, str] = {}
    for scene in story.scenes:
        await _act(confide, scene, ids)
        for line in scene.lines:
            said = statement(line.text, by=line.by, place=line.place, **line.fields)
            done = await confide.remember(said)
            ids[line.key], texts[line.key] = done.id, done.memory.text
        asked = [
            outcome
            for question in scene.questions
            for outcome in await _ask(confide, scene, question, ids)
        ]
        shown = {key: texts[key] for key in scene.about}
        yield Played(scene=scene, texts=shown, outcomes=tuple(asked))


async def _act(confide: Confide, scene: Scene, ids: dict[str, uuid.UUID]) -> None:
    for who, place in scene.leaves:
        entity = read_entity(who)
        await confide.world.leave(read_place(place, entity), entity)
    for key, who in scene.forgets:
        await confide.forget(ids[key], actor=operator_as(read_entity(who)), now=True)
    for who, child in scene.guards:
        await confide.people.appoint_guardian(
            read_entity(child), read_entity(who), actor=operator_as()
        )
    for agreement in scene.agrees:
        await _agree(confide, agreement)
    for who in scene.withdraws:
        for given in await confide.consents.given_by(read_entity(who)):
            if given.revoked_at is None:
                await confide.consents.withdraw(given.id, actor=operator_as(read_entity(who)))


async def _agree(confide: Confide, agreement: Agreement) -> None:
    who = read_entity(agreement.who)
    where = read_place(agreement.place, who)
    given = confide.consents.agreement(
        read_entity(agreement.of), read_access(agreement.to), where=atoms.place(where.id)
    )
    await confide.consents.give(given, About(origin=where.id), actor=operator_as(who))


async def _ask(
    confide: Confide, scene: Scene, question: Question, ids: dict[str, uuid.UUID]
) -> list[Outcome]:
    listening = audience(question.asker, question.place, present=question.present)
    context = await confide.recall(scene.question, listening, manner=Manner.CERTAIN)
    told = {one.memory.id for one in context.memories}
    outcomes: list[Outcome] = []
    for key in scene.about:
        is_told = ids[key] in told
        decided, because = await _why(confide, ids[key], listening)
        agree = is_told == decided == (key in question.told)
        outcomes.append(
            Outcome(
                question=question, key=key, is_told=is_told, because=because, is_as_expected=agree
            )
        )
    return outcomes


async def _why(confide: Confide, id: uuid.UUID, listening: Audience) -> tuple[bool, str]:
    try:
        found = await confide.explain(id, listening)
    except NotFound as absent:
        return False, str(absent)
    # Told only if the library and row-level security both say so.
    return found.decision.told and found.told_by_database, found.decision.because

"""The last look before anything is told: one decision for everything that was found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from confide.model import Status
from confide.privacy.policy import Audience, Decision, Ears, Label, World, decide_for, listen


class Tellable(Protocol):
    """What can be told or withheld."""

    @property
    def label(self) -> Label: ...
    @property
    def status(self) -> Status: ...
    @property
    def expires_at(self) -> datetime | None: ...
    @property
    def is_opted_out(self) -> bool: ...


T = TypeVar("T", bound=Tellable)


@dataclass(frozen=True, slots=True)
class Disclosure(Generic[T]):
    told: tuple[T, ...]
    withheld: tuple[tuple[T, Decision], ...]


def disclose(found: Iterable[T], audience: Audience, world: World) -> Disclosure[T]:
    """Decide on each; only `told` may reach a prompt."""
    ears = listen(audience, world)
    judged = [(one, _judge(one, ears)) for one in found]
    return Disclosure(
        tuple(one for one, decision in judged if decision.told),
        tuple((one, decision) for one, decision in judged if not decision.told),
    )


def judge(one: Tellable, audience: Audience, world: World) -> Decision:
    """Live, and every clause of its label holds."""
    return _judge(one, listen(audience, world))


def _judge(one: Tellable, ears: Ears) -> Decision:
    if one.status is not Status.APPROVED:
        return Decision(False, f"it is {one.status.value}")
    if one.expires_at is not None and one.expires_at <= ears.world.now:
        return Decision(False, "it has expired")
    if one.is_opted_out:
        return Decision(False, "its owner or speaker opted out")
    return decide_for(ears, one.label)

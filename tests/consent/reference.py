"""Who may hear what, told person by person: the answer that the machine compares with.

It knows no clauses. Everyone who has a say in a memory is asked whether they let a listener hear
it: because they were there, because it is theirs, or because they agreed and have not taken it back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from confide import Entity

ROOM = "the room"


@dataclass(frozen=True)
class Agreed:
    """`who` lets `to` (somebody, or the room) hear a memory, or all that concern `subject`."""

    who: Entity
    to: Entity | str
    memory: UUID | None
    subject: Entity | None
    until: datetime
    purpose: str | None


@dataclass
class Said:
    id: UUID
    speaker: Entity
    subject: Entity | None
    in_room: bool
    witnesses: frozenset[Entity]
    is_sensitive: bool = False
    is_subject_late: bool = False  # they came after it was said, and it should surprise them


@dataclass
class Reference:
    now: datetime
    inside: set[Entity] = field(default_factory=set)
    said: list[Said] = field(default_factory=list)
    agreed: dict[UUID, Agreed] = field(default_factory=dict)
    merged: set[frozenset[Entity]] = field(default_factory=set)
    opted_out: set[Entity] = field(default_factory=set)

    def hears_alone(self, who: Entity, one: Said, purpose: str | None) -> bool:
        if one.speaker in self.opted_out:
            return False
        if one.subject in self.opted_out and not self._is(who, one.speaker):
            return False
        if one.is_sensitive and not self._is_insider(who, one):
            # Alone, too, only whom every insider let in brings it up.
            insiders = self._insiders(one)
            if not all(self._lets(j, who, one, purpose) for j in insiders):
                return False
        if not self._is(who, one.speaker):
            speaker_lets = self._lets(one.speaker, who, one, purpose)
            heard_there = one.in_room and who in self.inside and who in one.witnesses
            if not (speaker_lets or heard_there):
                return False
            if one.is_subject_late and not (heard_there or speaker_lets):
                return False
        return self._subject_agrees(who, one, purpose)

    def told_in_room(self, asker: Entity, one: Said, purpose: str | None) -> bool:
        """Everyone inside reads the answer, whoever asks."""
        speaker = one.speaker
        if speaker in self.opted_out or one.subject in self.opted_out:
            return False
        if one.is_sensitive and not self._is_for_the_room(asker, one, purpose):
            return False
        if not one.in_room and not self._agreed(speaker, ROOM, one, purpose):
            return False
        if one.is_subject_late and not all(
            self._is(who, speaker)
            or who in one.witnesses
            or self._lets(speaker, who, one, purpose)
            or self._agreed(speaker, ROOM, one, purpose)
            for who in self.inside
        ):
            return False
        return all(self._subject_agrees(who, one, purpose) for who in self.inside)

    def _insiders(self, one: Said) -> set[Entity]:
        """Who said it, and whom it is about if they were there."""
        about = {one.subject} if one.subject in one.witnesses and one.subject else set()
        return {one.speaker, *about}

    def _is_insider(self, who: Entity, one: Said) -> bool:
        return any(self._is(who, j) for j in self._insiders(one))

    def _is_for_the_room(self, asker: Entity, one: Said, purpose: str | None) -> bool:
        """Said there: for those who heard it. Otherwise every insider agreed to the room."""
        for j in self._insiders(one):
            to_room = self._agreed(j, ROOM, one, purpose)
            if not (one.in_room or to_room):
                return False
            heard = all(
                self._is_insider(who, one)
                or (one.in_room and who in one.witnesses)
                or self._lets(j, who, one, purpose)
                or to_room
                for who in self.inside
            )
            if not heard:
                return False
        return True

    def _subject_agrees(self, who: Entity, one: Said, purpose: str | None) -> bool:
        b = one.subject
        if b is None or b == one.speaker or self._is(who, b) or self._is(who, one.speaker):
            return True
        if who in self.inside and (one.in_room or self._agreed(b, ROOM, one, purpose)):
            return True
        return self._lets(b, who, one, purpose)

    def _is(self, who: Entity, other: Entity) -> bool:
        return who == other or frozenset({who, other}) in self.merged

    def _lets(self, owner: Entity, who: Entity, one: Said, purpose: str | None) -> bool:
        return any(
            isinstance(given.to, Entity) and self._is(who, given.to)
            for given in self._in_force(owner, one, purpose)
        )

    def _agreed(self, owner: Entity, to: str, one: Said, purpose: str | None) -> bool:
        return any(given.to == to for given in self._in_force(owner, one, purpose))

    def _in_force(self, owner: Entity, one: Said, purpose: str | None) -> list[Agreed]:
        return [
            given
            for given in self.agreed.values()
            if given.who == owner
            and given.until > self.now
            and given.purpose in (None, purpose)
            and (
                given.memory == one.id
                or (given.memory is None and given.subject in (one.subject, one.speaker))
            )
        ]

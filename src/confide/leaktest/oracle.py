"""The oracle: whether a canary may be told, in the words of the specification, reader by reader.

Written from spec rows S1-S4, A7-A12, K1-K8, P2 and the prose of design section 2. It knows no
clauses, atoms or labels: it looks at every individual who would see the answer.
"""

from __future__ import annotations

from dataclasses import replace

from confide.leaktest.canaries import AGENT, Canary
from confide.leaktest.rooms import THOUGHT, Level, spaces_around
from confide.leaktest.town import OPEN, Question, Reader, Town
from confide.model import Kind, PlaceKind, Sensitivity

TRAITS = (Kind.PREFERENCE, Kind.IDENTITY, Kind.RELATIONSHIP)
ALONE = (PlaceKind.DIRECT, PlaceKind.EPHEMERAL)


def why_withheld(canary: Canary, question: Question, town: Town) -> str | None:
    """Why it must not be told; None if it must be."""
    return Oracle(question, town).why_withheld(canary)


class Oracle:
    """Knows everybody who will see the answer to one question."""

    def __init__(self, question: Question, town: Town) -> None:
        self.town, self.namespace = town, question.namespace
        self.is_thought = question.room is THOUGHT and question.asker == AGENT
        self.readers = town.readers(question)
        self.asker = town.person(question.asker)
        # The room of the answer and what that lies in.
        self.within = frozenset(town.around(town.name(question.room)))
        self.spaces = spaces_around(question.room.space)
        self.is_alone = town.kind_of(question.room) in ALONE
        if town.kind_of(question.room) is PlaceKind.GUEST:
            self.within = frozenset[str]()
        # A room is told what fits it both as it is and as whoever asks calls it.
        self.as_called = (
            Oracle(replace(question, is_stale=False), town) if question.is_stale else None
        )
        if self.as_called is not None:
            self.as_called.within = frozenset[str]()
            later = Reader("whoever would read it as a public room", frozenset(), self.spaces)
            self.as_called.readers = [self.asker, later]

    def why_withheld(self, canary: Canary) -> str | None:
        if not self.readers:
            return "nobody can say who reads there"
        if canary.is_forgotten:
            return "it was forgotten"
        if canary.is_doubtful:
            return "it waits for somebody's approval"
        if canary.ends_at is not None and canary.ends_at <= self.town.now:
            return "it has expired"
        if {canary.owner, canary.speaker} & self.town.opted_out:
            return "its owner or speaker opted out"
        if self.is_thought:
            return None  # K18: the agent may think of all it holds
        if self.as_called is not None and (why := self.as_called.why_withheld(canary)) is not None:
            return why
        case = _Case(canary, self)
        for reader in self.readers:
            if (why := case.may_not_hear(reader)) is not None:
                return f"{reader.name} {why}"
        return case.may_not_ask()


class _Case:
    """One canary, one question."""

    def __init__(self, canary: Canary, oracle: Oracle) -> None:
        self.canary, self.town = canary, oracle.town
        self.asker, self.namespace = oracle.asker, oracle.namespace
        self.within, self.spaces = oracle.within, oracle.spaces
        self.is_alone = oracle.is_alone
        concerned = {canary.owner, canary.speaker} | (canary.about & canary.there)
        self.insiders = frozenset(who for who in concerned if who not in (None, AGENT))
        self.is_agents_own = not self.insiders and not canary.about

    # Hearing: asked of every reader

    def may_not_hear(self, reader: Reader) -> str | None:
        canary = self.canary
        if canary.about & self.town.opted_out and not reader.is_one_of([canary.speaker]):
            return "is not who said it, and somebody it is about opted out"
        is_group = self.town.kind.get(canary.place) in (PlaceKind.GROUP, PlaceKind.CONTEXT)
        heard_it = reader.is_one_of([canary.speaker]) or (is_group and self._was_there(reader))
        if canary.is_confidential and not heard_it:
            return "was not there when it was said in confidence"
        if reader.is_one_of(self.travellers()):
            return None  # A12: a trait of theirs that was said before them travels with them
        if not self._is_meant_for(reader):
            return f"is not among {canary.level.value}"
        for who in self._others_with_a_say():
            ok = reader.is_one_of([who, canary.speaker]) or self._had_to_expect(reader)
            if not (ok or self._agreed(who, reader)):
                return f"was not to hear it, says {who}"
        is_surprise = canary.is_subject_late and canary.level is Level.ROOM
        is_surprise = is_surprise and not canary.is_portable
        if is_surprise and not reader.is_one_of([canary.speaker]) and not self._was_there(reader):
            return "was not there when it was said about somebody who was not either"
        return self._too_careful_for(reader)

    def travellers(self) -> frozenset[str]:
        canary = self.canary
        travels = (
            canary.is_portable
            and not canary.is_confidential
            and canary.sensitivity is Sensitivity.PUBLIC
            and canary.kind in TRAITS
            and canary.level in (Level.ROOM, Level.SPACE)
        )
        return canary.about & canary.there if travels else frozenset()

    def _is_meant_for(self, reader: Reader) -> bool:
        canary = self.canary
        match canary.level:
            case Level.OWNER:
                return (
                    reader.is_one_of([canary.owner])
                    or self._is_client(reader)
                    or self._is_shared_with(reader)
                )
            case Level.OWNER_IN_ROOM:
                return canary.place in reader.rooms
            case Level.ROOM:
                return reader.is_one_of([canary.speaker]) or canary.place in reader.rooms
            case Level.SPACE:
                return reader.is_one_of([canary.owner]) or self._said_in_space() in reader.spaces
            case Level.OWNER_ANYWHERE:
                return True
            case Level.GRANTED:
                return reader.is_one_of([canary.speaker]) or self._is_granted(reader)

    def _others_with_a_say(self) -> set[str]:
        """Subjects, and whoever told it if the memory is not theirs."""
        canary = self.canary
        others = set(canary.about - {canary.speaker or ""})
        # What was granted goes as far as the agent grants it, and as far as its speaker agreed.
        is_theirs = canary.level is Level.ROOM or (
            canary.owner == canary.speaker and canary.level is not Level.GRANTED
        )
        if canary.speaker is not None and not is_theirs:
            others.add(canary.speaker)
        return others

    def _had_to_expect(self, reader: Reader) -> bool:
        """Whom everybody concerned must expect to hear it, because of where it was said."""
        canary = self.canary
        match canary.level:
            case Level.OWNER_ANYWHERE | Level.GRANTED:
                if self.town.kind.get(canary.place) in (None, PlaceKind.UNKNOWN):
                    return False
                if any(self.town.kind.get(n) in OPEN for n in self.town.around(canary.place)):
                    return self._said_in_space() in reader.spaces
                return canary.place in reader.rooms
            case _:
                return self._is_meant_for(reader)

    def _too_careful_for(self, reader: Reader) -> str | None:
        canary = self.canary
        if canary.sensitivity is Sensitivity.PUBLIC or reader.is_one_of(self.insiders):
            return None
        if self._is_care():
            is_let_in = self._was_there(reader)
        else:
            is_let_in = canary.sensitivity is Sensitivity.PERSONAL and self._is_in_its_room(reader)
        if is_let_in or self._all_insiders_agreed(reader):
            return None
        return f"is no insider of what is {canary.sensitivity.value}"

    # Asking: who brings it up, and where

    def may_not_ask(self) -> str | None:
        canary, asker = self.canary, self.asker
        if canary.about & self.town.opted_out and not (
            self.is_alone and asker.is_one_of([canary.speaker])
        ):
            return "somebody it is about opted out"
        if not self._may_bring_up():
            return f"{asker.name} may not bring it up there"
        if not self._fits_there():
            return "it is not for that room"
        if canary.sensitivity is not Sensitivity.PUBLIC:
            if not asker.is_one_of(self.insiders) and not self._may_ask_carefully():
                return f"{asker.name} is no insider"
            if not self._is_careful_there():
                return f"what is {canary.sensitivity.value} is not for that room"
        if canary.namespace is not None and (
            canary.namespace not in _levels(self.namespace) or asker.name != canary.owner
        ):
            return "it belongs to another workspace"
        return None

    def _may_bring_up(self) -> bool:
        canary, asker = self.canary, self.asker
        if asker.is_one_of(self.travellers()):
            return True
        match canary.level:
            case Level.OWNER | Level.OWNER_IN_ROOM | Level.OWNER_ANYWHERE:
                return asker.is_one_of([canary.owner]) or self._is_shared_here()
            case Level.ROOM:
                return (
                    asker.is_one_of([canary.speaker])
                    or canary.place in self.within
                    or self._was_there(asker)
                )
            case Level.SPACE:
                return asker.is_one_of([canary.owner]) or self._said_in_space() in self.spaces
            case Level.GRANTED:
                return asker.is_one_of([canary.speaker]) or self._is_granted_here(asker)

    def _fits_there(self) -> bool:
        canary = self.canary
        match canary.level:
            case Level.OWNER:
                is_its_connection = self._is_connection() and canary.place in self.within
                return self.is_alone or is_its_connection or self._is_shared_room()
            case Level.OWNER_IN_ROOM | Level.ROOM:
                return self.is_alone or canary.place in self.within
            case _:
                return True

    def _may_ask_carefully(self) -> bool:
        if self._is_care() and self.canary.place in self.within:
            return True
        return self._consenting() and self._is_granted_here(self.asker)

    def _is_careful_there(self) -> bool:
        canary = self.canary
        if self.is_alone:
            return True
        is_there = canary.place in self.within and self._has_room()
        if is_there and (self._is_care() or canary.sensitivity is Sensitivity.PERSONAL):
            return True
        return self._consenting() and self._is_granted_room()

    # Sharing: what its owner agreed to, as long as that is in force (K5, K11)

    def _shared(self) -> set[str]:
        return {to for to, until in self.canary.shared.items() if self.town.now < until}

    def _is_shared_with(self, reader: Reader) -> bool:
        return any(self._covers(to, reader) for to in self._shared())

    def _is_shared_here(self) -> bool:
        """With a person: they ask. With a room: it is asked there."""
        return self._is_shared_room() or self.asker.is_one_of(self._shared())

    def _is_shared_room(self) -> bool:
        return any(f"room:{name}" in self._shared() for name in self.within)

    # Small questions

    def _said_in_space(self) -> str | None:
        return self.town.space.get(self.canary.place)

    def _is_connection(self) -> bool:
        return self.town.kind.get(self.canary.place) is PlaceKind.CONNECTION

    def _is_client(self, reader: Reader) -> bool:
        return self._is_connection() and self.canary.place in reader.rooms

    def _has_room(self) -> bool:
        return self.town.kind.get(self.canary.place, PlaceKind.UNKNOWN) is not PlaceKind.UNKNOWN

    def _is_in_its_room(self, reader: Reader) -> bool:
        return self._has_room() and self.canary.place in reader.rooms

    def _was_there(self, reader: Reader) -> bool:
        """Then, and is now."""
        return reader.name in self.canary.there and self.canary.place in reader.rooms

    def _is_care(self) -> bool:
        """Said in a context whose participants included everyone concerned (A8)."""
        is_context = self.town.kind.get(self.canary.place) is PlaceKind.CONTEXT
        return is_context and self.insiders <= self.canary.there | {self.canary.speaker or ""}

    def _is_granted(self, reader: Reader) -> bool:
        return any(self._covers(grant, reader) for grant in self.canary.access)

    def _covers(self, grant: str, reader: Reader) -> bool:
        word, _, rest = grant.partition(":")
        match word:
            case "*":
                return True
            case "room":
                return rest in reader.rooms
            case "space":
                return rest in reader.spaces
            case "role":
                return grant in reader.roles
            case _:
                return reader.is_one_of([grant])

    def _is_granted_here(self, asker: Reader) -> bool:
        """To a person: they ask. To a room or space: it is asked there."""
        to_people = [g for g in self.canary.access if not g.startswith(("room:", "space:"))]
        return self._is_granted_room() or any(self._covers(grant, asker) for grant in to_people)

    def _is_granted_room(self) -> bool:
        here = {f"room:{name}" for name in self.within} | {"*"}
        here |= {f"space:{space}" for space in self.spaces}
        return any(grant in here for grant in self.canary.access)

    def _agreed(self, who: str, reader: Reader) -> bool:
        return who in self.canary.consent and self._in_time() and self._is_granted(reader)

    def _all_insiders_agreed(self, reader: Reader) -> bool:
        return self._consenting() and self._is_granted(reader)

    def _consenting(self) -> bool:
        """Everyone concerned agreed to the grant. Granting is the agent's own consent."""
        if self.is_agents_own:
            return True
        return bool(self.insiders) and self.insiders <= self.canary.consent and self._in_time()

    def _in_time(self) -> bool:
        return self.canary.consent_ends is not None and self.town.now < self.canary.consent_ends


def _levels(namespace: str | None) -> frozenset[str]:
    """P2: what is asked for, its workspace, and nothing beside it."""
    if namespace is None:
        return frozenset()
    workspace, _, _ = namespace.partition("/")
    return frozenset({namespace, workspace} - {""})

"""The label of a new memory: clauses made from where, by whom and about whom something was said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from confide.model import Entity, Kind, Namespace, Place, PlaceKind, Scope, Sensitivity
from confide.privacy import atoms
from confide.privacy.atoms import ALONE, ANYONE, Atom, AtomKind
from confide.privacy.places import MEANING, Readers
from confide.privacy.policy import Clause, ClauseKind, Label, Term

PORTABLE_KINDS = frozenset({Kind.PREFERENCE, Kind.IDENTITY, Kind.RELATIONSHIP})
PORTABLE_SCOPES = frozenset({Scope.GROUP, Scope.GUILD_PUBLIC})
NO_ATOMS: frozenset[Atom] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """All a label is made from. It is kept with the memory, so that the label can be made again."""

    agent: Entity
    scope: Scope
    owner: Entity | None  # whose memory it is; nobody's: it belongs to the room
    speaker: Entity | None  # who told it; None: the agent saw it itself
    place: Place | None  # the room; a thread is part of one
    epoch: int = 0
    thread: str | None = None  # where in the room it was said
    through: str | None = None  # the connection that carried the words into a context
    is_confidential: bool = False  # "between us": for those who were there when it was said
    only_for: frozenset[Atom] = (
        NO_ATOMS  # who may know, of those who were there; none: as its place
    )
    subjects: frozenset[Entity] = frozenset()
    present: frozenset[Entity] = frozenset()
    sensitivity: Sensitivity = Sensitivity.SENSITIVE
    kind: Kind = Kind.EVENT
    namespace: Namespace | None = None
    grants: frozenset[Atom] = NO_ATOMS
    is_portable: bool = False
    is_portable_confirmed: bool = False
    joined_later: frozenset[Entity] = frozenset()  # subjects who came after it was said
    objectors: frozenset[Entity] = frozenset()  # subjects who opted out
    inherited: frozenset[Clause] = frozenset()  # of sources, quoted memories, another agent's chain

    @property
    def is_in_confidence(self) -> bool:
        """Whoever said it said who may know: it is neither promoted nor portable nor an insight."""
        return self.is_confidential or bool(self.only_for)


def label(origin: Origin) -> Label:
    """The clauses before any consent."""
    made = [*_scope(origin), *_source(origin), *_subjects(origin), *_sensitivity(origin)]
    travelling = _portable([*made, *_namespace(origin)], origin)
    narrowing = (*_confidence(origin), *_objections(origin))
    return Label(frozenset((*travelling, *narrowing)) | origin.inherited)


def _scope(o: Origin) -> Iterator[Clause]:
    agent, u = o.agent, _scope_owner(o)
    me = atoms.entity(u)
    p, s = _room(o), o.place.space if o.place else None
    match o.scope:
        case Scope.SELF_ONLY if o.speaker is None:
            yield hear(agent, {atoms.entity(agent)})
        case Scope.SELF_ONLY | Scope.GRANTED:
            yield from _granted(o)
        case Scope.DM:
            connection = _connection(o)
            yield hear(u, {me} | connection)
            yield ask(u, {me})
            yield ask(u, {ALONE} | _settings(connection))
        case Scope.CHANNEL_RESTRICTED if p is not None:
            yield hear(u, {atoms.place(p)})
            yield ask(u, {me})
            yield ask(u, {atoms.at_place(p), ALONE})
        case Scope.GROUP if p is not None:
            yield hear(u, {me, atoms.place(p)} | _carried(o))
            yield ask(u, {me, atoms.at_place(p), atoms.present(p, o.epoch)})
            yield ask(u, {atoms.at_place(p), ALONE})
        case Scope.GUILD_PUBLIC if s is not None:
            yield hear(u, {me, atoms.space(s)})
            yield ask(u, {me, atoms.at_space(s)})
        case Scope.GLOBAL:
            yield hear(u, {ANYONE})
            yield ask(u, {me})
        case Scope.PUBLIC:
            yield hear(u, {ANYONE})
        case _:  # a scope its place cannot give: the agent alone
            yield hear(agent, {atoms.entity(agent)})


def _granted(o: Origin) -> Iterator[Clause]:
    told = _both(o.agent, o.speaker)
    yield hear(o.agent, told | o.grants)
    yield ask(o.agent, told | {atoms.as_setting(g) or g for g in o.grants})


def _source(o: Origin) -> Iterator[Clause]:
    """Telling the agent something lets it know, not share (K5)."""
    x = o.speaker
    if x is not None and x not in (o.agent, _scope_owner(o)):
        yield hear(x, {atoms.entity(x)} | reach(o))


def _scope_owner(o: Origin) -> Entity:
    """Who owns the clauses that the scope made."""
    match o.scope:
        case Scope.SELF_ONLY | Scope.GRANTED:
            return o.agent
        case Scope.GROUP:
            return o.speaker or o.owner or o.agent
        case _:
            return o.owner or o.speaker or o.agent


def _subjects(o: Origin) -> Iterator[Clause]:
    """A memory about someone is private to that relationship (K6)."""
    for b in o.subjects - {o.speaker}:
        yield hear(b, _both(b, o.speaker) | reach(o))
    p = _room(o)
    if o.scope is Scope.GROUP and p is not None and not o.is_portable:
        teller = o.speaker or o.owner or o.agent
        for _late in o.joined_later & o.subjects:  # the surprise party stays one
            yield hear(teller, {atoms.entity(teller), atoms.present(p, o.epoch)})


def _confidence(o: Origin) -> Iterator[Clause]:
    """Said in confidence: each of those who were there may hear it, and nobody who came later."""
    x = o.speaker or o.owner or o.agent
    if o.is_confidential:
        yield in_confidence(x, o.place, o.epoch)
    if o.only_for:
        yield hear(x, {atoms.entity(x)} | o.only_for)


def in_confidence(x: Entity, place: Place | None, epoch: int) -> Clause:
    """What `x` says between those who are in `place` at that epoch."""
    p = place.id if place and MEANING[place.kind].scope is Scope.GROUP else None
    return hear(x, {atoms.entity(x)} | ({atoms.present(p, epoch)} if p else set()))


def _sensitivity(o: Origin) -> Iterator[Clause]:
    if o.sensitivity is Sensitivity.PUBLIC:
        return
    insiders = insiders_of(o)
    if not insiders:
        yield hear(o.agent, {atoms.entity(o.agent)})
        return
    us = {atoms.entity(j) for j in insiders}
    room = _care_context(o, insiders) or _plain_room(o)
    # Granting is the agent's consent to its own clauses; nobody else's are widened by it.
    granted = o.grants if insiders <= {o.agent} else NO_ATOMS
    for j in insiders:
        yield hear(j, us | room.hear | granted)
        yield ask(j, us | room.ask | {atoms.as_setting(g) or g for g in granted})
        yield ask(j, {ALONE} | room.where | _settings(granted) | (granted & {ANYONE}))


@dataclass(frozen=True, slots=True)
class _Room:
    """What a room adds to the insiders of a careful fact."""

    hear: frozenset[Atom] = NO_ATOMS
    ask: frozenset[Atom] = NO_ATOMS
    where: frozenset[Atom] = NO_ATOMS


def _plain_room(o: Origin) -> _Room:
    p = _room(o)
    if p is None or o.sensitivity is Sensitivity.SENSITIVE:
        return _Room()
    return _Room(hear=frozenset({atoms.place(p)}), where=frozenset({atoms.at_place(p)}))


def _care_context(o: Origin, insiders: frozenset[Entity]) -> _Room | None:
    """A context its insiders opened for it: its participants of then may hear it there (A8)."""
    if o.place is None or o.place.kind is not PlaceKind.CONTEXT:
        return None
    if not insiders <= o.present | ({o.speaker} if o.speaker else set()):
        return None
    there = frozenset({atoms.at_place(o.place.id)})
    return _Room(frozenset({atoms.present(o.place.id, o.epoch)}), there, there)


def insiders_of(o: Origin) -> frozenset[Entity]:
    """The owner, the speaker, and the subjects who were there. The agent only if it alone is concerned."""
    concerned = {e for e in (o.owner, o.speaker) if e is not None} | (o.subjects & o.present)
    others = concerned - {o.agent}
    if others or o.subjects - {o.agent}:
        return frozenset(others)
    return frozenset({o.agent})


def _namespace(o: Origin) -> Iterator[Clause]:
    if o.namespace is not None and o.owner is not None:
        yield ask(o.owner, {atoms.at_scope(o.owner, o.namespace)})


def _objections(o: Origin) -> Iterator[Clause]:
    """A subject's opt-out ends telling to anyone but the speaker alone.

    Taking it back relaxes it, and no consent of theirs does: those were given before they objected,
    or about other memories too. So these clauses are the agent's.
    """
    if o.objectors & o.subjects:
        teller = {atoms.entity(o.speaker or o.agent)}
        yield hear(o.agent, teller)
        yield ask(o.agent, teller)
        yield ask(o.agent, {ALONE})


def _portable(made: Iterable[Clause], o: Origin) -> Iterator[Clause]:
    """Lasting traits may help in their subject's own chats (A12)."""
    travellers: frozenset[Entity] = frozenset()
    if (
        o.is_portable
        and not o.is_in_confidence
        and o.sensitivity is Sensitivity.PUBLIC
        and o.kind in PORTABLE_KINDS
        and o.scope in PORTABLE_SCOPES
    ):
        travellers = o.subjects if o.is_portable_confirmed else o.subjects & o.present
    added = frozenset(Term(atoms.entity(b)) for b in travellers)
    for clause in made:
        yield clause if names_only_settings(clause) else widen(clause, added)


def is_for_owner_alone(made: Label, owner: Entity, agent: Entity) -> bool:
    """Whether nobody else may hear it. The owner's own connections are nobody else."""
    own = {atoms.entity(owner), atoms.entity(agent)}
    return any(
        all(
            term.atom in own
            or (term.atom.kind is AtomKind.PLACE and term.atom.name.startswith(f"{owner}/"))
            for term in clause.terms
        )
        for clause in made.clauses
        if clause.kind is ClauseKind.HEAR
    )


def reach(o: Origin) -> frozenset[Atom]:
    """Whom the source and subjects must expect to hear it, because of where it was said."""
    u, p = o.owner or o.speaker, _room(o)
    match o.scope:
        case Scope.SELF_ONLY:
            return NO_ATOMS
        case Scope.DM:
            own = frozenset({atoms.entity(u)}) if u else NO_ATOMS
            return own | _connection(o)
        case Scope.CHANNEL_RESTRICTED:
            return frozenset({atoms.place(p)}) if p else NO_ATOMS
        case Scope.GROUP:
            teller = frozenset({atoms.entity(o.speaker)}) if o.speaker else NO_ATOMS
            return teller | (frozenset({atoms.place(p)}) if p else NO_ATOMS) | _carried(o)
        case Scope.GUILD_PUBLIC:
            s = o.place.space if o.place else None
            own = frozenset({atoms.entity(u)}) if u else NO_ATOMS
            return own | (frozenset({atoms.space(s)}) if s else NO_ATOMS)
        case Scope.GLOBAL | Scope.PUBLIC | Scope.GRANTED:
            return _origin_reach(o) | _carried(o)
        case _:
            assert_never(o.scope)


def _origin_reach(o: Origin) -> frozenset[Atom]:
    """{space:s} for a public place, {place:p} for any other room, {} for a direct chat."""
    p = _room(o)
    if o.place is None or p is None:
        return NO_ATOMS
    is_public = MEANING[o.place.kind].scope is Scope.GUILD_PUBLIC
    if is_public and o.place.space is not None:
        return frozenset({atoms.space(o.place.space)})
    return frozenset({atoms.place(p)})


def _room(o: Origin) -> str | None:
    """The place as a room that others can be in; a direct chat is none."""
    if o.place is None or MEANING[o.place.kind].is_alone:
        return None
    return None if MEANING[o.place.kind].readers is Readers.NOBODY else o.place.id


def _connection(o: Origin) -> frozenset[Atom]:
    is_connection = o.place is not None and o.place.kind is PlaceKind.CONNECTION
    return frozenset({atoms.place(o.place.id)}) if o.place and is_connection else NO_ATOMS


def _carried(o: Origin) -> frozenset[Atom]:
    """The client that carried the words into a context has them already."""
    return frozenset({atoms.place(o.through)}) if o.through is not None else NO_ATOMS


def _settings(rooms: Iterable[Atom]) -> set[Atom]:
    return {where for room in rooms if (where := atoms.as_setting(room)) is not None}


def _both(b: Entity, x: Entity | None) -> set[Atom]:
    return {atoms.entity(b)} | ({atoms.entity(x)} if x is not None else set())


def hear(owner: Entity, who: Iterable[Atom]) -> Clause:
    return Clause(ClauseKind.HEAR, owner, frozenset(Term(a) for a in who))


def ask(owner: Entity, who: Iterable[Atom]) -> Clause:
    return Clause(ClauseKind.ASK, owner, frozenset(Term(a) for a in who))


def names_only_settings(clause: Clause) -> bool:
    return all(term.atom.is_setting for term in clause.terms)


def widen(clause: Clause, terms: frozenset[Term]) -> Clause:
    return clause._replace(terms=clause.terms | terms)

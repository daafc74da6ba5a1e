"""An independent answer to "may this be told?", found by looking at one person after another.

Written from the words of the specification. It shares no code with the rule: neither atoms nor
`up`, neither clauses nor `decide`. Every person who could see the answer is asked in turn, those
who are there now and a newcomer who joins later and reads back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tests.privacy.facts import AGENT, Facts
from tests.privacy.onlookers import ONE_TO_ONE, Occasion, Person, Scene

from confide.model import Entity, Kind, Place, PlaceKind, Scope, Sensitivity
from confide.privacy.atoms import Atom, AtomKind
from confide.privacy.consent import Consent
from confide.privacy.labels import Origin

OPEN_ROOMS = {PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT}


Who = Callable[[Person], bool]
Where = Callable[[Scene], bool]


@dataclass
class Demand:
    """What one person insists on: of all who hear it, or of who asks and where."""

    owner: Entity
    of_hearers: list[Who] | None = None
    of_asker: list[Who] | None = None
    of_scene: list[Where] | None = None
    is_for_nobody_else: bool = False  # no insider is left: even a grant does not help

    @property
    def is_about_scene_only(self) -> bool:
        return self.of_hearers is None and not self.of_asker


@cache
def the(entity: Entity) -> Who:
    if entity.namespace in ("role", "group", "org"):
        return lambda person: entity in person.collectives or person.entity == entity
    return lambda person: person.entity == entity


@cache
def in_room(place: str) -> Who:
    return lambda person: place in person.rooms


@cache
def in_space(space: str) -> Who:
    return lambda person: space in person.spaces


@cache
def witness(place: str, epoch: int) -> Who:
    return lambda person: (place, epoch) in person.witnessed


def anybody(_: Person) -> bool:
    return True


@cache
def at(place: str) -> Where:
    return lambda scene: place in scene.rooms


@cache
def within(space: str) -> Where:
    return lambda scene: space in scene.spaces


def alone(scene: Scene) -> bool:
    return scene.is_alone


def anywhere(_: Scene) -> bool:
    return True


def demands(o: Origin, consents: Sequence[Consent], facts: Facts) -> list[Demand]:
    """Everything that everyone with a say insists on."""
    made = [*_of_scope(o), *_of_source(o), *_of_subjects(o)]
    made += _of_sensitivity(o, facts)
    if o.namespace is not None and o.owner is not None:
        key = (o.owner, o.namespace.workspace or None, o.namespace.scope or None)
        made.append(Demand(o.owner, of_asker=[], of_scene=[lambda s: key in s.namespaces]))
    for b in o.objectors & o.subjects:
        made += _only(b, [the(o.speaker or o.agent)])
    if o.is_portable and _may_travel(o):
        who = o.subjects if o.is_portable_confirmed else o.subjects & o.present
        for demand in made:
            if not demand.is_about_scene_only:
                (demand.of_hearers if demand.of_hearers is not None else demand.of_asker).extend(
                    the(b) for b in who
                )
    if o.is_confidential:
        made.append(_in_confidence(o))
    if o.only_for:  # who may know, by name or by what they hold
        x = o.speaker or o.owner or o.agent
        made.append(Demand(x, of_hearers=[the(x), *(_people(one) for one in o.only_for)]))
    for consent in consents:
        for demand in made:
            if demand.owner == consent.grantor:
                _agree(demand, consent, facts)
    return made


def _only(owner: Entity, who: list[Who], *, where: Sequence[Where] = ()) -> list[Demand]:
    """Heard by nobody else, asked by nobody else, and in company nowhere but there."""
    return [
        Demand(owner, of_hearers=list(who)),
        Demand(owner, of_asker=list(who), of_scene=[]),
        Demand(owner, of_asker=[], of_scene=[alone, *where]),
    ]


def _in_confidence(o: Origin) -> Demand:
    """For who said it, and in a group for those who were there."""
    x = o.speaker or o.owner or o.agent
    is_group = o.place is not None and o.place.kind in (PlaceKind.GROUP, PlaceKind.CONTEXT)
    there = [witness(o.place.id, o.epoch)] if o.place and is_group else []
    return Demand(x, of_hearers=[the(x), *there])


def _may_travel(o: Origin) -> bool:
    return (
        not (o.is_confidential or o.only_for)
        and o.sensitivity is Sensitivity.PUBLIC
        and o.kind in (Kind.PREFERENCE, Kind.IDENTITY, Kind.RELATIONSHIP)
        and o.scope in (Scope.GROUP, Scope.GUILD_PUBLIC)
    )


def _stated_by(o: Origin) -> Entity:
    """Whose condition the scope is."""
    if o.scope in (Scope.SELF_ONLY, Scope.GRANTED):
        return o.agent
    if o.scope is Scope.GROUP:
        return o.speaker or o.owner or o.agent
    return o.owner or o.speaker or o.agent


def _of_scope(o: Origin) -> Iterator[Demand]:
    u, p, s = _stated_by(o), _room(o.place), o.place.space if o.place else None
    if o.scope is Scope.GRANTED or (o.scope is Scope.SELF_ONLY and o.speaker):
        us = [the(e) for e in (o.agent, o.speaker) if e is not None]
        yield Demand(u, of_hearers=[*us, *(_people(g) for g in o.grants)])
        there = [_there(g) for g in o.grants]
        yield Demand(
            u,
            of_asker=us + [_people(g) for g in o.grants if _there(g) is None],
            of_scene=[w for w in there if w is not None],
        )
    elif o.scope is Scope.DM:
        assert o.place is not None
        is_read_along = o.place.kind is PlaceKind.CONNECTION
        client = [in_room(o.place.id)] if is_read_along else []
        yield Demand(u, of_hearers=[the(u), *client])
        yield Demand(u, of_asker=[the(u)], of_scene=[])
        yield Demand(u, of_asker=[], of_scene=[alone, *([at(o.place.id)] if client else [])])
    elif o.scope is Scope.CHANNEL_RESTRICTED and p:
        yield Demand(u, of_hearers=[in_room(p)])
        yield Demand(u, of_asker=[the(u)], of_scene=[])
        yield Demand(u, of_asker=[], of_scene=[at(p), alone])
    elif o.scope is Scope.GROUP and p:
        yield Demand(u, of_hearers=[the(u), in_room(p), *_client(o)])
        yield Demand(u, of_asker=[the(u), witness(p, o.epoch)], of_scene=[at(p)])
        yield Demand(u, of_asker=[], of_scene=[at(p), alone])
    elif o.scope is Scope.GUILD_PUBLIC and s:
        yield Demand(u, of_hearers=[the(u), in_space(s)])
        yield Demand(u, of_asker=[the(u)], of_scene=[within(s)])
    elif o.scope is Scope.GLOBAL:
        yield Demand(u, of_hearers=[anybody])
        yield Demand(u, of_asker=[the(u)], of_scene=[])
    elif o.scope is Scope.PUBLIC:
        yield Demand(u, of_hearers=[anybody])
    else:
        yield Demand(o.agent, of_hearers=[the(o.agent)])


def _of_source(o: Origin) -> Iterator[Demand]:
    if o.speaker and o.speaker != o.agent and o.speaker != _stated_by(o):
        yield Demand(o.speaker, of_hearers=[the(o.speaker), *_expected(o)])


def _of_subjects(o: Origin) -> Iterator[Demand]:
    for b in o.subjects:
        if b != o.speaker:
            told = [the(o.speaker)] if o.speaker else []
            yield Demand(b, of_hearers=[the(b), *told, *_expected(o)])
    p = _room(o.place)
    if o.scope is Scope.GROUP and p and o.joined_later & o.subjects and not o.is_portable:
        x = _stated_by(o)
        yield Demand(x, of_hearers=[the(x), witness(p, o.epoch)])


def _of_sensitivity(o: Origin, facts: Facts) -> list[Demand]:
    """What the agent grants of its own, it has consented to."""
    made = list(_of_insiders(o))
    for grant in o.grants:
        for demand in made:
            if demand.owner == o.agent and not demand.is_for_nobody_else:
                _agree(demand, Consent(grantor=o.agent, grantee=grant), facts)
    return made


def _of_insiders(o: Origin) -> Iterator[Demand]:
    if o.sensitivity is Sensitivity.PUBLIC:
        return
    insiders = {e for e in (o.owner, o.speaker) if e} | {b for b in o.subjects if b in o.present}
    if insiders - {AGENT} or o.subjects - {AGENT}:
        insiders -= {AGENT}
    else:
        insiders = {AGENT}
    us = [the(j) for j in insiders]
    p = _room(o.place)
    if not insiders:
        yield Demand(o.agent, of_hearers=[the(o.agent)], is_for_nobody_else=True)
    for j in insiders:
        if o.place and o.place.kind is PlaceKind.CONTEXT and insiders <= o.present | {o.speaker}:
            yield Demand(j, of_hearers=[*us, witness(o.place.id, o.epoch)])
            yield Demand(j, of_asker=list(us), of_scene=[at(o.place.id)])
            yield Demand(j, of_asker=[], of_scene=[alone, at(o.place.id)])
        elif o.sensitivity is Sensitivity.PERSONAL and p:
            yield Demand(j, of_hearers=[*us, in_room(p)])
            yield Demand(j, of_asker=list(us), of_scene=[])
            yield Demand(j, of_asker=[], of_scene=[alone, at(p)])
        else:
            yield from _only(j, us)


def _expected(o: Origin) -> list[Who]:
    """Whom anyone who speaks there must expect to hear it."""
    u, p, s = o.owner or o.speaker, _room(o.place), o.place.space if o.place else None
    match o.scope:
        case Scope.SELF_ONLY:
            return []
        case Scope.DM:
            is_read_along = o.place is not None and o.place.kind is PlaceKind.CONNECTION
            return ([the(u)] if u else []) + ([in_room(o.place.id)] if is_read_along else [])
        case Scope.CHANNEL_RESTRICTED:
            return [in_room(p)] if p else []
        case Scope.GROUP:
            told = [the(o.speaker)] if o.speaker else []
            return told + ([in_room(p)] if p else []) + _client(o)
        case Scope.GUILD_PUBLIC:
            return ([the(u)] if u else []) + ([in_space(s)] if s else [])
        case _:
            if p is None:
                return _client(o)
            is_open = o.place is not None and o.place.kind in OPEN_ROOMS and s
            return ([in_space(s)] if is_open and s else [in_room(p)]) + _client(o)


def _client(o: Origin) -> list[Who]:
    """Whoever reads along a connection has carried the words into the context."""
    return [in_room(o.through)] if o.through else []


def _room(place: Place | None) -> str | None:
    if place is None or place.kind in ONE_TO_ONE or place.kind is PlaceKind.UNKNOWN:
        return None
    return place.id


def _people(atom: Atom) -> Who:
    match atom.kind:
        case AtomKind.ANYONE:
            return anybody
        case AtomKind.PLACE:
            return in_room(atom.name)
        case AtomKind.SPACE:
            return in_space(atom.name)
        case _:
            return the(Entity(*atom.name.split(":", 1)))


def _there(atom: Atom) -> Where | None:
    match atom.kind:
        case AtomKind.PLACE:
            return at(atom.name)
        case AtomKind.SPACE:
            return within(atom.name)
        case _:
            return None


def _agree(demand: Demand, consent: Consent, facts: Facts) -> None:
    """Somebody relaxes what they insist on, for a while or a purpose."""
    if consent.until is not None and consent.until <= facts.now:
        return
    if demand.of_hearers is not None:
        demand.of_hearers.append(_for(consent.purpose, _people(consent.grantee)))
        return
    assert demand.of_asker is not None
    assert demand.of_scene is not None
    is_about_scene_only = demand.is_about_scene_only
    where = _there(consent.where or consent.grantee)
    if where is not None:
        demand.of_scene.append(_there_for(consent.purpose, where))
    elif consent.grantee.kind is AtomKind.ANYONE:
        demand.of_scene.append(_there_for(consent.purpose, anywhere))
    elif not is_about_scene_only:
        demand.of_asker.append(_for(consent.purpose, _people(consent.grantee)))


class ForPurpose:
    """A person who is heard only where the audience names the purpose."""

    def __init__(self, purpose: str, who: Who) -> None:
        self.purpose, self.who = purpose, who


def _for(purpose: str | None, who: Who) -> Who:
    return who if purpose is None else ForPurpose(purpose, who)  # type: ignore[return-value]


def _there_for(purpose: str | None, where: Where) -> Where:
    return where if purpose is None else (lambda s: s.purpose == purpose and where(s))


def told(made: Iterable[Demand], o: Occasion) -> bool:
    """Whether nobody's demand stands against it."""
    if o.is_silent:
        return False
    if o.is_own_thought:
        return True
    for demand in made:
        if demand.of_hearers is not None:
            if not all(_is_one_of(demand.of_hearers, hearer, o) for hearer in o.hearers):
                return False
        elif not (
            _is_one_of(demand.of_asker or [], o.asker, o)
            or any(where(o.scene) for where in demand.of_scene or [])
        ):
            return False
    return True


def _is_one_of(allowed: Iterable[Who], person: Person, o: Occasion) -> bool:
    for who in allowed:
        if isinstance(who, ForPurpose):
            if who.purpose == o.scene.purpose and who.who(person):
                return True
        elif who(person):
            return True
    return False

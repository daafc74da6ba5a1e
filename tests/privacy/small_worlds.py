"""Small worlds, and all that can be said and asked in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import NamedTuple

from tests.privacy.facts import AGENT, NOW, Facts, human, members, room, rooms

from confide.model import Entity, Kind, Namespace, Place, PlaceKind, Scope, Sensitivity
from confide.privacy import atoms
from confide.privacy.atoms import ANYONE
from confide.privacy.consent import Consent
from confide.privacy.labels import Origin
from confide.privacy.places import direct
from confide.privacy.policy import Anyone, Audience, EveryoneIn, Viewer

ALICE, BOB, CAROL = human("alice"), human("bob"), human("carol")
PEOPLE = (ALICE, BOB, CAROL)
TUTOR = Entity("role", "tutor")
LATE = -1  # the epoch of words that arrived late

GENERAL = room("general@G", PlaceKind.PUBLIC, "G")
MODS = room("mods@G", PlaceKind.RESTRICTED, "G")
THREAD = room("thread@mods@G", PlaceKind.THREAD, "G", parent="mods@G")
HUSH = room("hush@general@G", PlaceKind.PRIVATE_THREAD, "G", parent="general@G")
FAR = room("general@H", PlaceKind.PUBLIC, "H")
NEWS = room("news@G", PlaceKind.ANNOUNCEMENT, "G")
DECK = room("deck@G", PlaceKind.PUBLIC, "G/R")  # of those who hold a role
DESK = room("desk@G", PlaceKind.RESTRICTED, "G/R")
CHAT = room("chat", PlaceKind.GROUP)
CHAT_THREAD = room("plan@chat", PlaceKind.THREAD, parent="chat")
CARE = room("ctx:care", PlaceKind.CONTEXT)
TOOL = room("tool", PlaceKind.CONNECTION)
REPLY = room("reply", PlaceKind.EPHEMERAL)
THOUGHT = room("thought", PlaceKind.THOUGHT)
GUEST = room("guest", PlaceKind.GUEST)
REPLY_THERE = room("reply", PlaceKind.EPHEMERAL, "G/R")
NOWHERE = room("nowhere", PlaceKind.UNKNOWN)
ROOMS = (GENERAL, MODS, THREAD, HUSH, FAR, NEWS, DECK, DESK, CHAT, CHAT_THREAD)
KNOWN = rooms(*ROOMS, CARE, TOOL, *(direct(e) for e in PEOPLE))


def _facts(
    mods: Sequence[Entity], chat: dict[Entity, frozenset[int]], far: Sequence[Entity]
) -> Facts:
    """Whoever is in a thread is in its parent, and whoever is in a place is in its space."""
    return Facts(
        places=KNOWN,
        there={
            **{direct(e).id: members(e) for e in PEOPLE},
            GENERAL.id: members(ALICE, BOB),
            MODS.id: members(*mods),
            THREAD.id: members(*mods[:1]),
            HUSH.id: members(BOB),
            NEWS.id: members(ALICE, BOB),
            DECK.id: members(ALICE),
            DESK.id: members(*mods[:1]),
            FAR.id: members(*far),
            CHAT.id: chat,
            CARE.id: members(ALICE, BOB, epochs=(0, 1)) | members(CAROL, epochs=(1,)),
            TOOL.id: members(ALICE),
        },
        spaces={
            "G": frozenset({ALICE, BOB, *mods}),
            "G/R": frozenset({ALICE, *mods[:1]}),
            "H": frozenset(far),
        },
        collectives={TUTOR: frozenset({BOB})},
    )


def worlds() -> list[Facts]:
    met = members(ALICE, epochs=(LATE, 0, 1)) | members(BOB, epochs=(0, 1))
    came_later = members(ALICE, epochs=(0, 1)) | members(BOB, epochs=(1,))
    left = members(ALICE, epochs=(0, 1)) | members(CAROL, epochs=(LATE, 1))
    return [
        _facts([ALICE, BOB], met, [ALICE]),
        _facts([ALICE], came_later, [ALICE, CAROL]),
        _facts([BOB, CAROL], left, [BOB]),
        _facts([CAROL], met | members(CAROL, epochs=(1,)), [ALICE, BOB]),
    ]


class Said(NamedTuple):
    """Something said, and what was agreed about it."""

    origin: Origin
    consents: tuple[Consent, ...] = ()


WHERE_AND_HOW: tuple[tuple[Scope, Place], ...] = (
    (Scope.SELF_ONLY, THOUGHT),
    (Scope.DM, direct(ALICE)),
    (Scope.DM, CHAT),
    (Scope.DM, TOOL),
    (Scope.DM, NOWHERE),
    (Scope.CHANNEL_RESTRICTED, MODS),
    (Scope.CHANNEL_RESTRICTED, THREAD),
    (Scope.CHANNEL_RESTRICTED, HUSH),
    (Scope.GROUP, CHAT),
    (Scope.GROUP, CARE),
    (Scope.GUILD_PUBLIC, GENERAL),
    (Scope.GUILD_PUBLIC, FAR),
    (Scope.GUILD_PUBLIC, DECK),
    (Scope.GUILD_PUBLIC, NEWS),
    (Scope.CHANNEL_RESTRICTED, DESK),
    (Scope.GLOBAL, direct(ALICE)),
    (Scope.GLOBAL, MODS),
    (Scope.PUBLIC, GENERAL),
    (Scope.PUBLIC, CHAT),
    (Scope.GRANTED, direct(ALICE)),
    (Scope.GUILD_PUBLIC, CHAT),  # more than its place can give
)
ABOUT = (frozenset[Entity](), frozenset({BOB}), frozenset({BOB, CAROL}), frozenset({AGENT}))
LATER, EARLIER = NOW + timedelta(days=1), NOW - timedelta(days=1)


def _agrees(grantor: Entity, grantee: atoms.Atom, **rest: object) -> Consent:
    return Consent(grantor=grantor, grantee=grantee, **rest)  # type: ignore[arg-type]


BOB_MAY = _agrees(ALICE, atoms.entity(BOB))
AGREED: tuple[tuple[Consent, ...], ...] = (
    (),
    (BOB_MAY,),
    (_agrees(ALICE, atoms.entity(BOB), until=LATER),),
    (_agrees(ALICE, atoms.entity(BOB), until=EARLIER),),
    (_agrees(ALICE, atoms.entity(BOB), until=NOW),),
    (_agrees(ALICE, atoms.entity(BOB), purpose="care"),),
    (_agrees(ALICE, atoms.entity(BOB), where=atoms.place(CHAT.id)),),
    (_agrees(ALICE, atoms.place(MODS.id)),),
    (_agrees(ALICE, atoms.place(CARE.id), until=LATER, purpose="care"),),
    (_agrees(ALICE, atoms.space("G")),),
    (_agrees(ALICE, atoms.entity(TUTOR)),),
    (_agrees(ALICE, ANYONE),),
    (_agrees(ALICE, ANYONE, until=EARLIER), BOB_MAY),
    (_agrees(ALICE, ANYONE), _agrees(BOB, ANYONE)),
    tuple(_agrees(e, ANYONE, purpose="care") for e in (*PEOPLE, AGENT)),
    (_agrees(CAROL, ANYONE),),
)


def sayings() -> Iterator[Said]:
    """Every scope, sensitivity, subject and consent, and each special case by itself."""
    for scope, place in WHERE_AND_HOW:
        for about, sensitivity in product(ABOUT, Sensitivity):
            origin = Origin(
                agent=AGENT,
                scope=scope,
                owner=AGENT if scope in (Scope.GRANTED, Scope.SELF_ONLY) else ALICE,
                speaker=ALICE if scope is not Scope.SELF_ONLY else None,
                place=place,
                subjects=about,
                present=frozenset({ALICE, BOB}) if place in (CHAT, CARE) else frozenset({ALICE}),
                sensitivity=sensitivity,
                kind=Kind.PREFERENCE,
            )
            yield from (Said(origin, agreed) for agreed in AGREED)
            for special in _special_cases(origin):
                yield from (Said(special, agreed) for agreed in AGREED[:2])


def _special_cases(o: Origin) -> Iterator[Origin]:
    yield replace(o, speaker=BOB)
    yield replace(o, speaker=None, owner=AGENT)
    yield replace(o, is_portable=True)
    yield replace(o, is_portable=True, is_portable_confirmed=True)
    yield replace(o, is_portable=True, kind=Kind.EVENT)
    yield replace(o, joined_later=frozenset({BOB}), epoch=0, present=frozenset({ALICE}))
    yield replace(o, objectors=frozenset({BOB}))
    yield replace(o, is_confidential=True)
    yield replace(o, is_confidential=True, is_portable=True)
    for others in ((), (BOB,), (TUTOR,), (BOB, CAROL)):
        named = frozenset(map(atoms.entity, {ALICE, *others}))
        yield replace(o, only_for=named)
        yield replace(o, only_for=named, is_portable=True, is_confidential=bool(others))
    if o.place in (CHAT, CARE):
        yield replace(o, epoch=LATE)
        yield replace(o, epoch=LATE, is_confidential=True)
    if o.place == CARE:
        yield replace(o, through=TOOL.id)
    if o.scope is Scope.DM:
        yield replace(o, namespace=Namespace("W"))
        yield replace(o, namespace=Namespace("W", "track:1"))
        yield replace(o, namespace=Namespace(None, "track:1"))
        yield replace(o, namespace=Namespace())
    if o.scope is Scope.GRANTED:
        for grant in (
            atoms.entity(BOB),
            atoms.entity(TUTOR),
            atoms.place(CARE.id),
            atoms.space("G"),
            ANYONE,
        ):
            yield replace(o, grants=frozenset({grant}))
            yield replace(o, grants=frozenset({grant}), speaker=None)


def audiences(facts: Facts) -> Iterator[Audience]:
    """Every kind of audience, asked by everyone."""
    for asker in (*PEOPLE, AGENT):
        for place, viewers in _seen_by(asker, facts):
            yield Audience(asker=asker, place=place, viewers=viewers)
        for place in (direct(asker), CHAT, MODS, CARE):
            viewers = frozenset[Viewer]({asker, EveryoneIn(atoms.place(place.id))})
            named = frozenset[Viewer]({asker})
            yield Audience(
                asker=asker,
                place=place,
                viewers=named if place.kind in (PlaceKind.DIRECT, PlaceKind.CONTEXT) else viewers,
                purpose="care",
            )
        for namespace in (
            Namespace("W"),
            Namespace("W", "track:1"),
            Namespace("V"),
            Namespace("W", "track:2"),
            Namespace(None, "track:1"),
        ):
            yield Audience(
                asker=asker,
                place=direct(asker),
                viewers=frozenset({asker}),
                namespace=namespace,
            )


def _seen_by(asker: Entity, facts: Facts) -> Iterator[tuple[Place, frozenset[Viewer]]]:
    me = frozenset[Viewer]({asker})
    yield direct(asker), me
    yield direct(asker), me | {AGENT}
    yield direct(asker), me | {CAROL}
    yield direct(asker), frozenset({BOB})
    yield direct(asker), frozenset({AGENT})
    yield direct(asker), frozenset()
    yield REPLY, me
    yield REPLY_THERE, me
    yield GUEST, frozenset({Anyone()})
    yield NEWS, me | {EveryoneIn(atoms.place(NEWS.id)), Anyone()}
    yield THOUGHT, me
    yield THOUGHT, me | {ALICE}
    yield NOWHERE, me
    yield TOOL, me
    for place in ROOMS:
        yield place, frozenset({EveryoneIn(atoms.place(place.id))})
    yield CHAT, me | {EveryoneIn(atoms.place(CHAT.id))}
    yield CARE, me | set(facts.there[CARE.id])
    yield CARE, frozenset({ALICE, BOB})
    yield GENERAL, frozenset({EveryoneIn(atoms.space("G"))})
    yield GENERAL, frozenset({Anyone()})
    yield CHAT, frozenset({EveryoneIn(atoms.place(CHAT.id)), EveryoneIn(atoms.place(MODS.id))})
    yield room("elsewhere", PlaceKind.GROUP, "G"), me

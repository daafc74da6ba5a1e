"""The small parts of the rule, one by one: how atoms are written, what places mean."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.privacy.facts import AGENT, NOW, human
from tests.privacy.tellable import Note

from confide.errors import InvalidEntity
from confide.model import Entity, Kind, Namespace, Place, PlaceKind, Scope, Sensitivity, Status
from confide.privacy import atoms, places, policy
from confide.privacy.atoms import ALONE, ANYONE, Atom, AtomKind
from confide.privacy.consent import Consent, apply_consents
from confide.privacy.disclosure import disclose
from confide.privacy.labels import Origin, ask, hear, label, reach
from confide.privacy.place_forms import FORMS
from confide.privacy.places import (
    MEANING,
    NARROWER,
    OF_ONE,
    WRITTEN,
    Readers,
    direct,
    is_called_after_somebody,
    parse_place,
    scope_of,
    tells_nothing,
    write_place,
)
from confide.privacy.policy import (
    Anyone,
    Audience,
    Clause,
    ClauseKind,
    EveryoneIn,
    Label,
    World,
    decide,
    is_alone,
    minimal,
    setting,
    union,
    up,
)
from confide.store.encoding import memory_hash

ALICE, BOB = human("alice"), human("bob")
EMPTY = World(agent=AGENT, now=NOW)


def some_atoms() -> dict[str, Atom]:
    """One of each kind, by how the database knows it."""
    return {
        "*": ANYONE,
        "@alone": ALONE,
        "e=human:alice": atoms.entity(ALICE),
        "g=role:tutor": atoms.entity(Entity("role", "tutor")),
        "p=mods@guild": atoms.place("mods@guild"),
        "s=guild": atoms.space("guild"),
        "w=chat#2#3": atoms.present("chat#2", 3),
        "@p=a=b": atoms.at_place("a=b"),
        "@s=guild": atoms.at_space("guild"),
        "@n=human:alice@W@track:1": atoms.at_scope(ALICE, Namespace("W", "track:1")),
        "@n=human:alice@@": atoms.at_scope(ALICE, Namespace()),
    }


def test_an_atom_is_read_as_it_was_written() -> None:
    for written, atom in some_atoms().items():
        assert str(atom) == written
        assert Atom.read(written) == atom


def test_only_settings_are_settings() -> None:
    settings = {written for written, atom in some_atoms().items() if atom.is_setting}
    assert settings == {written for written in some_atoms() if written.startswith("@")}


def test_only_rooms_have_a_form_as_a_setting() -> None:
    forms = {written: atoms.as_setting(atom) for written, atom in some_atoms().items()}
    assert {written: str(form) for written, form in forms.items() if form} == {
        "p=mods@guild": "@p=mods@guild",
        "s=guild": "@s=guild",
    }


@pytest.mark.req("P1")
def test_no_two_namespaces_of_people_share_a_key() -> None:
    people = [human("a"), human("a|b"), human("a|b|"), human("a||")]
    spaces = [Namespace(w, s) for w in (None, "b", "b|", "|") for s in (None, "track:1", "|")]
    keys = {atoms.at_scope(who, n) for who in people for n in spaces}
    assert len(keys) == len(people) * len(spaces)


G = Place(id="g@s", kind=PlaceKind.PUBLIC, space="s")


@pytest.mark.req("K2", "S1")
@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("dm", Place(id="dm:human:alice", kind=PlaceKind.DIRECT)),
        ("group:g", Place(id="g", kind=PlaceKind.GROUP)),
        ("public:g@s", Place(id="g@s", kind=PlaceKind.PUBLIC, space="s")),
        ("restricted:g@s", Place(id="g@s", kind=PlaceKind.RESTRICTED, space="s")),
        ("age-gated:g@s", Place(id="g@s", kind=PlaceKind.AGE_GATED, space="s")),
        ("announcement:g@s", Place(id="g@s", kind=PlaceKind.ANNOUNCEMENT, space="s")),
        ("voice:g@s", Place(id="g@s", kind=PlaceKind.VOICE, space="s")),
        ("stage:g@s", Place(id="g@s", kind=PlaceKind.STAGE, space="s")),
        ("thread:t@g@s", Place(id="t@g@s", kind=PlaceKind.THREAD, parent="g@s")),
        ("forum-post:t@g@s", Place(id="t@g@s", kind=PlaceKind.FORUM_POST, parent="g@s")),
        ("private-thread:t@g", Place(id="t@g", kind=PlaceKind.PRIVATE_THREAD, parent="g")),
        ("ctx:care", Place(id="ctx:care", kind=PlaceKind.CONTEXT)),
        ("connection:c", Place(id="c", kind=PlaceKind.CONNECTION)),
        ("unknown:u", Place(id="u", kind=PlaceKind.UNKNOWN)),
        ("reply", Place(id="reply:human:alice", kind=PlaceKind.EPHEMERAL)),
        ("reply@s", Place(id="reply:human:alice@s", kind=PlaceKind.EPHEMERAL, space="s")),
        ("guest", Place(id="guest:human:alice", kind=PlaceKind.GUEST)),
        ("public:g@s/r", Place(id="g@s", kind=PlaceKind.PUBLIC, space="s/r")),
        (
            "public:cafe\u0301@u\u0308",
            Place(id="caf\u00e9@\u00fc", kind=PlaceKind.PUBLIC, space="\u00fc"),
        ),
        ("thread:t@cafe\u0301", Place(id="t@caf\u00e9", kind=PlaceKind.THREAD, parent="caf\u00e9")),
        (
            "thread:t@public:g@s",
            Place(id="t@g@s", kind=PlaceKind.THREAD, parent="g@s", parent_place=G),
        ),
    ],
)
def test_a_written_place_is_read(written: str, place: Place) -> None:
    read = parse_place(written, ALICE)
    assert read == place
    assert parse_place(write_place(read), ALICE) == read


@pytest.mark.req("S3")
def test_help_lists_every_kind_of_place_that_can_be_written() -> None:
    words = {form.partition(":")[0] for form in FORMS}
    assert words == {*WRITTEN, *OF_ONE.values()}
    for form in FORMS:
        parse_place(form.replace("PARENT", "public:g@SPACE"), ALICE)


NO_PLACE = f"is no place; write {', '.join(FORMS)}"


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("", f"'' {NO_PLACE}"),
        ("somewhere", f"'somewhere' {NO_PLACE}"),
        ("group:", f"'group:' {NO_PLACE}"),
        ("public:g", "'public:g' needs a space: write public:g@…"),
        ("thread:t", "'thread:t' needs a parent: write thread:t@…"),
        ("group:g@s", "'group:g@s': a group lies in no space; leave @s out"),
        ("ctx:a b", "the id must have no white space, control characters, * or @"),
        ("public:g@s@t", "the id must have no white space, control characters, * or @"),
        ("thread:t@g@", "the id must have 1 to 128 characters"),
        ("group:g#2", "'group:g#2' holds a #; use the platform's id without it"),
        ("public:g@s#2", "'public:g@s#2' holds a #; use the platform's id without it"),
        ("restricted:g@a b", "the id must have no white space, control characters, * or @"),
    ],
)
def test_a_place_that_cannot_be_read_is_named_with_its_field(written: str, says: str) -> None:
    for field, given in (("in", ("in",)), ("place", ())):
        with pytest.raises(InvalidEntity) as refusal:
            parse_place(written, ALICE, *given)
        assert str(refusal.value) == str(InvalidEntity(field, says))


@pytest.mark.req("S3")
def test_every_kind_of_place_has_a_meaning() -> None:
    assert set(MEANING) == set(PlaceKind)
    alone = {k for k in PlaceKind if MEANING[k].is_alone}
    assert alone == {PlaceKind.DIRECT, PlaceKind.EPHEMERAL, PlaceKind.THOUGHT}
    assert {k for k in PlaceKind if tells_nothing(k)} == {PlaceKind.UNKNOWN}
    assert {k for k in PlaceKind if MEANING[k].is_read_along} == {PlaceKind.CONNECTION}


@pytest.mark.req("S4", "S3", "S7")
def test_what_is_said_inherits_from_its_place() -> None:
    def at(kind: PlaceKind) -> Place:
        return Place(id="x", kind=kind, space="s", parent="p")

    given = {kind: scope_of(at(kind), None) for kind in PlaceKind}
    restricted = {"restricted", "age_gated", "voice", "stage", "private_thread"}
    public, group = {"public", "announcement"}, {"group", "context"}
    assert {k for k, s in given.items() if s is Scope.CHANNEL_RESTRICTED} == restricted
    assert {k for k, s in given.items() if s is Scope.GUILD_PUBLIC} == public
    assert {k for k, s in given.items() if s is Scope.GROUP} == group
    assert {k for k, s in given.items() if s is Scope.SELF_ONLY} == {"thought"}
    assert {k for k, s in given.items() if s is Scope.DM} == {
        *("direct", "ephemeral", "guest", "connection", "unknown", "thread", "forum_post")
    }
    for kind in (PlaceKind.THREAD, PlaceKind.FORUM_POST):
        assert given[kind] is Scope.DM  # nothing is known of its parent
        for parent in PlaceKind:
            assert scope_of(at(kind), at(parent)) is given[parent]
    assert scope_of(at(PlaceKind.GROUP), at(PlaceKind.PUBLIC)) is Scope.GROUP


@pytest.mark.req("K7")
def test_a_place_can_be_narrowed_and_never_widened() -> None:
    assert set(NARROWER) == {MEANING[k].scope for k in PlaceKind} - {None}
    for given, narrower in NARROWER.items():
        own = {Scope.SELF_ONLY} if given is Scope.SELF_ONLY else {Scope.DM, Scope.SELF_ONLY}
        assert narrower == own | {given}


def test_the_direct_chat_of_a_person_is_theirs() -> None:
    assert direct(ALICE) == Place(id="dm:human:alice", kind=PlaceKind.DIRECT)


@pytest.mark.req("S7")
def test_what_the_rule_does_not_know_raises_and_tells_nothing() -> None:
    odd = Label(frozenset({Clause("rumour", ALICE, frozenset())}))  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        decide(odd, Audience(asker=BOB, place=direct(BOB), viewers=frozenset({BOB})), EMPTY)
    with pytest.raises(AssertionError):
        up("everybody", EMPTY)  # type: ignore[arg-type]
    origin = Origin(agent=AGENT, scope=Scope.DM, owner=ALICE, speaker=ALICE, place=None)
    with pytest.raises(AssertionError):
        reach(replace(origin, scope="rumour"))  # type: ignore[arg-type]


def test_what_covers_a_viewer() -> None:
    mods = Place(id="mods", kind=PlaceKind.RESTRICTED, space="guild")
    thread = Place(id="thread", kind=PlaceKind.THREAD, space="guild", parent="mods")
    world = replace(
        EMPTY,
        places={"mods": mods, "thread": thread},
        belongs={ALICE: frozenset({atoms.place("mods")})},
    )
    assert up(Anyone(), world) == {ANYONE}
    assert up(BOB, world) == {ANYONE, atoms.entity(BOB)}
    assert up(ALICE, world) == {ANYONE, atoms.entity(ALICE), atoms.place("mods")}
    assert up(EveryoneIn(atoms.space("guild")), world) == {ANYONE, atoms.space("guild")}
    assert up(EveryoneIn(atoms.place("far")), world) == {ANYONE, atoms.place("far")}
    assert up(EveryoneIn(atoms.place("thread")), world) == {
        ANYONE,
        atoms.place("thread"),
        atoms.place("mods"),
        atoms.space("guild"),
    }


def test_a_place_that_lies_in_no_space_adds_none() -> None:
    chat = Place(id="chat", kind=PlaceKind.GROUP)
    world = replace(EMPTY, places={"chat": chat})
    assert up(EveryoneIn(atoms.place("chat")), world) == {ANYONE, atoms.place("chat")}
    audience = Audience(asker=ALICE, place=chat, viewers=frozenset({ALICE}))
    own_level = atoms.at_scope(ALICE, Namespace())
    assert setting(audience, world) == {atoms.at_place("chat"), own_level}
    assert setting(audience, EMPTY) == {atoms.at_place("chat"), own_level}
    guild = replace(audience, place=replace(chat, space="guild"), namespace=Namespace("W"))
    assert setting(guild, EMPTY) == {
        atoms.at_place("chat"),
        atoms.at_space("guild"),
        own_level,
        atoms.at_scope(ALICE, Namespace("W")),
    }


def test_a_circle_of_parents_ends() -> None:
    one = Place(id="one", kind=PlaceKind.THREAD, parent="two")
    two = Place(id="two", kind=PlaceKind.THREAD, parent="one")
    world = replace(EMPTY, places={"one": one, "two": two})
    assert list(world.within("one")) == [one, two]
    assert list(world.within("three")) == []


def test_alone_is_computed_from_the_viewers() -> None:
    for kind in PlaceKind:
        place = Place(id="x", kind=kind)
        for others in ({ALICE}, {AGENT}, {ALICE, AGENT}):
            audience = Audience(asker=ALICE, place=place, viewers=frozenset(others))
            assert is_alone(audience, EMPTY) == MEANING[kind].is_alone
        company = Audience(asker=ALICE, place=place, viewers=frozenset({ALICE, BOB}))
        assert not is_alone(company, EMPTY)


@pytest.mark.req("B3")
def test_a_decision_names_who_withheld_it_and_why() -> None:
    def to(viewer: Entity, place: Place | None = None) -> Audience:
        seen = frozenset({viewer})
        return Audience(asker=viewer, place=place or direct(viewer), viewers=seen)

    nobodys = Audience(asker=BOB, place=direct(BOB), viewers=frozenset())
    agents = Audience(asker=BOB, place=direct(BOB), viewers=frozenset({AGENT}))
    alices = {hear(ALICE, {atoms.entity(ALICE)}), ask(ALICE, {ALONE})}
    asked = Label(frozenset({hear(ALICE, {ANYONE}), ask(ALICE, {atoms.entity(ALICE), ALONE})}))
    settled = Label(frozenset({hear(ALICE, {ANYONE}), ask(ALICE, {atoms.at_place("chat")})}))
    group = Place(id="mill", kind=PlaceKind.GROUP)
    nowhere = replace(group, kind=PlaceKind.UNKNOWN)
    own_silence = replace(nobodys, asker=AGENT)
    for stated, audience, words in [
        (Label(), to(BOB), "it has no label"),
        (Label(), to(AGENT), "it has no label"),
        (Label(frozenset(alices)), to(ALICE), "everyone who will see the answer may hear it"),
        (
            Label(frozenset(alices)),
            to(BOB),
            "human:alice has not allowed it for everyone who would see the answer",
        ),
        (asked, to(BOB, group), "only people whom human:alice named may ask for it here"),
        (settled, to(BOB), "human:alice allows it in other places only"),
        (asked, nobodys, "nobody is known to be listening"),
        (asked, own_silence, "nobody is known to be listening"),
        (asked, agents, "nobody but the agent would see the answer"),
        (asked, to(AGENT), "the agent is alone with what it holds"),
        (asked, to(BOB, nowhere), "nothing is told in a place of an unknown kind"),
        (asked, to(AGENT, nowhere), "nothing is told in a place of an unknown kind"),
    ]:
        decision = decide(stated, audience, EMPTY)
        assert decision.because == words
        is_told = words.startswith(("everyone", "the agent"))
        assert decision.told == is_told


@pytest.mark.req("B3")
def test_of_several_reasons_always_the_same_is_given() -> None:
    nobody: set[Atom] = set()
    made = [hear(who, nobody) for who in (BOB, ALICE)] + [ask(ALICE, nobody)]
    audience = Audience(asker=BOB, place=direct(BOB), viewers=frozenset({BOB}))
    first = decide(Label(frozenset(made)), audience, EMPTY).clause
    assert first == hear(ALICE, nobody)  # who would hear it says more than who may ask
    assert decide(Label(frozenset(made[:2])), audience, EMPTY).clause == hear(ALICE, nobody)
    assert decide(Label(frozenset(made[2:])), audience, EMPTY).clause == ask(ALICE, nobody)
    rooms = [hear(ALICE, {atoms.place(name), atoms.place("z")}) for name in "hgfedcba"]
    assert decide(Label(frozenset(rooms)), audience, EMPTY).clause == rooms[-1]


def test_nothing_derived_from_nothing_is_told_to_nobody() -> None:
    assert union([]) == Label()


@pytest.mark.req("K6", "K19")
def test_a_guardian_agrees_for_a_child_and_for_nobody_else() -> None:
    kid, parent = human("kid"), human("parent")
    stated = Label(frozenset({hear(kid, {atoms.entity(kid)}), hear(ALICE, {atoms.entity(kid)})}))
    agreed = [Consent(grantor=parent, grantee=atoms.entity(BOB))]
    relaxed = apply_consents(stated, agreed, {kid: frozenset({parent})})
    assert relaxed.clauses == {
        hear(kid, {atoms.entity(kid), atoms.entity(BOB)}),
        hear(ALICE, {atoms.entity(kid)}),
    }
    assert apply_consents(stated, agreed, {ALICE: frozenset({kid})}) == stated


def test_a_clause_has_one_of_two_kinds() -> None:
    assert {kind.value for kind in ClauseKind} == {"hear", "ask"}
    assert {kind.value for kind in AtomKind} == {
        "*", "e", "g", "p", "s", "w", "@p", "@s", "@n", "@alone",
    }  # fmt: skip


@pytest.mark.req("A7")
def test_what_nobody_classified_is_treated_as_sensitive() -> None:
    said = Origin(agent=AGENT, scope=Scope.PUBLIC, owner=ALICE, speaker=ALICE, place=None)
    assert label(said) == label(replace(said, sensitivity=Sensitivity.SENSITIVE))
    assert label(said) != label(replace(said, sensitivity=Sensitivity.PUBLIC))


@pytest.mark.req("S8", "K8")
def test_derived_text_carries_every_clause_of_every_source() -> None:
    one, other = hear(ALICE, {atoms.entity(ALICE)}), ask(BOB, {ALONE})
    assert union([Label(frozenset({one})), Label(frozenset({other}))]).clauses == {one, other}
    assert union([Label(frozenset({one})), Label()]) == Label()


def test_of_two_clauses_of_a_kind_the_narrower_decides() -> None:
    narrow, wide = {atoms.entity(ALICE)}, {atoms.entity(ALICE), atoms.entity(BOB)}
    stated = Label(frozenset({hear(ALICE, narrow), hear(BOB, wide), ask(BOB, wide)}))
    assert minimal(stated) == {
        (ClauseKind.HEAR, hear(ALICE, narrow).terms),
        (ClauseKind.ASK, ask(BOB, wide).terms),
    }


@pytest.mark.req("P4", "A1")
def test_only_approved_unexpired_memories_of_those_who_take_part_are_told() -> None:
    everyones = Label(frozenset({hear(ALICE, {ANYONE})}))
    audience = Audience(asker=BOB, place=direct(BOB), viewers=frozenset({BOB}))
    soon, over = NOW + timedelta(microseconds=1), NOW - timedelta(days=1)
    said = {
        Note(everyones): "everyone who will see the answer may hear it",
        Note(everyones, expires_at=soon): "everyone who will see the answer may hear it",
        Note(everyones, expires_at=NOW): "it has expired",
        Note(everyones, expires_at=over): "it has expired",
        Note(everyones, is_opted_out=True): "its owner or speaker opted out",
        Note(Label()): "it has no label",
    }
    others = [status for status in Status if status is not Status.APPROVED]
    said |= {Note(everyones, status=status): f"it is {status.value}" for status in others}
    found = disclose(said, audience, EMPTY)
    assert found.told == tuple(said)[:2]
    assert [(note, decision.because) for note, decision in found.withheld] == list(said.items())[2:]


@pytest.mark.req("P3", "S19")
def test_the_same_words_under_two_labels_are_two_memories() -> None:
    said = Origin(
        agent=AGENT,
        scope=Scope.DM,
        owner=ALICE,
        speaker=ALICE,
        place=Place(id="dm:human:alice", kind=PlaceKind.DIRECT),
        kind=Kind.EVENT,
        sensitivity=Sensitivity.PUBLIC,
    )

    def hash_of(text: str = "Hello  there!", **change: Any) -> bytes:
        origin = replace(said, **change)
        return memory_hash(origin.owner, origin, text)

    assert hash_of() == hash_of("hello there")
    changes: list[dict[str, Any]] = [
        {"owner": BOB},
        {"speaker": BOB},
        {"place": Place(id="tea", kind=PlaceKind.GROUP)},
        {"subjects": frozenset({BOB})},
        {"namespace": Namespace("W")},
        {"namespace": Namespace()},
        {"sensitivity": Sensitivity.SENSITIVE},
        {"scope": Scope.GLOBAL},
        {"kind": Kind.TASK},
        {"text": "Hello you"},
    ]
    for others in ({"objectors": frozenset({BOB})}, {"joined_later": frozenset({BOB})}):
        assert hash_of() == hash_of(**others), (
            "which memory it is does not follow others' decisions"
        )
    assert len({hash_of(), *(hash_of(**change) for change in changes)}) == 1 + len(changes)


@pytest.mark.req("S23")
def test_places_that_are_called_after_somebody_are_known() -> None:
    def place(id: str, kind: PlaceKind) -> Place:
        return Place(id=id, kind=kind)

    after_somebody = [
        place("dm:human:bob", PlaceKind.DIRECT),
        place("anything", PlaceKind.DIRECT),
        place("reply:human:bob", PlaceKind.EPHEMERAL),
        place("human:bob/laptop", PlaceKind.CONNECTION),
        place("dm:human:bob", PlaceKind.THREAD),
        place("later@dm:human:bob", PlaceKind.THREAD),
        place("later@reply:human:bob", PlaceKind.THREAD),
    ]
    after_nobody = [
        place("general@guild", PlaceKind.PUBLIC),
        place("friends", PlaceKind.GROUP),
        place("later@friends", PlaceKind.THREAD),
        place("madm:in", PlaceKind.GROUP),
        place("reply-to-all", PlaceKind.GROUP),
    ]
    assert all(map(is_called_after_somebody, after_somebody))
    assert not any(map(is_called_after_somebody, after_nobody))


@pytest.mark.req("B17", "S3")
def test_a_guest_conversation_is_no_setting_and_announcements_are_read_by_anyone() -> None:
    where = Place(id="guest:human:alice", kind=PlaceKind.GUEST)
    heard = Audience(
        asker=ALICE, place=where, viewers=frozenset({Anyone()}), namespace=Namespace("W")
    )
    assert setting(heard, EMPTY) == frozenset()
    assert MEANING[PlaceKind.ANNOUNCEMENT].readers is Readers.ANYONE


@pytest.mark.req("S3")
def test_threads_and_rooms_of_imports_are_told_apart_by_how_they_are_written() -> None:
    assert {PlaceKind.THREAD, PlaceKind.FORUM_POST} == places.THREADS
    assert places.IMPORTED == "import:"
    with pytest.raises(
        InvalidEntity, match=r"'group:import:x': import: is for rooms of imported files$"
    ):
        parse_place("group:import:x", ALICE)
    inside = parse_place("thread:9@dm", ALICE)
    assert (inside.parent, inside.parent_place) == (f"dm:{ALICE}", places.direct(ALICE))
    assert parse_place("thread:9@public", ALICE).parent == "public"
    assert parse_place("thread:9@x:y", ALICE).parent == "x:y"
    with pytest.raises(
        InvalidEntity, match=r"place: a place of kind thought cannot be named from here$"
    ):
        write_place(Place(id="t", kind=PlaceKind.THOUGHT))
    assert places.clean_space("guild/verified") == "guild/verified"
    with pytest.raises(InvalidEntity, match=r"^space: "):
        places.clean_space("guild/a b")


@pytest.mark.req("B13")
def test_a_place_named_otherwise_is_heard_as_named_and_in_no_space_that_was_attested() -> None:
    room = Place(id="room", kind=PlaceKind.GROUP, space="g")
    thread = Place(id="t", kind=PlaceKind.THREAD, parent="room")
    world = World(agent=AGENT, now=NOW, places={"room": room, "t": thread})

    def named(place: Place) -> Any:
        said = Audience(asker=ALICE, place=place, viewers=frozenset({ALICE}))
        attested = replace(said, place=world.places[place.id], as_said=said)
        found = policy._as_said(policy.listen(attested, world))
        assert found is not None
        return {id: one.space for id, one in found.world.places.items()}

    assert named(replace(thread, space="other")) == {"room": None, "t": "other"}
    assert named(thread) == {"room": "g", "t": None}
    assert named(replace(room, space="other")) == {"room": "other", "t": None}
    plain = Audience(asker=ALICE, place=room, viewers=frozenset({ALICE}))
    assert policy._as_said(policy.listen(plain, world)) is None

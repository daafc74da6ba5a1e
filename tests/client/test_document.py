"""The client and the OpenAPI document say the same: every call is in it, every operation is called."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from confide import Confide, audience, operator_as, statement
from confide.client import ConfideClient
from confide.client.door import Door, Self
from confide.client.group import Group
from confide.declare import Group as DeclaredGroup
from confide.errors import NotAllowed
from confide.keep.data_requests import Wanted
from confide.keep.requesting import Wish
from confide.keep.syncing import Sight
from confide.model import Entity, Message, Place, PlaceKind, Scope
from confide.privacy.atoms import ANYONE
from confide.privacy.consent import Consent
from confide.reading import read_access, read_place
from confide.remember.turns import read_exchange
from confide.store.consents import About
from confide.surfaces.http.app import build
from confide.verbs.spaces import SpaceRules

ID = uuid.UUID("5f0c1111-2222-4333-8444-555566667777")
ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")
ACTOR = operator_as(ALICE)
ROOM = read_place("public:general@guild", ALICE)
CARE = Place(id="ctx:care", kind=PlaceKind.CONTEXT)
NOW = datetime(2026, 3, 1, tzinfo=UTC)
SAMPLES = {
    "kind": "knowledge", "type": "semantic", "scope": "dm", "sensitivity": "public",
    "status": "approved", "what": "access", "state": "valid", "next": None,
}  # fmt: skip


def sample(schema: Mapping[str, Any], document: Mapping[str, Any], name: str = "") -> Any:
    """The smallest answer that has all that a schema promises."""
    if "$ref" in schema:
        return sample(
            document["components"]["schemas"][schema["$ref"].split("/")[-1]], document, name
        )
    if "anyOf" in schema:
        return sample(schema["anyOf"][0], document, name)
    if "enum" in schema:
        return SAMPLES.get(name) if SAMPLES.get(name) in schema["enum"] else schema["enum"][0]
    match schema.get("type"):
        case "object":
            if name == "clause":  # as `explain` shows one
                return {"kind": "hear", "owner": "human:someone", "atoms": ["*", "@place:general"]}
            fields = schema.get("properties", {})
            return {key: sample(value, document, key) for key, value in fields.items()}
        case "array":
            return [sample(schema["items"], document, name)]
        case "boolean":
            return True
        case "integer" | "number":
            return 1
    match schema.get("format"):
        case "uuid":
            return str(ID)
        case "date-time":
            return NOW.isoformat()
        case "date":
            return NOW.date().isoformat()
    return SAMPLES.get(name, "human:someone")


class Recording(Door):
    """Answers from the document, and notes what was asked."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__("http://localhost", "key")
        self.document = document
        self.asked: set[tuple[str, str]] = set()
        self.kind = "knowledge"

    async def who(self) -> Self:
        await self.call("GET", "/v1/whoami")
        return Self("platform", None, "local", None, str(ID))

    async def stream(self, path: str, lines: str) -> Any:
        return await self.call("POST", path)

    async def upload(
        self, path: str, query: Mapping[str, Any], file: Path, sent: Any = None
    ) -> AsyncIterator[dict[str, Any]]:
        """Lines come back here, and no object."""
        operation = self.document["paths"][path]["post"]
        assert set(query) <= {one["name"] for one in operation["parameters"]}
        assert "application/octet-stream" in operation["requestBody"]["content"]
        self.asked.add(("POST", path))
        yield {"messages": 1, "of": 1}
        yield {"result": {"new": 1, "known": 0}}

    async def call(self, method: str, path: str, **given: Any) -> Any:
        operation = self.document["paths"][path][method.lower()]
        self.asked.add((method, path))
        parameters = {
            where: {p["name"] for p in operation.get("parameters", ()) if p["in"] == where}
            for where in ("path", "query")
        }
        assert set(given.get("names") or ()) == parameters["path"], (method, path)
        assert set(given.get("query") or ()) <= parameters["query"], (method, path)
        body = {name for name, value in (given.get("body") or {}).items() if value is not None}
        if given.get("body") is not None:
            content = operation["requestBody"]["content"]["application/json"]["schema"]
            known = self._schema(content)
            assert body <= set(known["properties"]), (method, path)
            assert set(known.get("required", ())) <= body, (method, path)
        ok = next(one for code, one in operation["responses"].items() if code.startswith("2"))
        shape = ok["content"]["application/json"]["schema"]
        answer = sample(shape, self.document)
        return _with_kind(answer, self.kind)

    def _schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        name = schema.get("$ref", "").split("/")[-1]
        return self.document["components"]["schemas"][name] if name else schema


def _with_kind(answer: Any, kind: str) -> Any:
    """Kinds of memories, keys, places and clauses are all called `kind`."""
    if isinstance(answer, dict):
        return {k: kind if k == "kind" else _with_kind(v, kind) for k, v in answer.items()}
    return [_with_kind(one, kind) for one in answer] if isinstance(answer, list) else answer


@pytest.fixture
def door(confide: Confide) -> Recording:
    return Recording(build(confide).openapi())


async def use_everything(door: Recording) -> set[str]:
    """Call every verb once; which were called."""
    client = ConfideClient(door)
    heard = audience("human:alice", "public:general@guild")
    given = Consent(grantor=ALICE, grantee=read_access("human:bob"), until=NOW + timedelta(days=9))
    said = Message(id="1", place=ROOM, speaker=ALICE, text="Hi", said_at=NOW)
    context = await client.recall("tea?", heard)
    calls: list[tuple[str, Any, str]] = [
        ("whoami", lambda: client.whoami(), ""),
        ("remember", lambda: client.remember(statement("Tea.", by=ALICE, place="dm", lifetime="2w")), ""),
        ("remember_all", lambda: client.remember_all([statement("Tea.", by=ALICE, place=ROOM)]), ""),
        ("observe", lambda: client.observe(said), ""),
        ("add", lambda: client.add([{"role": "user", "content": "Hi"}], by="human:alice", place="dm"), ""),
        ("recall", lambda: client.recall("tea?", heard), ""),
        ("recheck", lambda: client.recheck(context, heard), ""),
        ("explain", lambda: client.explain(ID, heard, actor=ACTOR), ""),
        ("why", lambda: client.why(heard), ""),
        ("told.tellings", lambda: client.tellings(ID, actor=ACTOR), ""),
        ("memories", lambda: client.memories(ALICE), ""),
        ("forget", lambda: client.forget(ID, actor=ACTOR, now=True), ""),
        ("restore", lambda: client.restore(ID, actor=ACTOR), ""),
        ("world.attest", lambda: client.world.attest(ROOM), "public"),
        ("world.join", lambda: client.world.join(ROOM, ALICE), ""),
        ("world.leave", lambda: client.world.leave(ROOM, ALICE), ""),
        ("world.join_space", lambda: client.world.join_space("guild", ALICE), ""),
        ("world.leave_space", lambda: client.world.leave_space("guild", ALICE), ""),
        ("world.rooms_of", lambda: client.world.rooms_of(ALICE), ""),
        ("world.end_space", lambda: client.world.end_space("guild"), ""),
        ("rules.of", lambda: client.rules.of("guild"), ""),
        ("rules.decide", lambda: client.rules.decide("guild", SpaceRules(), actor=ACTOR), ""),
        ("rules.left", lambda: client.rules.left("guild"), ""),
        ("rules.known", lambda: client.rules.known("local"), ""),
        ("world.in_space", lambda: client.world.in_space("guild"), "public"),
        ("world.reviewed", lambda: client.world.reviewed("mods@guild", space="guild"), ""),
        (
            "rules.forget_account",
            lambda: client.rules.forget_account(Entity("human", "al"), "guild", actor=ACTOR),
            "",
        ),
        ("world.assign", lambda: client.world.assign(Entity("role", "mod"), ALICE), ""),
        ("world.unassign", lambda: client.world.unassign(Entity("role", "mod"), ALICE), ""),
        ("people.name", lambda: client.people.name(ALICE, "Al"), ""),
        ("world.places", lambda: client.world.places(), "public"),
        ("consents.share", lambda: client.consents.share(ID, ANYONE, actor=ACTOR), ""),
        ("consents.unshare", lambda: client.consents.unshare(ID, ANYONE, actor=ACTOR), ""),
        ("consents.give", lambda: client.consents.give(given, About(subject=ALICE), actor=ACTOR), ""),
        ("consents.withdraw", lambda: client.consents.withdraw(ID, actor=ACTOR), ""),
        ("consents.given_by", lambda: client.consents.given_by(ALICE), ""),
        ("consents.ask", lambda: client.consents.ask(ID, Wish(grantee=ANYONE), actor=ACTOR), ""),
        ("consents.requests", lambda: client.consents.requests(ALICE), ""),
        ("consents.answer", lambda: client.consents.answer(ID, agrees=True, actor=ACTOR), ""),
        ("people.appoint_guardian", lambda: client.people.appoint_guardian(BOB, ALICE, actor=ACTOR), ""),
        ("people.end_guardian", lambda: client.people.end_guardian(BOB, ALICE, actor=ACTOR), ""),
        ("rights.opt_out", lambda: client.rights.opt_out(ALICE, actor=ACTOR), ""),
        ("rights.opt_in", lambda: client.rights.opt_in(ALICE, actor=ACTOR), ""),
        ("rights.state", lambda: client.rights.state(ALICE), ""),
        ("rights.correct", lambda: client.rights.correct(ID, "Tea.", actor=ACTOR), ""),
        ("rights.history", lambda: client.rights.history(ID, actor=ACTOR), ""),
        ("rights.export", lambda: client.rights.export(ALICE, actor=ACTOR), ""),
        ("data_requests.ask", lambda: client.data_requests.ask(Wanted.ACCESS, ALICE, actor=ACTOR), ""),
        ("data_requests.list", lambda: client.data_requests.list(ALICE, actor=ACTOR), ""),
        ("contexts.enter", lambda: client.contexts.enter(CARE, BOB, actor=ACTOR), ""),
        ("contexts.leave", lambda: client.contexts.leave(CARE, BOB, actor=ACTOR), ""),
        ("contexts.known", lambda: client.contexts.known(ALICE), ""),
        ("contexts.show", lambda: client.contexts.show(CARE, actor=ACTOR), ""),
        ("browser.link", lambda: client.browser.link(actor=ACTOR), ""),
        ("browser.links", lambda: client.browser.links(ALICE), ""),
        ("reaches.levels", lambda: client.reaches.levels(ALICE), ""),
        ("people.known", lambda: client.people.known(ALICE), ""),
        ("people.show", lambda: client.people.show(BOB, asker=ALICE), ""),
        ("people.alias", lambda: client.people.alias(BOB, "Bobby", actor=ACTOR), ""),
        ("people.relate", lambda: client.people.relate(BOB, "brother", ALICE, ID, actor=ACTOR), ""),
        ("people.prove", lambda: client.people.prove(BOB, "local:7", actor=ACTOR), ""),
        ("people.merges", lambda: client.people.merges(ALICE), ""),
        ("people.propose_merge", lambda: client.people.propose_merge(ALICE, BOB, "same", actor=ACTOR), ""),
        ("people.confirm_merge", lambda: client.people.confirm_merge(ID, actor=ACTOR), ""),
        ("claims.on", lambda: client.claims.on(ALICE), ""),
        ("claims.confirm", lambda: client.claims.confirm(ID, actor=ACTOR), ""),
        ("claims.refuse", lambda: client.claims.refuse(ID, actor=ACTOR), ""),
        ("people.split", lambda: client.people.split(ID, actor=ACTOR), ""),
        ("access.audit", lambda: client.access.audit(ID, actor=ACTOR), "public"),
        ("access.existing", lambda: client.access.existing(ALICE, actor=ACTOR), ""),
        ("trail.log", lambda: client.trail.log(actor=ACTOR), ""),
        ("insights.generalize", lambda: client.insights.generalize([ID], "Tea helps.", actor=ACTOR), ""),
        ("insights.sources_of", lambda: client.insights.sources_of(ID, actor=ACTOR), ""),
        ("learning.observe", lambda: client.learning.observe(said), ""),
        ("learning.add", lambda: client.learning.add(read_exchange([], by="human:alice", place="dm")), ""),
        ("imports.bring", lambda: client.imports.bring(Path(__file__), importer=ALICE), ""),
        ("learning.observe_all", lambda: client.learning.observe_all([said]), ""),
        ("learning.edited", lambda: client.learning.edited("1", "Ho"), ""),
        ("learning.deleted", lambda: client.learning.deleted("1"), ""),
        ("learning.listen", lambda: client.learning.listen(ROOM), ""),
        ("learning.off_the_record", lambda: client.learning.off_the_record(ALICE, ROOM), ""),
        ("learning.on_the_record", lambda: client.learning.on_the_record(ALICE, ROOM), ""),
        ("learning.left", lambda: client.learning.left(), ""),
        ("learning.jobs", lambda: client.learning.jobs(), ""),
        ("learning.retry", lambda: client.learning.retry(), ""),
        ("learning.sessions", lambda: client.learning.sessions(), ""),
        ("keys.list", lambda: client.keys.list(), "platform"),
        ("keys.revoke", lambda: client.keys.revoke(uuid.uuid4(), actor=ACTOR), ""),
        ("keys.renew", lambda: client.keys.renew(), "personal"),
        ("keys.give_up", lambda: client.keys.give_up(), ""),
        ("keys.open_connections", lambda: client.keys.open_connections(ALICE, actor=ACTOR), ""),
        ("keys.close_connections", lambda: client.keys.close_connections(ALICE, actor=ACTOR), ""),
        ("tokens.mint", lambda: client.tokens.mint(heard), ""),
        ("tokens.rotate", lambda: client.tokens.rotate(actor=ACTOR), ""),
        ("rights.delete", lambda: client.rights.delete(ALICE, actor=ACTOR), ""),
        ("fading.protect", lambda: client.fading.protect(ID, actor=ACTOR), ""),
        ("fading.unprotect", lambda: client.fading.unprotect(ID, actor=ACTOR), ""),
        ("fading.archived", lambda: client.fading.archived(ALICE), ""),
        ("fading.restorable", lambda: client.fading.restorable(actor=ACTOR), ""),
        ("mine.search", lambda: client.mine.search(ALICE, "tea?"), ""),
        ("mine.view", lambda: client.mine.view(ALICE, ID), ""),
        ("mine.mentions", lambda: client.mine.mentions(ALICE), ""),
        ("mine.stats", lambda: client.mine.stats(ALICE), ""),
        ("review.waiting", lambda: client.review.waiting(actor=ACTOR), ""),
        ("review.show", lambda: client.review.show(ID, actor=ACTOR), ""),
        ("review.approve", lambda: client.review.approve(ID, actor=ACTOR), ""),
        ("review.reject", lambda: client.review.reject(ID, actor=ACTOR), ""),
        ("review.take_back", lambda: client.review.take_back(ID, actor=ACTOR), ""),
        ("review.edit", lambda: client.review.edit(ID, "Tea.", actor=ACTOR), ""),
        ("review.move", lambda: client.review.move(ID, actor=ACTOR, scope=Scope.DM), ""),
        ("erasure.person", lambda: client.erasure.person(ALICE, actor=ACTOR), ""),
        ("erasure.place", lambda: client.erasure.place(ROOM, actor=ACTOR), ""),
        ("erasure.source", lambda: client.erasure.source("discord", actor=ACTOR), ""),
        ("erasure.restore", lambda: client.erasure.restore(ID, actor=ACTOR), ""),
        ("doctor.examine", lambda: client.doctor.examine(), ""),
        ("doctor.mend", lambda: client.doctor.mend(), ""),
        ("erasure.count", lambda: client.erasure.count(person=ALICE, actor=ACTOR), ""),
        ("upkeep.preview", lambda: client.upkeep.preview(), ""),
        ("upkeep.gc", lambda: client.upkeep.gc(actor=ACTOR), ""),
        ("vectors.reembed", lambda: client.vectors.reembed("m"), ""),
        ("vectors.calibrate", lambda: client.vectors.calibrate("m"), ""),
        ("reports.overview", lambda: client.reports.overview(actor=ACTOR), "public"),
        ("reports.of_person", lambda: client.reports.of_person(ALICE, actor=ACTOR), ""),
        ("trail.verify", lambda: client.trail.verify(), ""),
        ("insights.waiting", lambda: client.insights.waiting(), ""),
        ("insights.reject", lambda: client.insights.reject(ID, actor=ACTOR), ""),
        ("data_requests.answer", lambda: client.data_requests.answer(
            ID, grants=True, reason="Yes.", actor=ACTOR), ""),
        ("learning.learn", lambda: client.learning.learn(is_everything=True), ""),
        ("world.sync", lambda: client.world.sync([Sight(ROOM, frozenset({ALICE}))]), "public"),
        ("world.reclassify", lambda: client.world.reclassify(PlaceKind.RESTRICTED, space="g"), "public"),
        ("world.reviewed", lambda: client.world.reviewed("mods@guild"), ""),
        ("reports.usage", lambda: client.reports.usage(), ""),
        ("reports.status", lambda: client.reports.status(), ""),
    ]  # fmt: skip
    for name, call, kind in calls:
        door.kind = kind or ("hear" if name == "explain" else "knowledge")
        try:
            await call()
        except (AssertionError, KeyError, ValueError) as wrong:
            raise AssertionError(f"{name}: {wrong!r}") from wrong
    return {name for name, _, _ in calls}


@pytest.mark.req("K14")
async def test_every_call_is_in_the_document_and_every_operation_is_called(door: Recording) -> None:
    await use_everything(door)
    operations = {
        (method.upper(), path)
        for path, methods in door.document["paths"].items()
        for method in methods
        if path.startswith("/v1/")
    }
    assert operations - door.asked == set(), "operations without a client method"
    await door.close()


async def test_every_verb_of_the_client_was_tried(door: Recording) -> None:
    tried = await use_everything(door)
    asks_nothing = {
        "consents.agreement",
    }  # fmt: skip
    assert set(_verbs()) - tried == asks_nothing
    await door.close()


#: What only a client has, since a server acts for its key.
OWN = {
    "whoami", "learning.observe_all", "imports.bring",
}  # fmt: skip


def test_the_verbs_are_those_of_the_library(confide: Confide) -> None:
    for name, verb in _verbs().items():
        if name in OWN:
            continue
        group, _, own = name.rpartition(".")
        here: Any = getattr(confide, group) if group else confide
        wanted = list(inspect.signature(getattr(type(here), own)).parameters)
        assert list(inspect.signature(verb).parameters) == wanted, name


def test_a_verb_that_is_not_offered_says_where_it_runs(confide: Confide) -> None:
    client = ConfideClient(Door("http://localhost", "key"))
    offered = {
        name for name, value in vars(client).items() if isinstance(value, Group | DeclaredGroup)
    }
    for group in set(vars(confide)) - offered:
        if not group.startswith("_"):
            with pytest.raises(NotAllowed, match="runs where the database is"):
                getattr(client, group).anything()
    for group in offered:
        if isinstance(getattr(client, group), DeclaredGroup):
            continue  # the same class as here
        with pytest.raises(NotAllowed, match="runs where the database is"):
            getattr(client, group).nothing_of_that_name()


def _verbs() -> dict[str, Any]:
    client = ConfideClient(Door("http://localhost", "key"))
    found = {
        name: verb
        for name, verb in vars(ConfideClient).items()
        if inspect.iscoroutinefunction(verb) and not name.startswith("_")
    }
    for group, value in vars(client).items():
        if isinstance(value, Group):
            for name, verb in vars(type(value)).items():
                if inspect.isfunction(verb) and not name.startswith("_"):
                    found[f"{group}.{name}"] = verb
    return found

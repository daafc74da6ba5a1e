"""A small community, as the pictures of the console show it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

from confide import Confide, Entity, operator_as, statement
from confide.privacy import atoms

ALICE, BOB, CAROL, DANA = (Entity("human", name) for name in ("alice", "bob", "carol", "dana"))
#: What a chat could put into every field that it fills.
HOSTILE = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>' onclick='x"
SAID = (
    ("job", "human:alice", "dm", "Looking for a new job", {}),
    ("sister", "human:alice", "dm", "My sister is visiting next week", {}),
    ("name", "human:alice", "dm", "My in-game name is UrbanKnight",
     {"scope": "global", "kind": "identity"}),
    ("salary", "human:alice", "public:general@castle", "Salary is $150k", {}),
    ("granite", "human:alice", "public:general@castle", "The castle is built of granite", {}),
    ("gate", "human:alice", "thread:walls@general@castle", "The gate opens at eight", {}),
    ("fence", "human:alice", "restricted:mods@castle", "The spawn area needs a new fence", {}),
    ("lake", "human:alice", "group:picnic", "The picnic is at the lake",
     {"present": ["human:bob", "human:carol"]}),
    ("walls", "human:bob", "group:picnic", "Alice builds the best walls",
     {"about": ["human:alice"], "present": ["human:alice", "human:carol"]}),
    ("salad", "human:carol", "group:picnic", "Carol brings the salad",
     {"present": ["human:alice", "human:bob"]}),
    ("bobs", "human:bob", "dm", "Bob is planning a surprise party for Alice", {}),
    ("mods", "human:bob", "restricted:mods@castle", "Watching the new member for griefing", {}),
    ("harbour", "human:carol", "public:lobby@harbour", "The harbour has a new lighthouse", {}),
    ("bella", "human:dana", "ctx:care", "Bella gets her heart pills at eight",
     {"present": ["human:carol"]}),
)  # fmt: skip


@dataclass
class Community:
    """What was said, by short names."""

    confide: Confide
    ids: dict[str, uuid.UUID] = field(default_factory=dict)


async def settle(confide: Confide) -> Community:
    world = confide.world
    for who in (ALICE, BOB, CAROL, DANA):
        await confide.people.name(who, who.id.capitalize())
    await world.join("public:general@castle", ALICE, BOB, CAROL, DANA)
    await world.join_space("castle", ALICE, BOB, CAROL, DANA)
    await world.join("restricted:mods@castle", ALICE, BOB)
    await world.join("group:picnic", ALICE, BOB, CAROL)
    await world.join("public:lobby@harbour", ALICE, CAROL)
    await world.join_space("harbour", ALICE, CAROL)
    found = Community(confide)
    for name, by, place, text, fields in SAID:
        done = await confide.remember(statement(text, by=by, place=place, **fields))
        found.ids[name] = done.id
    await confide.consents.share(found.ids["job"], atoms.entity(DANA), actor=operator_as(ALICE))
    return found

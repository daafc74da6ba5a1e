"""People: names, aliases, relationships, accounts, and which identities are one."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel

from confide.actor import Actor
from confide.errors import NotAllowed
from confide.keep.people import Merge, Person
from confide.privacy.acting import CallerKind
from confide.reading import read_entity
from confide.surfaces.callers import require_answered_alone, require_own
from confide.surfaces.http.door import PERSONAL, PLATFORM, As, Here, for_callers, group
from confide.surfaces.http.fields import Done, EntityName, Fields, Words

router = group("people")
Somebody = Annotated[str, Path(max_length=160, examples=["human:sarah"])]


class Known(BaseModel):
    entity: str
    name: str | None


class KnownPeople(BaseModel):
    people: list[Known]


class Relationship(BaseModel):
    entity: str
    relation: str
    other: str
    memory: uuid.UUID
    said_by: str


class PersonOut(BaseModel):
    """What one asker may know of somebody."""

    entity: str
    name: str | None
    aliases: list[str]
    relationships: list[Relationship]
    accounts: list[str]


class Named(Fields):
    name: Words


class Alias(Fields):
    alias: Words


class Related(Fields):
    relation: Words
    other: EntityName
    memory: uuid.UUID
    """One's own memory that says so."""


class Account(Fields):
    account: Words
    """The platform's id of the account."""


class Proposal(Fields):
    one: EntityName
    other: EntityName
    because: Words


class MergeOut(BaseModel):
    id: uuid.UUID
    one: str
    other: str
    evidence: str
    proposed_by: str
    confirmed_by: list[str]
    is_confirmed: bool


class Merges(BaseModel):
    merges: list[MergeOut]


class Guardian(Fields):
    guardian: EntityName
    ended: bool = False


@router.get("/people", response_model=KnownPeople, **for_callers(PLATFORM, PERSONAL))
async def known(here: Here, as_: As = None) -> Any:
    """Those whom somebody knows of by the memories they may hear."""
    require_answered_alone(here.caller)
    found = await here.confide.people.known(here.who(as_))
    return {"people": [{"entity": str(one.entity), "name": one.display_name} for one in found]}


@router.get("/people/{entity}", response_model=PersonOut, **for_callers(PLATFORM, PERSONAL))
async def show(here: Here, entity: Somebody, as_: As = None) -> Any:
    """What somebody may know of a person."""
    require_answered_alone(here.caller)
    who = read_entity(entity, "entity")
    return _person(await here.confide.people.show(who, asker=here.who(as_)))


@router.put(
    "/people/{entity}/name", response_model=Done, **for_callers(PLATFORM, PERSONAL, once=True)
)
async def name(here: Here, entity: Somebody, body: Named) -> Any:
    """What somebody is called from now on: said by their platform or themselves."""
    who = here.own(entity, "entity")
    if who == here.caller.agent:
        raise NotAllowed("entity: what the agent is called is the operator's to say")
    await here.confide.world.name(who, body.name)
    return Done()


@router.put(
    "/people/{entity}/aliases", response_model=Done, **for_callers(PLATFORM, PERSONAL, once=True)
)
async def alias(here: Here, entity: Somebody, body: Alias, as_: As = None) -> Any:
    """What one calls somebody. Nobody else is understood by it, and it opens nothing."""
    who = read_entity(entity, "entity")
    await here.confide.people.alias(who, body.alias, actor=here.actor(as_))
    return Done()


@router.post(
    "/people/{entity}/relationships",
    response_model=Done,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def relate(here: Here, entity: Somebody, body: Related, as_: As = None) -> Any:
    """How two belong together, as one's own memory says it."""
    who, other = read_entity(entity, "entity"), read_entity(body.other, "other")
    await here.confide.people.relate(who, body.relation, other, body.memory, actor=here.actor(as_))
    return Done()


@router.put("/people/{entity}/accounts", response_model=Done, **for_callers(PLATFORM, once=True))
async def prove(here: Here, entity: Somebody, body: Account) -> Any:
    """The platform vouches that one of its accounts is somebody."""
    who = require_own(here.caller, entity, "entity")
    platform = here.caller.platform or ""
    await here.confide.people.prove(
        who, platform, body.account, actor=Actor(None, CallerKind.PLATFORM)
    )
    return Done()


@router.put("/people/{entity}/guardian", response_model=Done, **for_callers(PLATFORM, once=True))
async def guardian(here: Here, entity: Somebody, body: Guardian) -> Any:
    """The platform says who confirms for a child, both being its people."""
    child = require_own(here.caller, entity, "entity")
    adult = require_own(here.caller, body.guardian, "guardian")
    actor = Actor(None, CallerKind.PLATFORM)
    if body.ended:
        await here.confide.consents.end_guardian(child, adult, actor=actor)
    else:
        await here.confide.consents.register_guardian(child, adult, actor=actor)
    return Done()


@router.get("/merges", response_model=Merges, **for_callers(PLATFORM, PERSONAL))
async def merges(here: Here, as_: As = None) -> Any:
    """Proposals and merges that concern somebody."""
    require_answered_alone(here.caller)
    found = await here.confide.people.merges(here.who(as_))
    return {"merges": [_merge(one) for one in found]}


@router.post("/merges", response_model=MergeOut, status_code=201, **for_callers(PLATFORM, PERSONAL))
async def propose(here: Here, body: Proposal, as_: As = None) -> Any:
    """Say that two identities may be one person. It counts when both have confirmed it."""
    one, other = read_entity(body.one, "one"), read_entity(body.other, "other")
    if here.who(as_) not in (one, other):
        # That it was proposed before would tell a third who is behind which account.
        raise NotAllowed("one of the two proposes it")
    found = await here.confide.people.propose_merge(one, other, body.because, actor=here.actor(as_))
    return _merge(found)


@router.post(
    "/merges/{merge_id}/confirm", response_model=MergeOut, **for_callers(PLATFORM, PERSONAL)
)
async def confirm(here: Here, merge_id: uuid.UUID, as_: As = None) -> Any:
    """One of the two says it is so."""
    require_answered_alone(here.caller)
    return _merge(await here.confide.people.confirm_merge(merge_id, actor=here.actor(as_)))


@router.delete(
    "/merges/{merge_id}", response_model=Done, **for_callers(PLATFORM, PERSONAL, once=True)
)
async def split(here: Here, merge_id: uuid.UUID, as_: As = None) -> Any:
    """It is not so: either of the two ends it."""
    await here.confide.people.split(merge_id, actor=here.actor(as_))
    return Done()


def _person(found: Person) -> PersonOut:
    return PersonOut(
        entity=str(found.entity),
        name=found.display_name,
        aliases=list(found.aliases),
        relationships=[
            Relationship(
                entity=str(one.entity),
                relation=one.relation,
                other=str(one.other),
                memory=one.memory_id,
                said_by=str(one.said_by),
            )
            for one in found.relationships
        ],
        accounts=[f"{platform}:{account}" for platform, account in found.accounts],
    )


def _merge(one: Merge) -> MergeOut:
    return MergeOut(
        id=one.id,
        one=str(one.one),
        other=str(one.other),
        evidence=one.evidence,
        proposed_by=one.proposed_by,
        confirmed_by=sorted(map(str, one.confirmed_by)),
        is_confirmed=one.is_confirmed,
    )

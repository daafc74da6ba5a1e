"""`/share` and `/consents`: a person's own yes, given on Discord, and taken back there."""

from __future__ import annotations

import uuid

import discord
from discord import app_commands

from confide.errors import InvalidInput, NotFound
from confide.keep.requesting import Request, Wish
from confide.model import Entity
from confide.privacy import atoms
from confide.privacy.atoms import Atom, AtomKind
from confide.store.consents import Given
from confide.store.memory import Memory
from confide.surfaces.discord import ids
from confide.surfaces.discord.commands.invoked import Invoked, invoked, short_text
from confide.surfaces.discord.commands.views import Act, Choice, Confirm, Ephemeral, add_turns

MOST_SHOWN = 5
MOST_QUOTED = 200


@app_commands.command(name="share", description="Let somebody hear one of your memories")
@app_commands.describe(
    id="Its id, as /memories list shows it",
    person="Who may hear it; left out, everyone who can read this channel",
)
async def share(
    interaction: discord.Interaction, id: str, person: discord.User | None = None
) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    memory = await asked.find(id)
    if person is None and asked.spot.space is None:
        await asked.answer(asked.says("not here"))
        return
    whom = asked.says("everyone here") if person is None else person.mention
    grantee = room_atom(asked) if person is None else atoms.entity(ids.person(person.id))
    question = asked.says("sure share", whom=whom, text=memory.text)
    await asked.answer(question, view=Confirm(asked, sharing(memory, grantee)))


def sharing(memory: Memory, grantee: Atom) -> Act:
    """One's own yes; whom the memory is about are asked for theirs, and find that in `/consents`."""

    async def act(pressed: Invoked) -> str:
        consents = pressed.memory.consents
        await consents.share(memory.id, grantee, actor=pressed.actor)
        others = memory.origin.subjects - {pressed.who}
        if not others:
            return pressed.says("shared")
        await consents.ask(memory.id, Wish(grantee=grantee), actor=pressed.actor, of=others)
        return pressed.says("shared and asked")

    return act


def room_atom(asked: Invoked) -> Atom:
    """Everyone who reads the room now and later. A thread is read by whoever reads its channel."""
    place = asked.spot.place
    room = place.parent_place or place
    return atoms.place(place.id if place.kind.value == "private_thread" else room.id)


@app_commands.command(
    name="consents", description="What you agreed to, and what waits for your yes"
)
async def consents(interaction: discord.Interaction) -> None:
    asked = await invoked(interaction)
    asked.require_alone()
    await _page(asked, 0)


async def _page(asked: Invoked, page: int) -> None:
    """First what waits for a yes, then what was agreed to."""
    waiting = await asked.memory.consents.requests(asked.who)
    agreed = await asked.memory.consents.given_by(asked.who)
    given = [one for one in agreed if one.revoked_at is None]
    first, last = page * MOST_SHOWN, (page + 1) * MOST_SHOWN
    rows: list[Request | Given] = [*waiting, *given]
    lines: list[str] = []
    view = Ephemeral()
    for n, one in enumerate(rows[first:last], start=first + 1):
        is_open = isinstance(one, Request)
        said = _asked_for(asked, view, n, one) if is_open else _agreed_to(asked, view, n, one)
        lines.append(said + await _about(asked, one.about.memory_id))
    if not lines:
        await asked.answer(asked.says("nothing"), view=None)
        return
    add_turns(view, asked, page, _page, has_more=len(rows) > last)
    await asked.answer("\n".join(lines), view=view)


def _asked_for(asked: Invoked, view: Ephemeral, n: int, request: Request) -> str:
    # What a key asked for beside sharing is said in words: "restore what was forgotten".
    wish = request.wish
    whom = shown_atom(wish.grantee, asked) if wish else request.act.value
    view.add_item(Choice(f"{asked.says('yes')} {n}", answering(request.id, agrees=True)))
    view.add_item(Choice(f"{asked.says('no')} {n}", answering(request.id, agrees=False)))
    return asked.says("asks you", n=n, who=_shown_asker(request.asked_by), whom=whom)


def _agreed_to(asked: Invoked, view: Ephemeral, n: int, one: Given) -> str:
    view.add_item(Choice(asked.says("take back", n=n), withdrawing(one.id), is_danger=True))
    return asked.says("you agreed", n=n, whom=shown_atom(one.consent.grantee, asked))


async def _about(asked: Invoked, memory_id: uuid.UUID | None) -> str:
    """The words that it is about, to whom may hear them alone; others decide without them."""
    if memory_id is None:
        return ""
    try:
        seen = await asked.memory.mine.view(asked.who, memory_id, space=asked.spot.space)
    except NotFound:
        return ""
    return f"\n> {short_text(seen.memory.text, MOST_QUOTED)}"


def _shown_asker(written: str) -> str:
    try:
        account = ids.account_of(Entity.parse(written))
    except InvalidInput:
        return written  # a key, by its name
    return written if account is None else f"<@{account}>"


def answering(request_id: uuid.UUID, *, agrees: bool) -> Act:
    async def act(pressed: Invoked) -> str:
        await pressed.memory.consents.answer(request_id, agrees=agrees, actor=pressed.actor)
        return pressed.says("done")

    return act


def withdrawing(consent_id: uuid.UUID) -> Act:
    async def act(pressed: Invoked) -> str:
        await pressed.memory.consents.withdraw(consent_id, actor=pressed.actor)
        return pressed.says("done")

    return act


def shown_atom(atom: Atom, asked: Invoked) -> str:
    """People and rooms as Discord shows them; anything else by its name."""
    if atom.kind is AtomKind.PLACE:
        return f"<#{ids.number_of(atom.name)}>"
    if atom.kind is AtomKind.ENTITY:
        _, _, written = atom.name.partition(":")
        platform, _, number = written.partition(".")
        return f"<@{number}>" if platform == ids.PLATFORM else atom.name
    return asked.says("everyone here") if atom.kind is AtomKind.SPACE else str(atom)


COMMANDS = (share, consents)

"""Widening, as far as a model can go: a request that whoever has a say answers themselves."""

from __future__ import annotations

import uuid

from confide.errors import SecretRefused
from confide.keep.requesting import Wish
from confide.model import clean_text
from confide.privacy.atoms import Atom
from confide.surfaces.mcp.tool import Fields
from confide.surfaces.mcp.visit import Visit
from confide.wire.forms import write_atom


async def without_secrets(visit: Visit, text: str | None, field: str) -> str | None:
    """Words that are kept beside a memory are looked at like the memory itself (A14)."""
    if text is None:
        return None
    clean = clean_text(text, field)
    secret = (await visit.confide.means.screen.look_aside(clean)).secret
    if secret is not None:
        raise SecretRefused(field, f"{secret.reason}; credentials are never stored")
    return clean


class Asked(Fields):
    request_id: str
    grantor: str  # who has to answer, themselves
    grantee: str


async def ask_everyone(
    visit: Visit, memory_id: uuid.UUID, grantee: Atom, reason: str | None = None
) -> list[Asked]:
    """Leave a request with everyone who has a say, the person this connection speaks for too:
    what a model says for them is not their word."""
    _, actor = visit.identity()
    wish = Wish(grantee=grantee, reason=await without_secrets(visit, reason, "reason"))
    left = await visit.confide.consents.ask_everyone(memory_id, wish, actor=actor)
    shown = write_atom(grantee)
    return [Asked(request_id=str(one.id), grantor=str(one.grantor), grantee=shown) for one in left]

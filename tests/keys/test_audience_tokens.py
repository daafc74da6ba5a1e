"""Audience tokens: forged, changed, expired, replayed or revoked, they open nothing."""

from __future__ import annotations

import base64
import json
import uuid

import jwt
import pytest
from tests.conftest import Clock, Opened
from tests.keys.test_keys import made, refusal

from confide import Confide, operator_as
from confide.errors import NotAllowed
from confide.privacy.acting import CallerKind
from confide.surfaces.callers import actor_for, audience_for, identify

BOB, GENERAL = "human:discord.bob", "public:discord.general@discord.guild"


async def minted(confide: Confide, *heard: object) -> tuple[str, uuid.UUID]:
    key = await made(confide, "platform", platform="discord")
    platform = await identify(confide, key.secret)
    wanted = audience_for(platform, *(heard or (BOB, GENERAL)))  # type: ignore[arg-type]
    token = await confide.tokens.mint(wanted, platform="discord", key_id=key.key.id)
    return token.token, key.key.id


async def test_a_token_carries_exactly_one_audience(confide: Confide) -> None:
    there = ["human:discord.carol"]
    token, key_id = await minted(confide, BOB, "group:discord.7", there, "work/track:1", "care")
    caller = await identify(confide, token)
    platform = audience_for(caller)
    assert (caller.kind, caller.key_id) == (CallerKind.TOKEN, key_id)
    assert platform == audience_for(caller, BOB, "group:discord.7", there, "work/track:1", "care")
    assert str(platform.asker) == BOB
    assert platform.purpose == "care"
    assert actor_for(caller).kind is CallerKind.TOKEN
    for other in (
        {"asker": "human:discord.carol"},
        {"place": "dm"},
        {"place": GENERAL},
        {"present": ["human:discord.dave"]},
        {"namespace": "home"},
        {"purpose": "sales"},
    ):
        with pytest.raises(NotAllowed, match="token"):
            audience_for(caller, **other)  # type: ignore[arg-type]
    with pytest.raises(NotAllowed):
        actor_for(caller, "human:discord.carol")


async def test_a_token_ends_after_five_minutes(confide: Confide, clock: Clock) -> None:
    token, _ = await minted(confide)
    clock.advance(minutes=4, seconds=59)
    await identify(confide, token)
    clock.advance(seconds=1)
    await refusal(confide, token)


async def test_a_token_ends_with_the_key_that_minted_it(confide: Confide) -> None:
    token, key_id = await minted(confide)
    await confide.keys.revoke(key_id, actor=operator_as())
    await refusal(confide, token)


async def test_forged_and_changed_tokens_are_one_answer(confide: Confide) -> None:
    token, _ = await minted(confide)
    head, body, signature = token.split(".")
    claims = jwt.decode(token, options={"verify_signature": False})
    header = jwt.get_unverified_header(token)
    carol = {**claims, "asker": "human:discord.carol"}
    forged = [
        ".".join([head, _packed(carol), signature]),
        ".".join([_packed({**header, "alg": "none"}), body, ""]),
        ".".join([_packed({**header, "kid": str(uuid.uuid4())}), body, signature]),
        ".".join([_packed({**header, "kid": "../../etc/passwd"}), body, signature]),
        ".".join([_packed({"alg": "HS256"}), body, signature]),
        jwt.encode(claims, "x" * 32, "HS256", headers={"kid": header["kid"]}),
        f"{head}.{body}.{signature[:-2]}",
        "a.b.c",
        "..",
    ]
    assert len({await refusal(confide, one) for one in forged}) == 1
    await identify(confide, token)  # the genuine one still is


async def test_a_genuine_token_with_too_little_in_it_is_none(confide: Confide) -> None:
    token, _ = await minted(confide)
    claims = jwt.decode(token, options={"verify_signature": False})
    id, secret = await confide.tokens._signing(confide.means.clock())
    head = {"kid": str(id)}
    assert await identify(confide, jwt.encode(claims, secret, "HS256", headers=head))
    for name in claims:
        if name in ("jti", "namespace", "purpose"):
            continue
        less = {k: v for k, v in claims.items() if k != name}
        await refusal(confide, jwt.encode(less, secret, "HS256", headers=head))
    for changed in ({"place": "dm"}, {"place": ["x", "castle", None, None]}, {"exp": "later"},
                    {"asker": "nobody"}, {"present": 3}, {"platform": "slack"}, {"key": 7}):  # fmt: skip
        wrong = jwt.encode({**claims, **changed}, secret, "HS256", headers=head)
        await refusal(confide, wrong)


async def test_a_token_of_one_agent_opens_no_other(open_confide: Opened) -> None:
    async with open_confide(agent="tokens-one") as one, open_confide(agent="tokens-two") as two:
        token, _ = await minted(one)
        await minted(two)
        await refusal(two, token)


async def test_two_signing_keys_are_valid_while_they_rotate(confide: Confide, clock: Clock) -> None:
    before, _ = await minted(confide)
    await confide.tokens.rotate(actor=operator_as())
    after, _ = await minted(confide)
    kids = {jwt.get_unverified_header(one)["kid"] for one in (before, after)}
    assert len(kids) == 2
    for token in (before, after):
        await identify(confide, token)
    await confide.tokens.rotate(actor=operator_as(), is_urgent=True)
    for token in (before, after):
        await refusal(confide, token)


async def test_signing_keys_change_by_themselves_and_old_ones_are_deleted(
    confide: Confide, clock: Clock
) -> None:
    await minted(confide)
    clock.advance(days=1, minutes=6)
    token, _ = await minted(confide)
    async with confide.database.keep() as connection:
        rows = await connection.fetch("SELECT id FROM confide.signing_key")
    assert [str(row["id"]) for row in rows] == [jwt.get_unverified_header(token)["kid"]]


def _packed(what: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(what).encode()).rstrip(b"=").decode()

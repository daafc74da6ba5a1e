"""Signing in: links work once, cookies belong to one session, forms come from our own pages."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from tests.console.community import ALICE, BOB
from tests.http.conftest import Served, serving

from confide import Confide, Entity, operator_as
from confide.actor import Actor
from confide.errors import NotAllowed
from confide.privacy.acting import CallerKind

ORIGIN = "origin"


async def link_for(confide: Confide, who: Entity | None) -> str:
    return (await confide.browser.link(actor=operator_as(who))).path


def visitor(served: Served) -> httpx.AsyncClient:
    made = served.client()
    made.headers[ORIGIN] = served.url
    return made


async def entered(served: Served, who: Entity | None = ALICE) -> httpx.AsyncClient:
    one = visitor(served)
    answer = await one.post(await link_for(served.confide, who))
    assert answer.status_code == 303, answer.text
    return one


def token_of(page: str) -> str:
    found = re.search(r'name="csrf" value="(\w+)"', page)
    assert found, page
    return found[1]


@pytest.fixture
async def served(confide: Confide) -> Any:
    async with serving(confide) as one:
        yield one


async def test_looking_at_a_link_uses_nothing_up_and_pressing_the_button_does(
    served: Served,
) -> None:
    path, one = await link_for(served.confide, ALICE), visitor(served)
    for _ in range(3):  # chat programs fetch links for previews
        shown = await one.get(path)
        assert "Sign in as alice" in shown.text
        assert "set-cookie" not in shown.headers
    assert (await one.head(path)).status_code in (200, 405)
    assert (await one.post(path)).headers["location"] == "/me"
    again = await visitor(served).post(path)
    assert again.status_code == 401
    assert "set-cookie" not in again.headers


async def test_a_link_ends_after_ten_minutes(served: Served, clock: Any) -> None:
    path = await link_for(served.confide, ALICE)
    clock.advance(minutes=10)
    assert (await visitor(served).get(path)).status_code == 401
    assert (await visitor(served).post(path)).status_code == 401


async def test_used_old_and_made_up_links_look_alike(served: Served, clock: Any) -> None:
    used = await link_for(served.confide, ALICE)
    await visitor(served).post(used)
    old = await link_for(served.confide, BOB)
    clock.advance(minutes=11)
    pages = {
        (await visitor(served).get(path)).text
        for path in (used, old, "/sign-in/" + "x" * 43, "/sign-in/nonsense")
    }
    assert len(pages) == 1


@pytest.mark.req("B12")
@pytest.mark.parametrize(
    "kind",
    [CallerKind.PERSONAL, CallerKind.TOKEN, CallerKind.ADMIN, CallerKind.AUDITOR,
     CallerKind.SIGNED_IN, CallerKind.CONSOLE, CallerKind.AGENT],
)  # fmt: skip
async def test_what_is_neither_platform_nor_command_line_makes_no_link(
    confide: Confide, kind: CallerKind
) -> None:
    for who in (ALICE, None):
        with pytest.raises(NotAllowed):
            await confide.browser.link(actor=Actor(who, kind))


async def test_a_platform_makes_links_for_its_own_people_only(served: Served) -> None:
    discord = await served.platform("discord")
    made = await discord.post("/v1/sign-in-links", params={"as": "human:discord.7"})
    assert made.status_code == 201
    assert made.json()["path"].startswith("/sign-in/")
    assert (
        await discord.post("/v1/sign-in-links", params={"as": "human:alice"})
    ).status_code == 403
    assert (await discord.post("/v1/sign-in-links")).status_code == 422


async def test_links_are_shown_to_their_person_and_are_in_the_trail(served: Served) -> None:
    one = await entered(served)
    links = (await one.get("/me.json")).json()["links"]
    assert [(link["made_by"], link["used_at"] is not None) for link in links] == [
        ("operator", True)
    ]
    entries = await served.confide.trail.log(actor=operator_as())
    kinds = [(entry.what, entry.action) for entry in entries]
    assert ("sign_in_link", "added") in kinds
    assert ("browser_session", "added") in kinds


async def test_cookies_are_kept_from_scripts_and_other_sites(served: Served) -> None:
    path = await link_for(served.confide, ALICE)
    cookie = (await visitor(served).post(path)).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert "Secure" not in cookie, "plain HTTP on this machine"


async def test_secrets_are_kept_as_hashes(served: Served) -> None:
    path = await link_for(served.confide, ALICE)
    one = visitor(served)
    await one.post(path)
    secret, cookie = path.rpartition("/")[2], one.cookies["confide_session"]
    async with served.confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT l::text AS row FROM confide.sign_in_link l"
            " UNION ALL SELECT s::text FROM confide.browser_session s"
        )
    everything = "".join(row["row"] for row in rows)
    assert secret not in everything
    assert cookie not in everything


async def test_a_session_ends_after_idle_time_and_after_half_a_day(
    served: Served, clock: Any
) -> None:
    one = await entered(served)
    clock.advance(minutes=29)
    assert (await one.get("/me")).status_code == 200
    clock.advance(minutes=31)
    assert (await one.get("/me")).headers["location"] == "/sign-in"
    other = await entered(served)
    for _ in range(36):
        clock.advance(minutes=20)
        last = await other.get("/me")
    assert last.status_code == 303


async def test_a_cookie_changes_with_use_and_the_former_one_ends(
    served: Served, clock: Any
) -> None:
    one = await entered(served)
    first = one.cookies["confide_session"]
    clock.advance(minutes=16)
    assert (await one.get("/me")).status_code == 200
    assert one.cookies["confide_session"] != first
    thief = visitor(served)
    thief.cookies.set("confide_session", first)
    clock.advance(minutes=2)
    assert (await thief.get("/me")).status_code == 303
    assert (await one.get("/me")).status_code == 200


async def test_a_planted_cookie_does_not_become_a_session(served: Served) -> None:
    """Session fixation: whoever knows the cookie from before is not let in afterwards."""
    planted = "A" * 43
    victim, attacker = visitor(served), visitor(served)
    for one in (victim, attacker):
        one.cookies.set("confide_session", planted)
    victim.cookies.clear()
    await victim.post(await link_for(served.confide, ALICE))
    assert victim.cookies["confide_session"] != planted
    assert (await attacker.get("/me")).status_code == 303


async def test_signing_out_ends_the_session_everywhere_if_wanted(served: Served) -> None:
    one, other = await entered(served), await entered(served)
    csrf = token_of((await one.get("/me")).text)
    done = await one.post("/sign-out", data={"csrf": csrf, "everywhere": "1"})
    assert done.headers["location"] == "/sign-in"
    assert (await other.get("/me")).status_code == 303


async def test_a_form_needs_the_token_of_its_own_session_and_a_page_of_ours(
    served: Served,
) -> None:
    one, bob = await entered(served), await entered(served, BOB)
    own, others = token_of((await one.get("/me")).text), token_of((await bob.get("/me")).text)
    form = {"follow": "off"}
    for sent in ({}, {"csrf": ""}, {"csrf": others}, {"csrf": own + "0"}):
        assert (await one.post("/me/choices", data=form | sent)).status_code == 403
    elsewhere = {ORIGIN: "https://evil.example"}
    refused = await one.post("/me/choices", data=form | {"csrf": own}, headers=elsewhere)
    assert refused.status_code == 403
    del one.headers[ORIGIN]
    assert (await one.post("/me/choices", data=form | {"csrf": own})).status_code == 403
    assert not (await served.confide.rights.state(ALICE)).is_opted_out
    one.headers[ORIGIN] = served.url
    assert (await one.post("/me/choices", data=form | {"csrf": own})).status_code == 303
    assert (await served.confide.rights.state(ALICE)).is_opted_out


async def test_nobody_signs_another_in_from_a_page_of_theirs(served: Served) -> None:
    path = await link_for(served.confide, BOB)
    one = served.client()
    for headers in ({}, {ORIGIN: "https://evil.example"}, {ORIGIN: "null"}):
        assert (await one.post(path, headers=headers)).status_code == 403
    assert (await visitor(served).post(path)).status_code == 303, "the link was not used up"


async def test_keys_become_sessions_that_see_what_they_may_and_platform_keys_become_none(
    served: Served,
) -> None:
    for kind, fields, start in (
        ("personal", {"entity": "human:alice"}, "/me"),
        ("auditor", {}, "/overview"),
        ("admin", {}, "/overview"),
    ):
        one = visitor(served)
        done = await one.post("/sign-in", data={"key": await served.key(kind, **fields)})
        assert done.headers["location"] == start, kind
    one = visitor(served)
    refused = await one.post(
        "/sign-in", data={"key": await served.key("platform", platform="slack")}
    )
    assert refused.status_code == 403
    assert "set-cookie" not in refused.headers
    assert (await one.post("/sign-in", data={"key": "cfd_" + "x" * 43})).status_code == 401


async def test_a_session_ends_with_its_key(served: Served) -> None:
    secret = await served.key("personal", entity="human:alice")
    one = visitor(served)
    await one.post("/sign-in", data={"key": secret})
    assert (await one.get("/me")).status_code == 200
    key = await served.confide.keys.recognize(secret)
    await served.confide.keys.revoke(key.id, actor=operator_as())
    assert (await one.get("/me")).status_code == 303


async def test_whoever_is_erased_is_signed_out(served: Served) -> None:
    one = await entered(served)
    await served.confide.rights.delete(ALICE, actor=operator_as(ALICE), now=True)
    assert (await one.get("/me")).status_code == 303


async def test_every_answer_has_the_headers_that_keep_pages_apart(served: Served) -> None:
    one = await entered(served)
    for path in ("/", "/sign-in", "/me", "/me.json", "/static/console.css", "/static/none"):
        headers = (await one.get(path)).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"


async def test_cookies_are_secure_beyond_this_machine(confide: Confide) -> None:
    from confide.surfaces.http.app import build, limited

    app: Any = limited(build(confide), names=["memory.example"])
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://memory.example") as one:
        path = await link_for(confide, ALICE)
        done = await one.post(path, headers={ORIGIN: "https://memory.example"})
        assert "Secure" in done.headers["set-cookie"]

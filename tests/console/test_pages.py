"""Every page in a real browser: light, dark and phone-sized, with the keyboard, without violations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page
from tests.console.community import ALICE, BOB, HOSTILE, Community
from tests.console.conftest import DESK, PHONE, opened, sign_in
from tests.console.test_signing_in import entered
from tests.http.conftest import Served, serving

from confide import Confide, operator_as, statement
from confide.actor import Actor
from confide.demo.player import play
from confide.demo.story import read_story
from confide.privacy import atoms
from confide.privacy.acting import CallerKind
from confide.store.consents import About

ASKED = (
    "/view-as?place=general@castle&asker=human:bob&question=What+is+new+with+Alice+and+the+castle"
)
PERSON = ("/me", "/rooms", ASKED, "/memories", "/memories/{job}", "/memories/{job}/correct", "/review",
          "/consents", "/audit", "/me/erase", "/me/ask")  # fmt: skip
OPERATOR = ("/overview", "/rooms", ASKED, "/memories?of=human:alice", "/memories/{job}", "/review",
            "/audit?verify=1", "/switches", "/glass/{job}",
            "/rooms?here=general@castle&there=mods@castle&labels=1", "/requests")  # fmt: skip


def name_of(path: str) -> str:
    name = path.partition("?")[0].strip("/").replace("/{job}", "-one").replace("/", "-")
    return f"{name}-labels" if "labels=1" in path else name


async def shown(page: Page, town: Community, path: str) -> None:
    answer = await page.goto(path.replace("{job}", str(town.ids["job"])))
    assert answer is not None
    assert answer.status == 200, path


async def require_accessible(page: Page, path: str) -> None:
    """No serious violation of what axe knows."""
    found: Any = await Axe().run(page)
    bad = [
        (one["id"], [node["target"] for node in one["nodes"]][:3])
        for one in found.response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert not bad, (path, bad)


@pytest.mark.parametrize(
    ("who", "paths"), [(ALICE, PERSON), (None, OPERATOR)], ids=["person", "operator"]
)
async def test_every_page_can_be_read_by_everybody(
    browser: Browser, site: Served, town: Community, shots: Path, who: Any, paths: tuple[str, ...]
) -> None:
    name = "person" if who else "operator"
    async with opened(browser, site) as page:
        await sign_in(page, site, who)
        for path in paths:
            await shown(page, town, path)
            taken = shots / f"{name}-{name_of(path)}"
            for scheme in ("light", "dark"):
                await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                await require_accessible(page, f"{path} {scheme}")
                await page.screenshot(path=f"{taken}-{scheme}.png", full_page=True)
            await page.emulate_media(color_scheme="light")
            await page.set_viewport_size(PHONE)
            wide = await page.evaluate("document.documentElement.scrollWidth")
            assert wide <= PHONE["width"], (path, wide)
            await page.screenshot(path=f"{taken}-phone.png", full_page=True)
            await page.set_viewport_size(DESK)


async def test_without_a_session_there_is_only_the_page_to_sign_in(
    browser: Browser, site: Served
) -> None:
    async with opened(browser, site) as page:
        for path in ("/", "/me", "/overview", "/rooms"):
            await page.goto(path)
            assert page.url.endswith("/sign-in")
        await require_accessible(page, "/sign-in")


async def test_a_person_forgets_corrects_withdraws_and_opts_out(
    browser: Browser, own_site: Served, fresh: Community
) -> None:
    confide = fresh.confide
    async with opened(browser, own_site) as page:
        await sign_in(page, own_site, ALICE)
        # Forgetting has a way back.
        await (
            page.locator("article", has_text="My sister is visiting")
            .get_by_role("button", name="Forget")
            .click()
        )
        assert await page.get_by_text("My sister is visiting").count() == 0
        await page.get_by_role("button", name="Undo").click()
        await page.get_by_text("My sister is visiting").wait_for()
        # Correcting keeps the old words as history.
        await (
            page.locator("article", has_text="granite").get_by_role("link", name="Correct").click()
        )
        await page.get_by_label("What it should say").fill("The castle is built of basalt")
        await page.get_by_role("button", name="Correct").click()
        await page.get_by_role("heading", name="basalt").wait_for()
        assert "granite" in await page.locator(".history").inner_text()
        # Withdrawing ends at once what was agreed.
        await page.goto(f"/memories/{fresh.ids['job']}")
        await page.get_by_role("button", name="Withdraw").click()
        assert not [c for c in await confide.consents.given_by(ALICE) if c.revoked_at is None]
        # The switch says what it does and does it.
        await page.goto("/me")
        await page.get_by_role("switch", name="Let harmless facts follow me").click()
        assert (await confide.rights.state(ALICE)).is_global_only
        await page.get_by_role("switch", name="Remember what I say").click()
        state = await confide.rights.state(ALICE)
        assert state.is_opted_out
        assert not state.is_global_only
        # Taking it along.
        async with page.expect_download() as download:
            await page.get_by_role("link", name="Export").last.click()
        assert (await download.value).suggested_filename == "confide-export.zip"


async def test_erasing_everything_asks_first_and_can_be_undone(
    browser: Browser, own_site: Served, fresh: Community
) -> None:
    async with opened(browser, own_site) as page:
        await sign_in(page, own_site, ALICE)
        await page.get_by_role("link", name="Erase…").click()
        await page.get_by_role("checkbox").check()
        await page.get_by_role("button", name="Erase everything").click()
        await page.get_by_text("Nothing is known about you yet").wait_for()
        await page.get_by_role("button", name="Undo").click()
        await page.get_by_text("The castle is built of granite").wait_for()


async def test_what_waits_is_decided_with_the_keyboard(browser: Browser, own_site: Served) -> None:
    confide = own_site.confide
    for text in ("I might move to Oslo", "I may keep bees one day"):
        await confide.remember(statement(text, by="human:alice", place="dm", confidence=0.3))
    async with opened(browser, own_site) as page:
        await sign_in(page, own_site, ALICE)
        await page.goto("/review")
        rows = page.locator(".review article")
        assert await rows.count() == 2
        assert (await page.locator(".pages .count").inner_text()).split() == ["2", "wait"]
        await page.keyboard.press("j")
        async with page.expect_navigation():
            await page.keyboard.press("a")
        await page.get_by_text("Approved.").wait_for()
        assert await rows.count() == 1
        async with page.expect_navigation():
            await page.keyboard.press("u")
        await page.get_by_text("Taken back.").wait_for()
        # Many at once, and all of them back.
        for n in range(2):
            await rows.nth(n).get_by_role("checkbox").check()
        await page.get_by_role("button", name="Reject chosen").click()
        await page.get_by_text("Nothing waits for you.").wait_for()
        await page.get_by_role("button", name="Undo").click()
        # A click does not wait for the page that answers it.
        await page.get_by_text("Taken back.").wait_for()
        assert await rows.count() == 2


async def test_the_operator_switches_a_room_off(browser: Browser, own_site: Served) -> None:
    async with opened(browser, own_site) as page:
        await sign_in(page, own_site, None)
        await page.goto("/switches")
        await page.get_by_role("switch", name="Tell in #mods").click()
        await page.get_by_text("Saved.").wait_for()
    assert (await own_site.confide.rules.of("castle")).not_told == {"mods"}


async def test_pages_work_without_javascript(browser: Browser, own_site: Served) -> None:
    async with opened(browser, own_site, java_script_enabled=False) as page:
        await sign_in(page, own_site, ALICE)
        await page.goto("/view-as?place=general@castle")
        await page.get_by_label("Who asks").select_option("human:bob")
        await page.get_by_label("Question").fill("What is the castle built of?")
        await page.get_by_role("button", name="Show").click()
        assert "Bob would be told" in await page.locator(".verdict").inner_text()
        await page.get_by_label("Where").select_option("picnic")
        await page.get_by_role("button", name="Choose this room").click()
        assert await page.get_by_label("Who asks").input_value() == "human:bob"
        await page.get_by_text("name somebody").click()
        await page.get_by_role("checkbox", name="Carol").check()
        await page.get_by_role("button", name="Show").click()
        assert await page.get_by_role("checkbox", name="Carol").is_checked()
        await page.get_by_role("button", name="Save as scenario").click()
        await page.get_by_text("Run all 1 again").click()
        assert "same" in await page.locator(".scenario").inner_text()


async def test_what_a_chat_says_is_never_run_as_a_program(
    browser: Browser, own_site: Served, fresh: Community
) -> None:
    """Stored XSS, in every field that a chat, a platform or a person can fill."""
    confide = fresh.confide
    await confide.people.name(BOB, HOSTILE)
    await confide.people.name(ALICE, HOSTILE[:100])
    bad = "<svg/onload=window.hacked=1>"
    await confide.world.join(f"public:{bad}@{bad}", ALICE, BOB)
    await confide.world.join(f"group:{bad}", ALICE, BOB)
    done = await confide.remember(
        statement(HOSTILE, by="human:alice", place=f"group:{bad}", present=["human:bob"])
    )
    fresh.ids["job"] = done.id
    await confide.remember(
        statement(HOSTILE + " waits", by="human:alice", place="dm", confidence=0.2)
    )
    await confide.remember(statement(HOSTILE + " of Alice", by="human:bob", place="group:picnic",
                                     about=["human:alice"], present=["human:alice"]))  # fmt: skip
    agreed = confide.consents.agreement(ALICE, atoms.entity(BOB))
    await confide.consents.give(
        agreed, About(memory_id=done.id), actor=operator_as(ALICE), reason=HOSTILE
    )
    await confide.viewing.break_glass(done.id, HOSTILE[:400], actor=Actor(None, CallerKind.CONSOLE))
    for who, paths in ((ALICE, PERSON), (None, OPERATOR)):
        async with opened(browser, own_site) as page:
            problems: list[str] = []
            page.on("console", lambda one, seen=problems: seen.append(one.text))
            await sign_in(page, own_site, who)
            for path in (
                *paths,
                f"/view-as?place={bad}&question={bad}",
                "/rooms?here=%3Cscript%3E&there=x",
            ):
                await page.goto(path.replace("{job}", str(done.id)))
                assert await page.evaluate("window.hacked") is None, path
                assert (
                    await page.locator(
                        "main img, main script, main svg[onload], [onclick], [onerror]"
                    ).count()
                    == 0
                ), path
            assert not [one for one in problems if "Content Security Policy" in one], problems


async def test_trying_it_out_shows_told_and_withheld_beside_each_answer(
    browser: Browser, confide: Confide, shots: Path
) -> None:
    """On the demo's own community, with what the page itself suggests to type."""
    async for _ in play(confide, read_story()):
        pass
    async with serving(confide, is_demo=True) as served, opened(browser, served) as page:
        link = await confide.browser.link(actor=operator_as())
        await page.goto(link.path)
        await page.get_by_role("button", name="Yes, sign in").click()
        await page.wait_for_url("**/try")
        left, right = page.locator(".pane").nth(0), page.locator(".pane").nth(1)
        await left.get_by_role("button", name="My sister is visiting").click()
        await left.get_by_text("remembered").wait_for()
        await right.get_by_role("button", name="Who is visiting Alice?").click()
        await right.get_by_text("withheld").wait_for()
        assert "sister" not in await right.locator(".answer").last.inner_text()
        await right.get_by_role("button", name="Where is the iron farm?").click()
        await right.get_by_text("told", exact=True).wait_for()
        await left.get_by_placeholder("Say something").fill("Who is visiting me?")
        await left.get_by_role("button", name="Say").click()
        await left.get_by_text("told", exact=True).wait_for()
        await require_accessible(page, "/try")
        await page.screenshot(path=shots / "try.png", full_page=True)
        await page.emulate_media(color_scheme="dark")
        await require_accessible(page, "/try")
        await page.screenshot(path=shots / "try-dark.png", full_page=True)
        await page.emulate_media(color_scheme="light")
        await page.set_viewport_size(PHONE)
        assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        await page.screenshot(path=shots / "try-phone.png", full_page=True)


async def test_try_is_not_there_where_people_are(site: Served) -> None:
    assert (await (await entered(site, None)).get("/try")).status_code == 404

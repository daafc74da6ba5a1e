"""One browser for all tests of the console, and a server on loopback for each."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright
from tests.console.community import Community, settle
from tests.http.conftest import Served, serving

from confide import Confide, Entity, operator_as
from confide.testing import temporary

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    found = shutil.which("chromium") or "/usr/bin/chromium"
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield opened
        await opened.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def town(home: Path) -> AsyncIterator[Community]:
    """Tests that change nothing share it."""
    async with temporary(home=home, agent="console-town") as confide:
        yield await settle(confide)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def site(town: Community) -> AsyncIterator[Served]:
    async with serving(town.confide) as served:
        yield served


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(confide: Confide) -> Community:
    """A community of this test's own, to change."""
    return await settle(confide)


@pytest_asyncio.fixture(loop_scope="session")
async def own_site(fresh: Community) -> AsyncIterator[Served]:
    async with serving(fresh.confide) as served:
        yield served


@asynccontextmanager
async def opened(browser: Browser, served: Served, **options: Any) -> AsyncIterator[Page]:
    """A browser without any session. It asks nobody but this server."""
    context = await browser.new_context(base_url=served.url, **({"viewport": DESK} | options))
    elsewhere: list[str] = []
    page = await context.new_page()
    page.on("request", lambda one: elsewhere.append(one.url) if served.url not in one.url else None)
    page.set_default_timeout(10_000)
    try:
        yield page
        assert not elsewhere, "a page asked another server"
    finally:
        await context.close()


async def sign_in(page: Page, served: Served, who: Entity | None) -> None:
    """By a link, as people do; `None` is the operator."""
    link = await served.confide.browser.link(actor=operator_as(who))
    await page.goto(link.path)
    await page.get_by_role("button", name="Yes, sign in").click()
    await page.wait_for_url("**/me" if who else "**/overview")


@pytest.fixture
def shots(request: pytest.FixtureRequest) -> Path:
    """Where pictures of pages are kept, to be looked at."""
    folder = request.config.rootpath / "build" / "console"
    folder.mkdir(parents=True, exist_ok=True)
    return folder

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from tests.report.browser import chromium_if_installed
from tests.service.page.fake_service import fake_service

NOISE = ("Failed to load resource",)
SLOWDOWN = int(os.environ.get("DRIFTLINE_TEST_SLOW_PAGE", "1"))
"""Factor by which pages run slower, to find tests that depend on the speed of the machine."""


@pytest.fixture(scope="module")
def browser():
    yield from chromium_if_installed()


@pytest.fixture
def service():
    with fake_service() as running:
        yield running


@pytest.fixture
def open_page(browser, service) -> Callable[..., Any]:
    """Return a function that opens the page; ``page.complaints`` contains errors and violations of the policy."""
    contexts = []

    def opened(
        address: str = "#overview",
        *,
        width: int = 1280,
        height: int = 900,
        context: Any = None,
        url: str | None = None,
        **options: Any,
    ) -> Any:
        place = context or browser.new_context(viewport={"width": width, "height": height}, **options)
        if context is None:
            contexts.append(place)
        page = place.new_page()
        page.set_default_timeout(SLOWDOWN * 120_000)
        if SLOWDOWN > 1:
            place.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        page.complaints = []
        page.on(
            "console",
            lambda message: (
                page.complaints.append(f"{message.type}: {message.text}")
                if not message.text.startswith(NOISE)
                else None
            ),
        )
        page.on("pageerror", lambda error: page.complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (page.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(f"{url or service.address}/{address}")
        page.wait_for_selector("html[data-ready=true]", state="attached")
        return page

    yield opened
    for place in contexts:
        place.close()

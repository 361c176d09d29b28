"""A headless Chromium for the tests of the report, and pictures of a report for those who make it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser; the caller has made sure that Chromium is there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def chromium_if_installed() -> Iterator[Any]:
    """Yield a browser; skip the test where there is none."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed; pip install 'driftline[dev]'")
    if shutil.which("chromium") is None:
        pytest.skip("there is no chromium on the PATH")
    with chromium() as running:
        yield running


def open_report(browser: Any, report: Path, *, width: int = 1280, height: int = 900, **options: Any) -> Any:
    """Open a report in a new page and wait until its figures are drawn; what went wrong is in ``page.complaints``."""
    page = browser.new_context(viewport={"width": width, "height": height}, **options).new_page()
    page.complaints = []
    page.requested = []
    page.on("console", lambda message: _note(page.complaints, message))
    page.on("pageerror", lambda error: page.complaints.append(f"error: {error}"))
    page.on("request", lambda request: page.requested.append(request))
    page.on("dialog", lambda dialog: (page.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.goto(report.resolve().as_uri())
    if options.get("java_script_enabled", True):
        page.wait_for_selector("html[data-ready=true]", state="attached", timeout=30_000)
    return page


def _note(complaints: list[str], message: Any) -> None:
    """Add a message of the console, except for traces of Plotly 6.0 about its own selections."""
    if not message.text.startswith("WARN: unrecognized GUI edit: selections["):
        complaints.append(f"{message.type}: {message.text}")


def screenshot(report: Path, picture: Path, *, width: int = 1280, height: int = 900, full: bool = True) -> None:
    """Save a picture of a report."""
    with chromium() as browser:
        page = open_report(browser, report, width=width, height=height)
        page.screenshot(path=str(picture), full_page=full)

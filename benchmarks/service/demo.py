"""The demonstration as a newcomer sees it, in a real browser, with a stopwatch.

    python -m benchmarks.service.demo [--pictures FOLDER]

`driftline serve --demo` is started on an empty store, and the address that it prints is opened in Chromium. The clock
runs from the command. With `--pictures`, all seven screens are saved: light, dark, and 360 pixels wide.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

from docs.service_pictures import NARROW, WIDE, show
from tests.report.browser import chromium
from tests.service.page.demonstration import demonstration

PATIENCE = 180_000
"""Milliseconds."""
SCREENS = ("overview", "topic", "word?w=petra&w=flooding", "documents?q=storm", "desk", "alarms", "health")
LOOKS = {"light": (WIDE, "light"), "dark": (WIDE, "dark"), "phone": ({**NARROW, "width": 360}, "light")}


def watched(page: Any, begun: float) -> list[tuple[str, float, str]]:
    """Return what happens on the page, when, and what is read there."""
    found = []

    def note(what: str, read: str) -> None:
        found.append((what, time.monotonic() - begun, " ".join(read.split())))

    page.wait_for_selector("html[data-ready=true]", state="attached", timeout=PATIENCE)
    note("the page is shown", page.locator("h1").first.inner_text())
    card = page.locator(".alarm-on").first
    card.wait_for(timeout=PATIENCE)
    note("a burst with its probability", card.inner_text())
    note("the headline", page.locator("h1").first.inner_text())
    show(page, "alarms")
    evidence = page.locator(".panel .documents li")
    evidence.first.wait_for(timeout=PATIENCE)
    note(f"the alarm and {evidence.count()} documents behind it", evidence.first.inner_text())
    show(page, "documents?q=storm")
    page.locator("#results li").first.wait_for(timeout=PATIENCE)
    note("search for “storm”", page.locator(".found").inner_text())
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    begun = time.monotonic()
    with demonstration(["weather", "politics", "markets", "sport", "health"]) as address, chromium() as browser:
        page = browser.new_context(viewport=WIDE).new_page()
        page.goto(address)
        found = watched(page, begun)
        print("| what | seconds after the command | what is read |\n|---|--:|---|")
        for what, seconds, read in found:
            print(f"| {what} | {seconds:.0f} | {read[:140]} |")
        print(f"\nLoad of the machine: {os.getloadavg()[0]:.0f}.", flush=True)
        if options.pictures is not None:
            pictures(browser, address, options.pictures)


def pictures(browser: Any, address: str, folder: Path) -> None:
    """Save all screens in all themes and widths."""
    folder.mkdir(parents=True, exist_ok=True)
    for look, (size, scheme) in LOOKS.items():
        page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
        page.goto(address)
        page.wait_for_selector("html[data-ready=true]", state="attached", timeout=PATIENCE)
        for screen in SCREENS:
            show(page, screen)
            page.wait_for_timeout(1500)
            page.screenshot(path=str(folder / f"{look}_{screen.partition('?')[0]}.png"), full_page=look == "phone")


if __name__ == "__main__":
    main()

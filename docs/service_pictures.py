"""Make the pictures of the live service from its demonstration: ``python -m docs.service_pictures [SECONDS]``.

The demonstration runs until the first burst rises, for SECONDS (120) at most; then docs/images/service* are written:
the overview, an alarm (dark), the overview on a phone, and the labelling desk after thirty labels. It needs the
extras `dev` and `service`, and a Chromium on the PATH.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

from docs.picture import FLAGS, IMAGES
from tests.service.page.demonstration import demonstration

WIDE, NARROW = {"width": 1280, "height": 1120}, {"width": 390, "height": 844}
LABELS = ["weather", "politics", "business", "sport", "health"]


def main(arguments: list[str]) -> int:
    """Run the demonstration and write the pictures."""
    if shutil.which("chromium") is None:
        sys.stderr.write("there is no chromium on the PATH; install one and try again\n")
        return 2
    seconds = int(arguments[0]) if arguments else 120
    with demonstration(LABELS) as address:
        take(address, IMAGES, seconds)
    sys.stdout.write(f"{IMAGES}\n")
    return 0


def take(address: str, images: Path, seconds: int) -> None:
    """Save the pictures, scaled down to a size that loads quickly."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = opened(browser, address, WIDE, "light", 0.8)
        page.wait_for_selector(".alarm-on", timeout=1000 * seconds)
        page.wait_for_timeout(3000)
        page.screenshot(path=str(images / "service.jpg"), type="jpeg", quality=85)
        dark = opened(browser, address, WIDE, "dark", 0.8)
        show(dark, "alarms")
        dark.screenshot(path=str(images / "service_alarms.png"))
        phone = opened(browser, address, NARROW, "light", 1)
        phone.screenshot(path=str(images / "service_phone.jpg"), type="jpeg", quality=85)
        show(page, "desk")
        for _ in range(30):
            label(page)
        page.wait_for_timeout(1500)
        page.screenshot(path=str(images / "service_desk.png"))
        browser.close()


def opened(browser: Any, address: str, size: dict[str, int], scheme: str, scale: float) -> Any:
    """Open the page at its overview."""
    context = browser.new_context(viewport=size, color_scheme=scheme, device_scale_factor=scale)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready=true]", state="attached", timeout=60_000)
    page.wait_for_timeout(2500)
    return page


def show(page: Any, screen: str) -> None:
    """Show a screen, and wait until it is complete."""
    page.evaluate("(name) => { location.hash = name; }", screen)
    page.wait_for_function("(name) => document.documentElement.dataset.shown === `#${name}`", arg=screen)
    page.wait_for_timeout(1200)


def label(page: Any) -> None:
    """Label the document at the desk by a word in it, as a hasty reader would."""
    words = {
        "1": "weather|rain|snow|wind|storm|fog|heat|frost",
        "2": "minister|vote|lawmakers|opposition|president",
        "4": "match|championship|football|captain|points|game",
        "5": "health|hospital|doctors|influenza|asthma|cases",
    }
    text = page.locator(".desk-text").inner_text().lower()
    found = [key for key, pattern in words.items() if re.search(pattern, text)]
    page.locator("main").focus()
    page.keyboard.press(found[0] if found else "3")
    page.wait_for_timeout(700)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

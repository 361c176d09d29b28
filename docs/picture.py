"""Make the pictures of the README from a report: run ``python docs/picture.py [REPORT]``.

docs/images/report.png is the top of the page, docs/images/words.png the strips of the words that changed. Without
REPORT the demo is run first. It needs the `dev` extra and a Chromium on the PATH.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

IMAGES = Path(__file__).parent / "images"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
RUN = "import sys; from driftline.cli.main import main; sys.exit(main())"


def main(arguments: list[str]) -> int:
    """Write the pictures and say where they are."""
    if shutil.which("chromium") is None:
        sys.stderr.write("there is no chromium on the PATH; install one and try again\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        report = Path(arguments[0]) if arguments else Path(folder) / "report.html"
        if not arguments:
            subprocess.run([sys.executable, "-c", RUN, "demo", "-o", str(report)], check=True)
        IMAGES.mkdir(exist_ok=True)
        take(report, IMAGES)
    sys.stdout.write(f"{IMAGES}\n")
    return 0


def take(report: Path, images: Path, *, width: int = 1280) -> None:
    """Save the top of a report, and its strips."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(report.resolve().as_uri())
        page.wait_for_selector("html[data-ready=true]", state="attached")
        summary = page.locator("#summary").bounding_box()
        bottom = summary["y"] + summary["height"] if summary else 1000
        top = {"x": 0, "y": 0, "width": width, "height": bottom}
        page.screenshot(path=str(images / "report.png"), full_page=True, clip=top)
        page.locator(".plot[data-figure=strips]").screenshot(path=str(images / "words.png"))
        browser.close()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

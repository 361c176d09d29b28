"""Make the picture of the README from a report: run ``python docs/picture.py [REPORT]``.

docs/images/report.png is the first screen of the page. Without REPORT, a report on the headlines of 2003 is written
first, which needs the real data (DRIFTLINE_DATA). It needs the `dev` extra and a Chromium on the PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

IMAGES = Path(__file__).parent / "images"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SOURCE = Path(os.environ.get("DRIFTLINE_DATA", "../shared/data")) / "abc_headlines_2003.parquet"
RUN = "import sys; from driftline.cli.main import main; sys.exit(main())"


def main(arguments: list[str]) -> int:
    """Write the picture and say where it is."""
    if shutil.which("chromium") is None:
        sys.stderr.write("there is no chromium on the PATH; install one and try again\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        report = Path(arguments[0]) if arguments else Path(folder) / "report.html"
        if not arguments:
            title = ["--title", "Australian headlines, February to June 2003"]
            subprocess.run([sys.executable, "-c", RUN, "report", str(SOURCE), *title, "-o", str(report)], check=True)
        IMAGES.mkdir(exist_ok=True)
        take(report, IMAGES)
    sys.stdout.write(f"{IMAGES}\n")
    return 0


def take(report: Path, images: Path) -> None:
    """Save the first screen of a report, scaled down to a size that loads quickly."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1100, "height": 900}, device_scale_factor=0.8)
        page.goto(report.resolve().as_uri())
        page.wait_for_selector("html[data-ready=true]", state="attached")
        page.screenshot(path=str(images / "report.png"))
        browser.close()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

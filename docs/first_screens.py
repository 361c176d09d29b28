"""Make pictures of first screens before and after: ``python -m docs.first_screens SOURCES REPORTS [STREAM ...]``.

SOURCES is the ``src`` folder of an older checkout. For every stream a report is made without options, by the older code
(``REPORTS/before/STREAM.html``) and by this one (``REPORTS/after/STREAM.html``); those that are there already are kept.
docs/images/first_screen_STREAM.png shows the first 1280 × 900 pixels of both, side by side. It needs the `dev` extra, a
Chromium on the PATH and the real data (DRIFTLINE_DATA).
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from docs.picture import FLAGS, IMAGES, RUN

STREAMS = (
    "abc_headlines_2003", "tweets_2015_2017", "news_sites_2017", "bundestag_speeches", "enron_partial_folders",
    "sotu_1790_2024", "spamassassin", "20news_bydate",
)  # fmt: skip
HERE = Path(__file__).resolve().parent.parent / "src"
DATA = Path(os.environ.get("DRIFTLINE_DATA", "../shared/data"))
SCREEN = {"width": 1280, "height": 900}
SHEET = {"width": 1300, "height": 479}
_PAGE = """<body style="margin:0;background:#fff;font:13px sans-serif;color:#444">
<div style="display:flex;gap:8px">{}</div>"""
_SIDE = """<figure style="margin:0;width:646px"><figcaption style="padding:2px 0">{}</figcaption>
<img style="width:644px;border:1px solid #ccc" src="data:image/png;base64,{}"></figure>"""


def main(arguments: list[str]) -> int:
    """Make what is missing, and write the pictures."""
    if len(arguments) < 2 or shutil.which("chromium") is None:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    sources, reports = Path(arguments[0]), Path(arguments[1])
    names = arguments[2:] or STREAMS
    for name in names:
        for when, code in (("before", sources), ("after", HERE)):
            make_report(name, reports / when / f"{name}.html", code)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name in names:
            sides = [
                _SIDE.format(when, screen(browser, reports / when / f"{name}.html")) for when in ("before", "after")
            ]
            sheet = browser.new_page(viewport=SHEET)
            sheet.set_content(_PAGE.format("".join(sides)))
            sheet.screenshot(path=str(IMAGES / f"first_screen_{name}.png"))
            sheet.close()
        browser.close()
    return 0


def make_report(name: str, report: Path, code: Path) -> None:
    """Run ``driftline report`` with the code of some folder, unless the report is there."""
    if report.exists():
        return
    report.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", RUN, "report", str(DATA / f"{name}.parquet"), "-o", str(report)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(code)})


def screen(browser: Any, report: Path) -> str:
    """Return the first screen of a report as a PNG in base64."""
    page = browser.new_page(viewport=SCREEN)
    page.goto(report.resolve().as_uri())
    page.wait_for_selector("html[data-ready=true]", state="attached")
    picture = page.screenshot()
    page.close()
    return base64.b64encode(picture).decode()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""Size of the report with all words and documents to explore, and the time to open it in Chromium.

    python -m benchmarks.report.page_size [N …]

Documents are drawn with replacement from real headlines, and their days spread over four years: a text that repeats one
further back than zlib's window of 32 kB is not compressed by it. The findings are those of 1,000 of the documents, so
that only what can be explored grows. Prints the size of the page, what was left out of it, the time until the figures
in view are drawn, until a word with its curve and documents is shown if the address names one, and until all figures
are drawn; and the processor time of the page's own thread until the word is shown, which other work on the machine does
not lengthen; the largest of three.
"""

from __future__ import annotations

import dataclasses
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from playwright.sync_api import Browser, sync_playwright

from benchmarks.measure import print_table, real_data
from driftline import Stream, analyse, write_report
from driftline.analysis.context import Context
from driftline.analysis.findings.explorable import collected

SIZES = (1_000, 10_000, 100_000)
STREAM = "abc_headlines_2003"
DAYS = 1_460
REPEATS = 3


def drawn(n: int) -> Stream:
    """Return `n` headlines in random order, spread over four years."""
    texts = pq.read_table(real_data(STREAM), columns=["text"])["text"].to_pylist()
    rng = np.random.default_rng(n)
    chosen = rng.integers(0, len(texts), n)
    days = np.sort(rng.integers(0, DAYS, n))
    start = np.datetime64("2003-01-01")
    return Stream.from_documents([(start + day, texts[row]) for day, row in zip(days, chosen)], name="headlines")


class Opening(NamedTuple):
    """Seconds until the figures in view are drawn, a word is shown, and all figures are drawn; and of the thread."""

    in_view: float
    word: float
    everything: float
    thread: float


def opened(browser: Browser, page_file: Path) -> Opening:
    """Open the page at its top, then at a word, each in a new tab."""
    address = page_file.resolve().as_uri()
    page, start = browser.new_page(), time.perf_counter()
    page.goto(address)
    page.wait_for_selector("html[data-open=true]", state="attached", timeout=120_000)
    in_view = time.perf_counter() - start
    page.close()
    page = browser.new_page()
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    start = time.perf_counter()
    page.goto(address + "#explore?w=police")
    page.wait_for_function("() => document.getElementById('explore').dataset.shown === location.hash", timeout=120_000)
    word = time.perf_counter() - start
    spent = {each["name"]: each["value"] for each in devtools.send("Performance.getMetrics")["metrics"]}
    page.wait_for_selector("html[data-ready=true]", state="attached", timeout=120_000)
    everything = time.perf_counter() - start
    page.close()
    return Opening(in_view, word, everything, spent["TaskDuration"])


def row(browser: Browser, findings: Any, n: int, folder: Path) -> list[str]:
    """Write a page of `n` documents, and measure it."""
    data = collected(Context(drawn(n)))
    start = time.process_time()
    page_file = write_report(dataclasses.replace(findings, explorable=data), folder / f"{n}.html")
    spent = time.process_time() - start
    times = np.array([opened(browser, page_file) for _ in range(REPEATS)]).max(axis=0)
    text = page_file.read_text(encoding="utf-8")
    left = text[text.index("<footer") : text.index("</footer")].partition("To keep this page small, ")[2]
    return [
        f"{n:,}",
        f"{len(data.words):,}",
        f"{page_file.stat().st_size / 1e6:.1f} MB",
        left.partition(".")[0] or "nothing",
        f"{spent:.1f} s",
        *(f"{seconds:.1f} s" for seconds in times),
    ]


def main() -> None:
    """Print a row for every number of documents."""
    sizes = [int(each) for each in sys.argv[1:]] or SIZES
    findings = analyse(drawn(1_000))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        flags = ["--headless", "--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        rows = [row(browser, findings, n, Path(folder)) for n in sizes]
        browser.close()
    headings = ["documents", "words", "page", "left out", "writing, processor"]
    headings += ["in view drawn", "word shown", "all drawn", "thread"]
    print_table("Size of the page, and time to open it", headings, rows)


if __name__ == "__main__":
    main()

"""The page in Chromium: time of an update beside Plotly, memory over 300 updates, arrival → painted, sizes of answers.

python -m benchmarks.service.page [SECONDS OF THE DEMONSTRATION]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import plotly
from tests.report.browser import chromium
from tests.service.page import fake_answers as fake
from tests.service.page.demonstration import demonstration
from tests.service.page.fake_service import PAGE, fake_service

from benchmarks.measure import print_table

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
N_LINES, N_POINTS, N_UPDATES = 20, 600, 41
CURVES = f"""(step) => Array.from({{ length: {N_LINES} }}, (_, k) =>
  Array.from({{ length: {N_POINTS} }}, (_, i) =>
    0.1 + 0.05 * Math.sin((i + step) / (9 + k)) + 0.002 * ((i * 7919 * (k + 1)) % 13)))"""
TIMES = f"Array.from({{ length: {N_POINTS} }}, (_, i) => 1704067200 + 3600 * (i + step))"
OURS = f"""async () => {{
  const {{ Lines }} = await import("/parts/lines.js");
  const place = document.createElement("div");
  document.getElementById("main").prepend(place);
  const lines = new Lines(place, {{ height: 400 }});
  const curves = {CURVES};
  const taken = [];
  for (let step = 0; step < {N_UPDATES}; step += 1) {{
    const all = curves(step);
    const times = {TIMES};
    await new Promise((next) => requestAnimationFrame(next));
    const start = performance.now();
    const named = all.map((values, k) => ({{ name: `line ${{k}}`, colour: `rgb(${{10 * k}}, 90, 150)`, values }}));
    lines.draw({{ times, length: 3600, curves: named }});
    await Promise.resolve();
    taken.push(performance.now() - start);
  }}
  lines.close();
  place.remove();
  return taken;
}}"""
THEIRS = f"""async () => {{
  const place = document.createElement("div");
  document.body.append(place);
  const curves = {CURVES};
  const taken = [];
  for (let step = 0; step < {N_UPDATES}; step += 1) {{
    const all = curves(step);
    const times = {TIMES}.map((at) => new Date(1000 * at));
    await new Promise((next) => requestAnimationFrame(next));
    const start = performance.now();
    const traces = all.map((y) => ({{ x: times, y, mode: "lines" }}));
    await Plotly.react(place, traces, {{ height: 400, showlegend: false }});
    taken.push(performance.now() - start);
  }}
  return taken;
}}"""


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 60
    with chromium() as browser:
        updates(browser)
        memory(browser)
        arrivals(browser, seconds)


def updates(browser: Any) -> None:
    """Compare the time of one update; the first of each, which makes the figure, is left out."""
    with fake_service() as service:
        page = opened(browser, service.address)
        ours = page.evaluate(OURS)[1:]
        page.context.close()
    rows = [["uPlot, as on the page", *quantiles(ours), "1.0"]]
    page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
    page.add_script_tag(path=str(PLOTLY))
    theirs = page.evaluate(THEIRS)[1:]
    rows.append(["Plotly, as in the report", *quantiles(theirs), f"{np.median(theirs) / np.median(ours):.1f}"])
    page.context.close()
    own = sum(path.stat().st_size for path in PAGE.rglob("*") if path.suffix in {".js", ".css", ".html", ".svg"})
    load = f"{os.getloadavg()[0]:.0f}"
    print_table(
        f"An update of {N_LINES} lines × {N_POINTS} points ({N_UPDATES - 1} updates, load of the machine {load})",
        ["figure", "median ms", "95 % within ms", "times ours"],
        rows,
    )
    print_table(
        "Size",
        ["what is loaded", "kB"],
        [
            ["the page, all files, with uPlot", f"{own / 1000:,.0f}"],
            ["plotly.min.js alone", f"{PLOTLY.stat().st_size / 1000:,.0f}"],
        ],
    )


def memory(browser: Any) -> None:
    """Measure the heap of JavaScript after updates of the overview, each time after a full collection."""
    rows = []
    with fake_service() as service:
        page = opened(browser, service.address)
        inspector = page.context.new_cdp_session(page)
        for number in range(301):
            if number in (1, 100, 200, 300):
                page.wait_for_timeout(2500)
                inspector.send("HeapProfiler.collectGarbage")
                used = inspector.send("Runtime.getHeapUsage")["usedSize"]
                nodes = page.evaluate("() => document.querySelectorAll('*').length")
                rows.append([str(number), f"{used / 1e6:.2f}", f"{nodes:,}"])
            service.send("delta", fake.delta(number), 101 + number)
            page.wait_for_timeout(40)
        page.context.close()
    print_table("Memory of the overview", ["updates", "JavaScript heap, MB", "elements"], rows)


def arrivals(browser: Any, seconds: int) -> None:
    """Open the page of `driftline serve --demo` and measure the time from arrival to the picture."""
    with demonstration() as address:
        page = opened(browser, address)
        page.wait_for_timeout(1000 * seconds)
        found = page.evaluate("async () => (await import('/parts/latency.js')).latency()")
        n = int(page.locator(".tiles dd").first.inner_text().replace(",", ""))
        rows = [
            [
                f"{found['p50'] * 1000:.0f}",
                f"{found['p95'] * 1000:.0f}",
                str(found["n"]),
                f"{n:,}",
                f"{os.getloadavg()[0]:.0f}",
            ]
        ]
        print_table(
            f"Arrival → painted, {seconds} s of the demonstration, all models on",
            ["median ms", "95 % within ms", "updates measured", "documents so far", "load of the machine"],
            rows,
        )
        sizes = []
        for path in ("overview", "topics", "topics/0", "words", "documents", "alarms", "classifier", "health"):
            measured = page.evaluate(
                """async (path) => {
                  const start = performance.now();
                  const text = await (await fetch(`/api/${path}`)).text();
                  return [new Blob([text]).size, performance.now() - start];
                }""",
                path,
            )
            sizes.append([path, f"{measured[0] / 1000:.1f}", f"{measured[1]:.0f}"])
        print_table("Answers of the screens in the demonstration", ["answer", "kB", "ms"], sizes)
        page.context.close()


def opened(browser: Any, address: str) -> Any:
    """Open the page and wait until it is connected."""
    page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
    page.goto(address if "#" in address else f"{address}/#overview")
    page.wait_for_selector("html[data-ready=true]", state="attached", timeout=60_000)
    page.wait_for_function("() => document.getElementById('connection').dataset.state === 'live'")
    return page


def quantiles(values: list[float]) -> list[str]:
    """Return the median and the 95th percentile as text."""
    return [f"{np.median(values):.1f}", f"{np.quantile(values, 0.95):.1f}"]


if __name__ == "__main__":
    main()

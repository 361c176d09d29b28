"""Processor time of a report on real streams, now and in an earlier commit, and whether the findings are the same.

    python -m benchmarks.report.report_speed FOLDER [STREAM …] [--documents=N]

FOLDER is a checkout of the earlier commit. Streams are thinned at random to `DOCUMENTS`, and texts cut off, as in
`benchmarks.report.dealt_days`. Every measurement is one process with one thread; the time in which Numba compiles is
subtracted. Findings are compared as JSON: a field of the findings differs if anything but a number does, or a number by
more than `TOLERANCE` of itself.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import print_table
from benchmarks.report.dealt_days import DOCUMENTS, option, read

ROOT = Path(__file__).parents[2]
STREAMS = ("abc_headlines_2003", "news_sites_2017", "health_tweets", "gitlog_2003_2008", "bundestag_speeches")
TOLERANCE = 1e-3
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")


def measured(name: str, n_documents: int) -> None:
    """Analyse and render one stream; write the processor times and the findings to standard output."""
    from numba.core import event

    from driftline.analysis.analyse import analyse
    from driftline.analysis.serialise import to_json
    from driftline.report.page import render
    from driftline.streams.stream import Stream

    compiling = [0.0]
    started: list[float] = []

    class Listener(event.Listener):
        def on_start(self, event: event.Event) -> None:
            started.append(time.process_time())

        def on_end(self, event: event.Event) -> None:
            begun = started.pop()
            if not started:
                compiling[0] += time.process_time() - begun

    event.register("numba:compile", Listener())
    times, texts, labels = read(name, n_documents)
    stream = Stream.from_documents([(str(i), *each) for i, each in enumerate(zip(times, texts, labels))])
    moments = [time.process_time()]
    findings = analyse(stream)
    moments.append(time.process_time() - compiling[0])
    render(findings)
    moments.append(time.process_time() - compiling[0])
    print(json.dumps({"moments": moments, "findings": json.loads(to_json(findings))}))


def in_tree(tree: Path, name: str, n_documents: int) -> dict[str, Any]:
    """Measure a stream with the sources of one checkout."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.report.report_speed", "--measure", name]
    path = os.pathsep.join([str(tree / "src"), str(ROOT)])
    done = subprocess.run(
        [*command, f"--documents={n_documents}"],
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def same(one: Any, other: Any) -> bool:
    """Return whether two values of JSON agree, numbers up to rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-12)
    return bool(one == other)


def main() -> None:
    """Print a row per stream."""
    n_documents = option("documents", DOCUMENTS)
    names = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if "--measure" in sys.argv:
        measured(names[0], n_documents)
        return
    folder, streams = Path(names[0]).absolute(), names[1:] or STREAMS
    rows = []
    for name in streams:
        earlier, now = (in_tree(tree, name, n_documents) for tree in (folder, ROOT))
        steps = [[b - a for a, b in zip(each["moments"], each["moments"][1:])] for each in (earlier, now)]
        old, new = earlier["findings"], now["findings"]
        differ = sorted(key for key in old.keys() | new.keys() if not same(old.get(key), new.get(key)))
        row = [name]
        for step in range(2):
            row += [f"{steps[0][step]:.1f}", f"{steps[1][step]:.1f}", f"{steps[1][step] / steps[0][step]:.2f}"]
        rows.append([*row, ", ".join(differ) or "none"])
        print("|", " | ".join(rows[-1]), "|", file=sys.stderr, flush=True)
    headings = ["stream", "analyse, before", "now", "now / before", "render, before", "now", "now / before"]
    print_table(
        f"CPU seconds of a report, without compilation ({n_documents:,} documents per stream, one thread)",
        [*headings, "findings that differ"],
        rows,
    )


if __name__ == "__main__":
    main()

"""Time and memory of a task, real data, and tables: what every benchmark needs."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(os.environ.get("DRIFTLINE_DATA", Path(__file__).parents[2] / "shared" / "data"))


STREAMS = (
    "abc_headlines_2003", "health_tweets", "reuters21578", "20news_bydate", "sotu_1790_2024", "tweets_2015_2017",
    "news_sites_2017", "bundestag_speeches", "maillists_2019_2026", "gitlog_2003_2008", "enron_partial_folders",
    "spamassassin",
)  # fmt: skip
"""The real streams with dates."""


class Measurement(NamedTuple):
    """Cost of one task. Memory is the growth of the process's peak, only known from `in_fresh_process`."""

    wall_seconds: float
    cpu_seconds: float
    peak_mib: float | None = None


def real_data(name: str) -> Path:
    """Return the path of a real data set, or end the benchmark with a sentence."""
    path = DATA / f"{name}.parquet"
    if not path.exists():
        raise SystemExit(f"{path} does not exist; set DRIFTLINE_DATA to the folder with the real data sets")
    return path


def measure(work: Callable[[], Any], *, repeat: int = 1) -> tuple[Any, Measurement]:
    """Run `work` and return its result with the least wall and processor time of the repeats."""
    best: Measurement | None = None
    result = None
    for _ in range(repeat):
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        taken = Measurement(time.perf_counter() - wall, time.process_time() - cpu)
        best = taken if best is None or taken.cpu_seconds < best.cpu_seconds else best
    assert best is not None
    return result, best


def in_fresh_process(work: Callable[..., Any], *arguments: Any) -> tuple[Any, Measurement]:
    """Run a module-level function in a new process, so that its peak memory is its own."""
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(sending, work, arguments))
    process.start()
    sending.close()
    result, taken = receiving.recv()
    process.join()
    return result, Measurement(*taken)


def _measured(sending: Any, work: Callable[..., Any], arguments: Sequence[Any]) -> None:
    _forget_peak()
    before = _peak_mib()
    result, taken = measure(lambda: work(*arguments))
    sending.send((result, (taken.wall_seconds, taken.cpu_seconds, _peak_mib() - before)))


def _forget_peak() -> None:
    """Start counting at the present memory of the process: reading the arguments may have needed more for a moment."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_mib() -> float:
    """Return the peak memory of this process.

    On Linux, `ru_maxrss` is inherited from the process that started this one, so a small child of a large parent would
    seem never to grow; VmHWM belongs to the process alone.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a Markdown table, ready to be quoted in a document."""
    cells = [[_format(value) for value in row] for row in rows]
    widths = [max(len(row[i]) for row in [list(headings), *cells]) for i in range(len(headings))]
    print(f"\n{title}\n")
    print("| " + " | ".join(h.ljust(w) for h, w in zip(headings, widths)) + " |")
    print("|" + "|".join("-" * (w + 2) for w in widths) + "|")
    for row in cells:
        print("| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |")
    sys.stdout.flush()


def _format(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)

"""A million documents and a hundred topics; what the cost depends on; one document at a time.

    python -m benchmarks.intensity.speed [NUMBER OF DOCUMENTS] [--row]

``--row`` prints the last table only.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import in_fresh_process, measure, print_table
from driftline.compute.cpu.intensity_online import update
from driftline.intensity import IntensityTracker


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 1_000_000
    if "--row" not in sys.argv:
        large(n)
        against_sizes()
        against_exact()
    one_at_a_time()


def stream(n: int, n_topics: int, seed: int = 0) -> tuple[Any, Any]:
    """Return float32 log-likelihoods and times of a stream with bursts, cheaply made."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.exponential(1.0, n))
    # Topics come in runs: the preferred one of a run of documents is drawn four times out of ten
    favourite = rng.integers(0, n_topics, n // 200 + 1)[np.arange(n) // 200]
    topics = np.where(rng.random(n) < 0.4, favourite, rng.integers(0, n_topics, n))
    X = np.empty((n, n_topics), dtype=np.float32)
    for begin in range(0, n, 50_000):
        part = slice(begin, min(begin + 50_000, n))
        X[part] = rng.normal(0, 1, X[part].shape).astype(np.float32)
        X[part][np.arange(len(X[part])), topics[part]] += 4
    return X, times


def fitted(n: int, n_topics: int, n_jobs: int) -> dict[str, Any]:
    """Fit in a process of its own; the loops are compiled (or loaded) before the clock starts."""
    settings = {"inference": "ep", "n_levels": 8, "n_jobs": n_jobs}
    X, times = stream(2000, n_topics)
    IntensityTracker(**settings).fit(X, times=times)
    X, times = stream(n, n_topics)
    tracker, taken = measure(lambda: IntensityTracker(**settings).fit(X, times=times))
    return {
        "wall": taken.wall_seconds,
        "cpu": taken.cpu_seconds,
        "sweeps": tracker.n_sweeps_,
        "input": X.nbytes / 2**20,
        "peak": peak_mib(),
    }


def peak_mib() -> float:
    """Return the most memory this process has had, interpreter, compiler and input included."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 2**10


def load() -> str:
    return Path("/proc/loadavg").read_text().split()[0]


def large(n: int) -> None:
    rows = []
    for n_jobs in (1, 2):
        found, _ = in_fresh_process(fitted, n, 100, n_jobs)
        rows.append(
            (
                n_jobs,
                found["wall"],
                found["cpu"],
                found["sweeps"],
                found["cpu"] / (found["sweeps"] + 2),
                f"{found['peak']:.0f} (of which the input {found['input']:.0f})",
            )
        )
    print_table(
        f'"ep" on {n:,} documents, 100 topics, 8 levels, float32 (load of the machine: {load()})',
        ["threads", "wall s", "CPU s", "sweeps", "CPU s per sweep (and a half)", "peak MiB of the process"],
        rows,
    )


def against_sizes() -> None:
    rows = []
    for n, n_topics, n_levels in (
        (20_000, 10, 8),
        (40_000, 10, 8),
        (80_000, 10, 8),
        (20_000, 20, 8),
        (20_000, 40, 8),
        (20_000, 80, 8),
        (20_000, 20, 4),
        (20_000, 20, 16),
        (20_000, 20, 32),
    ):
        X, times = stream(n, n_topics)
        tracker = IntensityTracker(inference="ep", n_levels=n_levels)
        _, taken = measure(lambda t=tracker, X=X, times=times: t.fit(X, times=times))
        work = n * n_topics * n_levels * tracker.n_sweeps_
        rows.append(
            (f"{n:,}", n_topics, n_levels, tracker.n_sweeps_, taken.cpu_seconds, 1e9 * taken.cpu_seconds / work)
        )
    print_table(
        'Cost of "ep" against T, K and |L| (linear in each)',
        ["documents", "topics", "levels", "sweeps", "CPU s", "ns per document, topic, level and sweep"],
        rows,
    )


def against_exact() -> None:
    rows = []
    for n_topics, n_levels in ((1, 8), (2, 8), (3, 8), (4, 8), (6, 4), (12, 2)):
        X, times = stream(2000, n_topics)
        X = X.astype(np.float64)
        row: list[Any] = [n_topics, n_levels, n_levels**n_topics]
        for method in ("exact", "ep", "structured"):
            tracker = IntensityTracker(inference=method, n_levels=n_levels)
            tracker.fit(X[:50], times=times[:50])
            _, taken = measure(lambda t=tracker, X=X, times=times: t.fit(X, times=times))
            row.append(taken.cpu_seconds)
        rows.append(row)
    print_table(
        "CPU seconds for 2,000 documents",
        ["topics", "levels", "joint levels", "exact", "ep", "structured"],
        rows,
    )


def one_at_a_time() -> None:
    rows = []
    for n_topics, lag in ((4, 0), (4, 10), (100, 0), (100, 10)):
        X, times = stream(6000, n_topics)
        tracker = IntensityTracker(levels=2.0 ** np.arange(-4, 4) / n_topics, lag=lag)
        for t in range(1000):
            tracker.update(X[t], times[t])
        rows_in, moments = list(X[1000:].astype(np.float64)), times[1000:].tolist()
        begin = time.process_time()
        for row, moment in zip(rows_in, moments):
            tracker.update(row, moment)
        whole = (time.process_time() - begin) / 5000
        rows.append((n_topics, lag, 1e6 * kernel_seconds(tracker, X), 1e6 * whole))
    print_table(
        "`update`: microseconds per document (8 levels)",
        ["topics", "lag", "in the compiled step", "the whole Python call"],
        rows,
    )


def kernel_seconds(tracker: IntensityTracker, X: Any) -> float:
    """Return what the compiled step takes, its arguments' unpacking included, the rest of the call left out."""
    state = tracker._filter_
    texts = np.exp(X[:2000].astype(np.float64) - X[:2000].max(axis=1, keepdims=True))
    found = np.empty((4, X.shape[1]))
    fixed = [state[name] for name in ("rates", "steps", "speeds", "band")]
    ring = [state[name] for name in ("message", "predicted", "seen", "others", "decay", "matrices", "count")]
    update(texts[0], 1.0, *fixed, *ring, found)  # compiled before the clock starts
    begin = time.process_time()
    for text in texts:
        update(text, 1.0, *fixed, *ring, found)
    return (time.process_time() - begin) / len(texts)


if __name__ == "__main__":
    main()

"""Excluded dates: the effect of the rules on real streams, and whether planted dates are found.

    python -m benchmarks.reading.dates

The rules were fixed in advance; nothing is chosen here.
"""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq

from benchmarks.measure import DATA, print_table
from driftline.core.times import TimeAxis
from driftline.streams.long_gaps import long_gaps
from driftline.streams.units import units_of
from driftline.streams.unusual_dates import unusual_dates

NOW = "2026-11-16"
PLANTED = ("1900-01-01", "1970-01-01", "2099-12-31")


def dated_streams() -> dict[str, np.ndarray]:
    """Return the times of every real stream that has them."""
    found = {}
    for path in sorted(DATA.glob("*.parquet")):
        file = pq.ParquetFile(path)
        if "time" in file.schema_arrow.names:
            times = np.asarray(file.read(["time"])["time"].to_numpy()).astype("datetime64[us]")
            found[path.stem] = np.sort(times[~np.isnat(times)])
    return found


def what_is_set_aside(times: np.ndarray) -> list:
    unusual = unusual_dates(times, now=NOW)
    days = TimeAxis("datetime").values(times)
    used = ~unusual.any
    kept = float(np.ptp(days[used]) / np.ptp(days))
    longest = max((end - start for start, end in long_gaps(units_of(times[used]).middle)), default=0.0)
    counts = [int(mask.sum()) for mask in (unusual.early, unusual.late, unusual.future, unusual.imported)]
    return [len(times), *counts, kept, len(long_gaps(units_of(times[used]).middle)), longest]


def planted(times: np.ndarray, n: int, seed: int) -> tuple[int, int, int]:
    """Plant dates into `n` documents drawn from a stream; return planted, found, and others newly excluded."""
    rng = np.random.default_rng(seed)
    part = np.sort(rng.choice(times, size=min(n, len(times)), replace=False))
    part = part[~unusual_dates(part, now=NOW).any]
    outside = [np.datetime64(date, "us") for date in PLANTED if not part[0] <= np.datetime64(date) <= part[-1]]
    together = np.concatenate([part, outside])
    found = unusual_dates(together, now=NOW).any
    return len(outside), int(found[len(part) :].sum()), int(found[: len(part)].sum())


def main() -> None:
    streams = dated_streams()
    rows = [[name, *what_is_set_aside(times)] for name, times in streams.items()]
    headings = ["stream", "documents", "early", "late", "future", "imported", "span kept", "holes", "longest (days)"]
    print_table("Excluded on real streams", headings, rows)
    rows = []
    for n in (30, 100, 1000, 10_000):
        totals = np.sum([planted(times, n, seed) for times in streams.values() for seed in range(5)], axis=0)
        rows.append([n, len(streams) * 5, *totals.tolist()])
    print_table(
        "Dates of 1900, 1970 and 2099 planted into draws from every stream (five each), where they lie outside it",
        ["documents drawn", "draws", "planted", "found", "others excluded because of them"],
        rows,
    )


if __name__ == "__main__":
    main()

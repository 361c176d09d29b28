"""Coverage of the interval of a headline's ratio: changes of known size planted into shuffled days.

    python -m benchmarks.report.headline_intervals [STREAM …]

Shuffles whole days of a stream, so that no word changes, and thins words outside an interval of a fifth to a half of
the days: inside it they are 1.5 to 6 times as frequent. Days that share events stay whole. The true ratio is that of
the reported window, which may contain more or less than the interval. Prints the coverage of the 95 % intervals of all
planted words and of those that pass as headlines (selected because their lower end is high), and how far the ratio of
these lies from the truth.
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import print_table
from benchmarks.report.first_screen import CHOOSING, REPORTING, count, shuffled_days, stream_of
from driftline.analysis.headlines.measure import candidates_of, measure_changes
from driftline.analysis.headlines.rules import DEFAULT_RULES
from driftline.analysis.items import Items, present
from driftline.core.arrays import Floats, Ints
from driftline.streams.units import Units, units_of

N_DEALS = 3
N_WORDS = 150


def plant(items: Items, units: Units, rng: np.random.Generator) -> tuple[Items, Ints, Floats, Ints, Ints]:
    """Thin words outside an interval of units; return the items with these words alone, their ratios and intervals."""
    counts = sp.csc_array(present(items.counts))
    documents = np.diff(counts.indptr)
    eligible = np.flatnonzero((documents >= 60) & (documents <= len(items.times) / 3))
    words = rng.choice(eligible, min(N_WORDS, len(eligible)), replace=False)
    some = sp.csc_array(counts[:, words])
    ratio = rng.uniform(1.5, 6, len(words))
    length = (units.n * rng.uniform(0.2, 0.5, len(words))).astype(int)
    start = (rng.random(len(words)) * (units.n - length + 1)).astype(int)
    for word in range(len(words)):
        held = slice(some.indptr[word], some.indptr[word + 1])
        unit = units.index[some.indices[held]]
        outside = (unit < start[word]) | (unit >= start[word] + length[word])
        some.data[held][outside & (rng.random(len(unit)) < 1 - 1 / ratio[word])] = 0
    some.eliminate_zeros()
    return items._replace(counts=sp.csr_array(some)), words, ratio, start, start + length


def row(name: str) -> list[object]:
    """Return the line of one stream."""
    counted = count(stream_of(name))
    covered, passing, errors = [], [], []
    for seed in range(N_DEALS):
        rng = np.random.default_rng(seed)
        items = shuffled_days(counted.items, seed)
        units = units_of(items.times)
        planted, words, ratio, first, last = plant(items, units, rng)
        columns = np.arange(len(words))
        found = candidates_of(planted, columns, [str(word) for word in words], np.ones(len(words), dtype=np.bool_))
        changes = measure_changes(found, DEFAULT_RULES)
        edges = np.concatenate([[0.0], np.cumsum(found.by_unit.documents)])
        for i in range(len(words)):
            start, end = changes.start[i], changes.end[i]
            shared = max(edges[min(end, last[i])] - edges[max(start, first[i])], 0.0) if end > first[i] else 0.0
            inside, outside = edges[end] - edges[start], edges[-1] - edges[end] + edges[start]
            stretch = edges[last[i]] - edges[first[i]]
            rate_in = (shared + (inside - shared) / ratio[i]) / max(inside, 1.0)
            rate_out = ((stretch - shared) + (outside - stretch + shared) / ratio[i]) / max(outside, 1.0)
            truth = (rate_in / rate_out) ** changes.sign[i]
            covered.append(changes.lower[i] <= truth <= changes.upper[i])
            passing.append(changes.lower[i] >= DEFAULT_RULES.min_ratio and not changes.event[i])
            errors.append(np.log(changes.ratio[i] / truth))
    hold, chosen = np.array(covered), np.array(passing)
    return [
        name,
        len(hold),
        f"{hold.mean():.2f}",
        int(chosen.sum()),
        f"{hold[chosen].mean():.2f}" if chosen.any() else "–",
        f"{np.exp(np.median(np.array(errors)[chosen])):.2f}" if chosen.any() else "–",
    ]


def main() -> None:
    rows = []
    for name in sys.argv[1:] or (*CHOOSING, *REPORTING):
        rows.append(row(name))
        print("|", " | ".join(map(str, rows[-1])), "|", file=sys.stderr, flush=True)
    print_table(
        f"Intervals of planted ratios of 1.5 to 6 ({N_DEALS} deals of days)",
        ["stream", "planted", "covered", "pass as headlines", "covered of these", "ratio ÷ truth of these, median"],
        rows,
    )


if __name__ == "__main__":
    main()

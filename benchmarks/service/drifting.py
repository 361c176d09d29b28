"""Drifting words of the overview: how often words are reported in streams in which nothing drifts.

    python -m benchmarks.service.drifting [--windows 60]

The days of real streams are put into a random order, each day as a whole: events of single days stay, changes over time
do not. In windows of 35 days, the last 7 are compared with the 28 before, as on the page; a window is a false report if
any word is at least 90 % certain. "In order" are windows of the stream as it is. The rivals take documents as
independent, and allow for dispersion over the days without leaving out a day. The settings were chosen on the first two
streams.

On the simulated newswire (100 stories per day), whose shares are known, a reported word is right if its true share
changed by a quarter at least.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp

from driftline.core.arrays import Bools, Floats, Ints
from driftline.datasets.newswire import SimulatedNewswire, simulate_newswire
from driftline.service.views.drifting import BEFORE, CERTAIN, FEWEST, NOW, certainty, changes, log_ratio
from driftline.streams.corpus import DEFAULT_TOKENIZER

DATA = Path(os.environ.get("DRIFTLINE_DATA", "../shared/data"))
CHOSEN = ("abc_headlines_2003", "tweets_2015_2017")
OTHERS = ("health_tweets", "reuters21578", "gitlog_2003_2008", "maillists_2019_2026")
MOST, LONGEST = 20_000, 600
DAYS = NOW + BEFORE
IS_RECENT: Bools = np.arange(DAYS) >= BEFORE
Method = Callable[[Floats, Floats, Bools], Floats]


def independent(counts: Floats, n: Floats, is_recent: Bools) -> Floats:
    """Return the changes as if documents were independent."""
    now, before = counts[is_recent].sum(axis=0), counts[~is_recent].sum(axis=0)
    return log_ratio(now, n[is_recent].sum(), before, n[~is_recent].sum())


def dispersed(counts: Floats, n: Floats, is_recent: Bools) -> Floats:
    """Return the changes with the dispersion over the days, all days included."""
    expected = np.concatenate(
        [np.outer(n[side], counts[side].sum(axis=0) / n[side].sum()) for side in (~is_recent, is_recent)]
    )
    misfit = np.divide((counts - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0)
    found: Floats = independent(counts, n, is_recent) / np.sqrt(np.maximum(1.0, misfit.sum(axis=0) / (len(n) - 2)))
    return found


METHODS: dict[str, Method] = {"independent documents": independent, "dispersion": dispersed, "driftline serve": changes}


def per_day(texts: list[str], days: Ints) -> tuple[sp.csr_matrix, Floats, list[str]]:
    """Return documents with each word, days × words, the documents of the days, and the words."""
    numbers: dict[str, int] = {}
    rows, columns = [], []
    for row, words in enumerate(DEFAULT_TOKENIZER.tokens(texts).to_pylist()):
        for word in set(words):
            rows.append(row)
            columns.append(numbers.setdefault(word, len(numbers)))
    X = sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(texts), len(numbers)))
    distinct, place = np.unique(days, return_inverse=True)
    gather = sp.csr_matrix((np.ones(len(place)), (place, np.arange(len(place)))), shape=(len(distinct), len(place)))
    return (gather @ X).tocsr(), np.bincount(place).astype(float), list(numbers)


def stream(name: str) -> tuple[sp.csr_matrix, Floats]:
    """Return a real stream by day."""
    table = pq.read_table(DATA / f"{name}.parquet")
    column = "text" if "text" in table.column_names else "title"
    days = table["time"].to_numpy().astype("datetime64[D]")
    order = np.argsort(days, kind="stable")[:MOST]
    order = order[~np.isnat(days[order])]
    texts = [(text or "")[:LONGEST] for text in table[column].take(order).to_pylist()]
    counts, n, _ = per_day(texts, days[order].astype(np.int64))
    return counts, n


def reported(method: Method, counts: Floats, n: Floats) -> Ints:
    """Return the words that a method reports in a window."""
    compared = np.flatnonzero(counts.sum(axis=0) >= FEWEST)
    chance = certainty(method(counts[:, compared], n, IS_RECENT), len(compared))
    found: Ints = compared[chance > CERTAIN]
    return found


def newswire_row(method: Method, wires: list[SimulatedNewswire]) -> str:
    """Return how many words are reported in years of the newswire, and how many of them are right."""
    total = right = 0
    for wire in wires:
        days = wire.times.astype("datetime64[D]")
        counts, n, words = per_day(wire.texts, days.astype(np.int64))
        dates = np.unique(days)
        for first in range(0, len(dates) - DAYS + 1, NOW):
            found = reported(method, counts[first : first + DAYS].toarray(), n[first : first + DAYS])
            if len(found):
                true = wire.document_shares([words[k] for k in found], dates[first : first + DAYS])
                ratio = true[BEFORE:].mean(axis=0) / true[:BEFORE].mean(axis=0)
                total, right = total + len(found), right + int(np.sum((ratio >= 1.25) | (ratio <= 0.8)))
    return f"{total} | {right} ({100 * right / max(total, 1):.0f} %)"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--windows", type=int, default=60)
    options = parser.parse_args()
    print("| windows with a report, days shuffled / in order | " + " | ".join(METHODS) + " |")
    print("|---|" + "--:|" * len(METHODS))
    for name in (*CHOSEN, *OTHERS):
        counts, n = stream(name)
        generator = np.random.default_rng(0)
        shuffled = [generator.permutation(len(n))[:DAYS] for _ in range(options.windows)]
        in_order = [np.arange(first, first + DAYS) for first in range(0, len(n) - DAYS + 1, NOW)][: options.windows]
        cells = []
        for method in METHODS.values():
            shares = [
                np.mean([len(reported(method, counts[days].toarray(), n[days])) > 0 for days in windows])
                for windows in (shuffled, in_order)
            ]
            cells.append(" / ".join(f"{100 * share:.0f} %" for share in shares))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print("\n| newswire, years 2 and 3 | words reported | right |\n|---|--:|--:|")
    wires = [simulate_newswire(36_500, random_state=seed) for seed in (2, 3)]
    for name, method in METHODS.items():
        print(f"| {name} | {newswire_row(method, wires)} |", flush=True)
    still = [simulate_newswire(36_500, random_state=seed, drift=0.0) for seed in (2, 3)]
    for name, method in METHODS.items():
        print(f"| {name}, without drift | {newswire_row(method, still)} |", flush=True)


if __name__ == "__main__":
    main()

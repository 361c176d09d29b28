"""Days assigned at random to two sets A and B: all differences are chance, so every word or topic named is false.

Real streams are thinned at random to whole days with at most `DOCUMENTS` documents. Per random split: words that
`compare_sets` names (days as units, false discovery rate 5 %), beside a test of 2 × 2 tables that treats documents as
independent, with the same limits; then topics whose shares differ (`coverage`) and words within topics (`contrasts`),
with days as units. At 5 %, one split in twenty may name something. A second table has the same for few days, also for
sets of unequal numbers of days: `DRAWN` days of at least 20 documents of three streams, from which days are assigned.
With `--others`, streams on which nothing was chosen: authors or days as units, a quarter or half of them in A, and also
the effect of A by `effects`, alone and beside a curve over time.

    python -m benchmarks.context.dealt_sets [--few | --others | STREAM …]
"""

from __future__ import annotations

import sys

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from scipy.stats import chi2, false_discovery_control

from benchmarks.measure import print_table, real_data
from driftline.local import compare_sets
from driftline.streams.units import units_of
from driftline.text import count_words
from driftline.topics import LDA, contrasts, coverage, effects

STREAMS = (
    "abc_headlines_2003", "health_tweets", "maillists_2019_2026", "gitlog_2003_2008", "spamassassin", "reuters21578",
)  # fmt: skip
DOCUMENTS, CHARACTERS, N_TOPICS, N_DEALS = 3000, 2000, 10, 20
FEW_STREAMS = ("abc_headlines_2003", "reuters21578", "gitlog_2003_2008")
FEW = ((1, 30), (2, 30), (3, 30), (5, 30), (2, 3), (3, 3), (4, 4), (5, 5), (6, 6), (8, 8), (10, 10))
"""Days of A and of B."""
DRAWN, PER_DAY = 60, 100
OTHERS = {
    "bundestag_speeches": "speaker",
    "news_sites_2017": "day",
    "tweets_2015_2017": "day",
    "20news_bydate": "sender",
    "enron_partial_folders": "sender",
}
"""Streams on which nothing was chosen, and their units."""


def read(name: str) -> tuple[sp.csr_array, np.ndarray]:
    """Return counts and days of whole days drawn at random."""
    table = pq.read_table(real_data(name), columns=["time", "text"])
    day = table["time"].to_numpy().astype("datetime64[D]")
    distinct, index = np.unique(day, return_inverse=True)
    order = np.random.default_rng(0).permutation(len(distinct))
    size = np.bincount(index)
    chosen = order[np.cumsum(size[order]) <= DOCUMENTS]
    rows = np.flatnonzero(np.isin(index, chosen))
    texts = [(text or "")[:CHARACTERS] for text in table["text"].take(rows).to_pylist()]
    return sp.csr_array(count_words(texts, min_df=5, max_df=0.5)[0]).astype(float), day[rows]


def by_documents(X, in_a: np.ndarray) -> int:
    """Return how many words a likelihood ratio test of documents names."""
    has = sp.csr_array(X > 0).astype(float)
    a, b = has.T @ in_a, has.T @ ~in_a
    tested = a + b >= 10
    a, b, n_a, n_b = a[tested], b[tested], in_a.sum(), (~in_a).sum()
    share = (a + b) / (n_a + n_b)
    cells = [(a, n_a * share), (n_a - a, n_a * (1 - share)), (b, n_b * share), (n_b - b, n_b * (1 - share))]
    statistic = sum(2 * np.where(o > 0, o * np.log(np.maximum(o, 1e-12) / e), 0.0) for o, e in cells)
    return int((false_discovery_control(chi2.sf(statistic, 1)) <= 0.05).sum())


def read_days(name: str) -> tuple[sp.csr_array, np.ndarray]:
    """Return counts and days of `DRAWN` days at most, `PER_DAY` documents of each at most."""
    table = pq.read_table(real_data(name), columns=["time", "text"])
    day = table["time"].to_numpy().astype("datetime64[D]")
    rng = np.random.default_rng(0)
    index = np.unique(day, return_inverse=True)[1]
    chosen = np.sort(rng.permutation(np.flatnonzero(np.bincount(index) >= 20))[:DRAWN])
    rows = np.sort(np.concatenate([rng.permutation(np.flatnonzero(index == each))[:PER_DAY] for each in chosen]))
    texts = [(text or "")[:CHARACTERS] for text in table["text"].take(rows).to_pylist()]
    return sp.csr_array(count_words(texts, min_df=5, max_df=0.5)[0]).astype(float), day[rows]


def named(model: LDA, X: sp.csr_array, day: np.ndarray, in_a: np.ndarray, seed: int) -> list[int]:
    """Return how many words or topics each method names."""
    units = units_of(day, unit="day")
    words = contrasts(model, X, between=in_a, unit=units, n_shuffles=10, random_state=seed)
    return [
        int(compare_sets(X, in_a, ~in_a, times=day, unit="day").differs.sum()),
        by_documents(X, in_a),
        int(coverage(model, X, by=in_a, unit=units).differs[0].sum()),
        int(words.differs.sum()),
    ]


def read_units(name: str, unit: str) -> tuple[sp.csr_array, np.ndarray, np.ndarray]:
    """Return counts, units and times of units drawn at random, with at most `DOCUMENTS` documents."""
    table = pq.read_table(real_data(name))
    time = table["time"].to_numpy()
    of = time.astype("datetime64[D]") if unit == "day" else np.array(list(map(str, table[unit].to_pylist())))
    index = np.unique(of, return_inverse=True)[1]
    size = np.bincount(index)
    order = np.random.default_rng(0).permutation(len(size))
    rows = np.flatnonzero(np.isin(index, order[np.cumsum(size[order]) <= DOCUMENTS]))
    texts = [(text or "")[:CHARACTERS] for text in table["text"].take(rows).to_pylist()]
    counts = sp.csr_array(count_words(texts, min_df=5, max_df=0.5)[0]).astype(float)
    return counts, np.unique(index[rows], return_inverse=True)[1], time[rows]


def other_streams() -> None:
    rows = []
    for name, unit in OTHERS.items():
        X, index, time = read_units(name, unit)
        model, n_units, found = LDA(N_TOPICS, random_state=0).fit(X), int(index.max()) + 1, []
        for seed in range(N_DEALS):
            size = n_units // (2 if seed % 2 else 4)
            in_a = np.isin(index, np.random.default_rng(seed).permutation(n_units)[:size])
            data = {"set": in_a.astype(str), "time": time}
            tested = [effects(model, X, formula, data=data, unit=index) for formula in ("set", "s(time) + set")]
            found.append(
                [
                    int(coverage(model, X, by=in_a, unit=index).differs[0].sum()),
                    int(contrasts(model, X, between=in_a, unit=index, random_state=seed).differs.sum()),
                    *(int((false_discovery_control(each.term_p_value[:, -1]) <= 0.05).sum()) for each in tested),
                ]
            )
        rows.append([name, X.shape[0], f"{n_units} ({unit})", *cells(found)])
        print(rows[-1], file=sys.stderr, flush=True)
    title = f"Other streams: false words, topics or effects per random split, mean of {N_DEALS}"
    print_table(
        title,
        ["stream", "documents", "units", "`coverage`", "`contrasts`", "`effects`", "the same, with a curve"],
        rows,
    )


def cells(found: list[list[int]]) -> list[str]:
    return [f"{np.mean(n):.1f} ({np.mean(np.array(n) > 0):.0%})" for n in zip(*found)]


METHODS = ["`compare_sets`", "documents as units", "`coverage`", "`contrasts`"]


def whole_streams(names: list[str] | tuple[str, ...]) -> None:
    rows = []
    for name in names:
        X, day = read(name)
        distinct, index = np.unique(day, return_inverse=True)
        model = LDA(N_TOPICS, random_state=0).fit(X)
        found = []
        for seed in range(N_DEALS):
            in_a = np.isin(index, np.random.default_rng(seed).permutation(len(distinct))[: len(distinct) // 2])
            found.append(named(model, X, day, in_a, seed))
        rows.append([name, X.shape[0], len(distinct), *cells(found)])
        print(rows[-1], file=sys.stderr, flush=True)
    title = f"False words or topics named per random split, mean of {N_DEALS} (share of splits that name any)"
    print_table(title, ["stream", "documents", "days", *METHODS], rows)


def few_days() -> None:
    found: dict[tuple[int, int], list[list[int]]] = {}
    for name in FEW_STREAMS:
        X, day = read_days(name)
        model, distinct = LDA(N_TOPICS, random_state=0).fit(X), np.unique(day)
        for n_a, n_b in FEW:
            for seed in range(N_DEALS):
                order = np.random.default_rng(seed).permutation(distinct)
                rows = np.flatnonzero(np.isin(day, order[: n_a + n_b]))
                in_a = np.isin(day[rows], order[:n_a])
                found.setdefault((n_a, n_b), []).append(named(model, X[rows], day[rows], in_a, seed))
        print(name, file=sys.stderr, flush=True)
    streams = ", ".join(FEW_STREAMS)
    title = f"Few days: false words or topics per random split, mean of {N_DEALS} random splits of each of {streams}"
    print_table(title, ["days of A", "days of B", *METHODS], [[*days, *cells(found[days])] for days in FEW])


def main() -> None:
    print(__doc__)
    if "--others" in sys.argv:
        other_streams()
        return
    streams = [each for each in sys.argv[1:] if not each.startswith("--")]
    if "--few" not in sys.argv:
        whole_streams(streams or STREAMS)
    if not streams:
        few_days()


if __name__ == "__main__":
    main()

"""Days dealt at random into two sets A and B: nothing differs but by chance, so every word or topic named is false.

Real streams are thinned at random to whole days with at most `DOCUMENTS` documents. Per deal: words that `compare_sets`
names (days as units, false discovery rate 5 %), beside a test of 2 × 2 tables that takes documents as independent, with
the same limits; then topics whose shares differ (`coverage`) and words within topics (`contrasts`), with days as units.
At 5 %, one deal in twenty may name something.

    python -m benchmarks.context.dealt_sets [STREAM …]
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
from driftline.topics import LDA, contrasts, coverage

STREAMS = (
    "abc_headlines_2003", "health_tweets", "maillists_2019_2026", "gitlog_2003_2008", "spamassassin", "reuters21578",
)  # fmt: skip
DOCUMENTS, CHARACTERS, N_TOPICS, N_DEALS = 3000, 2000, 10, 20


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


def main() -> None:
    print(__doc__)
    rows = []
    for name in [each for each in sys.argv[1:] if not each.startswith("--")] or STREAMS:
        X, day = read(name)
        distinct, index = np.unique(day, return_inverse=True)
        model = LDA(N_TOPICS, random_state=0).fit(X)
        units = units_of(day, unit="day")
        named: dict[str, list[int]] = {}
        for seed in range(N_DEALS):
            in_a = np.isin(index, np.random.default_rng(seed).permutation(len(distinct))[: len(distinct) // 2])
            sets = compare_sets(X, in_a, ~in_a, times=day)
            shares = coverage(model, X, by=in_a, unit=units)
            words = contrasts(model, X, between=in_a, unit=units, n_shuffles=10, random_state=seed)
            for method, n in (
                ("compare_sets", sets.differs.sum()),
                ("documents", by_documents(X, in_a)),
                ("coverage", shares.differs[0].sum()),
                ("contrasts", words.differs.sum()),
            ):
                named.setdefault(method, []).append(int(n))
        cells = [f"{np.mean(n):.1f} ({np.mean(np.array(n) > 0):.0%})" for n in named.values()]
        rows.append([name, X.shape[0], len(distinct), *cells])
        print(rows[-1], file=sys.stderr, flush=True)
    print_table(
        f"False words or topics named per deal, mean of {N_DEALS} (share of deals that name any)",
        ["stream", "documents", "days", "`compare_sets`", "documents as units", "`coverage`", "`contrasts`"],
        rows,
    )


if __name__ == "__main__":
    main()

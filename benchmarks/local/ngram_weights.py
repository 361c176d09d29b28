"""The weight of the shorter context in local trigram models: three generalisations of Witten and Bell's rule.

    python -m benchmarks.local.ngram_weights

Witten and Bell give the shorter context the weight T / (N + T), T being the number of distinct followers of the context
and N the number of its words. Under a kernel these counts are sums S of weights. Three definitions of T are compared,
which agree on whole counts: the sum of min(1, S), the number of S above 0, and the sum of min(1, √S), the one of
`LocalNGram`. The sums are computed again for every held-out document. A fifth of the documents is held out: on 150 of
them a bandwidth and a share ρ of the rest of the stream are chosen for each T, and 300 others are scored. The last
columns have the loss without the rest of the stream (ρ = 0) at the chosen bandwidth, and the largest difference of a
score by √S from that of `LocalNGram` in ten documents.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.local.ngram import read_stream
from benchmarks.measure import print_table
from driftline.core.errors import OutsideSupportWarning
from driftline.local import LocalNGram

STREAMS = [
    ("abc_headlines_2003", None, 6_000),
    ("health_tweets", "nytimeshealth", 4_000),
    ("gitlog_2003_2008", "postgres", 4_000),
    ("maillists_2019_2026", "linux-man", 2_000),
]
ORDER, BETA = 3, 0.1
WEIGHTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Σ min(1, S)": lambda sums: np.minimum(1.0, sums),
    "number of S > 0": lambda sums: (sums > 0).astype(float),
    "Σ min(1, √S)": lambda sums: np.minimum(1.0, np.sqrt(sums)),
}
SHARES = (0.0, 0.03, 0.1, 0.3)
N_CHOOSE, N_SCORE, N_COMPARED = 150, 300, 10

Gram = tuple[int, ...]


def grams(document: list[int], length: int) -> Iterator[Gram]:
    """Yield the n-grams of a length that contain no unknown word."""
    for at in range(length - 1, len(document)):
        gram = tuple(document[at - length + 1 : at + 1])
        if min(gram) >= 0:
            yield gram


class Counts:
    """The n-grams of training documents: documents × n-grams per length, and the number of each gram's context."""

    def __init__(self, documents: list[list[int]], times: np.ndarray, n_words: int) -> None:
        self.times, self.n_words = times, n_words
        self.numbers: list[dict[Gram, int]] = [{(): 0}]
        self.counts: list[sp.csr_array] = []
        self.contexts: list[np.ndarray] = []
        for length in range(1, ORDER + 1):
            number: dict[Gram, int] = {}
            rows, columns = [], []
            for row, document in enumerate(documents):
                for gram in grams(document, length):
                    rows.append(row)
                    columns.append(number.setdefault(gram, len(number)))
            shape = (len(documents), len(number))
            self.counts.append(sp.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape).T.tocsr())
            self.contexts.append(np.array([self.numbers[-1][gram[:-1]] for gram in number], dtype=np.int64))
            self.numbers.append(number)

    def sums(self, time: float, bandwidth: float, share: float) -> list[np.ndarray]:
        """Return the weighted count of every n-gram at a time, for every length."""
        kernel = np.ones(len(self.times))
        if math.isfinite(bandwidth):
            kernel = np.maximum(1.0 - np.abs(self.times - time) / bandwidth, 0.0)
        weights = (kernel + share) / (1.0 + share)
        if not weights.any():
            weights = np.ones(len(self.times))
        return [counts @ weights for counts in self.counts]

    def log_probability(self, document: list[int], sums: list[np.ndarray], weight: Any) -> float:
        """Return the log-probability of the known words of a document."""
        totals, shorter = [], []
        for length, values in enumerate(sums):
            size = len(self.numbers[length])
            totals.append(np.bincount(self.contexts[length], values, minlength=size))
            shorter.append(np.bincount(self.contexts[length], weight(values), minlength=size))
        everything, all_words = totals[0][0], self.counts[0].sum()
        found = 0.0
        for at, word in enumerate(document):
            if word < 0:
                continue
            known = self.numbers[1].get((word,))
            uses = 0.0 if known is None else sums[0][known]
            p = (uses + BETA * everything / all_words) / (everything * (1.0 + BETA * self.n_words / all_words))
            for length in range(1, ORDER):
                context = tuple(document[max(at - length, 0) : at])
                number = self.numbers[length].get(context) if len(context) == length else None
                if number is None:
                    break
                n, t = totals[length][number], shorter[length][number]
                if n + t > 0:
                    follower = self.numbers[length + 1].get((*context, word))
                    p = ((0.0 if follower is None else sums[length][follower]) + t * p) / (n + t)
            found += math.log(p)
        return found


def mean_scores(
    counts: Counts, documents: list[list[int]], times: np.ndarray, bandwidth: float, share: float
) -> dict[str, float]:
    """Return the log-probability per word of documents, by the name of T."""
    n = sum(word >= 0 for document in documents for word in document)
    found = dict.fromkeys(WEIGHTS, 0.0)
    for document, time in zip(documents, times):
        sums = counts.sums(time, bandwidth, share)
        for name, weight in WEIGHTS.items():
            found[name] += counts.log_probability(document, sums, weight) / n
    return found


def rows_of(source: str, label: str | None, n: int) -> list[list[Any]]:
    """Return a row per definition of T."""
    documents, times, n_words = read_stream(source, label, n)
    held = np.random.default_rng(1).random(len(documents)) < 0.2
    seen = [document for document, out in zip(documents, held) if not out]
    counts = Counts(seen, times[~held], n_words)
    order = np.random.default_rng(2).permutation(np.flatnonzero(held))
    parts = [order[:N_CHOOSE], order[N_CHOOSE : N_CHOOSE + N_SCORE]]
    choosing, scoring = (([documents[i] for i in part], times[part]) for part in parts)
    span = times[-1] - times[0]
    settings = [(span / 2**k, share) for k in range(1, 9) for share in SHARES] + [(math.inf, 0.0)]
    tried = {setting: mean_scores(counts, *choosing, *setting) for setting in settings}
    steady = mean_scores(counts, *scoring, math.inf, 0.0)
    rows = []
    for name in WEIGHTS:
        bandwidth, share = max(tried, key=lambda setting: tried[setting][name])
        score = mean_scores(counts, *scoring, bandwidth, share)[name]
        alone = mean_scores(counts, *scoring, bandwidth, 0.0)[name] - score
        days = "∞" if math.isinf(bandwidth) else f"{bandwidth:.3g} d"
        shown = source if label is None else f"{source}: {label}"
        rows.append([shown, name, days, share, score, score - steady[name], alone, ""])
    rows[-1][-1] = difference(counts, seen, *scoring, bandwidth, share)
    return rows


def difference(
    counts: Counts, seen: list[list[int]], documents: list[list[int]], times: np.ndarray, bandwidth: float, share: float
) -> float:
    """Return the largest difference of a score from that of `LocalNGram`."""
    model = LocalNGram(order=ORDER, n_words=counts.n_words, bandwidth=bandwidth, background=share, grid="exact")
    model.fit(seen, times=counts.times)
    theirs = model.score_samples(documents[:N_COMPARED], times=times[:N_COMPARED])
    weight = WEIGHTS["Σ min(1, √S)"]
    ours = [
        counts.log_probability(document, counts.sums(time, bandwidth, share), weight)
        for document, time in zip(documents[:N_COMPARED], times[:N_COMPARED])
    ]
    return float(np.abs(theirs - ours).max())


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore", OutsideSupportWarning)
    headings = ["stream", "T", "bandwidth", "ρ", "nats per word", "gain over ∞", "ρ = 0", "from LocalNGram"]
    print_table("Order 3, held-out documents", headings, [row for stream in STREAMS for row in rows_of(*stream)])


if __name__ == "__main__":
    main()

"""Shares of topics over time on simulated streams: slope on the truth, and coverage of 95 % bands.

One topic rises from 2 to 12 %; days differ (each draws its own shares around the curve) and so do documents. Topics
have a tenth or half of their words in common. The rival is the mean of the documents' posterior shares, with the same
bands: what most tools draw. A second table has the first and the last value of the rising topic, at nine times from 2.5
to 11.5 %, and the number of times at which the band misses the truth, in one stream (seed 0, a tenth in common).

    python -m benchmarks.topics.shares [slopes | curves]
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from driftline.engines.threads import Threads
from driftline.inference.document_completion import KnownTopics, document_shares
from driftline.inference.lineage import topic_overlaps
from driftline.inference.pairs import Pairs
from driftline.topics import LDA, TopicsOverTime, topics_over_time

N_DAYS, N_TOPICS, N_WORDS = 100, 10, 2000
LENGTHS = {8: 6000, 40: 3000, 200: 1000}
SEEDS = range(6)
COMMON = (0.1, 0.5)
N_REFITS = 12
WHEN, NINE_TIMES = np.linspace(5, 95, 10), np.linspace(5, 95, 9)
CURVES_OF = (8, 40)


class Simulated(NamedTuple):
    counts: sp.csr_array
    times: np.ndarray
    topics: np.ndarray
    rest: np.ndarray

    def truth(self, when: np.ndarray) -> np.ndarray:
        rising = 0.02 + 0.10 * when / N_DAYS
        return np.vstack([rising, self.rest[:, None] * (1 - rising)])


def simulate(n_words: int, n_documents: int, common: float, seed: int) -> Simulated:
    """Draw documents on days whose shares scatter around smooth curves; topics have a part of their words in common."""
    rng = np.random.default_rng(seed)
    background = rng.dirichlet(np.full(N_WORDS, 0.3))
    topics = (1 - common) * rng.dirichlet(np.full(N_WORDS, 0.05), N_TOPICS) + common * background
    drawn = Simulated(sp.csr_array((0, 0)), np.arange(N_DAYS), topics, rng.dirichlet(np.full(N_TOPICS - 1, 3.0)))
    by_day = np.array([rng.dirichlet(100 * share) for share in drawn.truth(np.arange(N_DAYS)).T])
    days = np.sort(rng.integers(0, N_DAYS, n_documents))
    shares = np.array([rng.dirichlet(5 * by_day[day]) for day in days])
    lengths = rng.poisson(n_words, n_documents) + 1
    counts = sp.csr_array(np.array([rng.multinomial(n, row) for n, row in zip(lengths, shares @ topics)]))
    return drawn._replace(counts=counts, times=days.astype(float))


def cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the cosine between each topic of one set and the same topic of the other."""
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return (first * second).sum(axis=1) / lengths


def posterior_means(model: LDA, topics: np.ndarray, counts: sp.csr_array) -> np.ndarray:
    """Return the posterior topic shares of the documents under these topics and the model's prior."""
    with Threads(1) as engine:
        return document_shares(KnownTopics.of(topics, model.doc_topic_prior_), Pairs.of(counts), engine)


def learned_topics(stream: Simulated, seed: int) -> tuple[LDA, np.ndarray]:
    """Return a fitted model, and its topics in the order of the true ones that they match best."""
    learned = LDA(N_TOPICS, random_state=seed).fit(stream.counts)
    return learned, linear_sum_assignment(-topic_overlaps(stream.topics, learned.components_))[1]


def found_cosine(stream: Simulated, seed: int) -> float:
    """Return the cosine between the rising topic and what was learned of it."""
    learned, matched = learned_topics(stream, seed)
    return float(cosines(stream.topics, learned.components_[matched])[0])


def estimates(
    stream: Simulated, seed: int, when: np.ndarray = WHEN
) -> Iterator[tuple[str, str, TopicsOverTime, float]]:
    """Yield topics, estimate, curves in the order of the true topics, and how well the topics were found."""
    learned, matched = learned_topics(stream, seed)
    found = learned.components_[matched]
    cosine = float(cosines(stream.topics, found).mean())

    def curves(model: Any, **options: Any) -> TopicsOverTime:
        return topics_over_time(model, stream.counts, times=stream.times, when=when, **options)

    yield "true", "posterior means", curves(posterior_means(learned, stream.topics, stream.counts)), 1.0
    yield "true", "word shares", curves(SimpleNamespace(components_=stream.topics)), 1.0
    yield "learned", "posterior means", curves(posterior_means(learned, found, stream.counts)), cosine
    yield "learned", "word shares, given these topics", curves(SimpleNamespace(components_=found)), cosine
    refits = curves(learned, uncertainty="topics", n_refits=N_REFITS, random_state=seed)
    in_order = {name: getattr(refits, name)[matched] for name in ("share", "lower", "upper")}
    yield "learned", "word shares, uncertain topics", refits._replace(**in_order), cosine


def measured(curves: TopicsOverTime, truth: np.ndarray) -> tuple[float, float, float]:
    """Return the slope of the rising topic's estimate on its truth, and the coverage of its band and of all bands."""
    covered = (curves.lower <= truth) & (truth <= curves.upper)
    return np.polyfit(truth[0], curves.share[0], 1)[0], covered[0].mean(), covered.mean()


def print_curves() -> None:
    """Print both ends of the rising topic's curve, and how often its band misses the truth."""
    print(
        "\n| words | topics | estimate | first → last | band at the first time | times missed | cosine of the topic |"
    )
    print("|---|---|---|---|---|---|---|")
    for n_words in CURVES_OF:
        stream = simulate(n_words, LENGTHS[n_words], COMMON[0], 0)
        truth = stream.truth(NINE_TIMES)[0]
        for topics, estimate, curves, _ in estimates(stream, 0, NINE_TIMES):
            share, low, high = curves.share[0], curves.lower[0], curves.upper[0]
            missed = int(((truth < low) | (truth > high)).sum())
            cells = [f"{share[0]:.1%} → {share[-1]:.1%}", f"{low[0]:.1%} to {high[0]:.1%}", f"{missed} of {len(truth)}"]
            cosine = found_cosine(stream, 0) if topics == "learned" else 1.0
            print(f"| {n_words} | {topics} | {estimate} | {' | '.join(cells)} | {cosine:.2f} |", flush=True)


def main() -> None:
    """Print slope and coverage at three lengths, given true topics and with topics that were learned."""
    print(__doc__)
    parts = {"slopes": print_slopes, "curves": print_curves}
    for name in sys.argv[1:] or parts:
        parts[name]()


def print_slopes() -> None:
    """Print the mean slope and coverage over the seeds."""
    print("| in common | words | topics | estimate | slope | coverage, rising topic | all topics | cosine of topics |")
    print("|---|---|---|---|---|---|---|---|")
    for common, (n_words, n_documents) in itertools.product(COMMON, LENGTHS.items()):
        rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}
        for seed in SEEDS:
            stream = simulate(n_words, n_documents, common, seed)
            for topics, estimate, curves, cosine in estimates(stream, seed):
                rows.setdefault((topics, estimate), []).append((*measured(curves, stream.truth(WHEN)), cosine))
        for (topics, estimate), values in rows.items():
            slope, rising, every, cosine = np.mean(values, axis=0)
            start = f"| {common:.0%} | {n_words} | {topics} | {estimate} |"
            print(f"{start} {slope:.2f} | {rising:.0%} | {every:.0%} | {cosine:.2f} |", flush=True)


if __name__ == "__main__":
    main()

"""Shares of topics in two groups: slope of the estimate on the truth, and coverage of 95 % intervals.

Ten topics with half of their words in common, two groups with different shares, documents that scatter around them.
Estimates: the mean of posterior shares with one prior for all documents (what most tools show), the same with a prior
learned for each group by moments, `coverage`, and `effects`. Then random halves of one group, in which every
difference is false. Settings were fixed before the run.

    python -m benchmarks.context.coverage [known | halves | learned | --row]
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.context.simulated import N_TOPICS, TwoGroups, two_groups
from driftline.engines.threads import Threads
from driftline.inference.document_completion import KnownTopics, Pairs, document_shares
from driftline.inference.lineage import topic_overlaps
from driftline.topics import LDA, coverage, effects

LENGTHS = {8: 3000, 40: 1500, 200: 600}
SEEDS = range(20)
HALVES = range(60)
LEARNED_SEEDS = range(4)
N_REFITS = 8


def posterior(topics: np.ndarray, prior: np.ndarray, counts) -> np.ndarray:
    with Threads(1) as engine:
        return document_shares(KnownTopics.of(topics, prior), Pairs.of(counts), engine)


def of_means(by_document: np.ndarray, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of each group and half the width of its interval."""
    parts = [by_document[group == g] for g in (0, 1)]
    error = np.array([part.std(axis=0, ddof=1) / np.sqrt(len(part)) for part in parts])
    return np.array([part.mean(axis=0) for part in parts]), 1.96 * error


def mean_shares(drawn: TwoGroups) -> tuple[np.ndarray, np.ndarray]:
    return of_means(posterior(drawn.topics, np.full(N_TOPICS, 0.5), drawn.counts), drawn.group)


def prior_per_group(drawn: TwoGroups) -> tuple[np.ndarray, np.ndarray]:
    """Learn a prior of weight 5 for each group, by setting its mean to that of the posterior shares, 50 times."""
    found = np.empty((len(drawn.group), N_TOPICS))
    for g in (0, 1):
        rows = np.flatnonzero(drawn.group == g)
        mean = np.full(N_TOPICS, 1 / N_TOPICS)
        for _ in range(50):
            found[rows] = posterior(drawn.topics, 5 * mean, drawn.counts[rows])
            mean = np.maximum(found[rows].mean(axis=0), 1e-4)
            mean = mean / mean.sum()
    return of_means(found, drawn.group)


def by_coverage(drawn: TwoGroups) -> tuple[np.ndarray, np.ndarray]:
    found = coverage(SimpleNamespace(components_=drawn.topics), drawn.counts, by=drawn.group)
    return found.share, np.maximum(found.upper - found.share, found.share - found.lower)


def by_effects(drawn: TwoGroups) -> tuple[np.ndarray, np.ndarray]:
    data = {"group": drawn.group.astype(str)}
    along = effects(SimpleNamespace(components_=drawn.topics), drawn.counts, "group", data=data).adjusted["group"]
    return along.share.T, np.maximum(along.upper - along.share, along.share - along.lower).T


METHODS = {
    "mean posterior shares": mean_shares,
    "the same, prior per group": prior_per_group,
    "`coverage`": by_coverage,
    "`effects`": by_effects,
}


def known_topics(lengths: dict[int, int] = LENGTHS, seeds: range = SEEDS) -> None:
    print("Topics known: slope of the difference on its truth, coverage of 95 % intervals of the shares\n")
    print("| words | " + " | ".join(METHODS) + " |\n" + "|---" * (len(METHODS) + 1) + "|")
    for n_words, n_documents in lengths.items():
        cells = []
        for method in METHODS.values():
            truth, estimate, covered = [], [], []
            for seed in seeds:
                drawn = two_groups(n_words, n_documents, seed)
                share, half = method(drawn)
                truth.append(drawn.shares[0] - drawn.shares[1])
                estimate.append(share[0] - share[1])
                covered.append(np.abs(share - drawn.shares) <= half)
            slope = np.polyfit(np.concatenate(truth), np.concatenate(estimate), 1)[0]
            cells.append(f"{slope:.2f}, {np.mean(covered):.0%}")
        print(f"| {n_words} | " + " | ".join(cells) + " |", flush=True)


def learned_topics() -> None:
    print("\nTopics learned by LDA and matched to the true ones: the same, and the cosine of topics\n")
    print('| words | given these topics | `uncertainty="topics"` | cosine |\n|---|---|---|---|')
    for n_words, n_documents in LENGTHS.items():
        rows = {"given": ([], []), "topics": ([], [])}
        truth, cosines = [], []
        for seed in LEARNED_SEEDS:
            drawn = two_groups(n_words, n_documents, seed)
            model = LDA(N_TOPICS, random_state=seed).fit(drawn.counts)
            order = linear_sum_assignment(-topic_overlaps(drawn.topics, model.components_))[1]
            matched = model.components_[order]
            lengths = np.linalg.norm(matched, axis=1) * np.linalg.norm(drawn.topics, axis=1)
            cosines.append(float(((matched * drawn.topics).sum(axis=1) / lengths).mean()))
            truth.append(drawn.shares[0] - drawn.shares[1])
            for uncertainty, (estimates, covered) in rows.items():
                found = coverage(
                    model, drawn.counts, by=drawn.group, uncertainty=uncertainty, n_refits=N_REFITS, random_state=seed
                )
                share, lower, upper = (each[:, order] for each in (found.share, found.lower, found.upper))
                estimates.append(share[0] - share[1])
                covered.append((lower <= drawn.shares) & (drawn.shares <= upper))
        cells = []
        for estimates, covered in rows.values():
            slope = np.polyfit(np.concatenate(truth), np.concatenate(estimates), 1)[0]
            cells.append(f"{slope:.2f}, {np.mean(covered):.0%}")
        print(f"| {n_words} | " + " | ".join(cells) + f" | {np.mean(cosines):.2f} |", flush=True)


def random_halves() -> None:
    print(
        "\nRandom halves of one group: p-values below 0.05, and streams with any difference at a false discovery rate"
    )
    print("of 5 %; `effects` likewise\n")
    print("| words | p < 0.05, `coverage` | any difference | p < 0.05, `effects` | any effect |\n|---|---|---|---|---|")
    for n_words, n_documents in LENGTHS.items():
        values: list[tuple[float, ...]] = []
        for seed in HALVES:
            drawn = two_groups(n_words, n_documents // 2, 1000 + seed, differ=False)
            known = SimpleNamespace(components_=drawn.topics)
            found = coverage(known, drawn.counts, by=drawn.group)
            other = effects(known, drawn.counts, "group", data={"group": drawn.group.astype(str)})
            values.append(
                (
                    (found.p_value[0] < 0.05).mean(),
                    found.differs.any(),
                    (other.term_p_value < 0.05).mean(),
                    (other.term_q_value < 0.05).any(),
                )
            )
        print(f"| {n_words} | " + " | ".join(f"{each:.1%}" for each in np.mean(values, axis=0)) + " |", flush=True)


def main() -> None:
    print(__doc__)
    parts = {"known": known_topics, "halves": random_halves, "learned": learned_topics}
    if "--row" in sys.argv:
        known_topics({40: 400}, range(2))
        return
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()

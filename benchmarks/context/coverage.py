"""Shares of topics in two groups: slope of the estimate on the truth, and coverage of 95 % intervals.

Ten topics with half of their words in common, two groups with different shares, documents that scatter around them.
Estimates: the mean of posterior shares with one prior for all documents (what most tools show), the same with a prior
learned for each group by moments, `coverage`, and `effects`. Then random halves of one group, in which every
difference is false; and the same with documents of whole days, which have shares in common, for few and for unequal
numbers of days, with days and with documents as units. Settings were fixed before the run.

    python -m benchmarks.context.coverage [known | halves | days | learned | --row]
"""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.context.simulated import N_TOPICS, TwoGroups, days_of_groups, two_groups
from driftline.engines.threads import Threads
from driftline.inference.document_completion import KnownTopics, Pairs, document_shares
from driftline.inference.lineage import topic_overlaps
from driftline.topics import LDA, coverage, effects
from driftline.topics.contexts.effects import FewUnitsWarning

LENGTHS = {8: 3000, 40: 1500, 200: 600}
SEEDS = range(20)
HALVES = range(200)
DAYS = ((5, 5), (10, 10), (3, 17), (30, 30), (6, 54))
"""Numbers of days of the two groups."""
PER_DAY, DAY_WORDS = 10, 20
DAY_SEEDS = range(100)
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


def percent(values: list[float]) -> str:
    """Return a mean with its standard error over streams."""
    return f"{np.mean(values):.1%} ± {np.std(values) / np.sqrt(len(values)):.1%}"


def random_halves() -> None:
    print(
        f"\nRandom halves of one group, {len(HALVES)} streams: p-values below 0.05 (± standard error), and streams with"
    )
    print("any difference at a false discovery rate of 5 %; `effects` likewise\n")
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
        print(f"| {n_words} | " + " | ".join(percent(list(each)) for each in zip(*values)) + " |", flush=True)


def dependent_days() -> None:
    print(f"\nDays of about {PER_DAY} documents of {DAY_WORDS} words, {len(DAY_SEEDS)} streams without any difference:")
    print("p-values below 0.05; then coverage of 95 % intervals of the difference where groups differ\n")
    heads = ["`coverage`, days", "`effects`, days", "`effects`, documents", "covered, `coverage`", "covered, `effects`"]
    print("| days of A, B | " + " | ".join(heads) + " |\n" + "|---" * (len(heads) + 1) + "|")
    for n_days in DAYS:
        values: list[tuple[float, ...]] = []
        for seed in DAY_SEEDS:
            same, apart = (days_of_groups(DAY_WORDS, n_days, PER_DAY, 5000 + seed, differ) for differ in (False, True))
            shares, fitted = of_days(same)
            by_document = effects(known_topics_of(same), same.counts, "group", data={"group": same.group.astype(str)})
            rates = [
                (each < 0.05).mean() for each in (shares.p_value[0], fitted.term_p_value, by_document.term_p_value)
            ]
            shares, fitted = of_days(apart)
            truth = apart.shares[0] - apart.shares[1]
            rates.append(((shares.difference_lower[0] <= truth) & (truth <= shares.difference_upper[0])).mean())
            rates.append(((fitted.lower[:, 1] <= -truth) & (-truth <= fitted.upper[:, 1])).mean())
            values.append(tuple(rates))
        cells = [percent(list(each)) for each in zip(*values)]
        print(f"| {n_days[0]}, {n_days[1]} | " + " | ".join(cells) + " |", flush=True)


def known_topics_of(drawn: TwoGroups) -> SimpleNamespace:
    return SimpleNamespace(components_=drawn.topics)


def of_days(drawn: TwoGroups):
    """Return `coverage` and `effects` with days as units."""
    model, group = known_topics_of(drawn), drawn.group.astype(str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewUnitsWarning)
        fitted = effects(model, drawn.counts, "group", data={"group": group}, unit=drawn.day)
    return coverage(model, drawn.counts, by=group, unit=drawn.day), fitted


def main() -> None:
    print(__doc__)
    parts = {"known": known_topics, "halves": random_halves, "days": dependent_days, "learned": learned_topics}
    if "--row" in sys.argv:
        known_topics({40: 400}, range(2))
        return
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()

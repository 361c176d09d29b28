"""Proportions by posterior regularisation: groups of unequal size, of which the shares are known roughly.

The 20 newsgroups are thinned so that group k has a share that rises geometrically from 1 to 13 %. A mixture of unigrams
under the same five words each is fitted plainly, with the true shares as the topics' expected shares, and with shares
that are wrong; with the likelihood of a document as it is and to the power 0.3. Rivals: logistic regression and
complement naive Bayes on the words' labels, as they are and with their posteriors projected onto the true shares. The
accuracy of a mixture is the mean of three seeds.

    python -m benchmarks.guidance.proportions
"""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks.guidance.newsgroups import newsgroups
from benchmarks.guidance.words import N_GROUPS, SEED, complement, guide_of, logistic
from benchmarks.measure import measure
from driftline.inference.guide_arrays import Bounds
from driftline.inference.projection import project
from driftline.topics import MixtureOfUnigrams

SEEDS = (0, 1, 2)


def thinned():
    """Return documents in which the groups' shares rise from 1 to 13 %, and the shares."""
    data, rng = newsgroups(), np.random.default_rng(SEED)
    shares = np.geomspace(0.01, 0.13, N_GROUPS)
    shares /= shares.sum()
    sizes = np.array([(data.labels == k).sum() for k in range(N_GROUPS)])
    n = int(np.min(sizes / shares))
    rows = np.sort(
        np.concatenate(
            [rng.permutation(np.flatnonzero(data.labels == k))[: round(n * shares[k])] for k in range(N_GROUPS)]
        )
    )
    labels = data.labels[rows]
    return data._replace(counts=data.counts[rows], labels=labels), np.bincount(labels) / len(labels)


def mixture(data, guide, power):
    """Return the mean accuracy over the seeds."""
    options = {"guide": guide, "likelihood_power": power, "vocabulary": data.words}
    fitted = [MixtureOfUnigrams(N_GROUPS, random_state=seed, **options).fit(data.counts) for seed in SEEDS]
    return np.mean([(model.labels_ == data.labels).mean() for model in fitted])


def with_shares(guide, data, shares, slack=0.0):
    for name, share in zip(data.names, shares):
        guide = guide.proportion(name, about=((1 - slack) * share, min(1.0, (1 + slack) * share)))
    return guide


def projected(probabilities, shares):
    logs = np.log(np.maximum(probabilities, 1e-12))
    bounds = Bounds(shares[None], shares[None], np.zeros(len(logs), dtype=np.int64))
    return project(logs, bounds).posterior


def main():
    warnings.simplefilter("ignore")
    data, shares = thinned()
    guide, rng = guide_of(data), np.random.default_rng(1)
    off = shares * rng.choice([0.7, 1.3], N_GROUPS)
    wished = {
        "none": guide,
        "the true shares": with_shares(guide, data, shares),
        "within half of the true shares": with_shares(guide, data, shares, 0.5),
        "each wrong by 30 %": with_shares(guide, data, off / off.sum()),
        "equal shares": with_shares(guide, data, np.full(N_GROUPS, 1 / N_GROUPS)),
    }
    print(f"{len(data.labels):,} documents; shares of the groups from {shares.min():.3f} to {shares.max():.3f}\n")
    print(
        "| mixture of unigrams, five words per group; proportions | accuracy | likelihood to the power 0.3 | seconds |"
    )
    print("|---|---|---|---|")
    for name, one in wished.items():
        plain, cost = measure(lambda one=one: mixture(data, one, 1.0))
        print(f"| {name} | {plain:.3f} | {mixture(data, one, 0.3):.3f} | {cost.cpu_seconds:.1f} |", flush=True)
    print("\n| rival on the words' labels | accuracy | projected onto the true shares |")
    print("|---|---|---|")
    for name, rival in {"logistic regression": logistic, "complement naive Bayes": complement}.items():
        found = rival(data)
        after = projected(found, shares)
        plain, better = ((one.argmax(axis=1) == data.labels).mean() for one in (found, after))
        print(f"| {name} | {plain:.3f} | {better:.3f} |", flush=True)


if __name__ == "__main__":
    main()

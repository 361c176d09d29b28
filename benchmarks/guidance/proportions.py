"""Proportions by posterior regularisation: groups of unequal size, of which the shares are known roughly.

The 20 newsgroups are thinned so that group k has a share that rises geometrically from 1 to 13 %. A mixture of unigrams
under the same five words each is fitted plainly, with the true shares as the topics' expected shares, and with shares
that are wrong; with the likelihood of a document as it is and to the power 0.3. What is drawn at random (which shares
are 30 % too high or too low, which group gets which of the true shares) is drawn five times: the mean over the draws,
with the lowest and the highest. Rivals: the mixture with weights fixed at the true shares; logistic regression and
complement naive Bayes on the words' labels, as they are and with their posteriors projected onto the true shares;
logistic regression that learns again from its own labels of all documents, five times, with and without the projection;
and logistic regression with expectation regularisation (10 times the divergence of its mean prediction from the true
shares is added to the loss per labelled document). The accuracy of a mixture is the mean of five seeds, which shuffle
its start.

What a proportion gains depends on which group is rare: with `assignments`, the same shares are given to the groups in
six orders, alphabetical and five at random, and each order has three draws in which every share is wrong by a factor
whose logarithm scatters by 0.3. One seed, likelihood to the power 0.3; the words' prior is their own count, as
everywhere here, or 500.

    python -m benchmarks.guidance.proportions [assignments]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression

from benchmarks.guidance.newsgroups import newsgroups
from benchmarks.guidance.words import N_GROUPS, complement, counting, guide_of, logistic
from benchmarks.measure import measure, print_table
from driftline.guidance.pseudo_labels import seed_labels
from driftline.inference.guide_arrays import Bounds
from driftline.inference.projection import project
from driftline.topics import MixtureOfUnigrams

SEEDS = range(5)
DRAWS = range(5)
ORDERS, WRONG_DRAWS = range(6), range(3)
"""Assignments of the shares to the groups; the first is alphabetical. Draws of wrong shares for each."""
SPREAD_OF_ERRORS = 0.3
ROUNDS = 5
EXPECTATION = 10.0
"""Weight of expectation regularisation."""


def thinned(order=0):
    """Return documents whose groups' shares rise from 1 to 13 % (in a random order unless it is 0), and the shares."""
    data, rng = newsgroups(), np.random.default_rng(order)
    shares = np.geomspace(0.01, 0.13, N_GROUPS)
    shares = rng.permutation(shares / shares.sum()) if order else shares / shares.sum()
    sizes = np.array([(data.labels == k).sum() for k in range(N_GROUPS)])
    n = int(np.min(sizes / shares))
    rows = np.sort(
        np.concatenate(
            [rng.permutation(np.flatnonzero(data.labels == k))[: round(n * shares[k])] for k in range(N_GROUPS)]
        )
    )
    labels = data.labels[rows]
    return data._replace(counts=data.counts[rows], labels=labels), np.bincount(labels) / len(labels)


def mixture(data, guide, power, seeds=SEEDS):
    """Return the mean accuracy over the seeds."""
    options = {"guide": guide, "likelihood_power": power, "vocabulary": data.words}
    fitted = [MixtureOfUnigrams(N_GROUPS, random_state=seed, **options).fit(data.counts) for seed in seeds]
    return np.mean([(model.labels_ == data.labels).mean() for model in fitted])


def with_shares(guide, data, shares, slack=0.0):
    for name, share in zip(data.names, shares):
        guide = guide.proportion(name, about=((1 - slack) * share, min(1.0, (1 + slack) * share)))
    return guide


def wrong(shares, draw):
    """Return shares of which each is 30 % too high or too low, at random."""
    found = shares * np.random.default_rng(1 + draw).choice([0.7, 1.3], N_GROUPS)
    return found / found.sum()


def scattered(shares, draw):
    """Return shares that are wrong by about 30 %: by random factors."""
    found = shares * np.exp(SPREAD_OF_ERRORS * np.random.default_rng(50 + draw).normal(size=N_GROUPS))
    return found / found.sum()


def shuffled(shares, draw):
    """Return the shares in a random order."""
    return np.random.default_rng(100 + draw).permutation(shares)


def over_draws(values):
    """Return the mean, and the range if there are several draws."""
    several = f" ({min(values):.3f} to {max(values):.3f})" if len(values) > 1 else ""
    return f"{np.mean(values):.3f}{several}"


def projected(probabilities, shares):
    logs = np.log(np.maximum(probabilities, 1e-12))
    bounds = Bounds(shares[None], shares[None], np.zeros(len(logs), dtype=np.int64))
    return project(logs, bounds).posterior


def fixed_weights(data, shares, power, seed):
    """Return the accuracy of a seeded mixture whose weights are the shares: EM from the words' uses."""
    rng, counts = np.random.default_rng(seed), data.counts.astype(np.float64)
    used = counting(data)
    belief = np.where(used.sum(axis=1, keepdims=True) > 0, used, 1.0) + 0.1 * rng.random(used.shape)
    belief /= belief.sum(axis=1, keepdims=True)
    said = np.asarray(counts.sum(axis=0)).ravel()
    for _ in range(30):
        words = counts.T @ belief + 0.01
        for k, columns in data.columns.items():
            words[columns, k] += said[columns]
        logs = power * (counts @ np.log(words / words.sum(axis=0))) + np.log(shares)
        belief = softmax(logs, axis=1)
    return (belief.argmax(axis=1) == data.labels).mean()


def self_trained(data, shares):
    """Return the probabilities of logistic regression on its own labels of all documents; projected if shares."""
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(data.counts)
    found = logistic(data)
    for _ in range(ROUNDS):
        labels = (found if shares is None else projected(found, shares)).argmax(axis=1)
        model = LogisticRegression(C=10.0, max_iter=300).fit(weighted, labels)
        found = np.zeros_like(found)
        found[:, model.classes_] = model.predict_proba(weighted)
    return found if shares is None else projected(found, shares)


def expectation_regularised(data, shares):
    """Minimise the loss of the words' labels + ‖w‖² / 2C + EXPECTATION · n · KL(shares ‖ mean prediction)."""
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(data.counts)
    labels = seed_labels(data.counts, data.columns)
    known = labels >= 0
    target, n = np.eye(N_GROUPS)[labels[known]], len(labels)

    def loss(flat):
        weights = flat.reshape(weighted.shape[1], N_GROUPS)
        found = softmax(weighted @ weights, axis=1)
        mean = found.mean(axis=0)
        value = -np.log((found[known] * target).sum(axis=1) + 1e-300).sum() + (flat @ flat) / 20.0
        value += EXPECTATION * known.sum() * (shares @ np.log(shares / mean))
        ratio = -EXPECTATION * known.sum() * shares / mean / n
        gradient = found * (ratio - (found @ ratio)[:, None])
        gradient[known] += found[known] - target
        return value, (weighted.T @ gradient).ravel() + flat / 10.0

    start = np.zeros(weighted.shape[1] * N_GROUPS)
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100}).x
    return softmax(weighted @ best.reshape(-1, N_GROUPS), axis=1)


def print_assignments():
    """Print the accuracy for every order of the shares."""
    head = ["order", "documents", "none", "weights fixed", "true shares", "within half", "wrong by about 30 %"]
    for weight in (None, 500.0):
        rows = []
        for order in ORDERS:
            data, shares = thinned(order)
            guide = guide_of(data, weight)
            wrongs = [with_shares(guide, data, scattered(shares, draw)) for draw in WRONG_DRAWS]
            values = [
                mixture(data, guide, 0.3, range(1)),
                fixed_weights(data, shares, 0.3, 0),
                mixture(data, with_shares(guide, data, shares), 0.3, range(1)),
                mixture(data, with_shares(guide, data, shares, 0.5), 0.3, range(1)),
                np.mean([mixture(data, wrong_guide, 0.3, range(1)) for wrong_guide in wrongs]),
            ]
            rows.append([order, len(data.labels), *values])
        rows.append(["mean", "", *np.mean([row[2:] for row in rows], axis=0)])
        shown = [[*row[:2], *(f"{value:.3f}" for value in row[2:])] for row in rows]
        print_table(f"Prior of the words: {'their own counts' if weight is None else f'{weight:g}'}", head, shown)


def main():
    warnings.simplefilter("ignore")
    if "assignments" in sys.argv:
        print_assignments()
        return
    data, shares = thinned()
    guide = guide_of(data)
    wished = {
        "none": [guide],
        "the true shares": [with_shares(guide, data, shares)],
        "within half of the true shares": [with_shares(guide, data, shares, 0.5)],
        "each wrong by 30 %": [with_shares(guide, data, wrong(shares, draw)) for draw in DRAWS],
        "equal shares": [with_shares(guide, data, np.full(N_GROUPS, 1 / N_GROUPS))],
        "the true shares in a random order": [with_shares(guide, data, shuffled(shares, draw)) for draw in DRAWS],
        "the same, within half of them": [with_shares(guide, data, shuffled(shares, draw), 0.5) for draw in DRAWS],
    }
    print(f"{len(data.labels):,} documents; shares of the groups from {shares.min():.3f} to {shares.max():.3f}\n")
    print(
        "| mixture of unigrams, five words per group; proportions | accuracy | likelihood to the power 0.3 | seconds |"
    )
    print("|---|---|---|---|")
    for name, guides in wished.items():
        plain, cost = measure(lambda guides=guides: [mixture(data, one, 1.0) for one in guides])
        sharper = [mixture(data, one, 0.3) for one in guides]
        seconds = cost.cpu_seconds / len(guides)
        print(f"| {name} | {over_draws(plain)} | {over_draws(sharper)} | {seconds:.1f} |", flush=True)
    known = [np.mean([fixed_weights(data, shares, power, seed) for seed in SEEDS]) for power in (1.0, 0.3)]
    print(f"| none, weights of the topics fixed at the true shares | {known[0]:.3f} | {known[1]:.3f} | |", flush=True)
    print("\n| rival on the words' labels | accuracy | projected onto the true shares |")
    print("|---|---|---|")
    for name, rival in {"logistic regression": logistic, "complement naive Bayes": complement}.items():
        found = rival(data)
        after = projected(found, shares)
        plain, better = ((one.argmax(axis=1) == data.labels).mean() for one in (found, after))
        print(f"| {name} | {plain:.3f} | {better:.3f} |", flush=True)
    plain, better = (self_trained(data, one).argmax(axis=1) == data.labels for one in (None, shares))
    print(f"| logistic regression, self-trained | {plain.mean():.3f} | {better.mean():.3f} |", flush=True)
    regularised = (expectation_regularised(data, shares).argmax(axis=1) == data.labels).mean()
    print(f"| logistic regression, expectation regularisation | | {regularised:.3f} |", flush=True)


if __name__ == "__main__":
    main()

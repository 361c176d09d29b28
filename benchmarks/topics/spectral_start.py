"""LDA from anchor words, from clusters and from noise: a spectral start, in held-out nats and in recovered topics.

The spectral start is that of Arora et al. (2013), without random numbers. Words that occur in one topic only (anchors)
are corners of the rows of the matrix of words × words of the same document; Gram–Schmidt finds them, farthest first,
among the words in at least 1 % of the documents (2 %, 5 %), and non-negative least squares write every row as a mean
of their rows. From there, as from the other starts, LDA learns with α = 0.1, β = 0.05 and as many epochs; "noise" is
the start of `LDA`, "clusters" that of `TopicMap`. "LDA" is the estimator with its defaults, once with its own start and
once from anchors.

Nats per word are those of held-out documents, completed half by half, NPMI that of ten shown words there, on the sets
for choosing; agreement is the adjusted Rand index between two seeds. Then LDA from anchors in 2 %, chosen there and in
simulated documents, is compared with LDA on the other sets. In simulated documents (those of
`benchmarks.context.r_peers`), the cosine with the true topics is compared, with the topics of the start before any
epoch. The function is first checked with documents whose topics have anchors, where it must find them.

    python -m benchmarks.topics.spectral_start [nats | recovery | others]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment, nnls
from sklearn.metrics import adjusted_rand_score

from benchmarks.context.simulated import N_TOPICS, two_groups
from benchmarks.measure import print_table
from benchmarks.topics.preferred import held_npmi
from benchmarks.topics.preferred_sets import CHOSEN_ON, REPORTED, documents
from driftline.engines.threads import Threads
from driftline.inference.topic_counts import SPREADS, nearly_even, spread_of
from driftline.topics import lda
from driftline.topics.cluster_start import memberships
from driftline.topics.map_candidates import (
    LDA_EPOCHS,
    LDA_PRIOR,
    Documents,
    TopicFit,
    Validation,
    learned_lda,
    starts,
)
from driftline.topics.shown_words import shown_columns
from driftline.topics.topic_number import supported_topics
from driftline.topics.view_mixture import Views, ViewTopics

SEEDS, MOST_WORDS = (0, 1), 5000
LEAST_SHARES, CHOSEN = (0.01, 0.02, 0.05), 0.02
"""Minimum shares of documents with a word for it to be an anchor, and the one that is compared on other sets."""
FLOOR = 1e-12
SIMULATED = ((40, 1500), (200, 1500))
"""Words per document, and documents."""


def together(X):
    """Return the probability that two words of a document are these, words × words, without a word with itself."""
    lengths = np.asarray(X.sum(axis=1)).ravel()
    X, lengths = X[lengths >= 2], lengths[lengths >= 2]
    pairs = lengths * (lengths - 1) * len(lengths)
    weighted = sp.diags_array(1.0 / np.sqrt(pairs)) @ X
    found = np.asarray((weighted.T @ weighted).todense())
    found[np.diag_indices(len(found))] -= np.asarray((sp.diags_array(1.0 / pairs) @ X).sum(axis=0)).ravel()
    return np.maximum(found, 0.0)


def anchor_words(rows, allowed, n):
    """Return the words whose rows are farthest from the span of those before, farthest first."""
    rest = rows.copy()
    rest[~allowed] = 0.0
    first = int(np.argmax((rest**2).sum(axis=1)))
    found, rest = [first], np.where(allowed[:, None], rest - rest[first], 0.0)
    while len(found) < n:
        lengths = (rest**2).sum(axis=1)
        found.append(int(np.argmax(lengths)))
        direction = rest[found[-1]] / np.sqrt(lengths[found[-1]])
        rest -= np.outer(rest @ direction, direction)
    return np.array(found)


def as_means(rows, corners):
    """Return the weights with which every row is nearest to a mean of the corners."""
    basis, upper = np.linalg.qr(corners.T)
    weights = np.array([nnls(upper, row)[0] for row in rows @ basis])
    total = weights.sum(axis=1, keepdims=True)
    return np.where(total > 0, weights / np.maximum(total, FLOOR), 1.0 / len(corners))


def spectral_counts(X, n_topics, least):
    """Return expected uses of words in topics, words × topics: the uses of rare words are divided evenly."""
    uses = np.asarray(X.sum(axis=0)).ravel()
    used = np.sort(np.argsort(-uses, kind="stable")[:MOST_WORDS])
    used = used[uses[used] > 0]
    kept = sp.csr_array(X[:, used], dtype=np.float64)
    rows = together(kept)
    rows /= np.maximum(rows.sum(axis=1, keepdims=True), FLOOR)
    share = np.diff(sp.csc_array(kept).indptr) / X.shape[0]
    allowed = share >= min(least, np.sort(share)[-4 * n_topics])
    weights = as_means(rows, rows[anchor_words(rows, allowed, n_topics)])
    found = np.repeat((uses / n_topics)[:, None], n_topics, axis=1)
    found[used] = uses[used, None] * weights
    return found


def checked():
    """Raise an error unless topics with anchors are found in documents drawn from them."""
    rng = np.random.default_rng(0)
    topics = np.hstack([0.2 * np.eye(4), 0.8 * rng.dirichlet(np.full(60, 0.3), 4)])
    shares = rng.dirichlet(np.full(4, 0.3), 4000)
    X = sp.csr_array(np.array([rng.multinomial(100, row) for row in shares @ topics], dtype=float))
    exact = shares.T @ shares
    rows = topics.T @ exact @ topics
    rows /= rows.sum(axis=1, keepdims=True)
    anchors = anchor_words(rows, np.ones(len(rows), dtype=bool), 4)
    if sorted(anchors.tolist()) != [0, 1, 2, 3]:
        raise SystemExit(f"the anchors are words 0 to 3, not {anchors}")
    found = cosine(spectral_counts(X, 4, 0.01).T, topics)
    if found < 0.97:
        raise SystemExit(f"the topics of documents with anchors were not found: cosine {found:.3f}")


def cosine(found, true):
    """Return the mean cosine of matched topics."""
    units = [one / np.linalg.norm(one, axis=1, keepdims=True) for one in (true, found)]
    between = units[0] @ units[1].T
    rows, order = linear_sum_assignment(-between)
    return float(between[rows, order].mean())


def learned_from(X, counts, n_topics, seed):
    """Return the topics of LDA with its defaults, started from these counts of words × topics, or as usual."""
    usual = lda.nearly_even
    if counts is not None:
        lda.nearly_even = lambda *_: counts.astype(np.float32)
    try:
        return lda.LDA(n_topics, random_state=seed, n_jobs=1).fit(X).components_
    finally:
        lda.nearly_even = usual


def default_fit(X, n_topics, seed, least):
    """Return the name of a start, LDA with its defaults, the start, and processor seconds; from anchors, or not."""
    begun = time.process_time()
    counts = None if least is None else spectral_counts(X, n_topics, least)
    learned = learned_from(X, counts, n_topics, seed)
    topics = ViewTopics(learned, np.full(n_topics, 1 / n_topics), np.zeros((n_topics, 0)), 1.0)
    name = "LDA" if least is None else f"LDA, anchors in {least:.0%}"
    return name, TopicFit(topics, LDA_PRIOR), counts, time.process_time() - begun


def fits(X, n_topics, seed, engine):
    """Yield the name of a start, LDA learned from it, its counts, and processor seconds."""
    views = Views.of(X)
    given = Documents(views, n_topics, np.random.default_rng(seed), engine)
    for least in (None, *LEAST_SHARES):
        yield default_fit(X, n_topics, seed, least)

    def merged():
        labels = starts(given)["merged"]
        return np.asarray((X.T @ memberships(labels, int(labels.max()) + 1)).todense())

    def noise():
        uses = np.asarray(X.sum(axis=0)).ravel()
        return nearly_even(uses, n_topics, given.rng, spread_of(n_topics, SPREADS)).astype(np.float64)

    made = {"noise": noise, "clusters": merged}
    made |= {f"anchors in {one:.0%}": lambda one=one: spectral_counts(X, n_topics, one) for one in LEAST_SHARES}
    for name, start in made.items():
        begun = time.process_time()
        counts = start()
        fit = learned_lda(given, counts, views.X, LDA_EPOCHS)
        yield name, fit, counts, time.process_time() - begun


def nats():
    """Print held-out nats, coherence and agreement of all starts, on the sets for choosing."""
    print_nats("## Starts of LDA, sets for choosing", CHOSEN_ON, fits)


def others():
    """Print the same of two starts on the other sets."""

    def two(X, n_topics, seed, _):
        return [default_fit(X, n_topics, seed, least) for least in (None, CHOSEN)]

    print_nats("## LDA with its own start and from anchors, other sets", REPORTED, two)


def print_nats(title, names, fitted):
    rows = []
    for name in names:
        data, found = documents(name), {}
        validation = Validation.of(Views.of(data.held))
        n_topics = supported_topics(data.counts, None)[0]
        with Threads(1) as engine:
            for seed in SEEDS:
                for start, fit, _, seconds in fitted(data.counts, n_topics, seed, engine):
                    columns = shown_columns(fit.topics.components, data.counts, 10).tolist()
                    labels = fit.shares(Views.of(data.counts), engine).argmax(axis=1)
                    scores = validation.nats(fit, engine), held_npmi(columns, data.held), seconds
                    found.setdefault(start, []).append((scores, labels))
        for start, seeds in found.items():
            agreed = adjusted_rand_score(*(labels for _, labels in seeds))
            rows.append([name, start, *np.mean([scores for scores, _ in seeds], axis=0).tolist(), float(agreed)])
    print_table(title, ["set", "start", "nats", "held NPMI", "CPU s", "agreement"], rows)


def recovery():
    """Print the cosine with the true topics of simulated documents."""
    rows = []
    for n_words, n_documents in SIMULATED:
        found = {}
        with Threads(1) as engine:
            for seed in SEEDS:
                drawn = two_groups(n_words, n_documents, seed)
                for start, fit, counts, seconds in fits(drawn.counts, N_TOPICS, seed, engine):
                    before = np.nan if counts is None else cosine(counts.T, drawn.topics)
                    after = cosine(fit.topics.components, drawn.topics)
                    found.setdefault(start, []).append([before, after, seconds])
        for start, scores in found.items():
            before, after, seconds = np.mean(scores, axis=0).tolist()
            rows.append([n_words, n_documents, start, "" if np.isnan(before) else before, after, seconds])
    headings = ["words", "documents", "start", "cosine before learning", "after", "CPU s"]
    print_table("## Recovered topics of simulated documents, two draws", headings, rows)


def main():
    checked()
    for task in sys.argv[1:] or ("nats", "recovery", "others"):
        {"nats": nats, "recovery": recovery, "others": others}[task]()


if __name__ == "__main__":
    main()

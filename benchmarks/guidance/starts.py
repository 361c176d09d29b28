"""Other starts of named topics, tried so that free topics leave them their documents; none is better everywhere.

By default only the words of a topic start in it. "Classifier": complement naive Bayes learns from the documents in
which the words of one topic are most frequent, divides every document among the named topics, and all other words start
in the topics of their documents, as far as named topics are a part of all. "Uses nearby": words that are used in the
documents of a topic's words start there, beyond those to be expected, as when a lost topic starts again. `spread` is
the option of the guide: there the classifier is a prior of documents in every epoch. LDA with twice as many topics as
groups; accuracy, mean and least AUC of the groups' own topics, number of new starts of lost topics, processor seconds;
means of two seeds, on the newsgroups of one. Then with words for a part of the groups only, drawn four times.

    python -m benchmarks.guidance.starts [PART OF A SET'S NAME]
"""

from __future__ import annotations

import sys
import warnings
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from benchmarks.guidance.choice_sets import CHOICE_SETS
from benchmarks.guidance.newsgroups import newsgroups
from benchmarks.guidance.words import guide_of, lda, scores
from benchmarks.measure import measure, print_table
from driftline.guidance.guide import SPREAD_POWER
from driftline.guidance.pseudo_labels import seed_probabilities
from driftline.topics import guided_learning
from driftline.topics.lost_topics import context_counts, counts_without_prior

NEWS = "20 newsgroups"
FEW = {"mail, subjects": 2, "mail, first words": 2, "commits": 2}
"""Numbers of groups that get words in the second table."""
DRAWS = range(4)


def classified(counts, pairs, held):
    """Return the uses of words in the documents of named topics, by the classifier, and their numbers."""
    X = sp.csr_matrix((pairs.counts.astype(float), pairs.words, pairs.indptr), shape=(pairs.n_documents, len(counts)))
    numbers, probabilities = seed_probabilities(X, dict(held.words), power=SPREAD_POWER, again=False)
    return numbers, (len(numbers) / counts.shape[1]) * np.asarray(X.T @ probabilities)


def nearby(counts, pairs, held):
    """Return the uses of words in documents with the words of topics, beyond those to be expected."""
    numbers, said = np.array(list(held.words)), counts.sum(axis=1)
    placed = context_counts(pairs, held.words, *counts.shape)[:, numbers]
    sums = placed.sum(axis=1)
    return numbers, placed * np.divide(said, sums, out=np.ones_like(said), where=sums > said)[:, None]


STARTS = {"words": None, "classifier": classified, "uses nearby": nearby, "`spread`": None}


def start_otherwise(topics, pairs, held, uses):
    """Give words that no topic was given another start, in place."""
    counts = counts_without_prior(topics)
    said, own = counts.sum(axis=1), np.concatenate(list(held.words.values()))
    numbers, placed = uses(counts, pairs, held)
    rest = counts.copy()
    if len(numbers) < counts.shape[1]:
        rest[:, numbers] = 0.0
    left = rest.sum(axis=1)
    rest *= np.divide(said - placed.sum(axis=1), left, out=np.zeros_like(left), where=left > 0)[:, None]
    rest[:, numbers] += placed
    rest[own] = counts[own]
    for row, extra in topics.seeds.items():
        rest[row] += extra[: topics.n_topics]
    values = np.zeros_like(topics.values)
    values[:, : topics.n_topics] = rest
    topics.take(values, topics.document_prior, topics.beta)


def fitted(data, guide, start, seed):
    """Return a fitted model, its shares of documents, the number of new starts, and processor seconds."""
    learn, restart, again = guided_learning._learn_held, guided_learning.restart, []

    def learn_held(topics, pairs, rng, settings, wishes, held):
        if STARTS[start] is not None:
            start_otherwise(topics, pairs, held, STARTS[start])
        return learn(topics, pairs, rng, settings, wishes, held)

    def counted_restart(*given):
        again.append(1)
        restart(*given)

    with (
        patch.object(guided_learning, "_learn_held", learn_held),
        patch.object(guided_learning, "restart", counted_restart),
    ):
        wished = guide.spread() if start == "`spread`" else guide
        model, cost = measure(lambda: lda(data, 2 * len(data.names), guide=wished, random_state=seed))
    shares = model.guided_shares(data.counts) if start == "`spread`" else model.transform(data.counts)
    return shares, len(again), cost.cpu_seconds


def all_groups(name, data):
    rows = []
    for start in STARTS:
        found = []
        for seed in range(1 if name == NEWS else 2):
            shares, again, seconds = fitted(data, guide_of(data), start, seed)
            found.append((*scores(shares, data.labels, len(data.names)), again, seconds))
        rows.append([start, *(f"{value:.3f}" for value in np.mean(found, axis=0))])
    print_table(name, ["start", "accuracy", "mean AUC", "least AUC", "new starts", "seconds"], rows)


def few_groups(name, data, n):
    rows = []
    for start in STARTS:
        found = []
        for draw in DRAWS:
            named = np.random.default_rng(draw).permutation(len(data.names))[:n]
            words = {i: data.columns[k] for i, k in enumerate(named)}
            some = data._replace(columns=words, names=[data.names[k] for k in named])
            guide = guide_of(some)
            shares, again, seconds = fitted(data, guide, start, draw)
            aucs = [roc_auc_score(data.labels == k, shares[:, i]) for i, k in enumerate(named)]
            found.append((np.mean(aucs), min(aucs), again, seconds))
        rows.append([start, *(f"{value:.3f}" for value in np.mean(found, axis=0))])
    title = f"{name}; words for {n} of {len(data.names)} groups"
    print_table(title, ["start", "mean AUC", "least AUC", "new starts", "seconds"], rows)


def main():
    warnings.simplefilter("ignore")
    print(__doc__)
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    sets = {name: make for name, make in {**CHOICE_SETS, NEWS: newsgroups}.items() if wanted in name}
    for name, make in sets.items():
        data = make()
        all_groups(name, data)
        if name in FEW:
            few_groups(name, data, FEW[name])


if __name__ == "__main__":
    main()

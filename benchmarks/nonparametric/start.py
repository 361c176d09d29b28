"""The first clusters of a Dirichlet process mixture, and its clusters against k-means and a mixture of unigrams.

The concentration of the first draw is chosen on simulated documents, whose clusters are known. The default is then
reported on other simulated documents and on two real collections with labels (2,000 documents each), beside rivals
that are given the true number of clusters: k-means on tf-idf and a mixture of unigrams, each the best of five starts by
its own objective. A last table has what split–merge proposals change: chains of simulated documents that begin with few
clusters (concentration 1), and default chains of real documents.

    python -m benchmarks.nonparametric.start [--row | proposals]
"""

from __future__ import annotations

import itertools
import sys
from unittest import mock

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score

from benchmarks.measure import real_data
from driftline.inference.split_merge import propose
from driftline.nonparametric import DirichletProcessMixture, cluster_split_merge
from driftline.streams.corpus import Corpus
from driftline.topics import MixtureOfUnigrams

STARTS = (1.0, 10.0, 100.0, 1000.0)
FEW = STARTS[0]
SHAPES = {
    "20 clusters": (4000, 20, 1000, 60, 0.05),
    "short documents": (1000, 10, 1000, 12, 0.05),
    "similar clusters": (500, 8, 800, 40, 0.5),
    "120 clusters": (2000, 120, 2000, 60, 0.05),
    "2 clusters": (2000, 2, 2000, 60, 0.2),
}
"""Words, clusters, documents, words per document, and the prior of the words."""
REAL = {"20news_bydate": "label", "reuters21578": "topics"}
"""Collections, and the column of their labels; of several, the first counts."""
N_DOCUMENTS = 2000


def simulated(shape, seed):
    """Return documents and their clusters."""
    n_words, n_clusters, n, length, prior = shape
    rng = np.random.default_rng(seed)
    shares, labels = rng.dirichlet(np.full(n_words, prior), n_clusters), rng.integers(0, n_clusters, n)
    return sp.csr_matrix(np.array([rng.multinomial(length, shares[k]) for k in labels], dtype=np.float64)), labels


def real(name):
    """Return some documents of a collection and their labels."""
    table = pq.read_table(real_data(name), columns=["text", REAL[name]])
    given = table[REAL[name]].to_pylist()
    labels = np.array([label if isinstance(label, str) else (label or [""])[0] for label in given])
    rows = np.random.default_rng(0).permutation(np.flatnonzero(labels != ""))[:N_DOCUMENTS]
    corpus = Corpus.from_texts(table["text"].take(rows), min_df=5, max_df=0.5, keep_texts=False)
    return sp.csr_matrix(corpus.counts), labels[rows]


def mixture(X, start=None):
    """Return the fitted mixture; `start` is the concentration of the first draw."""
    model = DirichletProcessMixture(random_state=0)
    if start is None:
        return model.fit(X)
    with mock.patch("driftline.nonparametric.cluster_gibbs.FIRST_CONCENTRATION", start):
        return model.fit(X)


def rivals(X, n_clusters):
    """Return the labels that k-means and the mixture of unigrams give."""
    means = KMeans(n_clusters, n_init=5, random_state=0).fit(TfidfTransformer(sublinear_tf=True).fit_transform(X))
    mixtures = [MixtureOfUnigrams(n_clusters, random_state=seed).fit(X) for seed in range(5)]
    return means.labels_, max(mixtures, key=lambda model: model.objective_[-1]).labels_


def print_starts(shapes):
    print("Adjusted Rand index (clusters found) by the concentration of the first draw, simulated\n")
    print("| documents | clusters | " + " | ".join(f"{start:g}" for start in STARTS) + " |\n|" + "---|" * 6)
    for name, shape in shapes.items():
        X, labels = simulated(shape, seed=0)
        found = [mixture(X, start) for start in STARTS]
        cells = [f"{adjusted_rand_score(labels, m.labels_):.3f} ({len(m.sizes_)})" for m in found]
        print(f"| {name} | {shape[1]} | " + " | ".join(cells) + " |", flush=True)


def print_rivals(cases):
    print("\nAdjusted Rand index of the default on other documents; the rivals are given the number of clusters\n")
    print("| documents | labels | mixture (clusters found, R̂) | k-means on tf-idf | mixture of unigrams |")
    print("|" + "---|" * 5)
    for name, (X, labels) in cases:
        n_labels = len(np.unique(labels))
        model = mixture(X)
        settled = "–" if model.r_hat_ is None else f"{min(model.r_hat_, 99):.2f}"
        scores = [f"{adjusted_rand_score(labels, other):.3f}" for other in rivals(X, n_labels)]
        own = f"{adjusted_rand_score(labels, model.labels_):.3f} ({len(model.sizes_)}, {settled})"
        print(f"| {name} | {n_labels} | {own} | {scores[0]} | {scores[1]} |", flush=True)


def print_proposals():
    """Print clusters found by sweeps alone and with split–merge proposals, and how many of these were accepted."""
    print("\nSplit–merge proposals: adjusted Rand index (clusters found, R̂)\n")
    print("| documents | clusters | sweeps alone | with proposals | splits, mergers accepted | of |")
    print("|" + "---|" * 6)
    cases = [(name, *simulated(shape, seed=0), FEW) for name, shape in SHAPES.items()]
    for name, X, labels, start in itertools.chain(cases, ((name, *real(name), None) for name in REAL)):
        cells, kinds = [], []

        def counted(labels, divide, rng, kinds=kinds):
            accepted = propose(labels, divide, rng)
            kinds.append(None if accepted is None else accepted.together)
            return accepted

        for n_proposals in (0, cluster_split_merge.N_PROPOSALS):
            with (
                mock.patch.object(cluster_split_merge, "N_PROPOSALS", n_proposals),
                mock.patch.object(cluster_split_merge, "propose", counted),
            ):
                model = mixture(X, start)
            settled = "–" if model.r_hat_ is None else f"{min(model.r_hat_, 99):.2f}"
            cells.append(f"{adjusted_rand_score(labels, model.labels_):.3f} ({len(model.sizes_)}, {settled})")
        accepted = f"{kinds.count(False)}, {kinds.count(True)} | {len(kinds):,}"
        print(f"| {name} | {len(np.unique(labels))} | " + " | ".join(cells) + f" | {accepted} |", flush=True)


def main():
    if "proposals" in sys.argv:
        print_proposals()
        return
    shapes = dict([*SHAPES.items()][2:3]) if "--row" in sys.argv else SHAPES
    print_starts(shapes)
    others = ((name, real(name)) for name in REAL if "--row" not in sys.argv)
    print_rivals(itertools.chain(((name, simulated(shape, seed=1)) for name, shape in shapes.items()), others))
    if "--row" not in sys.argv:
        print_proposals()


if __name__ == "__main__":
    main()

"""Clusters of real documents by the Dirichlet process mixture, against k-means with and without a projection.

Posts of 20 newsgroups (their first 60 words, and their subjects alone) and titles of Reuters stories, whose labels are
the groups and the first topic of each story. Labels are used for scores only, and no setting was chosen on them: the
mixture learns α and β. The rivals are given a number of clusters: that of the labels, or 60. Normalised mutual
information favours many clusters, so the adjusted Rand index and the number of clusters are printed beside it. Two
seeds of the mixture are compared with each other as well.

    python -m benchmarks.nonparametric.clusters [--row | COLLECTION …] [--rivals]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow.parquet as pq
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.preprocessing import normalize

from benchmarks.measure import real_data
from driftline.nonparametric import DirichletProcessMixture
from driftline.streams.corpus import Corpus

N_POSTS, N_WORDS = 6000, 60
SEEDS = (0, 1, 2)
RIVAL_CLUSTERS = 60
METHODS = {
    "mixture, β learned": {"word_prior": "learned"},
    "mixture, β = 0.1": {},
    "DP-means": {"inference": "dp-means"},
}


def posts():
    """Return the first words of posts and their groups."""
    table = pq.read_table(real_data("20news_bydate"))
    rows = np.random.default_rng(0).permutation(table.num_rows)[:N_POSTS]
    texts = [" ".join((text or "").split()[:N_WORDS]) for text in table["text"].take(rows).to_pylist()]
    return texts, np.array(table["label"].take(rows).to_pylist())


def subjects():
    """Return the subjects of the same posts and their groups."""
    table = pq.read_table(real_data("20news_bydate"))
    rows = np.random.default_rng(0).permutation(table.num_rows)[:N_POSTS]
    name = next(name for name in ("subject", "title") if name in table.column_names)
    return [text or "" for text in table[name].take(rows).to_pylist()], np.array(table["label"].take(rows).to_pylist())


def titles():
    """Return the titles of Reuters stories that have a topic, and the first topic."""
    table = pq.read_table(real_data("reuters21578"))
    topics = [(given or [""])[0] for given in table["topics"].to_pylist()]
    pairs = [(title or "", topic) for title, topic in zip(table["title"].to_pylist(), topics) if topic]
    return [title for title, _ in pairs], np.array([topic for _, topic in pairs])


COLLECTIONS = {"posts": posts, "subjects": subjects, "titles": titles}


def counted(name):
    """Return the counts of documents that have words, and their labels."""
    texts, labels = COLLECTIONS[name]()
    X = Corpus.from_texts(texts, min_df=3, max_df=0.3, keep_texts=False).counts.tocsr()
    some = np.asarray(X.sum(axis=1)).ravel() > 0
    return X[some], labels[some]


def rivals(X, n_clusters, seed):
    """Yield the name and the labels of each rival."""
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    projected = normalize(TruncatedSVD(50, random_state=seed).fit_transform(weighted))
    for name, rows in (("SVD and k-means", projected), ("k-means on tf-idf", weighted)):
        yield f"{name}, K = {n_clusters}", KMeans(n_clusters, n_init=1, random_state=seed).fit_predict(rows)


def scored(labels, found):
    """Return the mutual information, the Rand index and the number of clusters."""
    return normalized_mutual_info_score(labels, found), adjusted_rand_score(labels, found), len(np.unique(found))


def print_row(name, rows, spent):
    """Print the mean of the seeds, and every seed's mutual information."""
    found = np.array(rows)
    each = ", ".join(f"{value:.3f}" for value in found[:, 0])
    mean = found.mean(axis=0)
    print(f"| {name} | {mean[0]:.3f} ({each}) | {mean[1]:.3f} | {mean[2]:.0f} | {spent / len(rows):.1f} |", flush=True)


def main():
    named = [name for name in COLLECTIONS if name in sys.argv]
    quick = "--row" in sys.argv
    for name in ["titles"] if quick else named or COLLECTIONS:
        X, labels = counted(name)
        n_labels = len(np.unique(labels))
        words = X.sum() / X.shape[0]
        print(f"\n{name}: {X.shape[0]:,} documents of {words:.1f} counted words on average, {n_labels} labels\n")
        print("| | mutual information (seeds) | adjusted Rand index | clusters | CPU s |\n|" + "---|" * 5)
        agreement = np.nan
        for method, options in [*METHODS.items()][: 1 if quick else 0 if "--rivals" in sys.argv else None]:
            rows, found, begun = [], [], time.process_time()
            for seed in SEEDS[: 1 if quick or method == "DP-means" else None]:
                model = DirichletProcessMixture(random_state=seed, n_chains=1, **options).fit(X)
                found.append(model.labels_)
                rows.append(scored(labels, model.labels_))
            print_row(method, rows, time.process_time() - begun)
            if method == "mixture, β learned" and len(found) > 1:
                agreement = normalized_mutual_info_score(found[0], found[1])
        for n_clusters in sorted({n_labels, RIVAL_CLUSTERS}):
            kept: dict[str, list] = {}
            begun = time.process_time()
            for seed in SEEDS[: 1 if quick else None]:
                for rival, answer in rivals(X, n_clusters, seed):
                    kept.setdefault(rival, []).append(scored(labels, answer))
            for rival, rows in kept.items():
                print_row(rival, rows, (time.process_time() - begun) / 2)
        if not np.isnan(agreement):
            print(f"\nTwo seeds of the mixture agree with each other by a mutual information of {agreement:.3f}.")


if __name__ == "__main__":
    main()

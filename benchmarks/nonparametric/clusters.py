"""Clusters of real documents by the Dirichlet process mixture, against k-means with and without a projection.

Posts of 20 newsgroups (subject and text, their first 60 words that are not stop words; and their subjects alone) and
titles of Reuters stories with exactly one topic. Words have three letters or more, English stop words are left out, and
so are words of fewer than three documents, for all methods alike. Labels (the groups, the topic) are used for scores
only, and no setting was chosen on them: the mixture learns α, and β or has the default. The rivals are given a number
of clusters: that of the labels, or 60. Normalised mutual information favours many clusters, so the adjusted Rand index
and the number of clusters are printed beside it. A row begins the chain with few clusters instead of many; the highest
log joint probability of each chain says which start the model itself prefers. Two seeds are compared with each other.

    python -m benchmarks.nonparametric.clusters [--row | COLLECTION …] [--rivals]
"""

from __future__ import annotations

import re
import sys
import time
from contextlib import nullcontext
from unittest import mock

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
from driftline.text.stopwords import stop_words_of

N_POSTS, N_WORDS = 6000, 60
SEEDS = (0, 1, 2)
RIVAL_CLUSTERS = 60
FEW_FIRST = "mixture, β learned, started with few"
METHODS = {
    "mixture, β = 0.1": {},
    "mixture, β learned": {"word_prior": "learned"},
    FEW_FIRST: {"word_prior": "learned"},
    "DP-means": {"inference": "dp-means"},
}
WORD = re.compile(r"[a-z]{3,}")


def sampled(*columns):
    """Return columns of some posts of 20 newsgroups, and their groups."""
    table = pq.read_table(real_data("20news_bydate"), columns=[*columns, "label"])
    rows = np.random.default_rng(0).permutation(table.num_rows)[:N_POSTS]
    texts = zip(*(table[name].take(rows).to_pylist() for name in columns))
    return [" ".join(part or "" for part in parts) for parts in texts], np.array(table["label"].take(rows).to_pylist())


def posts():
    """Return subjects and texts of posts, and their groups."""
    return sampled("subject", "text")


def subjects():
    """Return the subjects of the same posts, and their groups."""
    return sampled("subject")


def titles():
    """Return the titles of Reuters stories that have one topic, and the topic."""
    table = pq.read_table(real_data("reuters21578"), columns=["title", "topics"])
    pairs = [(row["title"] or "", row["topics"][0]) for row in table.to_pylist() if len(row["topics"] or ()) == 1]
    return [title for title, _ in pairs], np.array([topic for _, topic in pairs])


COLLECTIONS = {"posts": posts, "subjects": subjects, "titles": titles}


def first_words(texts):
    """Return the first words of texts, stop words left out."""
    stop = frozenset(stop_words_of("english"))
    kept = ([word for word in WORD.findall(text.lower()) if word not in stop] for text in texts)
    return [" ".join(words[:N_WORDS]) for words in kept]


def counted(name):
    """Return the counts of documents that have words, and their labels."""
    texts, labels = COLLECTIONS[name]()
    X = Corpus.from_texts(first_words(texts), min_df=3, max_df=0.3, keep_texts=False).counts.tocsr()
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


def fitted(method, options, X, seed):
    """Return a fitted mixture."""
    few = mock.patch("driftline.nonparametric.cluster_gibbs.FIRST_CONCENTRATION", 1.0)
    with few if method == FEW_FIRST else nullcontext():
        return DirichletProcessMixture(random_state=seed, n_chains=1, **options).fit(X)


def print_row(name, rows, spent, joint=()):
    """Print the mean of the seeds, and every seed's mutual information."""
    found = np.array(rows)
    log_joint = f"{np.mean(joint):,.0f}" if joint else ""
    each = ", ".join(f"{value:.3f}" for value in found[:, 0])
    mean = found.mean(axis=0)
    scores = f"{mean[0]:.3f} ({each}) | {mean[1]:.3f} | {mean[2]:.0f}"
    print(f"| {name} | {scores} | {log_joint} | {spent / len(rows):.1f} |", flush=True)


def main():
    named = [name for name in COLLECTIONS if name in sys.argv]
    quick = "--row" in sys.argv
    for name in ["titles"] if quick else named or COLLECTIONS:
        X, labels = counted(name)
        n_labels = len(np.unique(labels))
        words = X.sum() / X.shape[0]
        print(f"\n{name}: {X.shape[0]:,} documents of {words:.1f} counted words on average, {n_labels} labels\n")
        print("| | mutual information (seeds) | adjusted Rand index | clusters | log joint | CPU s |\n|" + "---|" * 6)
        agreement = np.nan
        for method, options in [*METHODS.items()][: 1 if quick else 0 if "--rivals" in sys.argv else None]:
            rows, found, joint, begun = [], [], [], time.process_time()
            for seed in SEEDS[: 1 if quick or method == "DP-means" else None]:
                model = fitted(method, options, X, seed)
                found.append(model.labels_)
                rows.append(scored(labels, model.labels_))
                joint += [] if method == "DP-means" else [model.trace_.max()]
            print_row(method, rows, time.process_time() - begun, joint)
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

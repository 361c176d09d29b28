"""Mixtures and topics over time against those that ignore it, and a mixture per epoch: prediction and clusters.

A tenth of the documents, drawn at random, is held out; the score is the negative log-likelihood, in nats, of a word in
the second half of a document given the first half and the time, which every model provides. Mutual information (NMI) is
between the clusters of the fitted documents and their labels; for topic models a document's cluster is its largest
topic. Real documents are their first 60 words that are not stop words. Ten epochs everywhere; all other settings are
the defaults, with 35 sweeps (topics: 70) and one chain. None was chosen on these streams.

    python -m benchmarks.nonparametric.temporal [--row | simulated | reuters | posts]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score

from benchmarks.measure import real_data
from benchmarks.nonparametric.clusters import first_words
from driftline.inference.document_completion import halves
from driftline.nonparametric import HDP, DirichletProcessMixture, InfiniteDynamicTopics, TemporalDPM, TimeSensitiveDPM
from driftline.streams.corpus import Corpus
from driftline.topics import LDA

SEEDS = (0, 1, 2)
N_DOCUMENTS, N_EPOCHS, N_TOPICS = 1000, 10, 50
SWEEPS = {"burn_in": 25, "n_samples": 10, "n_chains": 1}


class PerEpoch:
    """A plain mixture for each epoch."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, times):
        """Fit a mixture to each epoch."""
        self.edges = np.linspace(times.min(), times.max(), N_EPOCHS + 1)[1:-1]
        epochs = np.searchsorted(self.edges, times, side="right")
        self.models, self.labels_, n_clusters = {}, np.zeros(len(times), dtype=int), 0
        for epoch in np.unique(epochs):
            model = DirichletProcessMixture(random_state=self.seed, **SWEEPS).fit(X[epochs == epoch])
            self.models[epoch] = model
            self.labels_[epochs == epoch] = model.labels_ + n_clusters
            n_clusters += len(model.sizes_)
        return self

    def score_samples(self, X, times):
        """Return ln p of documents under the mixture of their epoch."""
        found, epochs = np.zeros(len(times)), np.searchsorted(self.edges, times, side="right")
        for epoch in np.unique(epochs):
            nearest = min(self.models, key=lambda known, epoch=epoch: abs(known - epoch))
            found[epochs == epoch] = self.models[nearest].score_samples(X[epochs == epoch])
        return found


def timed(model):
    """Return functions that fit a model with times and score with them."""
    return lambda X, t: model.fit(X, times=t), lambda fitted, X, t: fitted.score_samples(X, times=t)


def plain(model):
    """Return functions that ignore times."""
    return lambda X, t: model.fit(X), lambda fitted, X, t: fitted.score_samples(X)


MODELS = {
    "TimeSensitiveDPM, τ learned": lambda seed: timed(TimeSensitiveDPM(random_state=seed, **SWEEPS)),
    "TemporalDPM": lambda seed: timed(TemporalDPM(every=N_EPOCHS, random_state=seed, **SWEEPS)),
    "TemporalDPM, words drift (κ = 2)": lambda seed: timed(
        TemporalDPM(every=N_EPOCHS, word_timescale=2.0, random_state=seed, **SWEEPS)
    ),
    "DirichletProcessMixture": lambda seed: plain(DirichletProcessMixture(random_state=seed, **SWEEPS)),
    "DirichletProcessMixture per epoch": lambda seed: (
        lambda X, t: PerEpoch(seed).fit(X, t),
        lambda fitted, X, t: fitted.score_samples(X, t),
    ),
}


def simulated(seed, n=800, n_words=300, length=30, n_stories=30):
    """Return stories that begin at random times, last for a while, and drift."""
    rng = np.random.default_rng(100 + seed)
    starts, spans = rng.uniform(-2, 10, n_stories), rng.gamma(2.0, 1.5, n_stories)
    begin, end = rng.dirichlet(np.full(n_words, 0.05), (2, n_stories))
    times, labels, rows = np.sort(rng.uniform(0, 10, n)), np.zeros(n, dtype=int), []
    for d, t in enumerate(times):
        live = np.flatnonzero((starts <= t) & (t < starts + spans))
        labels[d] = rng.choice(live) if len(live) else np.abs(starts - t).argmin()
        part = 0.5 * np.clip((t - starts[labels[d]]) / spans[labels[d]], 0, 1)
        rows.append(rng.multinomial(length, (1 - part) * begin[labels[d]] + part * end[labels[d]]))
    return sp.csr_matrix(np.array(rows, dtype=float)), times, labels


def documents(name, seed):
    """Return the first words of real documents with a label, their times and labels."""
    table = pq.read_table(real_data("reuters21578" if name == "reuters" else "20news_bydate"))
    labels = (
        [(given or [""])[0] for given in table["topics"].to_pylist()]
        if name == "reuters"
        else table["label"].to_pylist()
    )
    some = [i for i, label in enumerate(labels) if label and table["text"][i].as_py() and table["time"][i].as_py()]
    rows = np.sort(np.random.default_rng(seed).permutation(some)[:N_DOCUMENTS])
    X = Corpus.from_texts(
        first_words(table["text"].take(rows).to_pylist()), min_df=5, max_df=0.3, keep_texts=False
    ).counts.tocsr()
    days = table["time"].take(rows).to_numpy().astype("datetime64[s]").astype(float) / 86400
    used = np.asarray(X.sum(axis=1)).ravel() > 0
    order = np.flatnonzero(used)[np.argsort(days[used], kind="stable")]
    return X[order], days[order], np.array(labels)[rows][order]


def completed(score, model, X, times):
    """Return nats per word of second halves given first halves: p(both) / p(first)."""
    given, asked = halves(X)
    some = (np.diff(given.indptr) > 0) & (np.diff(asked.indptr) > 0)
    gain = score(model, X[some], times[some]) - score(model, given[some], times[some])
    return -gain.sum() / asked[some].sum()


TOPIC_MODELS = {
    "InfiniteDynamicTopics": lambda seed: InfiniteDynamicTopics(every=N_EPOCHS, start=N_TOPICS, random_state=seed),
    "HDP": lambda seed: HDP(start=N_TOPICS, n_chains=1, burn_in=60, n_samples=10, random_state=seed, n_jobs=1),
    f"LDA, Gibbs, K = {N_TOPICS}": lambda seed: LDA(N_TOPICS, inference="gibbs", random_state=seed, n_jobs=1),
}


def topics_row(model, X, times, labels, held_out):
    """Return the score, the mutual information and the number of topics of a topic model."""
    at = (lambda rows: {"times": times[rows]}) if isinstance(model, InfiniteDynamicTopics) else (lambda rows: {})
    model.fit(X[~held_out], **at(~held_out))
    given, asked = halves(X[held_out])
    some = (np.diff(given.indptr) > 0) & (np.diff(asked.indptr) > 0)
    rows = np.flatnonzero(held_out)[some]
    likelihood = model.score_samples(X[rows], **at(rows)).sum() / asked[some].sum()
    found = model.transform(X[~held_out], **at(~held_out)).argmax(axis=1)
    return -likelihood, normalized_mutual_info_score(labels[~held_out], found), len(np.unique(found))


def print_row(name, rows, spent):
    """Print the means over seeds, and every seed's score."""
    found = np.array(rows)
    each = ", ".join(f"{value:.3f}" for value in found[:, 0])
    mean = found.mean(axis=0)
    print(f"| {name} | {mean[0]:.3f} ({each}) | {mean[1]:.3f} | {mean[2]:.0f} | {spent / len(rows):.1f} |", flush=True)


def print_table(name, seeds):
    """Print a row per model."""
    streams = [simulated(seed) if name == "simulated" else documents(name, seed) for seed in seeds]
    X, times, labels = streams[0]
    n_labels = len(np.unique(labels))
    print(f"\n{name}: {X.shape[0]:,} documents of {X.sum() / X.shape[0]:.1f} counted words, {n_labels} labels\n")
    print("| | nats per word (seeds) | NMI | clusters | CPU s |\n|" + "---|" * 5)
    for model_name, make in {**MODELS, **TOPIC_MODELS}.items():
        rows, begun = [], time.process_time()
        for seed, (X, times, labels) in zip(seeds, streams):
            held_out = np.random.default_rng(seed).permutation(X.shape[0]) < X.shape[0] // 10
            if model_name in TOPIC_MODELS:
                rows.append(topics_row(make(seed), X, times, labels, held_out))
                continue
            fit, score = make(seed)
            model = fit(X[~held_out], times[~held_out])
            agreement = normalized_mutual_info_score(labels[~held_out], model.labels_)
            n_clusters = len(np.unique(model.labels_))
            rows.append((completed(score, model, X[held_out], times[held_out]), agreement, n_clusters))
        print_row(model_name, rows, time.process_time() - begun)


def main():
    if "--row" in sys.argv:
        print_table("simulated", SEEDS[:1])
        return
    named = [name for name in ("simulated", "reuters", "posts") if name in sys.argv]
    for name in named or ("simulated", "reuters", "posts"):
        print_table(name, SEEDS)


if __name__ == "__main__":
    main()

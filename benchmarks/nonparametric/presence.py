"""The hierarchical beta process as a classifier of 20 newsgroups by date, against naive Bayes and logistic regression.

Subjects and texts, words that at least two of the documents to learn from contain. Bernoulli naive Bayes sees the same
as the hierarchical beta process: which words are present. Its α is not chosen; all three are printed, and the best of
them is known only in hindsight. The other rivals see more: counts, or tf-idf weights. Each has scikit-learn's default
settings and others with less smoothing (logistic regression: 60 steps at most). First all documents of the official
split; then, with three seeds, classes of 2 to 377 documents, in a random order of sizes, tested on the whole test set.

Two more tables: the models of presence without English stop words, and the evidence and the accuracy of the process for
given c, so that the learned c can be compared.

    python -m benchmarks.nonparametric.presence [--row | all | stopped | unbalanced | grid]
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from benchmarks.measure import real_data
from driftline.nonparametric import HierarchicalBetaProcess
from driftline.text import Tokenizer, count_words

SEEDS = (0, 1, 2)
GRID = (2.0, 5.4, 20.0, 100.0, 400.0)
SIZES = np.round(377 * (2 / 377) ** (np.arange(20) / 19)).astype(int)
MODELS = {
    "hierarchical beta process": lambda: HierarchicalBetaProcess(),
    "Bernoulli naive Bayes, α = 1": lambda: BernoulliNB(alpha=1.0),
    "Bernoulli naive Bayes, α = 0.1": lambda: BernoulliNB(alpha=0.1),
    "Bernoulli naive Bayes, α = 0.01": lambda: BernoulliNB(alpha=0.01),
    "multinomial naive Bayes on counts": lambda: MultinomialNB(),
    "multinomial naive Bayes on counts, α = 0.01": lambda: MultinomialNB(alpha=0.01),
    "complement naive Bayes on tf-idf": lambda: make_pipeline(TfidfTransformer(), ComplementNB()),
    "complement naive Bayes on tf-idf, α = 0.01": lambda: make_pipeline(TfidfTransformer(), ComplementNB(alpha=0.01)),
    "logistic regression on tf-idf": lambda: make_pipeline(
        TfidfTransformer(sublinear_tf=True), LogisticRegression(max_iter=60)
    ),
    "logistic regression on tf-idf, C = 100, balanced": lambda: make_pipeline(
        TfidfTransformer(sublinear_tf=True), LogisticRegression(C=100, class_weight="balanced", max_iter=60)
    ),
}


def groups(stop_words=None):
    """Return counts and groups of the documents to learn from, and of those of the test."""
    table = pq.read_table(real_data("20news_bydate"), columns=["text", "subject", "label", "split"])
    texts = [
        f"{subject or ''} {text or ''}"
        for subject, text in zip(*(table[name].to_pylist() for name in ("subject", "text")))
    ]
    labels, first = np.array(table["label"].to_pylist()), np.array(table["split"].to_pylist()) == "train"
    X = sp.csr_matrix(count_words(texts, Tokenizer(stop_words=stop_words))[0])
    return X[first], labels[first], X[~first], labels[~first]


def simulated():
    """Return random documents of 20 classes, for a row that needs no data."""
    rng = np.random.default_rng(0)
    base = rng.beta(0.05, 1.0, 2000)
    weights = rng.beta(8 * base + 1e-9, 8 * (1 - base), (20, 2000))
    y = np.arange(1600) % 20
    X = sp.csr_matrix((rng.random((1600, 2000)) < weights[y]).astype(float))
    return X[:800], y[:800], X[800:], y[800:]


def scores(known, labels, new, truth, models):
    """Yield the accuracy, the seconds of processor time and, if there is one, the c of every model."""
    words = np.asarray((known > 0).sum(axis=0)).ravel() >= 2
    known, new = known[:, words], new[:, words]
    for name, make in models.items():
        begun = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = make().fit(known, labels)
        accuracy = float((model.predict(new) == truth).mean())
        yield name, accuracy, time.process_time() - begun, getattr(model, "concentration_", np.nan)


def drawn(labels, seed):
    """Return documents of classes of very different sizes."""
    rng = np.random.default_rng(seed)
    names = rng.permutation(np.unique(labels))
    return np.concatenate(
        [rng.choice(np.flatnonzero(labels == name), n, replace=False) for name, n in zip(names, SIZES)]
    )


def print_all(data, title="All", models=MODELS):
    """Print a row per model, learned from all documents."""
    known, labels, new, truth = data
    print(f"{title}: {known.shape[0]:,} documents learned, {new.shape[0]:,} in the test\n")
    print("| | accuracy | c | CPU s |\n|---|---|---|---|")
    for name, accuracy, spent, c in scores(known, labels, new, truth, models):
        print(f"| {name} | {accuracy:.3f} | {'' if np.isnan(c) else f'{c:.1f}'} | {spent:.1f} |", flush=True)


def print_unbalanced(data, seeds):
    """Print the mean over seeds, and every seed."""
    known, labels, new, truth = data
    print(f"\nUnbalanced: {SIZES.sum():,} documents learned, {SIZES.min()} to {SIZES.max()} per class\n")
    print("| | accuracy (seeds) | c (seeds) |\n|---|---|---|")
    found: dict[str, list] = {}
    for seed in seeds:
        rows = drawn(labels, seed)
        for name, accuracy, _, c in scores(known[rows], labels[rows], new, truth, MODELS):
            found.setdefault(name, []).append((accuracy, c))
    for name, pairs in found.items():
        each = ", ".join(f"{accuracy:.3f}" for accuracy, _ in pairs)
        learned = "" if np.isnan(pairs[0][1]) else ", ".join(f"{c:.1f}" for _, c in pairs)
        print(f"| {name} | {np.mean([accuracy for accuracy, _ in pairs]):.3f} ({each}) | {learned} |", flush=True)


def print_grid(data):
    """Print the log evidence and the accuracy for given c, with c₀ = 1."""
    known, labels, new, truth = data
    words = np.asarray((known > 0).sum(axis=0)).ravel() >= 2
    print("\n| c, with c₀ = 1 | log evidence | accuracy |\n|---|---|---|")
    for c in GRID:
        model = HierarchicalBetaProcess(concentration=c, base_concentration=1.0).fit(known[:, words], labels)
        accuracy = float((model.predict(new[:, words]) == truth).mean())
        print(f"| {c:g} | {model.log_evidence_:,.0f} | {accuracy:.3f} |", flush=True)


def main():
    quick = "--row" in sys.argv
    data = simulated() if quick else groups()
    named = [name for name in ("all", "stopped", "unbalanced", "grid") if name in sys.argv]
    if quick or not named or "all" in named:
        print_all(data)
    if not quick and (not named or "stopped" in named):
        of_presence = {name: MODELS[name] for name in list(MODELS)[:4]}
        print_all(groups("english"), "\nAll, without English stop words", of_presence)
    if not quick and (not named or "unbalanced" in named):
        print_unbalanced(data, SEEDS)
    if not quick and (not named or "grid" in named):
        print_grid(data)


if __name__ == "__main__":
    main()

"""Linked documents: message passing over citations against the text alone, label propagation and iterated classifiers.

Cora has 2,708 papers, 1,433 terms, 5,278 citations and 7 fields. The published split labels 140 papers; 500 others
choose settings, and 1,000 are tested. Then half of the papers are labelled, at random, five times. Intervals of the
gain over the text alone resample the tested papers. `--row` uses simulated documents instead.

    python -m benchmarks.graphs.linked [--row]
"""

from __future__ import annotations

import itertools
import sys
import time

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from benchmarks.measure import real_data
from driftline.graphs import LinkedClassifier

PENALTIES = (0.1, 1.0, 10.0)
COUPLINGS = (0.5, 1.0, 1.5, 2.0, 3.0)
WEIGHTS = (0.25, 0.5, 1.0)
SEEDS = range(5)


def cora():
    """Return terms, links, fields, and the part of the published split that each paper belongs to."""
    table = pq.read_table(real_data("cora_planetoid")).to_pydict()
    rows = np.repeat(np.arange(len(table["id"])), [len(terms) for terms in table["terms"]])
    X = sp.csr_matrix((np.ones(len(rows)), (rows, np.concatenate(table["terms"]).astype(int))))
    rows = np.repeat(table["id"], [len(linked) for linked in table["links"]])
    ends = np.concatenate([np.array(linked, dtype=int) for linked in table["links"]])
    links = sp.csr_matrix((np.ones(len(rows)), (rows, ends)), shape=(len(X.indptr) - 1,) * 2)
    return X, symmetric(links), np.array(table["label"]), np.array(table["split"])


def simulated(n=400, n_classes=4, n_words=40, length=6, seed=0):
    """Return short documents whose links mostly join documents of one class."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n)
    shares = rng.dirichlet(np.ones(n_words), n_classes)
    X = sp.csr_matrix(np.array([rng.multinomial(length, shares[k]) for k in labels], dtype=float))
    near = np.where(labels[:, None] == labels, 0.85 / np.bincount(labels)[labels][:, None], 0.15 / n)
    links = sp.csr_matrix(rng.random((n, n)) < 2 * near)
    parts = np.array(["train", "val", "test", "test"])[rng.permutation(np.arange(n) % 4)]
    return X, symmetric(links.astype(float)), labels, parts


def symmetric(links):
    links = sp.csr_matrix((links + links.T) > 0).astype(float)
    links.setdiag(0)
    links.eliminate_zeros()
    return links


def majority(text, links, y, known):
    """Return the most frequent label of labelled neighbours; the text decides ties and where there is none."""
    votes = links @ np.where(known[:, None], np.eye(text.shape[1])[y], 0.0)
    return (votes + 0.5 * text).argmax(axis=1)


def propagated(text, links, y, known, use_text):
    """Return labels spread along links, known ones kept (label propagation), from the text's probabilities or none."""
    fixed = np.eye(text.shape[1])[y]
    start = text if use_text else np.full(text.shape, 1 / text.shape[1])
    shares, degrees = np.where(known[:, None], fixed, start), np.maximum(links.sum(axis=1).A1, 1)[:, None]
    for _ in range(100):
        spread = 0.9 * (links @ shares) / degrees + 0.1 * start
        shares = np.where(known[:, None], fixed, spread)
    return shares.argmax(axis=1)


def iterated(X, links, y, known, text, penalty, n_rounds=10):
    """Return labels of a classifier of words and of the labels of neighbours, applied again and again."""
    shares = np.where(known[:, None], np.eye(text.shape[1])[y], text)
    degrees = np.maximum(links.sum(axis=1).A1, 1)[:, None]
    for _ in range(n_rounds):
        joined = sp.hstack([X, sp.csr_matrix(3.0 * (links @ shares) / degrees)]).tocsr()
        model = LogisticRegression(C=penalty, max_iter=1000).fit(joined[known], y[known])
        shares = np.where(known[:, None], np.eye(text.shape[1])[y], model.predict_proba(joined))
    return shares.argmax(axis=1)


def candidates(X, links, y, known, chosen):
    """Yield every method's name, its labels, and the seconds it took; `chosen` are papers that may choose settings."""
    begun = time.process_time()
    scores = {}
    for penalty in PENALTIES:
        model = LogisticRegression(C=penalty, max_iter=1000).fit(X[known], y[known])
        scores[penalty] = (model.predict(X[chosen]) == y[chosen]).mean()
    penalty = max(scores, key=scores.get)
    base = LogisticRegression(C=penalty, max_iter=1000)
    text = base.fit(X[known], y[known]).predict_proba(X)
    yield f"text alone (C = {penalty:g})", text.argmax(axis=1), time.process_time() - begun
    for name, work in {
        "majority of labelled neighbours": lambda: majority(text, links, y, known),
        "label propagation": lambda: propagated(text, links, y, known, use_text=False),
        "label propagation from the text": lambda: propagated(text, links, y, known, use_text=True),
        "iterated classification": lambda: iterated(X, links, y, known, text, penalty),
    }.items():
        begun = time.process_time()
        yield name, work(), time.process_time() - begun
    seen = np.where(known, y, -1)
    begun = time.process_time()
    model = LinkedClassifier(base).fit(X, seen, links=links)
    name = f"LinkedClassifier (chosen: J = {model.coupling_:g}, w = {model.text_weight_:g})"
    yield name, model.labels_, time.process_time() - begun
    begun, found = time.process_time(), {}
    for coupling, weight in itertools.product(COUPLINGS, WEIGHTS):
        model = LinkedClassifier(base, coupling=coupling, text_weight=weight).fit(X, seen, links=links)
        found[(model.labels_[chosen] == y[chosen]).mean(), coupling, weight] = model.labels_
    best = max(found)
    name = f"LinkedClassifier, J and w by the other papers (J = {best[1]:g}, w = {best[2]:g})"
    yield name, found[best], time.process_time() - begun


def interval(right, base, rng, n=2000):
    """Return the 95 % interval of the gain in points when the tested papers are resampled."""
    gains = 100 * (right.astype(float) - base)
    drawn = rng.multinomial(len(gains), np.full(len(gains), 1 / len(gains)), size=n) @ gains / len(gains)
    return np.quantile(drawn, [0.025, 0.975])


def print_split(X, links, y, known, chosen, tested):
    n_links = links.nnz // 2
    print(f"{len(y)} documents, {n_links} links, {known.sum()} labelled, {tested.sum()} tested\n")
    print("| method | accuracy, % | gain over the text [95 %] | CPU s |\n|" + "---|" * 4)
    base = None
    for name, labels, seconds in candidates(X, links, y, known, chosen):
        right = (labels == y)[tested]
        base = right if base is None else base
        low, high = interval(right, base, np.random.default_rng(0))
        gain = "" if base is right else f"{100 * (right.mean() - base.mean()):+.1f} [{low:+.1f}, {high:+.1f}]"
        print(f"| {name} | {100 * right.mean():.1f} | {gain} | {seconds:.2f} |", flush=True)


def print_halves(X, links, y):
    print(f"\nHalf of the papers labelled: mean accuracy of {len(SEEDS)} random halves, % (smallest to largest)\n")
    print("| method | accuracy |\n|---|---|")
    rows = {}
    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(len(y))
        known, chosen, tested = (np.isin(np.arange(len(y)), part) for part in np.split(order, [1354, 1354 + 300]))
        for name, labels, _ in candidates(X, links, y, known, chosen):
            rows.setdefault(name.partition(" (")[0], []).append(100 * (labels == y)[tested].mean())
    for name, found in rows.items():
        print(f"| {name} | {np.mean(found):.1f} ({min(found):.1f} to {max(found):.1f}) |", flush=True)


def main():
    X, links, y, split = simulated() if "--row" in sys.argv else cora()
    print_split(X, links, y, split == "train", split == "val", split == "test")
    if "--row" not in sys.argv:
        print_halves(X, links, y)


if __name__ == "__main__":
    main()

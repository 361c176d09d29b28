"""Guided topics beside other implementations of topics with given words: keyATM, tomotopy, CorEx.

The same documents, words and number of topics for all, in one run: a tenth of the 20 newsgroups, and 2,000 articles of
twenty topics of Reuters (on which settings of our guide were chosen, those of no rival). Rivals have the settings of
their documentation, which were fixed before the run: keyATM (Eshima, Imai and Sasaki) with 1,500 sweeps and as many
topics without words as with them, in `pykeyatm`, a port of the R package to Python (the R package itself:
`benchmarks.context.r_peers`); tomotopy's LDA with `set_word_prior` for the words in their topic, 1,000 sweeps, with a
prior of one and with the word's own count; CorEx with anchors of strength 3. Complement naive Bayes on the words'
labels is the simple rival. Accuracy, mean and least AUC of the groups' own topics, and the share of the words among the
first ten of their topic. The sampled models have one seed, ours three; rows of a package that is not installed say so.

    pip install tomotopy corextopic pykeyatm
    python -m benchmarks.guidance.keyword_models [--row | PART OF A SET'S NAME]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.guidance.choice_sets import TWENTY, reuters
from benchmarks.guidance.newsgroups import Newsgroups, newsgroups
from benchmarks.guidance.words import complement, corex, guide_of, lda, scores
from benchmarks.measure import measure, print_table

SEEDS = range(3)
KEYATM_SWEEPS, TOMOTOPY_SWEEPS = 1500, 1000
SHARE, ARTICLES = 0.1, 2000
"""Share of the newsgroups, and number of articles of Reuters."""


def some_articles() -> Newsgroups:
    """Return articles of twenty topics of Reuters drawn at random."""
    data = reuters(TWENTY)
    rows = np.sort(np.random.default_rng(0).permutation(len(data.labels))[:ARTICLES])
    return data._replace(counts=data.counts[rows], labels=data.labels[rows])


def rows_of_words(data: Newsgroups) -> list[list[str]]:
    """Return the words of every document, repeated as often as they are used."""
    X = sp.csr_array(data.counts)
    uses = X.data.astype(np.int64)
    words = np.array(data.words, dtype=object)
    return [np.repeat(words[X.indices[a:b]], uses[a:b]).tolist() for a, b in zip(X.indptr[:-1].tolist(), X.indptr[1:])]


def by_keyatm(data: Newsgroups, seed: int) -> tuple[np.ndarray, np.ndarray]:
    import pandas as pd
    from pykeyatm import keyATM, keyATM_read

    docs = keyATM_read(pd.DataFrame(data.counts.toarray().astype(np.int32), columns=data.words))
    own = {f"group{k:02d}": [data.words[j] for j in data.columns[k]] for k in range(len(data.names))}
    options = {"seed": seed, "iterations": KEYATM_SWEEPS, "verbose": False, "use_cache": False}
    found = keyATM(docs, model="base", no_keyword_topics=len(own), keywords=own, options=options)
    shares = np.zeros((len(data.labels), 2 * len(own)))
    theta, used = np.asarray(found["theta"]), np.flatnonzero(np.diff(sp.csr_array(data.counts).indptr))
    shares[used if len(theta) == len(used) else np.arange(len(theta))] = theta
    phi = found["phi"]
    columns = {word: j for j, word in enumerate(data.words)}
    words = np.zeros((2 * len(own), len(data.words)))
    words[:, [columns[str(word)] for word in phi.columns]] = phi.to_numpy()
    return shares, words


def by_tomotopy(data: Newsgroups, seed: int, counted: bool) -> tuple[np.ndarray, np.ndarray]:
    import tomotopy

    n = len(data.names)
    model = tomotopy.LDAModel(k=2 * n, seed=seed)
    said = np.asarray(data.counts.sum(axis=0)).ravel()
    for k, own in data.columns.items():
        for j in own.tolist():
            model.set_word_prior(data.words[j], {k: float(said[j]) if counted else 1.0})
    documents = rows_of_words(data)
    added = [row for row, words in enumerate(documents) if words]
    for row in added:
        model.add_doc(documents[row])
    model.train(TOMOTOPY_SWEEPS, workers=1)
    shares = np.zeros((len(documents), 2 * n))
    for row, document in zip(added, model.docs):
        shares[row] = document.get_topic_dist()
    columns = {word: j for j, word in enumerate(data.words)}
    words = np.zeros((2 * n, len(data.words)))
    for k in range(2 * n):
        words[k, [columns[word] for word in model.used_vocabs]] = model.get_topic_word_dist(k)
    return shares, words


def guided(data: Newsgroups, seed: int, spread: bool) -> tuple[np.ndarray, np.ndarray]:
    guide = guide_of(data).spread() if spread else guide_of(data)
    model = lda(data, 2 * len(data.names), guide=guide, random_state=seed)
    shares = model.guided_shares(data.counts) if spread else model.transform(data.counts)
    return shares, model.components_


def by_complement(data: Newsgroups, seed: int) -> tuple[np.ndarray, None]:
    return complement(data, len(data.names)), None


def by_corex(data: Newsgroups, seed: int) -> tuple[np.ndarray, None]:
    return corex(data), None


Rival = Callable[[Newsgroups, int], tuple[np.ndarray, Any]]


def methods(quick: bool) -> Iterator[tuple[str, Rival, range]]:
    seeds = range(1) if quick else SEEDS
    yield "LDA, guide", lambda data, seed: guided(data, seed, False), seeds
    yield "LDA, guide with `spread`", lambda data, seed: guided(data, seed, True), seeds
    yield "complement naive Bayes on the words' labels", by_complement, range(1)
    if not quick:
        yield "keyATM (`pykeyatm`)", by_keyatm, range(1)
        yield "tomotopy, word prior 1", lambda data, seed: by_tomotopy(data, seed, False), range(1)
        yield "tomotopy, word prior its own count", lambda data, seed: by_tomotopy(data, seed, True), range(1)
        yield "CorEx, anchored", by_corex, range(1)


def top_ten(words: np.ndarray, data: Newsgroups) -> float:
    """Return the share of the given words that are among the first ten of their topic."""
    first = np.argsort(-words, axis=1)[:, :10]
    return float(np.mean([np.isin(own, first[k]).mean() for k, own in data.columns.items()]))


def rows_for(data: Newsgroups, quick: bool) -> Iterator[list[object]]:
    n = len(data.names)
    for name, method, seeds in methods(quick):
        found, first, seconds = [], [], []
        for seed in seeds:
            try:
                (shares, words), cost = measure(lambda method=method, seed=seed: method(data, seed))
            except ImportError:
                break
            found.append(scores(shares, data.labels, n))
            first.append(np.nan if words is None else top_ten(words, data))
            seconds.append(cost.cpu_seconds)
        if not found:
            yield [f"{name} (not installed)", *[""] * 5]
            continue
        accuracy, auc, least = np.mean(found, axis=0)
        ten = "" if np.isnan(first).any() else f"{np.mean(first):.2f}"
        yield [name, f"{accuracy:.3f}", f"{auc:.3f}", f"{least:.3f}", ten, f"{np.mean(seconds):.1f}"]


def main() -> None:
    warnings.simplefilter("ignore")
    quick = "--row" in sys.argv
    wanted = "newsgroups" if quick else sys.argv[1] if len(sys.argv) > 1 else ""
    if not quick:
        print(__doc__)
    sets = {"20 newsgroups": lambda: newsgroups(SHARE), "Reuters, 20 topics": some_articles}
    for name, read in sets.items():
        if wanted not in name:
            continue
        data = read()
        lda(data, 20, max_epochs=1)  # compiled code
        rows = []
        for row in rows_for(data, quick):
            rows.append(row)
            print(row, file=sys.stderr, flush=True)
        n = len(data.names)
        title = f"{name}: {len(data.labels):,} documents, {len(data.words):,} words, {n} groups, {2 * n} topics"
        heads = ["method", "accuracy", "mean AUC", "least AUC", "words in the top ten", "processor seconds"]
        print_table(title, heads, rows)


if __name__ == "__main__":
    main()

"""Speed and memory of local context coding against scikit-learn's sparse coder and dictionary learning.

Peers get the same contexts (comp.* of 20 Newsgroups, Gaussian h = 1), the same L1 price and non-negative codes. Times
are processor time.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import MiniBatchDictionaryLearning, sparse_encode
from sklearn.exceptions import ConvergenceWarning

from benchmarks.coding_20news import load, some
from benchmarks.measure import in_fresh_process, measure, print_table
from driftline.base.sequences import as_sequences
from driftline.coding.codes import Dictionary, Penalties
from driftline.coding.contexts import ContextMaker, Contexts
from driftline.coding.local_context import LocalContextSparseCoding
from driftline.engines.threads import Threads

ALPHA = 0.01
PENALTIES = Penalties(alpha=ALPHA, rho=0.0)
CONTEXTS = 20_000
ENCODED = 1000
STEPS = (5, 20, 100, 1000)
"""Sweeps the peer is given: the fewest with which it reaches our objective, within half a percent."""


def contexts_of(words: list[np.ndarray], n_words: int) -> Contexts:
    return ContextMaker("gaussian", 1.0, n_words, np.empty(0))(as_sequences(words), 1000)


def code(contexts: Contexts, topics: sp.csr_matrix) -> Any:
    with Threads(1) as engine:
        return Dictionary(topics).code(contexts, PENALTIES, engine)


def value(contexts: np.ndarray, codes: np.ndarray, topics: np.ndarray) -> float:
    """The objective of a context, ρ = 0."""
    return float((((contexts - codes @ topics) ** 2).sum(axis=1) + ALPHA * np.abs(codes).sum(axis=1)).mean())


def encode(contexts: np.ndarray, topics: np.ndarray, gram: np.ndarray, steps: int) -> np.ndarray:
    """scikit-learn minimises half the squared error, so its price is half of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return sparse_encode(
            contexts,
            topics,
            gram=gram,
            algorithm="lasso_cd",
            alpha=ALPHA / 2,
            positive=True,
            max_iter=steps,
            check_input=False,
        )


def fit(words: list[np.ndarray], n_words: int, n_topics: int) -> LocalContextSparseCoding:
    model = LocalContextSparseCoding(
        n_topics,
        alpha=ALPHA,
        rho=0.0,
        learning="mini-batch",
        max_positions=1000,
        n_words=n_words,
        random_state=0,
        n_jobs=1,
    )
    return model.fit(words)


def fit_at_work(words: list[np.ndarray], n_words: int, n_topics: int) -> float:
    return float(fit(words, n_words, n_topics).objectives_[-1])


def coding(words: list[np.ndarray], n_words: int) -> None:
    contexts = contexts_of(words, n_words)
    dense = contexts.matrix[:ENCODED].toarray()
    few = contexts_of(words[:3], n_words)
    rows = []
    for n_topics in (200, 1000, 4000):
        topics = fit(words[:800], n_words, n_topics).topics_
        code(few, topics)
        ours, taken = measure(lambda t=topics: code(contexts, t))
        ours_time = 1e6 * taken.cpu_seconds / contexts.matrix.shape[0]
        n = ENCODED if n_topics < 4000 else ENCODED // 10
        full = topics.toarray()
        gram = full @ full.T  # made once for all contexts, so its time is not counted
        mine = value(dense[:n], ours.matrix[:n].toarray(), full)
        for steps in STEPS:
            codes, peer = measure(lambda steps=steps, given=(dense[:n], full, gram): encode(*given, steps))
            theirs = value(dense[:n], codes, full)
            if theirs <= 1.005 * mine:
                break
        peer_time = 1e6 * peer.cpu_seconds / n
        rows.append([n_topics, ours_time, peer_time, steps, peer_time / ours_time, mine, theirs])
    print_table(
        "Coding with the same topics, one thread",
        ["K", "ours, µs a context", "sparse_encode, µs", "its sweeps", "ratio", "our objective", "its objective"],
        rows,
    )


def learn(peer: Any, contexts: np.ndarray, rng: np.random.Generator, steps: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(steps):
            peer.partial_fit(contexts[rng.integers(0, len(contexts), 256)])


def learning(words: list[np.ndarray], n_words: int) -> None:
    """Ours on documents of about `CONTEXTS` contexts; the peer on the same, until it is as good or out of steps."""
    enough = int(np.searchsorted(np.cumsum([min(len(document), 1000) for document in words]), CONTEXTS)) + 1
    part = words[:enough]
    contexts = contexts_of(part, n_words)
    dense = contexts.matrix.toarray()
    sample = np.random.default_rng(0).permutation(len(dense))[:1000]
    some_contexts = Contexts(
        contexts.matrix[sample], np.array([0, len(sample)]), np.arange(len(sample)), np.ones(len(sample))
    )
    rows = []
    for n_topics, most_checks in ((200, 15), (1000, 5)):
        fit(part[:20], n_words, n_topics)
        model, taken = measure(lambda n=n_topics: fit(part, n_words, n))
        own = model.topics_.toarray()
        mine = value(dense[sample], code(some_contexts, model.topics_).matrix.toarray(), own)
        peer = MiniBatchDictionaryLearning(
            n_topics,
            alpha=ALPHA / 2,
            batch_size=256,
            max_iter=1,
            fit_algorithm="cd",
            positive_code=True,
            positive_dict=True,
            random_state=0,
            transform_max_iter=20,
            tol=0,
            max_no_improvement=None,
        )
        rng = np.random.default_rng(0)
        spent, theirs = 0.0, np.inf
        for _ in range(most_checks):
            spent += measure(lambda peer=peer, rng=rng: learn(peer, dense, rng, 4))[1].cpu_seconds
            # Its topics have unit length; on the simplex the same price means the same.
            scaled = sp.csr_matrix(peer.components_ / np.maximum(peer.components_.sum(axis=1, keepdims=True), 1e-12))
            theirs = value(dense[sample], code(some_contexts, scaled).matrix.toarray(), scaled.toarray())
            if theirs <= mine:
                break
        rows.append([n_topics, taken.cpu_seconds, mine, spent, theirs, spent / taken.cpu_seconds])
    print_table(
        f"Learning from the same {len(dense):,} contexts, one thread; its topics scaled to unit sum for the objective",
        ["K", "ours, s", "our objective", "MiniBatchDictionaryLearning, s", "its objective", "its time / ours"],
        rows,
    )


def large(n_topics: int) -> None:
    news = load("", 20)
    words = some(news.words, news.train)
    _, taken = in_fresh_process(fit_at_work, words, len(news.vocabulary), n_topics)
    print_table(
        f"All 20 groups, V = {len(news.vocabulary)}, {len(words):,} documents, two passes, one thread",
        ["K", "processor seconds", "peak memory, MiB"],
        [[n_topics, taken.cpu_seconds, taken.peak_mib]],
    )


def main() -> None:
    large(4000)  # first: a new process inherits the peak memory of the one that starts it
    news = load("comp.", 10)
    words = some(news.words, news.train)
    coding(words, len(news.vocabulary))
    learning(words, len(news.vocabulary))


if __name__ == "__main__":
    main()

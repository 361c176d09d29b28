"""Speed and memory of local context coding against scikit-learn's sparse coder and dictionary learning, and SPAMS.

Peers get the same contexts (comp.* of 20 Newsgroups, Gaussian h = 1), the same L1 penalty and non-negative codes. Times
are processor time of one thread. SPAMS is compared if it is installed (extra ``bench``). Names of parts (coding,
learning, large, growth) run only these.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import MiniBatchDictionaryLearning, sparse_encode
from sklearn.exceptions import ConvergenceWarning

from benchmarks.coding.newsgroups import News, load, some
from benchmarks.measure import in_fresh_process, measure, print_table
from driftline.base.sequence_input import as_sequences
from driftline.coding.codes import Dictionary, Penalties
from driftline.coding.local_context import LocalContextSparseCoding
from driftline.coding.local_contexts import ContextMaker, Contexts
from driftline.engines.threads import Threads

ALPHA = 0.01
PENALTIES = Penalties(alpha=ALPHA, rho=0.0)
ENCODED = {200: 10_000, 1000: 10_000, 4000: 2_000}
"""Number of topics → number of contexts that every method codes."""
SWEEPS = (5, 20, 100, 1000)
"""Numbers of sweeps; the peer gets the fewest that bring it within half a percent of our objective."""
LEARNED = {200: 30.0, 1000: 100.0, 2000: 100.0}
"""Number of topics → the most seconds that the peer may learn."""
HELD_OUT = 1000
BATCH = 256
DOCUMENTS = 300


class Point(NamedTuple):
    """After so much time, the mean objective of held-out contexts: topics of unit sum, and of unit length."""

    seconds: float
    of_sum: float
    of_length: float


def model_of(n_topics: int, n_words: int) -> LocalContextSparseCoding:
    return LocalContextSparseCoding(
        n_topics,
        alpha=ALPHA,
        rho=0.0,
        learning="mini-batch",
        max_positions=1000,
        batch_size=DOCUMENTS,
        n_words=n_words,
        random_state=0,
        n_jobs=1,
    )


def contexts_of(words: list[np.ndarray], n_words: int) -> Contexts:
    return ContextMaker("gaussian", 1.0, n_words, np.empty(0))(as_sequences(words), 1000)


def sample(contexts: Contexts, n: int, seed: int = 0) -> Contexts:
    """Return some of the contexts, as if they were one document (ρ = 0: it makes no difference)."""
    rows = np.random.default_rng(seed).permutation(contexts.matrix.shape[0])[:n]
    return Contexts(contexts.matrix[rows], np.array([0, len(rows)]), np.arange(len(rows)), np.ones(len(rows)))


def value(contexts: sp.csr_matrix, codes: sp.csr_matrix, topics: sp.csr_matrix) -> float:
    """Return the mean objective of a context, ρ = 0."""
    rest = sp.csr_matrix(contexts - codes @ topics)
    return float((rest.multiply(rest).sum() + ALPHA * abs(codes).sum()) / contexts.shape[0])


def encode(contexts: np.ndarray, topics: np.ndarray, gram: np.ndarray, sweeps: int) -> np.ndarray:
    """scikit-learn minimises half the squared error, so its penalty is half of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return sparse_encode(
            contexts,
            topics,
            gram=gram,
            algorithm="lasso_cd",
            alpha=ALPHA / 2,
            positive=True,
            max_iter=sweeps,
            check_input=False,
        )


def by_spams(contexts: np.ndarray, topics: np.ndarray) -> Any:
    """Return a function that codes with SPAMS, or None if SPAMS is not installed."""
    try:
        import spams
    except ImportError:
        return None
    columns, atoms = np.asfortranarray(contexts.T), np.asfortranarray(topics.T)
    return lambda: spams.lasso(columns, atoms, lambda1=ALPHA / 2, mode=2, pos=True, numThreads=1)


def coding(news: News) -> None:
    words, n_words = some(news.words, news.train), len(news.vocabulary)
    every = contexts_of(words, n_words)
    rows = []
    for n_topics, n in ENCODED.items():
        topics = model_of(n_topics, n_words).fit(words[:800]).topics_
        contexts = sample(every, n)
        ready = Dictionary(topics)  # like the peer's Gram matrix, made once for all contexts: its time is not counted
        with Threads(1) as engine:
            codes, taken = measure(lambda r=ready, c=contexts, e=engine: r.code(c, PENALTIES, e), repeat=10)
        ours, mine = 1e6 * taken.cpu_seconds / n, value(contexts.matrix, codes.matrix, topics)
        dense, full = contexts.matrix.toarray(), topics.toarray()
        gram = full @ full.T
        for sweeps in SWEEPS:
            found, peer = measure(lambda d=dense, f=full, g=gram, s=sweeps: encode(d, f, g, s))
            theirs = value(contexts.matrix, sp.csr_matrix(found), topics)
            if theirs <= 1.005 * mine:
                break
        time = 1e6 * peer.cpu_seconds / n
        rows.append([n_topics, n, f"sparse_encode, {sweeps} sweeps", ours, time, time / ours, mine, theirs])
        work = by_spams(dense, full)
        if work is not None:
            found, peer = measure(work)
            time, theirs = 1e6 * peer.cpu_seconds / n, value(contexts.matrix, sp.csr_matrix(found.T), topics)
            rows.append([n_topics, n, "SPAMS lasso", ours, time, time / ours, mine, theirs])
    print_table(
        "Coding the same contexts with the same topics; processor microseconds per context",
        ["K", "contexts", "peer", "ours, µs", "peer, µs", "ratio", "our objective", "its objective"],
        rows,
    )


def scored(seconds: float, topics: Any, held_out: Contexts) -> Point:
    """Code the held-out contexts as well as can be under the topics, scaled to unit sum and to unit length."""
    topics = sp.csr_matrix(topics)
    found = []
    for sizes in (topics.sum(axis=1), np.sqrt(topics.multiply(topics).sum(axis=1))):
        scaled = sp.csr_matrix(sp.diags(1 / np.maximum(np.asarray(sizes).ravel(), 1e-12)) @ topics)
        with Threads(1) as engine:
            codes = Dictionary(scaled).code(held_out, PENALTIES._replace(tol=1e-8), engine)
        found.append(value(held_out.matrix, codes.matrix, scaled))
    return Point(seconds, *found)


def our_curve(words: list[np.ndarray], n_words: int, n_topics: int, held_out: Contexts) -> Iterator[Point]:
    """Learn two passes over the documents, batch by batch."""
    model = model_of(n_topics, n_words)
    rng = np.random.default_rng(0)
    spent = 0.0
    for rows in [part for _ in range(2) for part in np.array_split(rng.permutation(len(words)), 10)]:
        batch = [words[row] for row in rows]
        spent += measure(lambda b=batch: model.partial_fit(b))[1].cpu_seconds
        yield scored(spent, model.topics_, held_out)


def peer_curve(contexts: sp.csr_matrix, n_topics: int, held_out: Contexts) -> Iterator[Point]:
    """Learn from random batches of the same contexts until time is up; first topics are random contexts."""
    rng = np.random.default_rng(0)
    peer = MiniBatchDictionaryLearning(
        n_topics,
        alpha=ALPHA / 2,
        batch_size=BATCH,
        max_iter=1,
        fit_algorithm="cd",
        dict_init=contexts[rng.integers(0, contexts.shape[0], n_topics)].toarray(),
        positive_code=True,
        positive_dict=True,
        random_state=0,
        transform_max_iter=20,
    )
    spent, asked = 0.0, 1.0
    while spent < LEARNED[n_topics]:
        batch = contexts[rng.integers(0, contexts.shape[0], BATCH)].toarray()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            spent += measure(lambda b=batch: peer.partial_fit(b))[1].cpu_seconds
        if spent >= asked:
            yield scored(spent, peer.components_, held_out)
            asked = 1.5 * spent
    yield scored(spent, peer.components_, held_out)


def reached(curve: list[Point], what: str, wanted: float) -> float:
    """Return the time after which the objective is at most `wanted`, between two points that were measured.

    Before the first point nothing is known: its time is taken. Infinity if the objective is never reached.
    """
    before = None
    for point in curve:
        now = getattr(point, what)
        if now <= wanted:
            if before is None:
                return point.seconds
            part = (getattr(before, what) - wanted) / (getattr(before, what) - now)
            return float(before.seconds * (point.seconds / before.seconds) ** part)
        before = point
    return np.inf


def learning(news: News) -> None:
    words, n_words = some(news.words, news.train), len(news.vocabulary)
    held_out = sample(contexts_of(some(news.words, ~news.train)[:400], n_words), HELD_OUT)
    contexts = contexts_of(words, n_words).matrix
    rows = []
    for n_topics in LEARNED:
        model_of(n_topics, n_words).fit(words[:20])  # compile before timing
        ours = list(our_curve(words, n_words, n_topics, held_out))
        theirs = list(peer_curve(contexts, n_topics, held_out))
        for name, curve in (("ours", ours), ("MiniBatchDictionaryLearning", theirs)):
            shown = [curve[i] for i in np.unique(np.linspace(0, len(curve) - 1, 8).astype(int))]
            print_table(
                f"K = {n_topics}: {name} on {HELD_OUT} held-out contexts",
                ["seconds", "objective, topics of unit sum", "of unit length"],
                [list(point) for point in shown],
            )
        for what, label in (("of_sum", "unit sum"), ("of_length", "unit length")):
            best, its_best = (min(getattr(point, what) for point in curve) for curve in (ours, theirs))
            wanted = max(best, its_best)
            mine, its = reached(ours, what, wanted), reached(theirs, what, wanted)
            rows.append([n_topics, label, best, its_best, wanted, mine, its, its / mine])
    print_table(
        f"Learning from the same {contexts.shape[0]:,} contexts: processor seconds to the same held-out objective",
        ["K", "topics of", "our best", "its best", "both reach", "ours, s", "MiniBatchDictionaryLearning, s", "ratio"],
        rows,
    )


def fit_at_work(words: list[np.ndarray], n_words: int, n_topics: int) -> tuple[float, float]:
    """Learn, and return processor and wall time without what the first use of compiled code takes."""
    model_of(n_topics, n_words).fit(words[:20])
    _, taken = measure(lambda: model_of(n_topics, n_words).fit(words))
    return taken.cpu_seconds, taken.wall_seconds


def large(_: News) -> None:
    rows = []
    for n_topics, min_df in ((4000, 20), (8000, 3)):
        news = load("", min_df)
        words = some(news.words, news.train)
        (cpu, wall), taken = in_fresh_process(fit_at_work, words, len(news.vocabulary), n_topics)
        rows.append([n_topics, len(news.vocabulary), len(words), cpu, wall, taken.peak_mib])
    print_table(
        "All 20 groups, two passes, one thread; memory is what learning adds to the documents",
        ["K", "V", "documents", "processor seconds", "wall seconds", "peak memory, MiB"],
        rows,
    )


def growth(_: News) -> None:
    news = load("", 20)
    words = some(news.words, news.train)
    order = np.random.default_rng(0).permutation(len(words))
    sizes = [(1000, 1.0), (2000, 1.0), (4000, 0.25), (4000, 0.5), (4000, 1.0)]
    rows = []
    for n_topics, part in sizes:
        chosen = [words[i] for i in order[: int(part * len(words))]]
        (cpu, _), taken = in_fresh_process(fit_at_work, chosen, len(news.vocabulary), n_topics)
        rows.append([n_topics, len(chosen), sum(min(len(w), 1000) for w in chosen), cpu, taken.peak_mib])
    print_table(
        f"Growth on all 20 groups, V = {len(news.vocabulary)}, two passes, one thread",
        ["K", "documents", "contexts", "processor seconds", "peak memory, MiB"],
        rows,
    )


PARTS = {"large": large, "learning": learning, "coding": coding, "growth": growth}


def main(arguments: list[str] | None = None) -> None:
    arguments = sys.argv[1:] if arguments is None else arguments
    news = load("comp.", 10)
    for part in [part for part in PARTS if part in arguments] or PARTS:
        PARTS[part](news)


if __name__ == "__main__":
    main()

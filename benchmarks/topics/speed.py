"""LDA against tomotopy, gensim, scikit-learn and river: processor time to the same held-out score.

All learn from the same documents, all there are, with the same priors (alpha = 5/K, beta = 0.01) on one thread, and are
scored by one evaluator: document completion on 1,000 held-out documents. Processor time counts learning only, for
everyone. Nothing was tuned on the held-out documents: our settings were chosen on other documents, held out from those
that are learnt from here (see `benchmarks/topics/start.py`).

    python -m benchmarks.topics.speed [iterations of tomotopy [numbers of topics …]]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp

from benchmarks.measure import measure, real_data
from driftline.engines.threads import Threads
from driftline.evaluation.perplexity import document_completion
from driftline.inference.lda_online import OnlineProblem, online_method
from driftline.inference.learned_priors import NONE_LEARNED
from driftline.inference.pairs import Pairs
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.inference.topic_counts import SPREADS, TopicCounts, nearly_even, spread_of
from driftline.streams.corpus import Corpus
from driftline.topics import LDA

DATA = ("gitlog_2003_2008", "reuters21578", "20news_bydate")
HELD_OUT = 1000
BETA = 0.01
SAMPLES = 5
EPOCHS, SCORED = 30, (*range(1, 13), 16, 20, 30)
SWEEPS = {"max_epochs": 10, "burn_in": 20, "n_samples": 100}
OTHERS_SECONDS = 8.0


def counts_of(name, n_documents=None):
    """Return training and held-out counts; words that the training documents lack are dropped from both."""
    table = pq.read_table(real_data(name), columns=["text"])
    corpus = Corpus.from_texts(table["text"], min_df=5, max_df=0.5, keep_texts=False)
    X = corpus.counts[np.asarray(corpus.counts.sum(axis=1)).ravel() >= 5]
    order = np.random.default_rng(0).permutation(X.shape[0])
    held_out, train = X[order[:HELD_OUT]], X[order[HELD_OUT:][:n_documents]]
    said = np.asarray(train.sum(axis=0)).ravel() > 0
    return sp.csr_matrix(train[:, said]), sp.csr_matrix(held_out[:, said])


def nats(components, held_out):
    return document_completion(components, held_out, doc_topic_prior=5 / len(components)).nats_per_word


class Clock:
    """Processor time of learning, with the scores left out."""

    def __init__(self):
        self.seconds, self._since = 0.0, time.process_time()

    def stop(self):
        self.seconds += time.process_time() - self._since

    def go(self):
        self._since = time.process_time()


def tomotopy_curve(train, held_out, n_topics, iterations):
    """Return (seconds, score) along the way, and the score of the average of the last samples."""
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, alpha=5 / n_topics, eta=BETA, seed=1)
    for row in train:
        model.add_doc([str(w) for w in np.repeat(row.indices, row.data.astype(int))])
    model.train(0, workers=1)
    model.optim_interval = 0
    columns = np.array([int(word) for word in model.used_vocabs])
    curve, average = [], 0.0
    clock = Clock()
    for step in range(10):
        clock.go()
        model.train(iterations // 10, workers=1)
        clock.stop()
        components = np.full((n_topics, train.shape[1]), 1e-9)
        for k in range(n_topics):
            components[k, columns] = model.get_topic_word_dist(k)
        if step >= 10 - SAMPLES:
            average = average + components / SAMPLES
        curve.append((clock.seconds, nats(components, held_out)))
    return curve, nats(average, held_out)


def our_curve(train, held_out, n_topics, epochs=EPOCHS, seed=0, spread=None):
    """Return (seconds, score) of the online method after some of the epochs."""
    rng = np.random.default_rng(seed)
    spread = spread_of(n_topics, SPREADS) if spread is None else spread
    clock = Clock()
    start = nearly_even(np.asarray(train.sum(axis=0)).ravel(), n_topics, rng, spread)
    topics = TopicCounts.starting(start, np.full(n_topics, 5 / n_topics), BETA)
    curve, done = [], 0

    def look(_, state):
        nonlocal done
        clock.stop()
        done += 1
        if done in SCORED:
            shares = state.factors.topics.values[:, :n_topics].T + BETA
            curve.append((clock.seconds, nats(shares / shares.sum(axis=1, keepdims=True), held_out)))
        clock.go()
        return state

    problem = OnlineProblem(Pairs.of(train), topics.state(), n_topics, {})
    with Threads(1) as engine:
        run(online_method(engine, NONE_LEARNED), problem, stop=Stop(epochs), keep=Keep(fold=look), rng=rng)
    return curve


def our_samples(train, held_out, n_topics):
    """Return seconds and score of the sampler that goes on from the online method, its samples averaged."""
    model = LDA(n_topics, inference="gibbs", topic_word_prior=BETA, n_jobs=1, random_state=0, **SWEEPS)
    _, taken = measure(lambda: model.fit(train))
    return taken.cpu_seconds, nats(model.components_, held_out)


def sklearn_curve(train, held_out, n_topics, seconds):
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        n_topics,
        doc_topic_prior=5 / n_topics,
        topic_word_prior=BETA,
        learning_method="online",
        batch_size=256,
        total_samples=train.shape[0],
        random_state=0,
    )
    clock = Clock()
    while clock.seconds < seconds:
        for start in range(0, train.shape[0], 256):
            clock.go()
            model.partial_fit(train[start : start + 256])
            clock.stop()
            if clock.seconds > seconds:
                break
    return clock.seconds, nats(model.components_ / model.components_.sum(axis=1, keepdims=True), held_out)


def gensim_curve(train, held_out, n_topics, seconds):
    from gensim.models import LdaModel

    documents = [list(zip(row.indices.tolist(), row.data.astype(int).tolist())) for row in train]
    names = {i: str(i) for i in range(train.shape[1])}
    model = LdaModel(
        id2word=names, num_topics=n_topics, alpha=[5 / n_topics] * n_topics, eta=BETA, random_state=0, chunksize=1000
    )
    clock = Clock()
    while clock.seconds < seconds:
        for start in range(0, len(documents), 1000):
            clock.go()
            model.update(documents[start : start + 1000])
            clock.stop()
            if clock.seconds > seconds:
                break
    return clock.seconds, nats(model.get_topics().astype(np.float64) + 1e-9, held_out)


def river_curve(train, held_out, n_topics, seconds):
    from river import preprocessing

    model = preprocessing.LDA(
        n_components=n_topics,
        number_of_documents=train.shape[0],
        alpha_theta=5 / n_topics,
        maximum_size_vocabulary=train.shape[1],
        seed=0,
    )
    clock = Clock()
    for row in train:
        document = {str(word): int(count) for word, count in zip(row.indices, row.data)}
        clock.go()
        model.learn_one(document)
        clock.stop()
        if clock.seconds > seconds:
            break
    weights, _ = model._compute_weights(n_components=n_topics, nu_1=model.nu_1, nu_2=model.nu_2)
    components = np.full((n_topics, train.shape[1]), 1e-6)
    known = {int(word): index for word, index in model.word_to_index.items() if index < len(weights[0])}
    for k in range(n_topics):
        components[k, list(known)] += weights[k][list(known.values())]
    return clock.seconds, nats(components, held_out)


def first_at(curve, score):
    """Return the time at which a curve first reaches a score, or None."""
    return next((seconds for seconds, reached in curve if reached <= score), None)


def compared(name, train, held_out, n_topics, iterations):
    """Return the row of one data set and number of topics."""
    peer, averaged = tomotopy_curve(train, held_out, n_topics, iterations)
    end_seconds, end_score = peer[-1]
    ours = our_curve(train, held_out, n_topics)
    reached = first_at(ours, end_score)
    seconds = min(end_seconds, OTHERS_SECONDS)
    others = [curve(train, held_out, n_topics, seconds) for curve in (gensim_curve, sklearn_curve, river_curve)]
    results = [ours[-1], our_samples(train, held_out, n_topics), *others]
    return [
        name,
        f"{train.shape[0]:,}",
        f"{train.sum():,.0f}",
        n_topics,
        f"{end_seconds:.1f} s → {end_score:.3f}",
        f"{averaged:.3f}",
        "–" if reached is None else f"{reached:.2f} s",
        "–" if reached is None else f"{end_seconds / reached:.1f}×",
        *(f"{seconds:.1f} s → {score:.3f}" for seconds, score in results[:1]),
        f"{end_seconds / ours[-1][0]:.1f}×",
        *(f"{seconds:.1f} s → {score:.3f}" for seconds, score in results[1:]),
    ]


def main():
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    sizes = [int(size) for size in sys.argv[2:]] or [50, 200, 1000]
    small = counts_of("abc_headlines_2003", 500)
    our_curve(*small, 16, 2)  # compile
    our_samples(*small, 16)
    samples = f"ours, {SWEEPS['burn_in']} + {SWEEPS['n_samples']} sweeps"
    headings = ["data", "documents", "words", "K", "tomotopy", f"mean of {SAMPLES} samples", "ours to its score"]
    headings += ["ratio", f"ours, {EPOCHS} epochs (the default)", "ratio", samples, "gensim", "scikit-learn", "river"]
    print(f"Processor seconds → held-out nats per word; {iterations} iterations of tomotopy, one thread.\n")
    print("| " + " | ".join(headings) + " |\n|" + "---|" * len(headings), flush=True)
    for name in DATA:
        train, held_out = counts_of(name)
        for n_topics in sizes:
            row = compared(name, train, held_out, n_topics, iterations)
            print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()

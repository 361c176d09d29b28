"""LDA against tomotopy, gensim and scikit-learn: processor time to the same held-out score.

All learn from the same documents with the same priors (alpha = 5/K, beta = 0.01) on one thread, and are scored by one
evaluator (document completion on 1,000 held-out documents that nothing was tuned on). Processor time counts learning
only, for everyone.

    python -m benchmarks.topics_speed [documents per data set] [iterations of tomotopy]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp

from benchmarks.measure import print_table, real_data
from driftline.engines.threads import Threads
from driftline.evaluation.perplexity import document_completion
from driftline.inference.variational_completion import Pairs
from driftline.streams.corpus import Corpus
from driftline.topics.online import OnlineLearner
from driftline.topics.topic_counts import TopicCounts

HELD_OUT = 1000
BETA = 0.01
SAMPLES = 5


def counts_of(name, n_documents):
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


def our_curve(train, held_out, n_topics, epochs):
    """Return (seconds, score) after every epoch."""
    rng = np.random.default_rng(0)
    clock = Clock()
    said = np.asarray(train.sum(axis=0)).ravel()
    start = rng.gamma(100.0, 0.01, (train.shape[1], n_topics)) * (said / n_topics)[:, None]
    topics = TopicCounts.starting(start, np.full(n_topics, 5 / n_topics), BETA)
    curve, done = [], [0]

    def after_epoch():
        clock.stop()
        done[0] += 1
        if done[0] > 25 and done[0] not in (30, epochs):
            clock.go()
            return False
        shares = topics.values[:, :n_topics].T + BETA
        curve.append((clock.seconds, nats(shares / shares.sum(axis=1, keepdims=True), held_out)))
        clock.go()
        return False

    with Threads(1) as engine:
        OnlineLearner(topics, engine).fit(Pairs.of(train), epochs, rng, after_epoch=after_epoch)
    return curve


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


def first_at(curve, score):
    """Return the time at which a curve first reaches a score, or None."""
    return next((seconds for seconds, reached in curve if reached <= score), None)


def main():
    n_documents = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    iterations = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rows = []
    our_curve(*counts_of("abc_headlines_2003", 500), 16, 2)  # compile
    for name in ("20news_bydate", "reuters21578", "gitlog_2003_2008"):
        train, held_out = counts_of(name, n_documents)
        for n_topics in (50, 200, 1000):
            peer, averaged = tomotopy_curve(train, held_out, n_topics, iterations)
            ours = our_curve(train, held_out, n_topics, 45)
            end_seconds, end_score = peer[-1]
            reached = first_at(ours, end_score)
            budget = min(end_seconds, 10.0)
            others = [curve(train, held_out, n_topics, budget) for curve in (gensim_curve, sklearn_curve)]
            rows.append(
                [
                    name,
                    f"{train.sum():,.0f}",
                    n_topics,
                    f"{end_seconds:.1f} s → {end_score:.3f}",
                    f"{averaged:.3f}",
                    "–" if reached is None else f"{reached:.2f} s",
                    "–" if reached is None else f"{end_seconds / reached:.1f}×",
                    f"{ours[-2][0]:.1f} s → {ours[-2][1]:.3f}",
                    f"{ours[-1][0]:.1f} s → {ours[-1][1]:.3f}",
                    *(f"{seconds:.0f} s → {score:.3f}" for seconds, score in others),
                ]
            )
            print(rows[-1], file=sys.stderr, flush=True)
    headings = ["data", "words", "K", "tomotopy", "averaged", "ours to its score", "ratio", "ours, 30 epochs"]
    headings += ["45 epochs", "gensim", "scikit-learn"]
    print(f"{iterations} iterations of tomotopy, at most {n_documents} documents of each data set.")
    print_table("Processor seconds → held-out nats per word", headings, rows)


if __name__ == "__main__":
    main()

"""What keeps LDA on many documents from the score of the true topics? A small problem, on one thread.

    python -m benchmarks.topics.gpu_schedule FOLDER [truth] [start[:SHARE]] [real] [merged[:SHARE]] [text]

reads the counts that `benchmarks.topics.gpu prepare` writes. Documents are drawn from 64 topics of the 1,000 most
frequent words of real text, with as many tokens per word and topic as 10⁹ tokens have with 256 topics and 33,104 words
(117), and with fewer. All scores are held-out nats per word above that of the true topics; all passes are over all
documents, variational (`compute/cpu/lda_epochs.py`) or sampled (`compute/cpu/lda_sampled.py`).

`truth` starts at the true topics: what is lost there is not due to the start. `start` begins as `LDA` does, with more
topics than requested, learned from a sample, a share of the documents. `real` learns from real text, whose documents
follow no known topics, with few words and topics, so that there are as many tokens per word and topic. A true topic is
found if a learned one has a cosine above 0.8 with it.

`merged` says how many true topics each way of starting finds: the largest of twice as many, or the most alike merged
(`driftline.topics.alike_topics`), and then a surplus learned from all documents and merged
(`driftline.topics.surplus_topics`). `text` compares the first and the last way on real text.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

from benchmarks.topics.drawn_documents import MEAN_LENGTH, distribution, drawn_block
from benchmarks.topics.gpu import head, joined, n_found, prepared, row
from benchmarks.topics.speed import BETA, DATA
from driftline.compute.cpu import lda_epochs, lda_memory, lda_sampled
from driftline.engines.threads import Threads
from driftline.inference.document_completion import KnownTopics, completion
from driftline.inference.lda_online import OnlineProblem
from driftline.inference.learned_priors import NONE_LEARNED
from driftline.inference.pairs import Pairs
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.inference.topic_counts import TopicCounts
from driftline.topics import LDA, alike_topics, surplus_topics, wide_start
from driftline.topics.lda_epochs import epochs_method
from driftline.topics.wide_start import begin_with_many, words_of

N_TOPICS, N_WORDS, N_PARTS = 64, 1000, 30
PER_NUMBER = (12, 30, 117)
"""Tokens per word and topic."""
SAMPLED_SHARE = 0.3
"""Share of the documents from which the start is learned: about 300 documents per topic."""
AFTER = (5, 10, 20, 40)
REAL = ((1000, 20), (1000, 60))
"""Numbers of words and topics of real text."""
SEEDS = 3


class Learning(NamedTuple):
    """The counts of words × topics and of the documents of every part, both changed by passes."""

    parts: list[Pairs]
    sums: lda_epochs.Sums
    documents: list[np.ndarray]
    n_topics: int
    n_words: int

    def components(self):
        counts = self.sums.values.reshape(self.n_words, -1)[:, : self.n_topics].T + BETA
        return counts / counts.sum(axis=1, keepdims=True)

    def copy(self):
        sums = lda_epochs.Sums(self.sums.values.copy(), self.sums.moved.copy())
        return self._replace(sums=sums, documents=[counts.copy() for counts in self.documents])

    def learn(self, kind, n_warm=0, seed=0):
        """Do one pass."""
        k, none = self.n_topics, (np.zeros(0, np.int64), np.zeros((0, lda_memory.padded(self.n_topics))))
        shares = lda_epochs.word_shares(self.sums, self.n_words, k, BETA)
        alpha = lda_epochs.prior_of(np.full(k, 5 / k), k)
        lda_epochs.forget(self.sums, 0.0, *none)
        for i, (counts, part) in enumerate(zip(self.documents, self.parts)):
            fixed = (counts, *part, shares, alpha, self.sums, k, 0)
            if kind == "sampled":
                lda_sampled.sample_documents(*fixed, 1.0, 1000 * seed + i)
            else:
                lda_epochs.learn_documents(*fixed, n_warm, 1.0, 0, 1)


def begun(parts, counts, documents=None):
    n_words, n_topics = counts.shape
    sums = lda_epochs.sums_of(counts, n_words, n_topics, 1.0, True)
    documents = documents or [lda_epochs.begin_documents(part.n_documents, n_topics) for part in parts]
    return Learning(parts, sums, documents, n_topics, n_words)


def frequent(folder, n_words):
    """Return training and held-out counts of the most frequent words of real text."""
    train, held_out = prepared(folder, DATA[-1])
    chosen = np.sort(np.argsort(-np.asarray(train.sum(axis=0)).ravel(), kind="stable")[:n_words])
    return sp.csr_matrix(train[:, chosen]), sp.csr_matrix(held_out[:, chosen])


def true_topics(folder):
    truth = LDA(N_TOPICS, max_epochs=30, random_state=0).fit(frequent(folder, N_WORDS)[0]).components_
    return truth / truth.sum(axis=1, keepdims=True)


def nats(components, held_out):
    with Threads(1) as engine:
        likelihood, words = completion(KnownTopics.of(components, 5 / len(components)), held_out, engine)
    return -likelihood.sum() / words.sum()


class Drawn:
    """Documents drawn from the true topics."""

    def __init__(self, truth, per_number):
        known = distribution(truth)
        n = int(per_number * truth.size / MEAN_LENGTH) // N_PARTS
        self.truth, self.parts = truth, [drawn_block(known, n, i) for i in range(N_PARTS)]
        held = drawn_block(known, 2000, 10**6)
        self.held_out = sp.csr_matrix((held.counts.astype(np.float64), held.words, held.indptr), (2000, N_WORDS))
        self.best = nats(truth, self.held_out)
        self.said = sum(words_of(part, N_WORDS) for part in self.parts)

    def above(self, components):
        return f"{nats(components, self.held_out) - self.best:+.4f}"


def after_passes(learning, kind, look):
    """Return what `look` says of the topics after some passes, and the processor seconds of a pass."""
    found, spent = [], 0.0
    for number in range(1, AFTER[-1] + 1):
        begin = time.process_time()
        learning.learn(kind, seed=number)
        spent += time.process_time() - begin
        if number in AFTER:
            found.append(look(learning.components()))
    return (*found, f"{spent / AFTER[-1]:.2f}")


def truth(folder):
    head(
        f"Start at the {N_TOPICS} true topics, {N_WORDS:,} words; {AFTER[-1]} variational passes, and as many more.",
        *("tokens per word and topic", "passes", "before", *(f"after {n}" for n in AFTER), "CPU s per pass"),
    )
    topics = true_topics(folder)
    for per_number in PER_NUMBER:
        drawn = Drawn(topics, per_number)
        learning = begun(drawn.parts, (topics / topics.sum(axis=0) * drawn.said).T)
        before = drawn.above(learning.components())
        learning.learn("variational", n_warm=20)
        row(per_number, "variational", before, *after_passes(learning, "variational", drawn.above))
        for kind in ("variational", "sampled"):
            more = learning.copy()
            row(per_number, f"then {kind}", drawn.above(more.components()), *after_passes(more, kind, drawn.above))


def start(folder, share=SAMPLED_SHARE):
    topics = true_topics(folder)
    drawn = Drawn(topics, PER_NUMBER[-1])
    head(
        f"{PER_NUMBER[-1]} tokens per word and topic; start with {float(share)} of the documents, then passes.",
        *("passes", "before, and true topics found", *(f"after {n}" for n in AFTER), "CPU s per pass"),
    )
    learning = stepped(drawn.parts, N_WORDS, N_TOPICS, float(share))

    def look(components):
        return f"{drawn.above(components)}, {n_found(components, topics)}"

    for kind in ("variational", "sampled"):
        more = learning.copy()
        row(kind, look(more.components()), *after_passes(more, kind, look))


def started(parts, n_words, n_topics, sampled, seed=0):
    """Return the topics that `LDA` begins with, and the schedule of what follows."""
    rng, sample = np.random.default_rng(seed), joined(parts, sampled * sum(len(p.words) for p in parts))
    even = np.ones((n_words, n_topics), dtype=np.float32)
    counts = TopicCounts.starting(even, np.full(n_topics, 5 / n_topics), BETA)
    share = float(sample.counts.sum() / sum(part.counts.sum(dtype=np.float64) for part in parts))
    with Threads(1) as engine:
        schedule = begin_with_many(counts, sample, engine, rng, share=share, parts=parts, deterministic=True)
    counts.scale = 1.0 / share
    return counts, schedule


def stepped(parts, n_words, n_topics, sampled, seed=0):
    """Return what is learned when the steps end."""
    counts, schedule = started(parts, n_words, n_topics, sampled, seed)
    problem = OnlineProblem(parts[0], counts.state(), n_topics, {})
    with Threads(1) as engine:
        method = epochs_method(engine, parts, n_topics, NONE_LEARNED, schedule, deterministic=True)
        found = run(method, problem, stop=Stop(schedule.stepwise), rng=np.random.default_rng(seed)).result
    counts = found.counts.reshape(n_words, -1)[:, :n_topics]
    return begun(parts, counts.astype(np.float64), list(found.documents))


def merged(folder, share="0.04"):
    """Look at the topics wherever some are merged."""
    topics = true_topics(folder)
    parts = Drawn(topics, PER_NUMBER[-1]).parts
    head(
        f"True topics found, of {N_TOPICS}; start with a sample, {float(share)} of the documents.",
        *("seed", "among twice as many", "the largest", "the most alike merged"),
        *("with a surplus, from all documents", "the most alike merged"),
    )
    found = []

    def look_and_merge(counts, n_topics):
        fewer = [alike_topics.merged(counts, N_TOPICS)]
        if n_topics > N_TOPICS:
            fewer.insert(0, wide_start.largest(counts, N_TOPICS, counts.sum(axis=1)))
        found.extend(
            n_found(np.asarray(some, dtype=np.float64).T + BETA, topics).split()[0] for some in (counts, *fewer)
        )
        return alike_topics.merged(counts, n_topics)

    for seed in range(SEEDS):
        found.clear()
        order = np.random.default_rng(seed).permutation(N_PARTS)
        with patch.object(wide_start, "merged", look_and_merge), patch.object(surplus_topics, "merged", look_and_merge):
            started([parts[i] for i in order], N_WORDS, N_TOPICS, float(share), seed)
        row(seed, *found)


def text(folder):
    head(
        "Real text, held-out nats per word: after the steps, and after 10 passes that sample; several seeds.",
        *("words", "K", "start", "after the steps", "after 10 passes", "mean"),
    )
    for n_words, n_topics in REAL:
        train, held_out = frequent(folder, n_words)
        parts = [Pairs.of(train)]
        for name, merges in (("the largest", False), ("merged, with a surplus, merged", True)):
            before, after = [], []
            for seed in range(SEEDS):
                with patch.object(wide_start, "samples", lambda *_, merges=merges: merges):
                    learning = stepped(parts, n_words, n_topics, 1.0, seed)
                before.append(nats(learning.components(), held_out))
                for number in range(1, AFTER[1] + 1):
                    learning.learn("sampled", seed=number)
                after.append(nats(learning.components(), held_out))
            cells = (", ".join(f"{value:.4f}" for value in values) for values in (before, after))
            row(n_words, n_topics, name, *cells, f"{np.mean(after):.4f}")


def real(folder):
    head(
        f"{DATA[-1]}, held-out nats per word: as learned by threads, then passes.",
        *("words", "K", "tokens per word and topic", "passes", "before", *(f"after {n}" for n in AFTER)),
    )
    for n_words, n_topics in REAL:
        train, held_out = frequent(folder, n_words)
        model = LDA(n_topics, topic_word_prior=BETA, random_state=0, max_epochs=30).fit(train)
        per_number = f"{train.sum() / n_words / n_topics:.0f}"

        def look(components, held_out=held_out):
            return f"{nats(components, held_out):.4f}"

        pairs = Pairs.of(train)
        learning = begun([pairs], np.asarray(model.components_.T * pairs.counts.sum(dtype=np.float64) / n_topics))
        learning.learn("variational", n_warm=20)
        for kind in ("variational", "sampled"):
            more = learning.copy()
            before = look(more.components())
            row(n_words, n_topics, per_number, kind, before, *after_passes(more, kind, look)[:-1])


def main():
    folder = Path(sys.argv[1])
    for part in sys.argv[2:] or ("truth", "start", "real"):
        name, *options = part.split(":")
        {"truth": truth, "start": start, "real": real, "merged": merged, "text": text}[name](folder, *options)


if __name__ == "__main__":
    main()

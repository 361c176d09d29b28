"""How different the initial topics should be: held-out score of online LDA by the spread of the initial counts and K.

    python -m benchmarks.topics.start [NUMBER OF TOPICS …]

Once for `fit`, which passes over the documents several times, and once for `partial_fit`, which sees each of them once
(in random order). The documents are those that `benchmarks/topics/speed.py` learns from; 1,000 of them are held out
here, so no score that is reported there was seen.
"""

from __future__ import annotations

import sys
from unittest import mock

import numpy as np
import scipy.sparse as sp

from benchmarks.topics.speed import BETA, DATA, HELD_OUT, counts_of, nats, our_curve
from driftline.topics import LDA, topic_counts

EPOCHS = 8
SEEDS = 2
SPREADS = (0.1, 0.2, 0.3, 0.6, 1.2, 2.0)
STREAM_SPREADS = (0.2, 0.3, 0.6, 1.2, 1.5, 2.0, 3.0, 4.0, 6.0)


def development(name):
    """Return documents to learn from and to score by, all of them from those that the other benchmark learns from."""
    documents, _ = counts_of(name)
    order = np.random.default_rng(7).permutation(documents.shape[0])
    held_out, train = documents[order[:HELD_OUT]], documents[order[HELD_OUT:]]
    said = np.asarray(train.sum(axis=0)).ravel() > 0
    return sp.csr_matrix(train[:, said]), sp.csr_matrix(held_out[:, said])


def after_epochs(train, held_out, n_topics, spread):
    """Return the mean score of `fit` over the seeds."""
    return np.mean([our_curve(train, held_out, n_topics, EPOCHS, seed, spread)[-1][1] for seed in range(SEEDS)])


def after_one_pass(train, held_out, n_topics, spread):
    """Return the mean score of `partial_fit` over the seeds."""
    with mock.patch.dict(topic_counts.STREAM_SPREADS, {n_topics: spread}, clear=True):
        models = [LDA(n_topics, topic_word_prior=BETA, random_state=seed).partial_fit(train) for seed in range(SEEDS)]
    return np.mean([nats(model.components_, held_out) for model in models])


def print_scores(title, score, spreads, sizes):
    print(f"{title}, mean of {SEEDS} seeds, by the spread of the start\n")
    print("| data | K | " + " | ".join(f"{spread:g}" for spread in spreads) + " |\n|" + "---|" * (len(spreads) + 2))
    for name in DATA:
        train, held_out = development(name)
        for n_topics in sizes:
            scores = [f"{score(train, held_out, n_topics, spread):.3f}" for spread in spreads]
            print(f"| {name} | {n_topics} | " + " | ".join(scores) + " |", flush=True)
    print()


def main():
    sizes = [int(size) for size in sys.argv[1:]] or [50, 200, 1000]
    print_scores(f"Held-out nats per word after {EPOCHS} epochs", after_epochs, SPREADS, sizes)
    print_scores("Held-out nats per word after one pass of `partial_fit`", after_one_pass, STREAM_SPREADS, sizes)


if __name__ == "__main__":
    main()

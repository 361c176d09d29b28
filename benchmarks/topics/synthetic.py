"""A corpus whose topics are known: our sampler against tomotopy's, processor time to tomotopy's held-out score.

How many epochs and sweeps to do was decided on another corpus of the same kind, drawn from another seed.

    python -m benchmarks.topics.synthetic
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from benchmarks.measure import measure, print_table
from benchmarks.topics.speed import BETA, nats, tomotopy_curve
from driftline.topics import LDA

TOPICS, WORDS, DOCUMENTS, LENGTH, HELD_OUT = 50, 4000, 4000, 100, 500


def drawn():
    """Return training and held-out counts and the true topics."""
    rng = np.random.default_rng(1)
    topics = rng.dirichlet(np.full(WORDS, 0.02), TOPICS)
    shares = rng.dirichlet(np.full(TOPICS, 5 / TOPICS), DOCUMENTS + HELD_OUT)
    X = sp.csr_matrix(np.array([rng.multinomial(LENGTH, row / row.sum()) for row in shares @ topics], dtype=float))
    return X[:DOCUMENTS], X[DOCUMENTS:], topics


def matched(components, truth):
    """Return the mean overlap of the true topics with the found ones that fit them best."""
    overlap = np.array([np.minimum(row, components).sum(axis=1) for row in truth])
    return overlap[linear_sum_assignment(-overlap)].mean()


def main():
    train, held_out, truth = drawn()
    LDA(16, inference="gibbs", max_epochs=1, burn_in=1, n_samples=1).fit(train[:50])  # compile
    curve, averaged = tomotopy_curve(train, held_out, TOPICS, 200)
    seconds, score = curve[-1]
    rows = [
        ["the truth", "", nats(truth + 1e-12, held_out), 1.0, ""],
        ["tomotopy, 200 iterations", seconds, score, "", 1.0],
        ["tomotopy, 5 samples averaged", seconds, averaged, "", 1.0],
    ]
    plans = (("online", 15, 0, 1), ("gibbs", 5, 10, 20), ("gibbs", 5, 20, 40))
    for inference, epochs, burn_in, samples in plans:
        model = LDA(
            TOPICS,
            inference=inference,
            max_epochs=epochs,
            burn_in=burn_in,
            n_samples=samples,
            topic_word_prior=BETA,
            random_state=0,
        )
        _, taken = measure(lambda model=model: model.fit(train))
        name = f"ours, {inference}" + (f", {burn_in} + {samples} sweeps" if inference == "gibbs" else "")
        overlap = matched(model.components_, truth)
        rows.append([name, taken.cpu_seconds, nats(model.components_, held_out), overlap, seconds / taken.cpu_seconds])
    title = f"{TOPICS} known topics, {DOCUMENTS * LENGTH:,} words"
    print_table(title, ["", "processor s", "held-out nats per word", "overlap with truth", "times faster"], rows)


if __name__ == "__main__":
    main()

"""A topic map of many short documents: processor time, memory and purity as their number grows.

Documents of three to ten words are drawn from 20 topics over 5,000 words; the model is chosen on 20,000 of them, and
then learns from all.

    python -m benchmarks.topics.many_documents [numbers of documents …]
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import in_fresh_process, print_table
from driftline.topics import TopicMap

N_TOPICS, N_WORDS = 20, 5000


def drawn(n, seed=0):
    """Return documents × words, and the topic of every document."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(N_WORDS, 0.02), N_TOPICS)
    which = rng.integers(0, N_TOPICS, n)
    lengths = rng.integers(3, 11, n)
    words = np.empty(lengths.sum(), dtype=np.int64)
    of_token = np.repeat(which, lengths)
    for k in range(N_TOPICS):
        mine = of_token == k
        words[mine] = rng.choice(N_WORDS, int(mine.sum()), p=topics[k])
    rows = np.repeat(np.arange(n), lengths)
    X = sp.csr_matrix((np.ones(len(words)), (rows, words)), shape=(n, N_WORDS))
    X.sum_duplicates()
    return X, which


def fitted(n):
    """Fit, and return the share of documents in the majority topic of their label."""
    X, which = drawn(n)
    model = TopicMap(N_TOPICS, random_state=0, n_jobs=1).fit(X)
    pure = sum(np.bincount(which[model.labels_ == k]).max() for k in np.unique(model.labels_)) / n
    return model.model_, float(pure)


def main():
    rows = []
    for n in [int(arg) for arg in sys.argv[1:]] or [10_000, 100_000, 1_000_000]:
        _, drawing = in_fresh_process(drawn, n)
        (name, pure), taken = in_fresh_process(fitted, n)
        rows.append([f"{n:,}", name, pure, taken.cpu_seconds - drawing.cpu_seconds, taken.peak_mib])
    print_table(
        "Topic maps of short documents; memory includes the documents themselves",
        ["documents", "model", "purity", "CPU s", "MiB"],
        rows,
    )


if __name__ == "__main__":
    main()

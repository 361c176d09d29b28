"""How the cost of one frame grows with its documents: graph and fit, 1,000 to 100,000 documents, 50,000 words.

    python -m benchmarks.evolving.growth [size …]

Documents of 50 tokens, drawn from a Zipf–Mandelbrot law without stop words (the most frequent word is in about a
quarter of the documents) and, one token in five, from the words of one of two classes; one document in a hundred is
labelled. Each size is processed in a fresh process with two threads, after a small first frame; peak memory is that of
the whole process, Python and libraries included. "graph" is the neighbour search alone; the others are a whole
`partial_fit`, in which the graph is searched again.
"""

from __future__ import annotations

import multiprocessing
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from benchmarks.measure import measure, print_table
from driftline.evolving import EvolutionaryClassifier
from driftline.evolving.frames.neighbour_graph import neighbour_graph
from driftline.evolving.frames.tfidf import document_frequencies, tfidf

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
N_WORDS = 50_000
N_TOKENS = 50
THREADS = 2


def documents(n: int, seed: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return counted documents and their classes."""
    rng = np.random.default_rng(seed)
    shares = 1 / (np.arange(N_WORDS) + 20.0)
    words = rng.choice(N_WORDS, (n, N_TOKENS), p=shares / shares.sum())
    classes = rng.integers(0, 2, n)
    own = rng.random((n, N_TOKENS)) < 0.2
    words[own] = (1000 + 500 * classes[:, None] + rng.integers(0, 500, (n, N_TOKENS)))[own]
    rows = np.repeat(np.arange(n), N_TOKENS)
    counts = sp.csr_matrix((np.ones(n * N_TOKENS), (rows, words.ravel())), shape=(n, N_WORDS))
    counts.sum_duplicates()
    return counts, classes


def labels(classes: np.ndarray) -> np.ndarray:
    """Hide all but one label in a hundred."""
    return np.where(np.arange(len(classes)) % 100 == 0, classes, -1)


def work(sending: Any, what: str, n: int) -> None:
    """Run one task in this process and send its cost."""
    X, classes = documents(n, 1)
    first, first_classes = documents(500, 0)
    area = float("nan")
    if what == "graph":
        rows = tfidf(X, document_frequencies(X), n)
        neighbour_graph(first, n_jobs=THREADS)  # compile
        _, taken = measure(lambda: neighbour_graph(rows, weights="cosine_squared", n_jobs=THREADS))
    else:
        model = EvolutionaryClassifier(what, n_jobs=THREADS).partial_fit(first, labels(first_classes))
        _, taken = measure(lambda: model.partial_fit(X, labels(classes)))
        hidden = labels(classes) < 0
        area = float(roc_auc_score(classes[hidden], model.label_distributions_[hidden, 1]))
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 2**20
    sending.send((taken.wall_seconds, taken.cpu_seconds, peak, area))


def fresh(what: str, n: int) -> tuple[float, float, float, float]:
    """Do it in a fresh process."""
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(sending, what, n))
    process.start()
    sending.close()
    answer = receiving.recv()
    process.join()
    return answer


def main() -> None:
    """Print one table per size, as soon as it is known."""
    for n in [int(size) for size in sys.argv[1:]] or SIZES:
        rows = []
        for what, name in (("graph", "graph"), ("pool", "partial_fit, default"), ("paper", 'partial_fit, "paper"')):
            wall, cpu, peak, area = fresh(what, n)
            shown = "–" if np.isnan(area) else f"{100 * area:.1f}"
            rows.append([name, f"{wall:.1f}", f"{cpu:.1f}", f"{peak:.2f}", shown])
        headings = ["work", "wall s, 2 threads", "CPU s", "peak memory of the process, GiB", "AUC"]
        print_table(f"{n:,} documents, {N_WORDS:,} words", headings, rows)


if __name__ == "__main__":
    main()

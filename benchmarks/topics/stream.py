"""Short documents streamed through `partial_fit`: memory and documents per second, against river's online LDA.

python -m benchmarks.topics.stream [NUMBER OF DOCUMENTS]
"""

from __future__ import annotations

import importlib.util
import sys
import time

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import in_fresh_process, print_table
from driftline.topics import LDA

BATCH, TOPICS, WORDS, LENGTH = 20_000, 50, 20_000, 8
FOR_RIVER = 150


def batch(number):
    """Return documents of some words each from Zipf's law, in reproducible batches."""
    rng = np.random.default_rng(number)
    words = np.minimum(WORDS * rng.random((BATCH, LENGTH)) ** 3, WORDS - 1).astype(np.int32)
    rows = np.repeat(np.arange(BATCH), LENGTH)
    return sp.csr_matrix((np.ones(rows.size), (rows, words.ravel())), shape=(BATCH, WORDS))


def resident_mib():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096 / 2**20


def stream(n_documents):
    """Return documents, processor seconds and memory in use at ten points of the way."""
    model = LDA(TOPICS, random_state=0).partial_fit(batch(0))
    points, spent, every = [], 0.0, max(n_documents // BATCH // 10, 1)
    for number in range(n_documents // BATCH):
        X = batch(number)
        began = time.process_time()
        model.partial_fit(X)
        spent += time.process_time() - began
        if (number + 1) % every == 0:
            points.append(((number + 1) * BATCH, spent, resident_mib()))
    return points


def river():
    """Return the documents per processor second of river's online LDA on documents of the same kind."""
    from river import preprocessing

    documents = [{f"w{w}": int(c) for w, c in zip(row.indices, row.data)} for row in batch(0)[:FOR_RIVER]]
    model = preprocessing.LDA(n_components=TOPICS, number_of_documents=1000, seed=0)
    began = time.process_time()
    for document in documents:
        model.learn_transform_one(document)
    return FOR_RIVER / (time.process_time() - began)


def main():
    n_documents = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    points, taken = in_fresh_process(stream, n_documents)
    rows = [[f"{n:,}", n / seconds, memory] for n, seconds, memory in points]
    print_table("Streamed so far", ["documents", "documents per processor s", "resident MiB"], rows)
    print(f"\nPeak memory of the stream: {taken.peak_mib:.0f} MiB more than at its start.")
    if importlib.util.find_spec("river") is None:
        print("river is not installed (extra bench), so there is nothing to compare with")
        return
    theirs = river()
    ours = points[-1][0] / points[-1][1]
    rows = [["ours", ours, 1.0], ["river", theirs, theirs / ours], ["times faster", ours / theirs, ""]]
    print_table(f"K = {TOPICS}, {LENGTH} words per document", ["", "documents per processor s", "ratio"], rows)


if __name__ == "__main__":
    main()

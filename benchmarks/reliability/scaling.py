"""How the threaded models scale with the number of threads, on simulated work that needs no data set.

    python -m benchmarks.reliability.scaling [THREADS …] [NAMES …]
    python -m benchmarks.reliability.scaling rehearse [THREADS …] [NAMES …]

The first prints wall seconds for 1, 2, 4 … threads up to those of the machine, and whether the answer had the same
bytes. The second runs the tasks one after the other and prints how long the work would take if they ran at the same
time: the processor time outside tasks, and that of the busiest worker inside. Neither other programs nor the number of
processors change it, so it shows what the division of the work allows; contention for memory comes on top.
"""

from __future__ import annotations

import hashlib
import heapq
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import scipy.sparse as sp

from benchmarks.intensity.speed import stream
from benchmarks.measure import measure, print_table
from driftline.coding import LocalContextSparseCoding
from driftline.engines.threads import Threads
from driftline.evolving.frames.neighbour_graph import neighbour_graph
from driftline.intensity import IntensityTracker, WordBursts
from driftline.local import LocalLogisticRegression
from driftline.topics import LDA

Work = Callable[[int], np.ndarray]


def counts(n_documents: int, n_words: int, length: int, seed: int = 0) -> sp.csr_matrix:
    """Return documents of a Zipf-like language in which each document prefers a range of the vocabulary."""
    rng = np.random.default_rng(seed)
    ranks = (n_words ** rng.random((n_documents, length))).astype(np.int64) - 1
    shift = rng.integers(0, 50, n_documents)[:, None] * (n_words // 50)
    words = np.where(rng.random(ranks.shape) < 0.5, ranks, (ranks + shift) % n_words)
    rows = np.repeat(np.arange(n_documents), length)
    X = sp.csr_matrix((np.ones(words.size), (rows, words.ravel())), shape=(n_documents, n_words))
    X.sum_duplicates()
    return X


def works(names: Sequence[str] = ()) -> dict[str, Work]:
    """Return each task as a function of the number of threads that returns what it learned as one array.

    Only tasks whose name begins with one of `names` are returned; without names, all.
    """
    X = counts(20_000, 20_000, 100)
    times = np.sort(np.random.default_rng(1).random(X.shape[0])) * 365
    y = (np.asarray(X[:, :2000].sum(axis=1)).ravel() > np.median(np.asarray(X[:, :2000].sum(axis=1)))).astype(int)
    hundred, thousand = stream(200_000, 100), stream(20_000, 1000)
    sequences = [list(row.indices) for row in X[:4000]]

    def topics(n_jobs: int, n_topics: int, **options: Any) -> np.ndarray:
        return LDA(n_topics, random_state=0, n_jobs=n_jobs, **options).fit(X).components_

    def logistic(n_jobs: int, bandwidth: float) -> np.ndarray:
        model = LocalLogisticRegression(bandwidth=bandwidth, C=1.0, n_jobs=n_jobs).fit(X, y, times=times)
        return model.coefficients(np.linspace(0, 365, 20))

    def coding(n_jobs: int) -> np.ndarray:
        model = LocalContextSparseCoding(n_topics=1000, max_iter=1, random_state=0, n_jobs=n_jobs)
        return model.fit_transform(sequences).data

    def intensity(n_jobs: int, likelihoods: np.ndarray, moments: np.ndarray) -> np.ndarray:
        model = IntensityTracker(inference="ep", n_levels=8, n_jobs=n_jobs)
        return model.fit(likelihoods, times=moments).intensity_

    def bursts(n_jobs: int) -> np.ndarray:
        return WordBursts(n_jobs=n_jobs).fit(X, times=times).bursts_["weight"].to_numpy()

    every: dict[str, Work] = {
        "LDA, online, K = 200": lambda n_jobs: topics(n_jobs, 200, max_epochs=5),
        "LDA, online, K = 1000": lambda n_jobs: topics(n_jobs, 1000, max_epochs=5),
        "LDA, gibbs, K = 200": lambda n_jobs: topics(
            n_jobs, 200, inference="gibbs", max_epochs=2, burn_in=10, n_samples=10
        ),
        "IntensityTracker, ep, 100 topics": lambda n_jobs: intensity(n_jobs, *hundred),
        "IntensityTracker, ep, 1000 topics": lambda n_jobs: intensity(n_jobs, *thousand),
        "WordBursts": bursts,
        "nearest neighbours": lambda n_jobs: neighbour_graph(X, 10, n_jobs=n_jobs).data,
        "LocalLogisticRegression, 30 days": lambda n_jobs: logistic(n_jobs, 30.0),
        "LocalLogisticRegression, 3 days": lambda n_jobs: logistic(n_jobs, 3.0),
        "LocalContextSparseCoding, K = 1000": coding,
    }
    return {name: work for name, work in every.items() if not names or name.startswith(tuple(names))}


def rehearse(work: Work, n_workers: int) -> tuple[float, float, int]:
    """Return the processor seconds on the longest way through the work, those in tasks, and the number of tasks."""
    in_tasks, in_busiest, n_tasks = 0.0, 0.0, 0

    def one_by_one(engine: Threads, function: Callable[..., Any], tasks: Sequence[Any], **shown: Any) -> list[Any]:
        nonlocal in_tasks, in_busiest, n_tasks
        busy = [0.0] * engine.n_workers
        results = []
        for task in tasks:
            begin = time.thread_time()
            results.append(function(*task))
            taken = time.thread_time() - begin
            in_tasks += taken
            heapq.heapreplace(busy, busy[0] + taken)  # the worker that is free first takes the next task
        in_busiest += max(busy)
        n_tasks += len(tasks)
        return results

    with mock.patch.object(Threads, "map", one_by_one):
        begin = time.thread_time()
        work(n_workers)
        total = time.thread_time() - begin
    return total - in_tasks + in_busiest, in_tasks, n_tasks


def rehearsals(threads: Sequence[int], names: Sequence[str]) -> None:
    """Print what the division of the work allows, for works whose name begins with one of `names` (all if empty)."""
    rows = []
    for name, work in works(names).items():
        work(1)  # compile
        found = [min(rehearse(work, n) for _ in range(2)) for n in threads]
        alone, in_tasks, _ = found[0]
        gains = [f"{alone / longest:.2f}×" for longest, _, _ in found[1:]]
        rows.append([name, alone, f"{in_tasks / alone:.0%}", found[-1][2], *gains])
        print(rows[-1], file=sys.stderr, flush=True)
    headings = ["work", "processor seconds", "in tasks", "tasks", *(f"gain from {n} workers" for n in threads[1:])]
    print_table("What the division of the work allows", headings, rows)


def main() -> None:
    most = os.cpu_count() or 1
    rehearsed = sys.argv[1:2] == ["rehearse"]
    words = sys.argv[2:] if rehearsed else sys.argv[1:]
    numbers, names = [int(word) for word in words if word.isdigit()], [word for word in words if not word.isdigit()]
    if rehearsed:
        rehearsals([1, *(numbers or [2, 16])], names)
        return
    threads = numbers or [n for n in (1, 2, 4, 8, 16, 32) if n <= most]
    print(f"{platform.machine()}, {most} processors; wall seconds")
    rows: list[list[Any]] = []
    for name, work in works(names).items():
        work(1)  # compile
        seconds, digests = [], set()
        for n_jobs in threads:
            answer, taken = measure(partial(work, n_jobs))
            seconds.append(taken.wall_seconds)
            digests.add(hashlib.sha256(np.ascontiguousarray(answer).tobytes()).hexdigest())
        best = f"{seconds[0] / min(seconds):.1f}×"
        rows.append([name, *seconds, best, "yes" if len(digests) == 1 else "NO"])
        print(rows[-1], file=sys.stderr, flush=True)
    headings = ["work", *(f"{n} thread{'s' if n > 1 else ''}" for n in threads), "best gain", "same bytes"]
    print_table("The same work with more threads", headings, rows)


if __name__ == "__main__":
    main()

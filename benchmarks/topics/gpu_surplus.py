"""How many surplus topics should LDA learn from all documents before it merges them, and for how long?

    python -m benchmarks.topics.gpu_surplus FOLDER [SEED …]

reads the counts that `benchmarks.topics.gpu prepare` writes. The problem is that of `benchmarks.topics.gpu_schedule`,
but larger and with fewer tokens, so that the start misses topics: 100 topics of the 2,000 most frequent words of real
text, 30 tokens per word and topic, and a start from 0.16 of the documents, 5 tokens per word and topic. Scores are
held-out nats per word above that of the true topics, beside the number of true topics that are found. Everything runs
on one thread.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.topics import gpu_schedule
from benchmarks.topics.gpu import head, joined, n_found, row
from benchmarks.topics.gpu_schedule import Drawn, begun
from benchmarks.topics.speed import BETA
from driftline.engines.threads import Threads
from driftline.inference.lda_online import OnlineProblem
from driftline.inference.learned_priors import NONE_LEARNED
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.inference.topic_counts import SPREADS, TopicCounts, nearly_even, spread_of
from driftline.topics import wide_start
from driftline.topics.alike_topics import merged
from driftline.topics.lda_epochs import FROM_SAMPLE, epochs_method
from driftline.topics.surplus_topics import FROM_SURPLUS

N_TOPICS, N_WORDS, PER_NUMBER, SHARE = 100, 2000, 30, 0.16
PLANS = ((1, 0), (1.25, 10), (1.25, 30), (1.5, 20))
"""Multiples of the requested number of topics, and the number of passes that sample before they are merged."""
THEN = (10, 20, 30)
"""Numbers of passes that follow with the requested number, one after the other."""


def started(parts, seed):
    """Return twice as many topics, learned from a sample, its words and its share."""
    rng = np.random.default_rng(seed)
    parts = [parts[i] for i in rng.permutation(len(parts))]
    sample = wide_start.in_pieces(joined(parts, SHARE * sum(len(p.words) for p in parts)), wide_start.LONGEST)
    even = np.ones((N_WORDS, N_TOPICS), np.float32)
    topics, said = prior_of(even), wide_start.words_of(sample, N_WORDS)
    counts = nearly_even(said, 4 * N_TOPICS, rng, spread_of(4 * N_TOPICS, SPREADS))
    with Threads(1) as engine:
        for times, n_epochs in wide_start.STAGES[2048]:
            counts = wide_start.largest(counts, times * N_TOPICS, said)
            counts = wide_start._learned(counts, topics, sample, engine, rng, n_epochs, deterministic=True)
    return counts, said, float(sample.counts.sum() / sum(p.counts.sum() for p in parts))


def prior_of(counts):
    n_topics = counts.shape[1]
    return TopicCounts.starting(counts.astype(np.float32), np.full(n_topics, 5 / n_topics), BETA)


def stepped(parts, counts, scale, schedule, seed):
    """Return what is learned in the steps of a schedule."""
    n_topics, topics = counts.shape[1], prior_of(counts)
    topics.scale = scale
    with Threads(1) as engine:
        method = epochs_method(engine, parts, n_topics, NONE_LEARNED, schedule, deterministic=True)
        problem, rng = OnlineProblem(parts[0], topics.state(), n_topics, {}), np.random.default_rng(seed)
        found = run(method, problem, stop=Stop(schedule.stepwise), rng=rng).result
    return begun(parts, found.counts.reshape(N_WORDS, -1)[:, :n_topics].astype(np.float64), list(found.documents))


def planned(drawn, counts, share, times, n_passes, seed):
    """Return the scores and numbers of topics found while one plan is followed."""
    learning = stepped(drawn.parts, merged(counts, int(times * N_TOPICS)), 1 / share, FROM_SAMPLE, seed)

    def look():
        return f"{drawn.above(learning.components())}, {n_found(learning.components(), drawn.truth).split()[0]}"

    seen = [look()]
    if n_passes:
        learn(learning, n_passes, seed)
        seen.append(look())
        many = np.asarray(learning.sums.values.reshape(N_WORDS, -1)[:, : learning.n_topics], dtype=np.float32)
        learning = stepped(drawn.parts, merged(many, N_TOPICS), 1.0, FROM_SURPLUS, seed)
    seen = [*seen, *[""] * (2 - len(seen)), look() if n_passes else ""]
    for n in THEN:
        learn(learning, n, seed + 50)
        seen.append(look())
    return seen


def learn(learning, n_passes, seed):
    for i in range(n_passes):
        learning.learn("sampled", seed=1000 * seed + i)


def main():
    folder, seeds = Path(sys.argv[1]), [int(seed) for seed in sys.argv[2:]] or [0]
    gpu_schedule.N_WORDS, gpu_schedule.N_TOPICS = N_WORDS, N_TOPICS
    drawn = Drawn(gpu_schedule.true_topics(folder), PER_NUMBER)
    head(
        f"{N_TOPICS} true topics: nats per word above them, and how many are found.",
        *("seed", "times as many", "passes", "after the steps", "after these passes", "merged, one epoch in steps"),
        *(f"after {n} passes" for n in np.cumsum(THEN)),
        "CPU s",
    )
    for seed in seeds:
        counts, said, share = started(drawn.parts, seed)
        for some in (counts, wide_start.largest(counts, N_TOPICS, said), merged(counts, N_TOPICS)):
            print(n_found(np.asarray(some, dtype=np.float64).T + BETA, drawn.truth), file=sys.stderr, flush=True)
        for times, n_passes in PLANS:
            begin = time.process_time()
            seen = planned(drawn, counts, share, times, n_passes, seed)
            row(seed, times, n_passes, *seen, f"{time.process_time() - begin:.0f}")


if __name__ == "__main__":
    main()

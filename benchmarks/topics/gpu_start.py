"""Does LDA on a graphics processor learn better topics if it begins with more than requested?

    python -m benchmarks.topics.gpu_start FOLDER real [TOPICS …]
    python -m benchmarks.topics.gpu_start FOLDER known MILLIONS TOPICS
    python -m benchmarks.topics.gpu_start FOLDER surplus DATA MILLIONS TOPICS TIMES:EPOCHS …

reads the counts that `benchmarks.topics.gpu prepare` writes. With real text, 1,000 documents are held out of those that
`benchmarks.topics.gpu` learns from: the stages of `driftline.topics.wide_start` are chosen here, and reported there.
With documents drawn from known topics, so many millions of tokens, one run starts at the true topics: what it loses is
due to the finite number of documents, and what others lose beyond that to their start. A true topic is found if a
learned one has a cosine above 0.8 with it. `surplus` learns from documents drawn from topics of one set, with several
multiples of the requested number of topics, in so many epochs before they are merged.
"""

from __future__ import annotations

import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

from benchmarks.topics.drawn_documents import MEAN_LENGTH, drawn_block, drawn_blocks
from benchmarks.topics.gpu import (
    BLOCK,
    SIZES,
    drawn_parts,
    head,
    joined,
    n_found,
    near_the_truth,
    prepared,
    row,
    seconds_of,
    true_topics,
)
from benchmarks.topics.speed import BETA, DATA, HELD_OUT
from driftline.compute.devices import check_device
from driftline.engines.gpu import GpuEngine
from driftline.inference.document_completion import KnownTopics, completion
from driftline.inference.learned_priors import NONE_LEARNED
from driftline.inference.topic_counts import SPREADS, TopicCounts, nearly_even, spread_of
from driftline.topics import LDA, lda_epochs, surplus_topics, wide_start
from driftline.topics.lda_epochs import FROM_NOISE, FROM_TOPICS, learn_in_passes
from driftline.topics.wide_start import Stage, begin_with_many, words_of

PLANS = {
    "none": ((), FROM_NOISE),
    "2×, 8 epochs": ((Stage(2, 8),), FROM_TOPICS),
    "3×, 8 epochs": ((Stage(3, 8),), FROM_TOPICS),
    "4×, 4 epochs, 2×, 3 epochs": ((Stage(4, 4), Stage(2, 3)), FROM_TOPICS),
    "4×, 8 epochs, 2×, 5 epochs": ((Stage(4, 8), Stage(2, 5)), FROM_TOPICS),
    "the same, then 20 epochs in steps": ((Stage(4, 8), Stage(2, 5)), FROM_NOISE),
}
WHOLE = 2


def planned(stages, schedule):
    """Return a context in which LDA begins with these stages, and goes on with this schedule."""
    return patch.multiple(wide_start, STAGES={10_000: stages}, FROM_TOPICS=schedule)


def real(folder, sizes):
    head("Held-out nats per word after `fit`, by what it begins with.", "data", "K", *PLANS)
    for name in DATA:
        documents, _ = prepared(folder, name)
        train, held_out = documents[HELD_OUT:], documents[:HELD_OUT]
        for n_topics in sizes:
            cells = []
            for plan in PLANS.values():
                model = LDA(n_topics, topic_word_prior=BETA, random_state=0, n_jobs=-1, engine="gpu")
                with planned(*plan):
                    _, taken = seconds_of(lambda model=model, X=train: model.fit(X))
                cells.append(f"{-model.set_params(engine='threads').score(held_out):.4f} ({taken:.1f} s)")
            row(name, n_topics, *cells)


def known(folder, millions, n_topics):
    truth, cdf = true_topics(folder, n_topics)
    n_documents = int(millions * 1e6 / MEAN_LENGTH)
    n_blocks = max(lda_epochs.CHUNKS, n_documents // BLOCK)
    pairs = joined(drawn_blocks(cdf, n_documents, n_blocks), np.inf)
    held = drawn_block(cdf, 2000, 10**6)
    held_out = sp.csr_matrix((held.counts.astype(np.float64), held.words, held.indptr), (2000, truth.shape[1]))
    said = words_of(pairs, truth.shape[1])
    head("Documents drawn from known topics.", "start", "nats per word", "true topics found", "seconds")
    with GpuEngine() as engine:

        def score(components):
            likelihood, words = completion(KnownTopics.of(components, 5 / n_topics), held_out, engine)
            return f"{-likelihood.sum() / words.sum():.4f}"

        def learned(start, stages, schedule):
            topics = TopicCounts.starting(start, np.full(n_topics, 5 / n_topics), BETA)
            rng, options = np.random.default_rng(0), {"deterministic": False}
            with planned(stages, schedule):
                if stages:
                    begin_with_many(topics, pairs, engine, rng, **options)
                options |= {"learned": NONE_LEARNED, "tolerance": 0.0, "schedule": schedule}
                learn_in_passes(topics, pairs, engine, rng, schedule.stepwise + WHOLE, **options)
            counts = topics.values[:, :n_topics].T + BETA
            return counts / counts.sum(axis=1, keepdims=True)

        row("(the true topics, unlearned)", score(truth), n_topics, "")
        starts = {"the true topics": ((truth / truth.sum(axis=0) * said).T.astype(np.float32), (), FROM_TOPICS)}
        even = nearly_even(said, n_topics, np.random.default_rng(0), spread_of(n_topics, SPREADS))
        starts |= {name: (even, *plan) for name, plan in PLANS.items()}
        for name, (start, stages, schedule) in starts.items():
            found, taken = seconds_of(lambda start=start, plan=(stages, schedule): learned(start, *plan))
            row(name, score(found), n_found(found, truth), f"{taken:.1f}")


def surplus(folder, name, millions, n_topics, plans):
    truth, cdf = true_topics(folder, n_topics, name)
    parts, held = drawn_parts(cdf, millions, n_topics), drawn_block(cdf, 2000, 10**6)
    for times, n_epochs in (plan.split(":") for plan in plans):
        print(f"\n{name}, {times} times as many topics, {n_epochs} epochs:", flush=True)
        with patch.multiple(surplus_topics, SURPLUS=float(times), SURPLUS_EPOCHS=int(n_epochs)):
            near_the_truth(parts, held, truth, lda_epochs.SAMPLED_EPOCHS)


def main():
    folder, command = Path(sys.argv[1]), sys.argv[2]
    print(f"Device: {check_device('gpu').name}; NumPy {np.__version__}.", flush=True)
    if command == "real":
        real(folder, tuple(map(int, sys.argv[3:])) or SIZES)
    elif command == "surplus":
        surplus(folder, sys.argv[3], *map(int, sys.argv[4:6]), sys.argv[6:])
    else:
        known(folder, *map(int, sys.argv[3:5]))


if __name__ == "__main__":
    main()

"""Learn somewhat more topics than requested from all documents, and merge the most alike of them.

A start that was learned from a sample lacks themes of which the sample has too few documents. Where there are surplus
topics and all documents, these themes get topics of their own, which passes with the requested number seldom find
later. What the surplus topics share with others is then clear enough for the merger (`alike_topics`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.core.arrays import Floats
from driftline.engines.contract import Engine
from driftline.inference.lda_online import OnlineProblem
from driftline.inference.learned_priors import NONE_LEARNED
from driftline.inference.pairs import Pairs
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.inference.topic_counts import TopicCounts
from driftline.topics.alike_topics import merged
from driftline.topics.lda_epochs import FROM_SAMPLE, Schedule, epochs_method, fetched_counts, samples

SURPLUS = 1.25
"""Multiple of the requested number of topics that is learned (`benchmarks/topics/gpu_surplus.py`)."""
SURPLUS_EPOCHS = 1
"""Number of epochs that sample before topics are merged."""
FROM_SURPLUS = Schedule(1, 1, 20)
"""The schedule for topics that were merged after they had been learned from all documents."""


def with_surplus(n_topics: int, n_tokens: float, n_words: int) -> int:
    """Return the number of topics with the surplus; without it, if passes over that many could not sample.

    >>> with_surplus(50, 1e6, 1000), with_surplus(90, 1e6, 1000)
    (63, 90)
    """
    more = int(np.ceil(SURPLUS * n_topics))
    return more if samples(n_tokens, n_words, more) else n_topics


def learn_surplus(
    counts: Floats,
    topics: TopicCounts,
    parts: Sequence[Pairs],
    engine: Engine,
    rng: np.random.Generator,
    *,
    scale: float,
    deterministic: bool,
    verbose: bool | int = False,
) -> Floats:
    """Return the counts of words × requested topics, learned from all documents in these parts.

    The topics to begin with are the columns of `counts`, times `scale`; the priors are those of `topics`.
    """
    n_topics = counts.shape[1]
    start = TopicCounts.starting(counts, np.full(n_topics, topics.document_prior.sum() / n_topics), topics.beta)
    start.scale = scale
    method = epochs_method(engine, parts, n_topics, NONE_LEARNED, FROM_SAMPLE, deterministic=deterministic)
    stop = Stop(FROM_SAMPLE.stepwise + SURPLUS_EPOCHS)
    problem = OnlineProblem(parts[0], start.state(), n_topics, {})
    done = run(method, problem, stop=stop, rng=rng, progress="learning surplus topics", verbose=verbose)
    return merged(fetched_counts(done.result, topics.n_words, n_topics), topics.n_topics)

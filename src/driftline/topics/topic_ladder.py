"""Choice of the number of topics: validated prediction, and agreement between seeds, for several numbers of topics."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from driftline.core.arrays import Matrix
from driftline.core.errors import InvalidInput
from driftline.core.progress import track
from driftline.core.randomness import Seed, seed_of, spawn
from driftline.core.results import Results
from driftline.topics.topic_map import TopicMap

LADDER = (5, 10, 20, 40)


class LadderStep(NamedTuple):
    """One number of topics: validated nats per word, and the adjusted Rand index between seeds, both means over seeds.

    `nats` is NaN if no validation was possible. `n_found` is the mean number of topics that were found.
    """

    n_topics: int
    nats: float
    agreement: float
    n_found: float


def topic_ladder(
    X: Matrix,
    n_topics: Sequence[int] = LADDER,
    *,
    n_seeds: int = 2,
    embeddings: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
) -> Results[LadderStep]:
    """Fit a `TopicMap` for every number of topics and seed.

    For each seed, the same documents validate all numbers of topics. More topics usually predict better; where seeds
    agree less, the additional topics are arbitrary.

    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 30, axis=0) + np.random.default_rng(0).poisson(1.0, (60, 4))
    >>> [step.n_topics for step in topic_ladder(X, (2, 3), random_state=0)]
    [2, 3]
    """
    if n_seeds < 2:
        raise InvalidInput(f"agreement needs at least 2 seeds, not {n_seeds}")
    seeds = [seed_of(rng) for rng in spawn(random_state, n_seeds)]
    steps = []
    for k in track(n_topics, "numbers of topics", total=len(n_topics)):
        maps = [TopicMap(k, n_jobs=n_jobs, random_state=seed).fit(X, embeddings=embeddings) for seed in seeds]
        nats = [trial.nats for one in maps for trial in one.trial_ if trial.outcome == "chosen"]
        agreement = [adjusted_rand_score(a.labels_, b.labels_) for a, b in itertools.combinations(maps, 2)]
        found = float(np.mean([len(one.components_) for one in maps]))
        steps.append(LadderStep(k, float(np.mean(nats)) if nats else np.nan, float(np.mean(agreement)), found))
    return Results(LadderStep, steps, name="n_topics", quantity="agreement")

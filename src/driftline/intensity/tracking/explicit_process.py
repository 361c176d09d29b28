"""A particle filter on the explicit process (EDA-IT): how good is the implicit model that everything else rests on?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.compute import kernels
from driftline.core.arrays import Floats
from driftline.core.randomness import generator
from driftline.intensity.tracking.document_evidence import known_topics, text_evidence
from driftline.intensity.tracking.gaps import gaps_between
from driftline.intensity.tracking.implicit_model import IntensityModel


class ExplicitFilter(NamedTuple):
    """What was known when each document came, in time order: documents × topics.

    `topic_proba` are p(topic | documents so far), `intensity` the topics' mean rates, `waiting` the mean time since the
    topic's last document.
    """

    topic_proba: Floats
    intensity: Floats
    waiting: Floats
    log_evidence: float


def filter_explicit_stream(
    log_likelihoods: Any,
    times: Any,
    *,
    rates: Any,
    transition: float = 0.1,
    n_particles: int = 2000,
    random_state: Any = None,
) -> ExplicitFilter:
    """Filter a stream by the explicit process, in which each topic keeps the schedule it once made.

    `log_likelihoods` is log p(document | topic); `times` are ascending numbers, `rates` the levels. The cost is
    O(documents · particles · topics), and the answer only as good as there are particles.

    >>> found = filter_explicit_stream(np.zeros((3, 2)), [0.0, 1.0, 2.0], rates=[0.5, 2.0], random_state=0)
    >>> found.topic_proba.sum(axis=1).round(6)
    array([1., 1., 1.])
    """
    logs = np.asarray(log_likelihoods, dtype=np.float64)
    text = text_evidence(logs, known_topics(None, *logs.shape))
    gaps, mean_gap = gaps_between(np.asarray(times, dtype=np.float64))
    levels = np.sort(np.asarray(rates, dtype=np.float64)) * mean_gap
    prior = np.full(len(levels), 1 / len(levels))
    model = IntensityModel(text, gaps, levels, transition, prior)
    topics, intensity, waiting = np.empty((3, *text.shape))
    evidence = kernels().particles.explicit_filter(
        text,
        gaps,
        levels,
        model.matrices(0, len(gaps)),
        prior,
        n_particles,
        generator(random_state),
        topics,
        intensity,
        waiting,
    )
    return ExplicitFilter(topics, intensity / mean_gap, waiting * mean_gap, float(evidence))

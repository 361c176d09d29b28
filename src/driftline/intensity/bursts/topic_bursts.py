"""Bursts of topics, from the posterior of their levels."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.core.times import TimeAxis
from driftline.intensity.bursts.burst_table import burst_table
from driftline.intensity.tracking.implicit_model import IntensityPosterior


def topic_bursts(
    posterior: IntensityPosterior,
    moments: Floats,
    gaps: Floats,
    rates: Floats,
    axis: TimeAxis,
    *,
    tail: float,
    topics: list[str] | None = None,
) -> pa.Table:
    """Return the nested bursts of every topic, in order of weight.

    A topic's usual level is its median over time. A burst of level j is a maximal interval in which the level is
    probably at least j steps above the usual one. Its `weight` is the gain in log-likelihood (in nats) of the rate j
    steps up over the rate below, for its documents and gaps; its `probability` is a lower bound on the mean probability
    of the level, from the quantiles; `n_documents` are expected.
    """
    _n, n_topics = posterior.topic_proba.shape
    columns: dict[str, list[Floats]] = {}
    rows = 0
    for k in range(n_topics):
        middle = posterior.middle[:, k].astype(np.int16)
        usual = usual_level(middle, gaps)
        first, last, level, parent = current_kernels().burst.nested_bursts(
            np.maximum(middle - usual, 0).astype(np.int16)
        )
        at = level + usual
        documents = np.concatenate([[0.0], np.cumsum(posterior.topic_proba[:, k], dtype=np.float64)])
        elapsed = np.concatenate([[0.0], np.cumsum(gaps)])
        inside, length = documents[last + 1] - documents[first], elapsed[last + 1] - elapsed[first]
        weight = inside * np.log(rates[at] / rates[at - 1]) - (rates[at] - rates[at - 1]) * length
        certain = np.array(
            [(posterior.lower[a : b + 1, k] >= j).mean() for a, b, j in zip(first, last, at)], dtype=np.float64
        )
        found = {
            "topic": np.full(len(first), k),
            "start": moments[first],
            "end": moments[last],
            "level": level,
            "weight": weight,
            "rate": rates[at],
            "n_documents": inside,
            "probability": 0.5 + (0.5 - tail) * certain,
            "parent": np.where(parent >= 0, parent + rows, -1),
        }
        rows += len(first)
        for name, column in found.items():
            columns.setdefault(name, []).append(column)
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    order = np.argsort(-joined["weight"], kind="stable")
    row_of = np.full(rows + 1, -1)
    row_of[order] = np.arange(rows)
    joined = {name: column[order] for name, column in joined.items()}
    topic = joined["topic"].astype(np.int64)
    names = {} if topics is None else {"name": pa.array([topics[k] for k in topic], pa.string())}
    return burst_table(
        axis,
        start=joined["start"],
        end=joined["end"],
        level=joined["level"].astype(np.int64),
        weight=joined["weight"],
        parent=row_of[joined["parent"].astype(np.int64)],
        before={"topic": topic, **names},
        after={name: joined[name] for name in ("rate", "n_documents", "probability")},
    )


def usual_level(levels: np.ndarray, gaps: Floats) -> int:
    """Return the median level over time (over documents if no time passes).

    >>> usual_level(np.array([0, 0, 3, 3, 3]), np.array([0.0, 9.0, 0.1, 0.1, 0.1]))
    0
    """
    weights = gaps if gaps.sum() > 0 else np.ones(len(gaps))
    spent = np.cumsum(np.bincount(levels, weights=weights))
    return int(np.searchsorted(spent, spent[-1] / 2))

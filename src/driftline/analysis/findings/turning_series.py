"""The series with the largest turning points: the observed value of every step, and its level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driftline.analysis.finding import Finding
from driftline.analysis.findings.turning_points import (
    TURNING_POINTS,
    TurningPoint,
    document_steps,
    topic_series,
    volume_steps,
)
from driftline.analysis.shown_curves import shown_curve
from driftline.core.arrays import Datetimes, Floats
from driftline.sequences.regimes import Regimes
from driftline.smoothing.curve import Curve

if TYPE_CHECKING:
    from driftline.analysis.context import Context

MOST_SERIES = 6
"""Number of series that are drawn."""


@dataclass(frozen=True)
class TurningSeries:
    """A series by step: its observed values, and the most probable level with its band.

    `of` and `name` are those of its turning points; values are documents per day, or shares of documents.
    """

    of: str
    name: str
    observed: Curve
    levels: Curve


def largest(points: list[TurningPoint], most: int = MOST_SERIES) -> list[tuple[str, str]]:
    """Return the series (what, name) with the largest changes, as ratios; the volume comes first."""
    size: dict[tuple[str, str], float] = {}
    for point in points:
        low, high = sorted((point.before, point.after))
        key = point.of, point.name
        size[key] = max(size.get(key, 0.0), np.inf if point.of == "volume" else high / max(low, 1e-9))
    return sorted(size, key=lambda key: -size[key])[:most]


def series_of(
    of: str, name: str, counts: Floats, totals: Floats | None, starts: Datetimes, unit: float = 1.0
) -> TurningSeries:
    """Return a series with its levels; values are multiplied by `unit`."""
    found = Regimes().fit(counts, totals=totals, times=starts)
    band = {level: (level, level) for level in found.levels_.tolist()}
    for row in found.changes_.to_pylist():
        for side in ("before", "after"):
            band[row[side]] = row[f"{side}_low"], row[f"{side}_high"]
    path = found.levels_[found.path_]
    low, high = (np.array([band[level][end] for level in path.tolist()]) for end in (0, 1))
    if totals is None:
        observed, size = counts, np.ones(len(counts))
    else:
        observed, size = np.where(totals > 0, counts / np.maximum(totals, 1.0), np.nan), totals
    return TurningSeries(
        of,
        name,
        shown_curve(Curve(starts, *(unit * observed,) * 3, size)),
        shown_curve(Curve(starts, unit * path, unit * low, unit * high, size)),
    )


def find(context: Context) -> list[TurningSeries]:
    """Return the series with the largest of the turning points that the report lists."""
    corpus, found = context.corpus, []
    steps = context.once(document_steps)
    topics = dict(topic_series(context))
    for of, name in largest(context[TURNING_POINTS]):
        if of == "volume":
            by = volume_steps(context.times)
            found.append(series_of(of, name, by.totals[:-1], None, by.starts[:-1], 1 / by.days))
            continue
        if of == "topic":
            weights = topics[name]
        elif of == "label" and corpus.labels is not None:
            weights = (corpus.labels == list(corpus.label_names).index(name)).astype(float)
        else:
            column = int(corpus.vocabulary.index([name])[0])
            weights = np.asarray((corpus.counts[:, [column]] > 0).sum(axis=1), dtype=float).ravel()
        counts = np.bincount(steps.of_document, weights=weights, minlength=len(steps.totals)).astype(np.float64)
        found.append(series_of(of, name, counts, steps.totals, steps.starts))
    return found


TURNING_SERIES = Finding("turning_series", find, empty=list[TurningSeries], since=16)

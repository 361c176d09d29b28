"""Intensities of labels or topics: rates that jump between levels, with bands and bursts."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from driftline.analysis.burst_kinds import BurstKind, kinds_of_rate_bursts
from driftline.analysis.shown_curves import shown_curve
from driftline.analysis.stream_time import StreamTime
from driftline.core.arrays import Datetimes, Ints
from driftline.core.times import TimeAxis, iso
from driftline.intensity.tracking.known_topics import intensities_of_known_topics
from driftline.smoothing.curve import Curve
from driftline.streams.long_gaps import without_long_gaps

N_LEVELS = 8
BAND = 0.95
MOST_BURSTS = 12
_ROUNDING = 1e-10
"""Tolerance in days, a few microseconds: times of documents are converted to dates and back."""


@dataclass(frozen=True)
class IntensityBurst:
    """An interval in which a label or topic had far more documents than usual.

    `level` counts steps above the usual rate, each of a factor of two; a burst inside a weaker one has the higher
    level. `weight` is the gain in log-likelihood (in nats) from the burst, and `probability` the posterior probability
    of a rate at least this high, averaged over its documents: a lower bound, if documents arrive independently. `kind`
    does not assume that: "event" is a burst of a single day, "lasting" one of several days that outlasts what the same
    days in random order would show, "unconfirmed" one of several days that does not.
    """

    start: str
    end: str
    level: int
    weight: float
    probability: float
    n_documents: int
    kind: BurstKind | None = None


class Intensity(NamedTuple):
    """Documents per day with their band, and the bursts in order of weight."""

    curve: Curve
    bursts: list[IntensityBurst]


def track_intensities(
    times: Datetimes,
    codes: Ints,
    n_codes: int,
    when: Datetimes,
    *,
    stream: StreamTime | None = None,
) -> list[Intensity]:
    """Return the intensity of each code (a label or a topic, 0 to `n_codes` - 1) of documents in time order.

    `stream` is the time of all documents of the stream, with or without a code: a day without any is uninformative
    about a code, and long gaps are not part of the time in which a rate is measured.

    There are eight levels, each twice the one below, around the mean rate of a code. A transition has the same cost as
    in the burst automaton, ln n for n documents, and a burst whose weight is below the cost of one transition is not
    reported. Given the codes, the chains of the levels are independent, so each is tracked exactly. This assumes that
    documents are independent, too; the kind of a burst, found by permuting whole steps of the stream, does not.

    >>> days = np.datetime64("2024-01-01", "us") + np.arange(200) * np.timedelta64(1, "D")
    >>> codes = np.where((np.arange(200) >= 80) & (np.arange(200) < 120), 1, 0)
    >>> codes[::20] = 1
    >>> strongest = max(track_intensities(days, codes, 2, days)[1].bursts, key=lambda burst: burst.level)
    >>> strongest.start[:10], strongest.end[:10], strongest.n_documents
    ('2024-03-22', '2024-04-29', 39)
    """
    n = len(times)
    stream = StreamTime.of(times) if stream is None else stream
    moments = without_long_gaps(TimeAxis("datetime").values(times), stream.middles)
    span = max(float(np.ptp(moments)), 1e-6)
    levels = 2.0 ** (np.arange(N_LEVELS) - (N_LEVELS - 1) / 2) * n / (n_codes * span)
    latest = np.maximum(np.searchsorted(times, when, side="right") - 1, 0)
    curves, bursts = [], []
    tracked = intensities_of_known_topics(
        TimeAxis("datetime").restore(moments),
        codes,
        n_codes,
        latest,
        levels=levels,
        transition=min(1.0, 2 / n),
        interval=BAND,
    )
    for topic in tracked:
        rate, lower, upper = topic.rate, np.minimum(topic.lower, topic.rate), np.maximum(topic.upper, topic.rate)
        curves.append(shown_curve(Curve(when, rate, lower, upper, np.ones(len(when)), BAND)))
        rows = [row for row in topic.bursts.to_pylist() if row["weight"] >= np.log(n)]
        bursts.append(
            [
                IntensityBurst(
                    start=iso(times[np.searchsorted(moments, _moment(row["start"]) - _ROUNDING)]),
                    end=iso(times[np.searchsorted(moments, _moment(row["end"]) + _ROUNDING, side="right") - 1]),
                    level=int(row["level"]),
                    weight=float(f"{row['weight']:.6g}"),
                    probability=float(f"{row['probability']:.4g}"),
                    n_documents=round(row["n_documents"]),
                )
                for row in rows[:MOST_BURSTS]
            ]
        )
    return [Intensity(*of_code) for of_code in zip(curves, _with_kinds(bursts, times, codes, stream))]


def _moment(time: object) -> float:
    """Return a time in days."""
    return float(TimeAxis("datetime").values([time])[0])


def _with_kinds(
    bursts: list[list[IntensityBurst]], times: Datetimes, codes: Ints, stream: StreamTime
) -> list[list[IntensityBurst]]:
    """Return the bursts with their kinds."""
    steps = stream.steps(times)
    windows = []
    for code, of_code in enumerate(bursts):
        for burst in of_code:
            start, end = (stream.step_of(_moment(time)) for time in (burst.start, burst.end))
            inside = steps[(codes == code) & (steps >= np.floor(start)) & (steps <= end)]
            windows.append((code, int(inside.min(initial=len(stream.observed) - 1)), int(inside.max(initial=0))))
    kinds = iter(kinds_of_rate_bursts(steps, codes, windows, stream.observed))
    return [[dataclasses.replace(burst, kind=next(kinds)) for burst in of_code] for of_code in bursts]

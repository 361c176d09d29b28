"""Documents per day of each label, and their bursts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from driftline.analysis.finding import Finding
from driftline.analysis.intensities import IntensityBurst, track_intensities
from driftline.analysis.stream_time import StreamTime
from driftline.core.arrays import Datetimes
from driftline.core.days_of_dates import unchangeable
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus

if TYPE_CHECKING:
    from driftline.analysis.context import Context

MOST_LABELS = 12
LEAST_DOCUMENTS = 50


@dataclass(frozen=True)
class LabelIntensity:
    """Documents per day of a label, as a rate that jumps between levels, with its band and bursts."""

    label: str
    curve: Curve
    bursts: list[IntensityBurst] = field(default_factory=list)


def describe_intensities(corpus: Corpus, when: Datetimes, *, stream: StreamTime | None = None) -> list[LabelIntensity]:
    """Return the documents per day of each frequent label, a rate that jumps between levels, with band and bursts.

    `stream` is the time of all documents, by default that of the corpus.
    """
    if corpus.labels is None:
        return []
    sizes = np.bincount(corpus.labels[corpus.labels >= 0], minlength=len(corpus.label_names))
    frequent = [code for code in np.argsort(-sizes, kind="stable")[:MOST_LABELS] if sizes[code] >= LEAST_DOCUMENTS]
    if len(frequent) < 2 or len(when) < 2:
        return []
    rows = np.flatnonzero(np.isin(corpus.labels, frequent))
    codes = np.searchsorted(np.sort(frequent), corpus.labels[rows])
    times = unchangeable(corpus.times[rows])
    stream = StreamTime.of(corpus.times) if stream is None else stream
    tracked = track_intensities(times, codes, len(frequent), when, stream=stream)
    return [
        LabelIntensity(corpus.label_names[code], each.curve, each.bursts)
        for code, each in zip(np.sort(frequent), tracked)
    ]


def find(context: Context) -> list[LabelIntensity]:
    """Track the frequent labels of the stream."""
    return describe_intensities(context.corpus, context.when, stream=context.stream_time)


INTENSITIES = Finding("intensities", find, empty=list[LabelIntensity], position=140, since=3)

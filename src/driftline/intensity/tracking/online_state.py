"""The tracker one document at a time: its state, and the step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.base.state_layout import Array, Either, Number, Together
from driftline.compute import current_kernels
from driftline.compute.variant_codes import GAP, INDEX, OPERATIONAL
from driftline.core.arrays import Floats
from driftline.core.pictures import Bars, Picture
from driftline.core.results import Columns, Result
from driftline.intensity.tracking.gaps import LOCAL, TimeKind
from driftline.intensity.tracking.implicit_model import IntensityModel

MEASURES = {"gap": GAP, "operational": OPERATIONAL, "index": INDEX}
NO_CLIP = (0.0, np.inf)


class SmoothedDocument(NamedTuple):
    """An earlier document, smoothed with part of its future."""

    document: int
    topic_proba: Floats
    intensity: Floats


class _IntensityUpdateFields(NamedTuple):
    """The fields of `IntensityUpdate`."""

    document: int
    topic_proba: Floats
    intensity: Floats
    level_proba: Floats
    smoothed: SmoothedDocument | None


class IntensityUpdate(Result, _IntensityUpdateFields):
    """Result for one new document: its topics, the intensities now, and an earlier document `lag` places back.

    `document` is its number, counted from the beginning of the stream; `level_proba` is p(level) of each topic,
    topics × levels; `smoothed` is None until there are enough documents.
    """

    __slots__ = ()

    def _columns(self) -> Columns:
        topics = np.arange(len(self.topic_proba))
        return {"topic": topics, "probability": self.topic_proba, "intensity": self.intensity}

    def _summary(self) -> str:
        return f"document {self.document:,}, most probably of topic {int(np.argmax(self.topic_proba))}"

    def _picture(self) -> Picture:
        return Bars([f"topic {k}" for k in range(len(self.intensity))], self.intensity, "intensity")


FILTER = Together(
    {
        "message": Array("levels", "topics", kind="f8", least=0),
        "predicted": Array("places", "levels", "topics", kind="f8", least=0),
        "seen": Array("places", "topics", kind="f8", least=0),
        "others": Array("places", "topics", kind="f8", least=0),
        "decay": Array("places", "levels", kind="f8", least=0),
        "matrices": Array("places", "levels", "levels", kind="f8"),
        "count": Array(2, kind="i8", least=0, most=2**53),
        "clock": Array(2, kind="f8", finite=False, missing=True),
        "rates": Array("levels", kind="f8", least=0),
        "steps": Array("levels", "levels", kind="f8"),
        "speeds": Either(Array("levels", kind="f8", most=0), Array(0, kind="f8")),
        "band": Number(least=0, whole=True, most=255),
        "mean_gap": Number(least=np.finfo(np.float64).tiny),
    }
)
"""Layout of a saved tracker's filter; see `begin_filter`."""


def begin_filter(model: IntensityModel, mean_gap: float, last_time: float | None, lag: int) -> dict[str, Any]:
    """Return the filter's state after the model's documents, as plain arrays that can be saved."""
    n, n_topics, n_levels = model.shape
    matrix, speeds, band = model.steps()
    places = lag + 1
    message = np.repeat(model.prior[:, None], n_topics, axis=1)
    if n:
        text = np.ascontiguousarray(model.text)
        kind = text.dtype
        length = current_kernels().intensity_ep.SEGMENT
        last, means, mixed = message.astype(kind), np.empty((length, n_topics), kind), np.empty(length, kind)
        fixed = (model.rates.astype(kind), matrix.astype(kind), speeds, band, last)
        for first in range(0, n, length):
            part = slice(first, first + length)
            current_kernels().intensity_ep.filter_stream(text[part], model.gaps[part], *fixed, first > 0, means, mixed)
        message = last.astype(np.float64)
    return {
        "message": message,
        "predicted": np.zeros((places, n_levels, n_topics)),
        "seen": np.zeros((places, n_topics)),
        "others": np.zeros((places, n_topics)),
        "decay": np.zeros((places, n_levels)),
        "matrices": np.zeros((places, n_levels, n_levels)),
        "count": np.array([0, n]),
        "clock": np.array([np.nan if last_time is None else last_time, mean_gap]),
        "rates": model.rates.astype(np.float64),
        "steps": matrix,
        "speeds": speeds,
        "band": band,
        "mean_gap": mean_gap,
    }


def advance_filter(
    state: dict[str, Any], log_likelihood: Floats, time: float, kind: TimeKind, clip: tuple[float, float] | None
) -> IntensityUpdate | None:
    """Process one document and return the current estimates; None, without any change, if no topic is possible.

    A document older than the last one is treated as arriving at the same time: the clock does not go back. Operational
    time, which is two-sided in a complete stream, divides by the weighted mean of the gaps so far, with most weight on
    recent ones.
    """
    message = state["message"]
    n_levels, n_topics = message.shape
    found, levels = np.empty((4, n_topics)), np.empty((n_topics, n_levels))
    low, high = NO_CLIP if clip is None else clip
    fixed = (state["rates"], state["steps"], state["speeds"], state["band"])
    ring = (message, state["predicted"], state["seen"], state["others"], state["decay"], state["matrices"])
    clock, mean_gap, count = state["clock"], state["mean_gap"], state["count"]
    measure = MEASURES[kind]
    number = current_kernels().intensity_online.advance(
        log_likelihood, time, clock, mean_gap, measure, LOCAL, low, high, fixed, ring, count, found, levels
    )
    if number < 0:
        return None
    lag = len(ring[2]) - 1
    smoothed = SmoothedDocument(number - lag, found[2], found[3]) if count[0] > lag else None
    return IntensityUpdate(number, found[0], found[1], levels, smoothed)

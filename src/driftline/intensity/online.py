"""The tracker one document at a time: its state, and the step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.compute.cpu.intensity_ep import STRETCH, filter_stream
from driftline.compute.cpu.intensity_online import update
from driftline.core.arrays import Floats
from driftline.intensity.model import IntensityModel
from driftline.intensity.timeline import LOCAL, TimeKind


class SmoothedDocument(NamedTuple):
    """An earlier document, judged again now that its future is known in part."""

    document: int
    topic_proba: Floats
    intensity: Floats


class IntensityUpdate(NamedTuple):
    """What one new document tells: its topics, the intensities now, and an earlier document `lag` places back.

    `document` is its number, counted from the beginning of the stream; `level_proba` is p(level) of each topic,
    topics × levels; `smoothed` is None until there are enough documents.
    """

    document: int
    topic_proba: Floats
    intensity: Floats
    level_proba: Floats
    smoothed: SmoothedDocument | None


def begin_filter(model: IntensityModel, mean_gap: float, last_time: float | None, lag: int) -> dict[str, Any]:
    """Return the filter's state after the model's documents, as plain arrays that can be saved."""
    n, n_topics, n_levels = model.shape
    matrix, speeds, band = model.steps()
    places = lag + 1
    message = np.repeat(model.prior[:, None], n_topics, axis=1)
    if n:
        text = np.ascontiguousarray(model.text)
        kind = text.dtype
        last, means, mixed = message.astype(kind), np.empty((STRETCH, n_topics), kind), np.empty(STRETCH, kind)
        fixed = (model.rates.astype(kind), matrix.astype(kind), speeds, band, last)
        for first in range(0, n, STRETCH):
            part = slice(first, first + STRETCH)
            filter_stream(text[part], model.gaps[part], *fixed, first > 0, means, mixed)
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
    state: dict[str, Any], text: Floats, time: float, kind: TimeKind, clip: tuple[float, float] | None
) -> IntensityUpdate:
    """Take in one document (p(document | topic) up to a factor) and say what is known now.

    A document older than the last one is taken as if it came at the same time: the clock does not go back. Operational
    time, which looks both ways in a stream that is at hand, divides by the mean of the gaps so far, recent ones most.
    """
    clock, mean_gap = state["clock"], state["mean_gap"]
    last = float(clock[0])
    if last != last:  # not a number: no document has come yet
        gap, clock[0] = 0.0, time
    else:
        passed = max(time - last, 0.0)
        clock[0] = last + passed
        if kind == "index":
            gap = 1.0
        elif kind == "operational":
            clock[1] += (passed - clock[1]) / LOCAL
            gap = passed / clock[1] if clock[1] > 0 else 0.0
        else:
            gap = passed / mean_gap
        if clip is not None:
            gap = min(max(gap, clip[0]), clip[1])
    found = np.empty((4, len(text)))
    ring = (state["message"], state["predicted"], state["seen"], state["others"], state["decay"], state["matrices"])
    update(text, gap, state["rates"], state["steps"], state["speeds"], state["band"], *ring, state["count"], found)
    in_ring, before = state["count"]
    index = int(in_ring + before) - 1
    lag = len(state["seen"]) - 1
    smoothed = None
    if in_ring > lag:
        smoothed = SmoothedDocument(index - lag, found[2], found[3] / mean_gap)
    return IntensityUpdate(index, found[0], found[1] / mean_gap, state["message"].T.copy(), smoothed)

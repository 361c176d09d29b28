"""Results of a stream of stories: its stories, their events, and their shares over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.core.pictures import MOST_PANELS, Curves, Picture, Series
from driftline.core.results import Columns, Result, counted, long_columns, time_range
from driftline.core.times import Instant
from driftline.smoothing.bands import share_bands
from driftline.smoothing.dispersion import dispersion
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import relative_weights

KERNEL = Kernel("triangular")
MOST_BINS = 1000
"""Maximum number of bins of a history; above it, neighbouring bins are summed."""


class Story(NamedTuple):
    """A story: its first and latest time, documents, characteristic words, and the stories it came from or became.

    `example` is the number of its first document in the stream, and `birth` the probability that this document started
    a story. The state is ``"live"``, ``"ended"`` or ``"merged"`` (into its child).
    """

    id: int
    start: Instant
    end: Instant
    size: int
    words: list[str | int]
    example: int
    state: str
    birth: float
    parents: list[int]
    children: list[int]


class StoryEvent(NamedTuple):
    """A change: born, split (`other` left), merged (`other` joined), revived (as `other`), or ended."""

    kind: str
    time: Instant
    story: int
    other: int | None
    probability: float


class StoryUpdate(NamedTuple):
    """One new document: its number, its story (−1 if it has no words), whether it started it, and its link probability.

    `linked_to` is the number of the earlier document that it most probably continues, −1 if there is none.
    """

    document: int
    story: int
    is_new: bool
    probability: float
    linked_to: int


class _StorySharesFields(NamedTuple):
    """The fields of `StoryShares`."""

    times: np.ndarray
    stories: Ints
    share: Floats
    lower: Floats
    upper: Floats
    bandwidth: float


class StoryShares(Result, _StorySharesFields):
    """Shares of stories in the documents over time, with 95 % bands: a row per story, the last one all others (−1)."""

    __slots__ = ()

    def _columns(self) -> Columns:
        return long_columns(
            {"story": self.stories.tolist()}, self.times, share=self.share, lower=self.lower, upper=self.upper
        )

    def _summary(self) -> str:
        return f"{counted(len(self.stories) - 1, 'story', 'stories')} and all others, {time_range(self.times)}"

    def _picture(self) -> Picture:
        names = [f"story {story}" if story >= 0 else "others" for story in self.stories.tolist()]
        rows = zip(names, self.share, self.lower, self.upper)
        return Curves([Series(name, self.times, *curves) for name, *curves in rows][:MOST_PANELS])


def story_shares(
    history: Mapping[str, np.ndarray], shown: Iterable[int], origin: float, width: float, bandwidth: float
) -> tuple[Floats, Ints, Floats, Floats, Floats]:
    """Return times, ids, shares, lower and upper limits of stories per bin of their history; −1 is all others."""
    ids = np.array([*shown, -1], dtype=np.int64)
    bins, place = np.unique(history["bins"], return_inverse=True)
    step = max(1.0, np.ceil((bins[-1] - bins[0] + 1) / MOST_BINS)) if len(bins) else 1.0
    bins, again = np.unique(np.floor(bins / step), return_inverse=True)
    place = again.ravel()[place.ravel()]
    sorted_ids, order = np.unique(ids[:-1], return_index=True)
    found = np.searchsorted(sorted_ids, history["stories"])
    known = (found < len(sorted_ids)) & (np.append(sorted_ids, -1)[found] == history["stories"])
    column = np.where(known, np.append(order, 0)[found], len(ids) - 1)
    counts = np.zeros((len(bins), len(ids)))
    np.add.at(counts, (place, column), history["counts"])
    times = origin + (bins + 0.5) * step * width
    when = _evenly(times, step * width)
    if not len(bins):
        empty = np.zeros((len(ids), 0))
        return when, ids, empty, empty, empty
    totals, bandwidth = counts.sum(axis=1), max(bandwidth, 2 * step * width)
    spread = _spread(counts, totals, times, bandwidth)
    share, lower, upper, terms = share_bands(
        sp.csc_array(counts), totals, totals * (totals - 1), times, when, KERNEL, bandwidth, spread
    )
    for curve in (share, lower, upper):
        curve[~terms.supported] = 0.0
    # shares were corrected for bias separately, so they do not quite sum to one
    share = share / np.where(terms.supported, share.sum(axis=1), 1.0)[:, None]
    return when, ids, share.T, np.minimum(lower, share).T, np.maximum(upper, share).T


def _evenly(times: Floats, width: float) -> Floats:
    """Return the middle of every bin from the first to the last, or only of those with documents if most are empty."""
    if not len(times):
        return times
    n = (times[-1] - times[0]) / width + 1
    return np.linspace(times[0], times[-1], round(n)) if n <= 2 * MOST_BINS else times


def _spread(counts: Floats, totals: Floats, times: Floats, bandwidth: float) -> Floats:
    """Return the overdispersion of the documents within a bin, for every story."""
    near = relative_weights(times, times, KERNEL, bandwidth)
    np.fill_diagonal(near, 0.0)
    around = near @ totals
    elsewhere = np.where(around[:, None] > 0, near @ counts / np.where(around > 0, around, 1.0)[:, None], 0.0)
    bins, stories = np.nonzero(counts)
    return dispersion(stories, counts[bins, stories], totals[bins], elsewhere[bins, stories], counts.shape[1])

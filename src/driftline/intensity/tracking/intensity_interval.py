"""The interval of an intensity, for trackers."""

from __future__ import annotations

from driftline.base.state_layout import Array, Layout, Table
from driftline.core.arrays import Floats, Ints

TRACKED: Layout = {
    "levels_": Array("levels", least=0),
    "topic_proba_": Array("documents", "topics", least=0),
    "labels_": Array("documents", kind="i", below="topics"),
    "intensity_": Array("documents", "topics", least=0),
    "level_": Array("documents", "topics", kind="i", below="levels"),
    "_lower_": Array("documents", "topics", kind="i", below="levels"),
    "_upper_": Array("documents", "topics", kind="i", below="levels"),
    "bursts_": Table(("topic", "start", "end", "level", "weight")),
}
"""Layout of a tracker's state about the documents it was fitted to."""


class HasIntensityInterval:
    """Mixin of trackers with an interval of `levels_` for the intensity, by document and topic."""

    levels_: Floats
    _lower_: Ints
    _upper_: Ints

    @property
    def intensity_lower_(self) -> Floats:
        """The lower limit of the interval that contains each intensity with the probability `interval`."""
        return self.levels_[self._lower_]

    @property
    def intensity_upper_(self) -> Floats:
        """The upper limit of that interval."""
        return self.levels_[self._upper_]

"""The interval of an intensity, as trackers show it."""

from __future__ import annotations

from driftline.core.arrays import Floats, Ints


class HasIntensityInterval:
    """Mixin of trackers that know, by document and topic, between which of their `levels_` the intensity lies."""

    levels_: Floats
    _lower_: Ints
    _upper_: Ints

    @property
    def intensity_lower_(self) -> Floats:
        """The lower end of the interval that holds each intensity with the probability `interval`."""
        return self.levels_[self._lower_]

    @property
    def intensity_upper_(self) -> Floats:
        """The upper end of that interval."""
        return self.levels_[self._upper_]

"""The options of a stream of stories, converted to the units of the time axis."""

from __future__ import annotations

import math
import numbers
from typing import ClassVar

from driftline.base.input_kinds import TakesCounts
from driftline.base.sklearn_private import Constraints, Interval, StrOptions
from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed
from driftline.core.times import Duration
from driftline.nonparametric.stories.arrivals import ArrivingEstimator
from driftline.nonparametric.stories.link_finder import LinkSettings
from driftline.nonparametric.stories.link_models import COSINE_CUT
from driftline.nonparametric.stories.review import Rules
from driftline.text.vocabulary import WordList

BINS_PER_MEMORY = 10
"""Number of bins of the history per memory."""


class StoryOptions(TakesCounts, ArrivingEstimator):
    """The parameters of `driftline.nonparametric.StoryStream`, which documents them."""

    _parameter_constraints: ClassVar[Constraints] = {
        "memory": "no_validation",
        "max_live": [Interval(numbers.Integral, 1, None, closed="left")],
        "link": [StrOptions({"cosine", "learned", "crp"})],
        "threshold": [Interval(numbers.Real, 0, 1, closed="right")],
        "decay": "no_validation",
        "concentration": [Interval(numbers.Real, 0, None, closed="neither")],
        "prior_strength": [Interval(numbers.Real, 0, None, closed="neither")],
        "n_particles": [Interval(numbers.Integral, 1, None, closed="left")],
        "min_size": [Interval(numbers.Integral, 2, None, closed="left")],
        "min_probability": [Interval(numbers.Real, 0.5, 1, closed="both")],
        "max_documents": [Interval(numbers.Integral, 1, None, closed="left")],
        "max_ended": [Interval(numbers.Integral, 1, None, closed="left")],
        "reorder_within": "no_validation",
        "vocabulary": "no_validation",
        "random_state": "no_validation",
    }

    _origin_: float
    _cut_: float

    def __init__(
        self,
        memory: Duration = "30d",
        max_live: int = 5000,
        link: str = "cosine",
        threshold: float = 0.15,
        decay: Duration | None = None,
        concentration: float = 1e7,
        prior_strength: float = 300.0,
        n_particles: int = 100,
        min_size: int = 5,
        min_probability: float = 0.9,
        max_documents: int = 20_000,
        max_ended: int = 10_000,
        reorder_within: Duration = 0,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
    ) -> None:
        self.memory = memory
        self.max_live = max_live
        self.link = link
        self.threshold = threshold
        self.decay = decay
        self.concentration = concentration
        self.prior_strength = prior_strength
        self.n_particles = n_particles
        self.min_size = min_size
        self.min_probability = min_probability
        self.max_documents = max_documents
        self.max_ended = max_ended
        self.reorder_within = reorder_within
        self.vocabulary = vocabulary
        self.random_state = random_state

    @property
    def _learned(self) -> Floats | None:
        return getattr(self, "_coefficients_", None) if self.link == "learned" else None

    @property
    def _rules(self) -> Rules:
        width, decay = self._span(self.memory) / BINS_PER_MEMORY, self._settings(self._learned).decay
        sizes = (int(self.n_particles), int(self.min_size), float(self.min_probability))
        return Rules(*sizes, decay, int(self.max_ended), self._origin_, width)

    def _settings(self, coefficients: Floats | None) -> LinkSettings:
        memory = self._span(self.memory)
        if not 0 < memory < math.inf:
            raise InvalidInput(f"the memory must be positive and finite, not {self.memory!r}")
        usual = memory if self.link == "learned" and coefficients is not None else memory / 3
        decay = usual if self.decay is None else self._span(self.decay)
        if not decay > 0:
            raise InvalidInput(f"the decay must be positive, not {self.decay!r}")
        return LinkSettings(
            memory, decay, int(self.max_documents), float(self.threshold), coefficients,
            COSINE_CUT if coefficients is None else float(self._cut_), float(self.concentration),
            float(self.prior_strength),
        )  # fmt: skip

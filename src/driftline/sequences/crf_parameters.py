"""Parameters of conditional random fields, and the predefined templates."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, Interval, StrOptions
from driftline.core.randomness import Seed
from driftline.sequences.tagging_problem import Forbidden
from driftline.sequences.templates import Templates

READY: dict[str, Callable[[], Templates]] = {
    "chunking": Templates.chunking,
    "parts_of_speech": Templates.parts_of_speech,
    "parts_of_speech_pairs": partial(Templates.parts_of_speech, pairs=True),
    "names": Templates.names,
}
"""Predefined templates by name."""


class FieldParameters(DriftEstimator):
    """The parameters of `driftline.sequences.CRF`, which documents them."""

    _parameter_constraints: ClassVar[Constraints] = {
        "features": [StrOptions(set(READY)), Templates],
        **{name: [Interval(numbers.Real, 0, None, closed="left")] for name in ("l2", "l1", "tolerance")},
        "solver": [StrOptions({"auto", "lbfgs", "sgd"})],
        **{name: [Interval(numbers.Integral, 1, None, closed="left")] for name in ("max_iter", "epochs")},
        "forbidden": "no_validation",
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        features: Templates | str = "parts_of_speech",
        l2: float = 1.0,
        l1: float = 0.0,
        solver: str = "auto",
        max_iter: int = 200,
        tolerance: float = 1e-6,
        epochs: int = 16,
        forbidden: Forbidden = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.features = features
        self.l2 = l2
        self.l1 = l1
        self.solver = solver
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.epochs = epochs
        self.forbidden = forbidden
        self.random_state = random_state
        self.verbose = verbose

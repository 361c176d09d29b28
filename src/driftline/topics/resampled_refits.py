"""Refits of a topic model to resampled units, their topics matched to those of the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

from driftline.core.arrays import Counts, Floats
from driftline.core.errors import InvalidInput
from driftline.core.progress import track
from driftline.core.randomness import Seed, seed_of, spawn
from driftline.inference.lineage import topic_overlaps
from driftline.streams.units import Units


class Refit(NamedTuple):
    """The topics of a refit, in the order of the model's own, and the number of times that each unit was drawn."""

    components: Floats
    weight: Floats


def refitted_topics(model: Any, counts: Counts, units: Units, n_refits: int, random_state: Seed) -> Iterator[Refit]:
    """Yield `n_refits` refits: units are drawn with replacement, and each topic is matched to the one it overlaps most.

    Each refit has its own seed, so that the dependence on the start of the model is included in the uncertainty.
    """
    if n_refits < 2:
        raise InvalidInput(f"n_refits must be at least 2 to show a spread, not {n_refits}")
    if getattr(model, "uses_embeddings_", False):
        raise InvalidInput("the model was fitted with embeddings, which refits do not have; use uncertainty='given'")
    rows_of = np.argsort(units.index, kind="stable")
    first = np.searchsorted(units.index[rows_of], np.arange(units.n + 1))
    for rng in track(spawn(random_state, n_refits), "refitting topics", total=n_refits):
        drawn = rng.integers(0, units.n, units.n)
        rows = np.concatenate([rows_of[first[u] : first[u + 1]] for u in drawn])
        refit = clone(model)
        if "random_state" in refit.get_params():
            refit.set_params(random_state=seed_of(rng))
        refit.fit(counts[rows])
        own, matched = linear_sum_assignment(-topic_overlaps(model.components_, refit.components_))
        components = np.array(model.components_)  # a refit may have found fewer topics
        components[own] = refit.components_[matched]
        yield Refit(components, np.bincount(drawn, minlength=units.n).astype(np.float64))

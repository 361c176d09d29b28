"""Levels of intensity and their transitions: a ladder from the data, and the M-steps that learn them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats
from driftline.inference.em import EM
from driftline.intensity.tracking.implicit_model import IntensityModel, LevelStatistics

LOCAL = 20
"""Number of documents over which a topic's highest rate is measured; it sets the highest level."""
AT_A_TIME = 1000 * LOCAL


def ladder(text: Floats, gaps: Floats, n_levels: int) -> Floats:
    """Return a geometric ladder of rates, in mean gaps, that spans the topics' rates in the data.

    The lowest rung is half the mean rate of the rarest topic, the highest the fastest rate of a topic over a run of
    documents (each counts by its text probability); rungs are a factor of at least 1.5 apart.

    >>> text = np.tile(np.eye(2), (200, 1))
    >>> ladder(text, np.ones(400), 3).round(2)
    array([0.25, 0.38, 0.56])
    """
    n, n_topics = text.shape
    window = min(LOCAL, n)
    expected, rates = np.zeros(n_topics), []
    for begin in range(0, n, AT_A_TIME):  # avoids a second copy of the text
        shares = np.asarray(text[begin : begin + AT_A_TIME], dtype=np.float64)
        shares = shares / shares.sum(axis=1, keepdims=True)
        expected += shares.sum(axis=0)
        whole = len(shares) // window * window
        counts = shares[:whole].reshape(-1, window, n_topics).sum(axis=1).max(axis=1)
        lengths = gaps[begin : begin + whole].reshape(-1, window).sum(axis=1)
        rates.append(counts / np.maximum(lengths, window * 1e-2))
    slowest = max(float(expected.min()), 0.5) / max(float(gaps.sum()), 1.0) / 2
    fastest = float(np.quantile(np.concatenate(rates), 0.99))
    ratio = max(1.5, (fastest / slowest) ** (1 / max(n_levels - 1, 1)))
    found: Floats = slowest * ratio ** np.arange(n_levels)
    return found


class LevelParameters(NamedTuple):
    """Parameters learned by EM: the rates of the levels, θ, and the distribution of the first level."""

    rates: Floats
    theta: float
    prior: Floats

    def of(self, model: IntensityModel) -> IntensityModel:
        """Return the model with these parameters."""
        return model._replace(rates=self.rates, theta=self.theta, prior=self.prior)


def level_em(
    expect: Callable[[LevelParameters, IntensityModel, np.random.Generator], tuple[LevelStatistics | None, float]],
    names: frozenset[str],
) -> EM[IntensityModel, LevelParameters, LevelStatistics | None]:
    """Return EM for those of the parameters "transition", "prior" and "levels" that are named."""
    return EM(
        begin=lambda model, rng: LevelParameters(model.rates, model.theta, model.prior),
        expect=expect,
        maximise=lambda counted, before, model: learn_parameters(before, counted, names) if counted else before,
        change=parameter_change,
    )


def learn_parameters(before: LevelParameters, counted: LevelStatistics, names: frozenset[str]) -> LevelParameters:
    """Return θ, prior or rates (those that are named) optimised for the expected counts, the others unchanged."""
    return LevelParameters(
        rates=best_rates(before.rates, counted) if "levels" in names else before.rates,
        theta=best_theta(counted.moves) if "transition" in names else before.theta,
        prior=(counted.first + 1e-3) / (counted.first + 1e-3).sum() if "prior" in names else before.prior,
    )


def parameter_change(before: LevelParameters, after: LevelParameters) -> float:
    """Return the largest change: of the logarithm of a rate or of θ, or of a prior probability."""
    return max(
        float(np.abs(np.log(after.rates / before.rates)).max()),
        abs(float(np.log(after.theta / before.theta))),
        float(np.abs(after.prior - before.prior).max()),
    )


def best_theta(moves: Floats) -> float:
    """Return the θ that maximises the expected log-probability of the transitions.

    With m transitions, s stays at inner and e stays at outermost levels, it is the smaller root of (m + s + e) θ² - (3
    m + 2 s + e) θ + 2 m = 0.

    >>> best_theta(np.array([[0.0, 0, 0], [1, 8, 1], [0, 0, 0]]))
    0.2
    """
    stays = np.diag(moves)
    m = float(moves.sum() - stays.sum())
    e = float(stays[0] + stays[-1]) if len(stays) > 1 else float(stays.sum())
    s = float(stays.sum()) - e
    a, b = m + s + e, 3 * m + 2 * s + e
    if a <= 0:
        return 0.5
    root = (b - np.sqrt(max(b * b - 8 * a * m, 0.0))) / (2 * a)
    return float(np.clip(root, 1e-6, 1.0))


def best_rates(rates: Floats, counted: LevelStatistics) -> Floats:
    """Return events over exposure of each level, kept in order; a level that was hardly used keeps its rate."""
    used = counted.events > 0.5
    fresh = np.where(used, counted.events / np.maximum(counted.exposure, 1e-12), rates)
    fresh = np.clip(fresh, rates.min() / 4, rates.max() * 4)
    return np.maximum.accumulate(fresh * (1 + 1e-9 * np.arange(len(rates))))

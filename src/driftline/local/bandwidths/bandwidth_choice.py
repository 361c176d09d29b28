"""Methods of bandwidth selection: by leave-one-out (one, over time, per word, mixed), or by plug-in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.local.background_prior import Prior
from driftline.local.bandwidths.bandwidth_mixture import Components
from driftline.local.bandwidths.leave_one_out import LeaveOneOut
from driftline.local.bandwidths.mixture_weights import component_places, mixture_weights
from driftline.local.bandwidths.plug_in import plugin_bandwidths
from driftline.local.bandwidths.varying_bandwidth import varying_components
from driftline.local.bandwidths.word_bandwidths import steadied_choice, word_scores
from driftline.local.history import History
from driftline.smoothing.bandwidths import bandwidth_grid
from driftline.smoothing.kernels import Kernel

CHOICES = ("cv", "cv-varying", "plugin", "per-word", "mix")
_STRENGTHS_PER_WORD = (1 / 16, 1.0, 16.0)
_WORD_BANDWIDTHS = 12


class CrossValidation(NamedTuple):
    """The leave-one-out likelihood per word of every bandwidth × strength, and the best pair."""

    bandwidths: Floats
    strengths: Floats
    scores: Floats
    bandwidth: float
    strength: float

    @property
    def strength_of_each(self) -> Floats:
        """The best strength for each bandwidth."""
        found: Floats = self.strengths[len(self.strengths) - 1 - np.argmax(self.scores[:, ::-1], axis=1)]
        return found


def cross_validate(
    loo: LeaveOneOut, prior: Prior, bandwidths: Floats, strengths: Floats, *, verbose: bool | int = False
) -> CrossValidation:
    """Score every pair of bandwidth and strength; among equals the wider and stronger is preferred."""
    scores = loo.table(bandwidths, prior, strengths, verbose=verbose)
    best = scores.size - 1 - int(np.argmax(scores.ravel()[::-1]))
    row, column = divmod(best, scores.shape[1])
    return CrossValidation(bandwidths, strengths, scores, float(bandwidths[row]), float(strengths[column]))


def choose(
    name: str,
    history: History,
    kernel: Kernel,
    prior: Prior,
    strengths: Floats,
    *,
    widest: float = np.inf,
    verbose: bool | int = False,
) -> tuple[Components, CrossValidation]:
    """Return the components selected by the named method, and the cross-validation table.

    No finite bandwidth is larger than `widest`.
    """
    loo = LeaveOneOut(history, kernel)
    table = cross_validate(loo, prior, bandwidth_grid(history.times, widest=widest), strengths, verbose=verbose)
    priors = [prior._replace(strength=float(s)) for s in table.strength_of_each]
    if name == "cv-varying":
        knots, index = varying_components(loo, table.bandwidths, priors)
        return _over_time(table, knots, index), table
    if name == "plugin":
        knots, widths = plugin_bandwidths(history, kernel, history.dispersion(kernel.name, table.bandwidth))
        index = np.searchsorted(np.sqrt(table.bandwidths[1:] * table.bandwidths[:-1]), widths)
        return _over_time(table, knots, index), table
    if name == "mix":
        places = component_places(table.bandwidths)
        widths = table.bandwidths[places]
        weights = mixture_weights(loo, widths, [priors[i] for i in places])
        none = np.empty(0)
        return Components("mixture", widths, table.strength_of_each[places], weights, none, none.astype(int)), table
    if name == "per-word":
        return _per_word(LeaveOneOut(history, kernel, by_word=True), prior, table, verbose=verbose), table
    return Components.one(table.bandwidth, table.strength), table


def _over_time(table: CrossValidation, knots: Floats, index: Ints) -> Components:
    used, place = np.unique(index, return_inverse=True)
    return Components("times", table.bandwidths[used], table.strength_of_each[used], np.ones(len(used)), knots, place)


def _per_word(loo: LeaveOneOut, prior: Prior, table: CrossValidation, *, verbose: bool | int) -> Components:
    """Select bandwidth and strength for each word, from a few of each around the best for all."""
    places = component_places(table.bandwidths, _WORD_BANDWIDTHS)
    strengths = [table.strength]
    if len(table.strengths) > 1:
        near = np.clip(np.array(_STRENGTHS_PER_WORD) * table.strength, table.strengths[0], table.strengths[-1])
        strengths = np.unique(near).tolist()
    totals = loo.history.word_totals
    everyone = np.zeros(loo.n_words, dtype=np.int64)
    scores = [
        word_scores(loo, table.bandwidths[places], [prior._replace(strength=s)], everyone, verbose=verbose)
        for s in strengths
    ]
    joined = np.concatenate(scores, axis=1)
    used, index = np.unique(steadied_choice(joined, totals), return_inverse=True)
    return Components(
        "words",
        np.tile(table.bandwidths[places], len(strengths))[used],
        np.repeat(strengths, len(places))[used],
        np.ones(len(used)),
        np.empty(0),
        index,
    )

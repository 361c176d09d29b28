"""Do the documents of one day share events? Neighbouring days then differ by more than independent documents do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.ndimage import median_filter

from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import generator
from driftline.smoothing.grouping import group_sums

_CHUNK = 2000
_NEIGHBOURS = 151
_USUAL = 0.25


class DayRatios(NamedTuple):
    """For every word: how much days differ, and by how much more they would if they shared events.

    `ratio` is the sum of squared differences of neighbouring days over what independent documents explain: one on
    average for independent documents, whatever slow drift there is. If rates varied from day to day with a relative
    variance v, it would be 1 + v · `sensitivity`: a frequent word shows it far more than a rare one.
    """

    ratio: Floats
    sensitivity: Floats


def day_ratios(counts: sp.csc_array, tokens: Floats, days: Ints) -> DayRatios:
    """Compare neighbouring days; those with less than a quarter of the usual number of words are passed over."""
    n_days = int(days.max(initial=-1)) + 1
    result = DayRatios(np.ones(counts.shape[1]), np.zeros(counts.shape[1]))
    if n_days < 2:
        return result
    day_tokens = group_sums(days, tokens, n_days)
    usual = day_tokens > _USUAL * np.median(day_tokens)
    gather = sp.csr_array((np.ones(len(days)), (days, np.arange(len(days)))))
    squared_tokens = group_sums(days, tokens**2, n_days)
    share = np.asarray(counts.sum(axis=0)).ravel() / tokens.sum()
    for start in range(0, counts.shape[1], _CHUNK):
        part, p = counts[:, start : start + _CHUNK], share[start : start + _CHUNK]
        crossed = (gather @ part.multiply(tokens[:, None])).toarray()
        residual = (gather @ part).toarray() - np.outer(day_tokens, p)
        variance = (gather @ part.power(2)).toarray() - 2 * p * crossed + np.outer(squared_tokens, p**2)
        rate = (residual / day_tokens[:, None])[usual]
        spread = (variance / day_tokens[:, None] ** 2)[usual]
        expected = (spread[1:] + spread[:-1]).sum(axis=0)
        differences = (np.diff(rate, axis=0) ** 2).sum(axis=0)
        known = expected > 0
        place = start + np.flatnonzero(known)
        result.ratio[place] = differences[known] / expected[known]
        result.sensitivity[place] = 2 * (len(rate) - 1) * p[known] ** 2 / expected[known]
    return result


def day_sharing(counts: sp.csc_array, tokens: Floats, days: Ints) -> float:
    """Return the mean ratio, words weighing as much as they are used."""
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    return float((day_ratios(counts, tokens, days).ratio * totals).sum() / totals.sum()) if totals.sum() else 1.0


def typical_excess(counts: sp.csc_array, tokens: Floats, days: Ints, random_state: Any) -> Floats:
    """Return by how much days typically differ too much, for every word; at least one.

    Each word's ratio tells how much its rate varies from day to day (v). The median over words used about as often,
    less that of documents dealt to the days at random, is what is typical; with it goes the ratio that the word itself
    should show. A few words with events of their own do not move a median, so they still stand out against it.
    """
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    if not len(totals):
        return totals
    dealt = days[generator(random_state).permutation(len(days))]
    order = np.argsort(totals, kind="stable")
    size = min(_NEIGHBOURS, len(order))
    found, by_chance = (day_ratios(counts, tokens, d) for d in (days, dealt))
    known = found.sensitivity > 0
    here, there = (
        np.divide(each.ratio - 1, found.sensitivity, out=np.zeros(len(totals)), where=known)
        for each in (found, by_chance)
    )
    typical = np.empty(len(totals))
    typical[order] = median_filter(here[order], size=size, mode="nearest") - median_filter(
        there[order], size=size, mode="nearest"
    )
    return 1 + np.maximum(typical, 0.0) * found.sensitivity

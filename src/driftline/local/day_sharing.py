"""Do the documents of one day share events? Neighbouring days then differ by more than independent documents do."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.ndimage import median_filter

from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import generator
from driftline.smoothing.grouping import group_sums

_CHUNK = 2000
_NEIGHBOURS = 151
_USUAL = 0.25


def day_ratios(counts: sp.csc_array, tokens: Floats, days: Ints) -> Floats:
    """Return, for every word, squared differences of neighbouring days over what independent documents explain.

    The ratio is one on average for independent documents, whatever slow drift there is. Days with less than a quarter
    of the usual number of words are passed over.
    """
    n_days = int(days.max(initial=-1)) + 1
    result = np.ones(counts.shape[1])
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
        result[start : start + _CHUNK][known] = differences[known] / expected[known]
    return result


def day_sharing(counts: sp.csc_array, tokens: Floats, days: Ints) -> float:
    """Return the mean ratio, words weighing as much as they are used."""
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    return float((day_ratios(counts, tokens, days) * totals).sum() / totals.sum()) if totals.sum() else 1.0


def typical_excess(counts: sp.csc_array, tokens: Floats, days: Ints, random_state: Any) -> Floats:
    """Return by how much days typically differ too much, for words used about as often as each; at least one.

    It is the median ratio over such words, relative to that of documents dealt to the days at random. A few words with
    events of their own do not move a median, so they still stand out against it.
    """
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    if not len(totals):
        return totals
    dealt = days[generator(random_state).permutation(len(days))]
    order = np.argsort(totals, kind="stable")
    size = min(_NEIGHBOURS, len(order))
    here, by_chance = (
        median_filter(day_ratios(counts, tokens, d)[order], size=size, mode="nearest") for d in (days, dealt)
    )
    result = np.ones(len(totals))
    known = by_chance > 0
    result[order[known]] = np.maximum(here[known] / by_chance[known], 1.0)
    return result

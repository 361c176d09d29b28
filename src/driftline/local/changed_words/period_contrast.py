"""Words that distinguish a period, tested by permuting whole units (days) between periods."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.stats import false_discovery_control

from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.randomness import Seed
from driftline.local.changed_words.permutation_null import PermutationNull
from driftline.local.changed_words.time_features import TimeFeatures
from driftline.local.changed_words.unit_weights import unit_weights
from driftline.smoothing.grouping import gathering


def set_apart(
    X: Counts, unit: Ints, period: Ints, *, min_documents: int = 5, n_permutations: int = 50, random_state: Seed = 0
) -> Floats:
    """Return the false discovery rates, words × periods, at which a word would be called more frequent in a period.

    `unit` and `period` number the unit and the period of every document from 0; a unit that spans two periods is split.
    Residuals of whole units are summed by period and compared with the same units in random order, as in
    `changed_words`. Words in fewer than `min_documents` documents have the rate 1.

    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(90), 5)
    >>> rates = np.column_stack([np.full((450, 3), 9.0), 0.1 + (day >= 60)])
    >>> (set_apart(rng.poisson(rates), day, day // 30) < 0.05).astype(int)
    array([[0, 0, 0],
           [0, 0, 0],
           [0, 0, 0],
           [0, 0, 1]])
    """
    X = sp.csr_array(X, dtype=np.float64)
    n_periods = int(period.max(initial=-1)) + 1
    rates = np.ones((X.shape[1], n_periods))
    columns = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) >= min_documents)
    pairs, part = np.unique(np.column_stack([unit, period]), axis=0, return_inverse=True)
    if len(pairs) < 4 or n_periods < 2 or not len(columns):
        return rates
    tokens = np.asarray(X.sum(axis=1)).ravel()
    counts = sp.csc_array(X)[:, columns]
    gather = gathering(part.ravel(), len(pairs))
    unit_counts, unit_tokens = sp.csc_array(gather @ counts), np.asarray(gather @ tokens)
    weights = unit_weights(counts, tokens, unit_counts, unit_tokens)
    null = PermutationNull(unit_counts, unit_tokens, TimeFeatures.periods(pairs[:, 1]), weights)
    p_values = null.excess_p_values(n_permutations, random_state)
    rates[columns] = false_discovery_control(p_values, axis=None).reshape(p_values.shape)
    return rates

"""Words that new documents contain more or less often than those learned from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Bools
from driftline.local.changed_words.two_sets import compare_sets
from driftline.streams.units import Units
from driftline.text.headline_words import is_listed_last


@dataclass(frozen=True)
class WordChange:
    """A word whose share of the documents changed: the shares, their ratio with a 95 % interval, and its q-value.

    The ratio and its upper end are infinite if no learned document contains the word. `known` is whether the model
    knows the word; `speaks_for` is the label that its coefficient favours most, None if it is unknown or the model has
    no coefficients.
    """

    word: str
    share_before: float
    share_now: float
    ratio: float
    low: float
    high: float
    q_value: float
    known: bool
    speaks_for: str | None


def word_changes(
    contains: sp.csr_matrix,
    words: np.ndarray,
    units: Units,
    is_new: Bools,
    *,
    false_discovery_rate: float,
    n_words: int,
) -> list[WordChange]:
    """Return the words that changed, at a controlled false discovery rate; the largest significant change comes first.

    Numbers come last. `contains` is documents × words, 0 or 1.
    """
    found = compare_sets(contains, is_new, ~is_new, unit=units, false_discovery_rate=false_discovery_rate)
    with np.errstate(divide="ignore"):
        certain = np.maximum(np.log(np.maximum(found.lower, 1e-12)), -np.log(np.maximum(found.upper, 1e-12)))
    last = is_listed_last(words[found.columns].astype(str))
    order = np.lexsort((-certain * np.sqrt(found.in_a + found.in_b), last))
    return [
        WordChange(
            word=str(words[found.columns[k]]),
            share_before=float(found.in_b[k] / found.n_b),
            share_now=float(found.in_a[k] / found.n_a),
            ratio=float(found.ratio[k]),
            low=float(found.lower[k]),
            high=float(found.upper[k]),
            q_value=float(found.q_value[k]),
            known=False,
            speaks_for=None,
        )
        for k in order[found.differs[order]][:n_words]
    ]

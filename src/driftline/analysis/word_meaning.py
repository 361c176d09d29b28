r"""Which words changed what they say about a label, judged by labelled documents alone.

The labelled documents are cut into stretches of equal number. In each, what a word says about a label is the logarithm
of its odds ratio, from the four counts of documents with and without the word, with and without the label:

.. math:: \ell_t = \ln \frac{(a + \frac12)(d + \frac12)}{(b + \frac12)(c + \frac12)}, \qquad
          v_t = \frac1{a + \frac12} + \frac1{b + \frac12} + \frac1{c + \frac12} + \frac1{d + \frac12}

A label that becomes more frequent moves no odds ratio. If a word always says the same,
:math:`\sum_t (\ell_t - \bar\ell)^2 / v_t` is about :math:`\chi^2` with one degree of freedom less than there are
stretches; with few documents it is smaller, so that few false alarms come of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.stats import chi2, false_discovery_control

from driftline.analysis.findings import MovedWord
from driftline.analysis.timeline import series
from driftline.core.arrays import Bools, Counts, Datetimes, Floats, Ints
from driftline.smoothing.curve import Curve

DOCUMENTS_PER_STRETCH = 50
MOST_STRETCHES = 12
LEAST_WITH_WORD = 5
LEAST_WITH_LABEL = 3
"""A stretch says something about a word and a label that are in so many of its documents."""
LEVEL = 0.95
_HALF_WIDTH = 1.959963984540054


def moved_words(
    counts: Counts,
    codes: Ints,
    times: Datetimes,
    *,
    names: Sequence[str],
    words: Sequence[str],
    n: int = 6,
    false_discovery_rate: float = 0.05,
) -> list[MovedWord]:
    """Return up to `n` words whose meaning for a label moved, the surest first; each with its curve and band.

    `codes` are the labels of the documents, by their place in `names`; documents are in order of time. Of a word that
    moved for several labels, the clearest is returned.
    """
    n_stretches = min(len(codes) // DOCUMENTS_PER_STRETCH, MOST_STRETCHES)
    if n_stretches < 2:
        return []
    bounds = np.linspace(0, len(codes), n_stretches + 1).astype(np.int64)
    parts = [slice(a, b) for a, b in pairwise(bounds)]
    told = [odds_ratios(counts[part], codes[part], len(names)) for part in parts]
    ratios, variances, known = (np.stack(each) for each in zip(*told))
    p_values = _same_everywhere(ratios, variances, known)
    tested = known.sum(axis=0) > 1
    if not tested.any():
        return []
    q_values = np.ones_like(p_values)
    q_values[tested] = false_discovery_control(p_values[tested])
    middles = np.array([times[(part.start + part.stop) // 2] for part in parts])
    found: list[MovedWord] = []
    seen: set[int] = set()
    for place in np.argsort(p_values, axis=None, kind="stable"):
        word, label = (int(each) for each in np.unravel_index(place, p_values.shape))
        if q_values[word, label] >= false_discovery_rate or len(found) == n:
            break
        if word in seen:
            continue
        seen.add(word)
        there = known[:, word, label]
        value, half = ratios[there, word, label], _HALF_WIDTH * np.sqrt(variances[there, word, label])
        curve = Curve(middles[there], value, value - half, value + half, 1 / half**2, LEVEL)
        movement = float(value.max() - value.min())
        found.append(MovedWord(words[word], names[label], float(f"{movement:.6g}"), series(curve)))
    return found


def odds_ratios(counts: Counts, codes: Ints, n_labels: int) -> tuple[Floats, Floats, Bools]:
    """Return words × labels: the logarithm of the odds ratio, its variance, and whether there is enough to say so."""
    present = (counts > 0).astype(np.float64)
    labels = np.zeros((len(codes), n_labels))
    labels[np.arange(len(codes)), codes] = 1.0
    with_word, with_label = np.asarray(present.sum(axis=0)).reshape(-1, 1), labels.sum(axis=0)
    both = np.asarray(present.T @ labels)
    only_word, only_label = with_word - both, with_label - both
    neither = len(codes) - with_word - only_label
    cells = [cell + 0.5 for cell in (both, neither, only_word, only_label)]
    ratio = np.log(cells[0] * cells[1] / (cells[2] * cells[3]))
    variance = sum(1 / cell for cell in cells)
    return ratio, np.asarray(variance), (with_word >= LEAST_WITH_WORD) & (with_label >= LEAST_WITH_LABEL)


def _same_everywhere(ratios: Floats, variances: Floats, known: Bools) -> Floats:
    """Return the probability of so uneven odds ratios if the true ones are the same in every stretch."""
    weights = np.where(known, 1 / variances, 0.0)
    mean = (weights * ratios).sum(axis=0) / np.maximum(weights.sum(axis=0), 1e-300)
    freedom = known.sum(axis=0) - 1
    return np.where(freedom > 0, chi2.sf((weights * (ratios - mean) ** 2).sum(axis=0), np.maximum(freedom, 1)), 1.0)

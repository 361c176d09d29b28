r"""Words whose association with a label changed, tested on labelled documents alone.

The labelled documents are divided into segments of equal size. In each, the association of a word with a label is the
logarithm of the odds ratio, from the four counts of documents with and without the word, with and without the label:

.. math:: \ell_t = \ln \frac{(a + \frac12)(d + \frac12)}{(b + \frac12)(c + \frac12)}, \qquad
          v_t = \frac1{a + \frac12} + \frac1{b + \frac12} + \frac1{c + \frac12} + \frac1{d + \frac12}

A label that becomes more frequent does not change the odds ratios. Documents of one unit (a day) are not independent,
so the variance between units is used if it is larger: with the counts :math:`a_d \dots d_d` of unit :math:`d`,

.. math:: v_t = \frac{G}{G - 1} \sum_d \left(\frac{a_d}{a + \frac12} - \frac{b_d}{b + \frac12} - \frac{c_d}{c + \frac12}
          + \frac{d_d}{d + \frac12}\right)^2

which equals the above if every unit is one document. If the association is constant, :math:`\sum_t (\ell_t -
\bar\ell)^2 / v_t` is about :math:`\chi^2` with one degree of freedom less than there are segments; with few documents
it is smaller, so there are few false alarms. With few units it is larger, because a single text that was posted
repeatedly can determine a segment. Significant words are therefore tested again: whole units are put into random order,
the segments are formed again, and the null distribution is a gamma distribution with the mean and the variance of the
resulting sums. A segment counts only if enough units contain the word and the label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.stats import chi2, false_discovery_control, gamma

from driftline.analysis.shown_curves import shown_curve
from driftline.core.arrays import Bools, Counts, Datetimes, Floats, Ints
from driftline.core.randomness import generator
from driftline.smoothing.curve import Curve
from driftline.smoothing.grouping import gathering

DOCUMENTS_PER_SEGMENT = 50
MOST_SEGMENTS = 12
LEAST_WITH_WORD = 5
LEAST_WITH_LABEL = 3
"""Minimum number of documents with the word and with the label for an odds ratio to be estimated."""
LEAST_UNITS = 5
"""Minimum number of units of a segment that contain the word, and that contain the label, if units are known."""
N_ORDERS = 60
LEVEL = 0.95
_HALF_WIDTH = 1.959963984540054


@dataclass(frozen=True)
class WordShift:
    """A word whose association with a label changed: the classifier's coefficient over time, in favour of `label`."""

    word: str
    label: str
    movement: float
    curve: Curve


def shifted_words(
    counts: Counts,
    codes: Ints,
    times: Datetimes,
    *,
    names: Sequence[str],
    words: Sequence[str],
    units: Ints | None = None,
    n: int = 6,
    false_discovery_rate: float = 0.05,
) -> list[WordShift]:
    """Return up to `n` words whose association with a label changed, most certain first; each with its curve and band.

    `codes` are the labels of the documents, as indices into `names`, and `units` the units (days) within which they
    depend on each other, by default one per document; documents are in time order. For a word that changed for several
    labels, the clearest change is returned.
    """
    n_segments = min(len(codes) // DOCUMENTS_PER_SEGMENT, MOST_SEGMENTS)
    if n_segments < 2:
        return []
    parts = _segments(len(codes), n_segments)
    used, codes = np.unique(codes, return_inverse=True)  # arrays grow with the labels, and most may have no document
    names = [names[code] for code in used]
    ratios, variances, known = _by_segment(counts, codes, units, parts, len(names))
    unevenness, p_values = _same_everywhere(ratios, variances, known)
    tested = known.sum(axis=0) > 1
    if not tested.any():
        return []
    if units is not None:
        _judge_by_units(p_values, unevenness, tested, counts, codes, units, parts, false_discovery_rate)
    q_values = _discovery_rates(p_values, tested)
    middles = np.array([times[(part.start + part.stop) // 2] for part in parts])
    found: list[WordShift] = []
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
        found.append(WordShift(words[word], names[label], float(f"{movement:.6g}"), shown_curve(curve)))
    return found


def odds_ratios(counts: Counts, codes: Ints, n_labels: int, units: Ints | None = None) -> tuple[Floats, Floats, Bools]:
    """Return words × labels: the logarithm of the odds ratio, its variance, and whether there is enough data."""
    present = sp.csr_array(counts > 0, dtype=np.float64)
    labels = np.zeros((len(codes), n_labels))
    labels[np.arange(len(codes)), codes] = 1.0
    with_word, with_label = np.asarray(present.sum(axis=0)).reshape(-1, 1), labels.sum(axis=0)
    both = np.asarray(present.T @ labels)
    only_word, only_label = with_word - both, with_label - both
    neither = len(codes) - with_word - only_label
    cells = np.stack([both, only_word, only_label, neither]) + 0.5
    ratio = np.log(cells[0] * cells[3] / (cells[1] * cells[2]))
    variance = (1 / cells).sum(axis=0)
    enough = (with_word >= LEAST_WITH_WORD) & (with_label >= LEAST_WITH_LABEL)
    if units is not None and len(units):
        words = np.flatnonzero(with_word.ravel() >= LEAST_WITH_WORD)
        of_units, n_units = _unit_variance(present[:, words], labels, units, cells[:, words])
        variance[words] = np.maximum(variance[words], of_units)
        enough[words] &= n_units >= LEAST_UNITS
    return ratio, variance, enough


def _unit_variance(present: Counts, labels: Floats, units: Ints, cells: Floats) -> tuple[Floats, Floats]:
    """Return the variance between units, words × labels, and the numbers of units that contain a word and a label."""
    index = np.unique(units, return_inverse=True)[1]
    n_units = int(index.max()) + 1
    gather = gathering(index, n_units)
    with_word, with_label, size = (gather @ present).toarray(), gather @ labels, np.bincount(index)
    result = np.empty(cells.shape[1:])
    for label in range(labels.shape[1]):
        a, b, c, d = 1 / cells[:, :, label]
        both = (gather @ present.multiply(labels[:, label, None])).toarray()
        steady = np.outer(with_label[:, label], -c) + np.outer(size - with_label[:, label], d)
        result[:, label] = ((both * (a + c) - (with_word - both) * (b + d) + steady) ** 2).sum(axis=0)
    held = np.minimum((with_word > 0).sum(axis=0)[:, None], (with_label > 0).sum(axis=0))
    return result * n_units / max(n_units - 1, 1), held


def _segments(n: int, n_segments: int) -> list[slice]:
    return [slice(a, b) for a, b in pairwise(np.linspace(0, n, n_segments + 1).astype(np.int64))]


def _by_segment(
    counts: Counts, codes: Ints, units: Ints | None, parts: list[slice], n_labels: int
) -> tuple[Floats, Floats, Bools]:
    """Return odds ratios, variances and whether they are known: segments × words × labels."""
    found = [odds_ratios(counts[p], codes[p], n_labels, None if units is None else units[p]) for p in parts]
    ratios, variances, known = (np.stack(each) for each in zip(*found))
    return ratios, variances, known


def _discovery_rates(p_values: Floats, tested: Bools) -> Floats:
    result = np.ones_like(p_values)
    result[tested] = false_discovery_control(p_values[tested])
    return result


def _judge_by_units(
    p_values: Floats,
    unevenness: Floats,
    tested: Bools,
    counts: Counts,
    codes: Ints,
    units: Ints,
    parts: list[slice],
    false_discovery_rate: float,
) -> None:
    """Raise the p-values of significant words to those from whole units in random order."""
    passing = np.flatnonzero(((_discovery_rates(p_values, tested) < false_discovery_rate) & tested).any(axis=1))
    if not len(passing):
        return
    candidates = sp.csr_array(counts)[:, passing]
    random = generator(0)
    index = np.unique(units, return_inverse=True)[1]
    draws = []
    for _ in range(N_ORDERS):
        rows = np.argsort(random.permutation(int(index.max()) + 1)[index], kind="stable")
        shuffled = _by_segment(candidates[rows], codes[rows], units[rows], parts, p_values.shape[1])
        draws.append(_same_everywhere(*shuffled)[0])
    mean, variance = np.mean(draws, axis=0), np.var(draws, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_units = gamma.sf(unevenness[passing], mean**2 / variance, scale=variance / mean)
    p_values[passing] = np.maximum(p_values[passing], np.nan_to_num(by_units, nan=1.0))


def _same_everywhere(ratios: Floats, variances: Floats, known: Bools) -> tuple[Floats, Floats]:
    """Return the variation of odds ratios, and its probability if the true ones are the same in every segment."""
    weights = np.where(known, 1 / variances, 0.0)
    mean = (weights * ratios).sum(axis=0) / np.maximum(weights.sum(axis=0), 1e-300)
    freedom = known.sum(axis=0) - 1
    unevenness = (weights * (ratios - mean) ** 2).sum(axis=0)
    return unevenness, np.where(freedom > 0, chi2.sf(unevenness, np.maximum(freedom, 1)), 1.0)

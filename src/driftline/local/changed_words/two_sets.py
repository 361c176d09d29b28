r"""Words that differ between two sets of documents, with intervals; whole units (days) are the independent units.

Of the :math:`n_{Au}` documents of set A in unit :math:`u`, :math:`c_{Au}` contain the word; sums over units are
:math:`n_A` and :math:`c_A`, and likewise for B; :math:`c = c_A + c_B`. If the share in A is :math:`\theta` times
that in B, about :math:`c\,\pi(\theta)` of the documents with the word are in A, with
:math:`\pi(\theta) = \theta n_A / (\theta n_A + n_B)`. The deviation from that is the signed root

.. math:: r(\theta) = \pm \sqrt{2 \Big(c_A \ln \frac{c_A}{c\,\pi(\theta)}
                                     + c_B \ln \frac{c_B}{c\,(1 - \pi(\theta))}\Big)}                        \tag{1}

Documents of one unit share its events. With the contribution of every unit to the difference of the shares, enlarged as
if the unit had been left out,

.. math:: q_u = \frac{c_{Au} - n_{Au} c_A / n_A}{n_A (1 - n_{Au} / n_A)}
              - \frac{c_{Bu} - n_{Bu} c_B / n_B}{n_B (1 - n_{Bu} / n_B)}, \qquad
          \varphi = \max\Big(1, \frac{\sum_u q_u^2}{c_A / n_A^2 + c_B / n_B^2}\Big), \qquad
          \nu = \frac{2}{\sum q_u^4 / (\sum q_u^2)^2 - 1/U}                                               \tag{2}

:math:`r(\theta) / \sqrt\varphi` has about Student's distribution with :math:`\nu` degrees of freedom, between 1 and U −
1, and no more than the set with the larger variance allows (`driftline.smoothing.unit_influence`): a word whose uses
fall on one day has about two. A unit that both sets share enters once, so common effects of its documents cancel.
:math:`r(1)` tests whether the word differs, and the interval contains the ratios that are not rejected, so test and
interval agree, also for words that a set does not have. With few units no p-value is smaller than the smallest of an
exact permutation test (`driftline.smoothing.permutable_units`); if that exceeds 1 − `level`, intervals have no ends.
P-values become false discovery rates by Benjamini and Hochberg. Intervals are valid for each word separately: the
largest ratios of many are exaggerated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import xlogy
from scipy.stats import false_discovery_control
from scipy.stats import t as student

from driftline.base.checked_matrices import checked_counts
from driftline.core.arrays import Bools, Counts, Floats, Ints, Times
from driftline.core.confidence_levels import check_level
from driftline.core.errors import InvalidInput
from driftline.core.pictures import MOST_BARS, Bars, Picture
from driftline.core.results import Columns, Result, counted
from driftline.smoothing.permutable_units import permutable_units
from driftline.smoothing.unit_influence import welch_freedom
from driftline.streams.exchange import given_or_exchange_units
from driftline.streams.unit_counts import rows_with_word

FEWEST_DOCUMENTS = 10
"""Default minimum number of documents with a tested word."""
_STEPS = 60


class _SetComparisonFields(NamedTuple):
    """The fields of `SetComparison`."""

    columns: Ints
    ratio: Floats
    lower: Floats
    upper: Floats
    p_value: Floats
    q_value: Floats
    differs: Bools
    in_a: Floats
    in_b: Floats
    n_a: int
    n_b: int
    unit: str
    level: float
    units_a: int
    units_b: int
    smallest_p: float


class SetComparison(Result, _SetComparisonFields):
    """Result of `compare_sets`, one value per tested word.

    `columns` are the words in X. `ratio` is the share of documents of A with the word over that of B (infinite if B has
    none), between `lower` and `upper` with the confidence `level`, for each word separately. `q_value` is the false
    discovery rate at which the word would be called different, and `differs` marks the words that do. `in_a` and `in_b`
    count documents with the word, of `n_a` and `n_b`. `unit` is the kind of the independent units, of which the sets
    have `units_a` and `units_b`; no `p_value` is below `smallest_p`, the smallest possible with these numbers of units.
    """

    __slots__ = ()

    def _columns(self) -> Columns:
        arrays = {name: part for name, part in self._asdict().items() if isinstance(part, np.ndarray)}
        return {"column": arrays.pop("columns"), **arrays}

    def _summary(self) -> str:
        words = f"{counted(len(self.columns), 'word')} tested, {int(self.differs.sum()):,} differ"
        sizes = f"{counted(self.n_a, 'document')} in A, {self.n_b:,} in B"
        units = f"unit: {self.unit}, {self.units_a:,} in A, {self.units_b:,} in B"
        return f"{words}; {sizes} ({units}{', too few for a claim' if self.smallest_p > 0.05 else ''})"

    def _picture(self) -> Picture:
        first = np.flatnonzero(self.differs)
        first = first[np.argsort(self.q_value[first], kind="stable")][:MOST_BARS]
        with np.errstate(divide="ignore"):
            ratios = np.log2(self.ratio[first])
        return Bars([f"column {each}" for each in self.columns[first]], ratios, "log2 ratio, A to B")


def compare_sets(
    X: Counts,
    in_a: object,
    in_b: object,
    *,
    times: Times | None = None,
    unit: object = "auto",
    min_documents: int = FEWEST_DOCUMENTS,
    false_discovery_rate: float = 0.05,
    level: float = 0.95,
) -> SetComparison:
    """Return the words whose share of documents differs between A and B.

    Parameters
    ----------
    X : CSR matrix, documents × words
        A document that contains a word counts once.
    in_a, in_b : arrays of bool
        The documents of each set; no document may be in both.
    times : times of any accepted kind, optional
        One per document; None means document order.
    unit : as in `driftline.streams.exchange.exchange_units`, or `Units`
        The independent unit, by default the day. If the sets have few units, hardly any difference can be significant;
        ``"document"`` is valid only if documents of one day are independent.
    min_documents : int
        Minimum number of documents of A and B together that contain a tested word.
    false_discovery_rate : float
        That of the words marked by `differs`.
    level : float
        The confidence of each interval.

    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(100.0), 10)
    >>> X = rng.random((1000, 2)) < np.column_stack([0.1 + 0.3 * (day >= 50), np.full(1000, 0.2)])
    >>> found = compare_sets(sp.csr_array(X.astype(float)), day >= 50, day < 50, times=day)
    >>> found.differs, found.ratio.round(1)
    (array([ True, False]), array([5.6, 1.1]))
    """
    X = sp.csr_array(checked_counts(X, "compare_sets"))
    a, b = (_truth_values(each, X.shape[0]) for each in (in_a, in_b))
    if (a & b).any():
        raise InvalidInput(f"document {int(np.argmax(a & b))} is in both sets; leave it out of one")
    if not a.any() or not b.any():
        raise InvalidInput(f"set {'A' if not a.any() else 'B'} has no documents")
    check_level(level)
    if not 0 < false_discovery_rate < 1:
        raise InvalidInput(f"false_discovery_rate must lie between 0 and 1, not {false_discovery_rate}")
    when = np.arange(X.shape[0]) if times is None else times
    units = given_or_exchange_units(when, unit=unit, n=X.shape[0])
    compared_units = permutable_units(units.index, a, b)
    used = np.flatnonzero(a | b)
    columns = np.flatnonzero(np.asarray((X[used] > 0).sum(axis=0)).ravel() >= min_documents)
    sides = [rows_with_word(X[np.flatnonzero(each)][:, columns], units.index[each], units.n) for each in (a, b)]
    (of_a, n_of_a), (of_b, n_of_b) = sides
    c_a, c_b = (np.asarray(each.sum(axis=0), dtype=np.float64).ravel() for each in (of_a, of_b))
    n_a, n_b = float(n_of_a.sum()), float(n_of_b.sum())
    dispersion, freedom = _dispersion(of_a, n_of_a, of_b, n_of_b)
    root = _signed_root(c_a, c_b, np.full(len(columns), n_a / (n_a + n_b)))
    p_value = np.maximum(2 * student.sf(np.abs(root) / np.sqrt(dispersion), freedom), compared_units.smallest_p)
    q_value = false_discovery_control(p_value) if len(columns) else p_value
    differs = q_value <= false_discovery_rate
    reach = student.ppf((1 + level) / 2, freedom) * np.sqrt(dispersion)
    if compared_units.smallest_p > 1 - level:
        reach = np.full(len(columns), np.inf)
    odds = n_b / n_a
    with np.errstate(divide="ignore"):
        ratio = odds * c_a / c_b
        lower, upper = (odds * share / (1 - share) for share in (_end(c_a, c_b, reach, -1), _end(c_a, c_b, reach, 1)))
    return SetComparison(
        columns,
        ratio,
        lower,
        upper,
        p_value,
        q_value,
        differs,
        c_a,
        c_b,
        int(n_a),
        int(n_b),
        units.kind,
        level,
        *compared_units,
    )


def _truth_values(given: object, n: int) -> Bools:
    """Return one truth value per document; numbers of documents and labels are not truth values."""
    values = np.asarray(given)
    if values.shape != (n,) or not all(
        isinstance(value, int | float) and value in (0, 1) for value in set(values.tolist())
    ):
        raise InvalidInput(f"in_a and in_b must be {n} truth values each, one per document")
    return values.astype(np.bool_)


def _signed_root(c_a: Floats, c_b: Floats, share: Floats) -> Floats:
    """Return r of Eq. 1, where the share π of the documents with the word is expected in A."""
    expected = (c_a + c_b) * share
    with np.errstate(divide="ignore", invalid="ignore"):
        deviance = 2 * (xlogy(c_a, c_a / expected) + xlogy(c_b, c_b / (c_a + c_b - expected)))
    found: Floats = np.sign(c_a - expected) * np.sqrt(np.maximum(deviance, 0.0))
    return found


def _dispersion(
    counts_a: sp.csc_array, totals_a: Floats, counts_b: sp.csc_array, totals_b: Floats
) -> tuple[Floats, Floats]:
    """Return φ and ν of Eq. 2 for every word."""
    n_a, n_b = totals_a.sum(), totals_b.sum()
    c_a, c_b = (np.asarray(each.sum(axis=0), dtype=np.float64).ravel() for each in (counts_a, counts_b))
    grow_a, grow_b = _enlarged(totals_a) / n_a, _enlarged(totals_b) / n_b
    q = sp.csc_array(_scaled(counts_a, grow_a) - _scaled(counts_b, grow_b))
    # For a unit without the word, q is minus the expectation; units with the word are corrected one by one
    w_a, w_b, m_a, m_b = grow_a * totals_a, grow_b * totals_b, c_a / n_a, c_b / n_b
    word = np.repeat(np.arange(q.shape[1]), np.diff(q.indptr))
    expected = m_a[word] * w_a[q.indices] - m_b[word] * w_b[q.indices]
    squares = (w_a @ w_a) * m_a**2 - 2 * (w_a @ w_b) * m_a * m_b + (w_b @ w_b) * m_b**2
    fourths = sum(
        comb * float((w_a ** (4 - k) * w_b**k).sum()) * m_a ** (4 - k) * m_b**k
        for k, comb in enumerate((1, -4, 6, -4, 1))
    )
    squares = squares + np.bincount(word, (q.data - expected) ** 2 - expected**2, q.shape[1])
    fourths = fourths + np.bincount(word, (q.data - expected) ** 4 - expected**4, q.shape[1])
    squares, fourths = np.maximum(squares, 0.0), np.maximum(fourths, 0.0)
    taking_part = int(((totals_a > 0) | (totals_b > 0)).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = 2 / np.maximum(fourths / squares**2 - 1 / taking_part, 0.0)
    freedom = np.clip(np.nan_to_num(freedom, nan=np.inf), 1.0, max(taking_part - 1.0, 1.0))
    v_a, v_b = _own_variance(counts_a, totals_a, grow_a), _own_variance(counts_b, totals_b, grow_b)
    welch = welch_freedom(v_a, int((totals_a > 0).sum()), v_b, int((totals_b > 0).sum()))
    return np.maximum(squares / (m_a / n_a + m_b / n_b), 1.0), np.minimum(freedom, welch)


def _own_variance(counts: sp.csc_array, totals: Floats, grow: Floats) -> Floats:
    """Return the sum over units of the squared part of one set in q of Eq. 2, for every word."""
    word = np.repeat(np.arange(counts.shape[1]), np.diff(counts.indptr))
    share, w = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel() / totals.sum(), grow * totals
    expected = share[word] * w[counts.indices]
    own = (w @ w) * share**2
    own += np.bincount(word, (counts.data * grow[counts.indices] - expected) ** 2 - expected**2, counts.shape[1])
    found: Floats = np.maximum(own, 0.0)
    return found


def _scaled(counts: sp.csc_array, factors: Floats) -> sp.csc_array:
    return sp.csc_array((counts.data * factors[counts.indices], counts.indices, counts.indptr), shape=counts.shape)


def _enlarged(totals: Floats) -> Floats:
    """Return g of every unit; a set of one unit is uninformative about the variance between units."""
    left = 1 - totals / totals.sum()
    found: Floats = 1 / np.maximum(left, 1e-9)
    return found


def _end(c_a: Floats, c_b: Floats, reach: Floats, sign: int) -> Floats:
    """Return the share π at which |r| is `reach`, below (sign -1) or above the estimate c_A / c, by bisection.

    If A, or B, does not have the word, or `reach` is infinite, there is no end on that side: the share is 0 or 1.
    """
    near = c_a / (c_a + c_b)
    far = np.full(len(near), float(sign > 0))
    for _ in range(_STEPS):
        middle = (near + far) / 2
        rejected = np.abs(_signed_root(c_a, c_b, middle)) > reach
        near, far = np.where(rejected, near, middle), np.where(rejected, middle, far)
    ends = ((c_b if sign > 0 else c_a) > 0) & np.isfinite(reach)
    found: Floats = np.where(ends, (near + far) / 2, far)
    return found

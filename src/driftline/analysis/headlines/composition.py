r"""Changes in words versus changes of authors: the ratio of a word within groups of documents (labels, senders).

With :math:`a_g` of :math:`n_{1g}` documents of group g inside the window having the word and :math:`b_g` of
:math:`n_{0g}` outside, the Mantel–Haenszel ratio within groups and the variance of its logarithm are

.. math:: \frac{R}{S} = \frac{\sum_g a_g n_{0g} / n_g}{\sum_g b_g n_{1g} / n_g}, \qquad
   \operatorname{var} = \varphi \frac{\sum_g (a_g + b_g) n_{1g} n_{0g} / n_g^2}{R S} \quad (1)

A group that is on one side only has no comparison and is left out. Half a use at the overall rate is added to either
side, spread over the other groups in proportion to their documents with the word; without it, a ratio of zero to zero
would be undefined.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats

Z = 1.96


class WithinGroups(NamedTuple):
    """The ratio of one word within groups, and the group that explains most of the crude ratio.

    If no group has documents on both sides, the ratio is one and its upper limit infinite.
    """

    ratio: float
    lower: float
    upper: float
    group: int
    share_inside: float
    share_outside: float


def within_groups(
    inside: Floats, outside: Floats, n_inside: Floats, n_outside: Floats, dispersion: float = 1.0
) -> WithinGroups:
    """Return the Mantel–Haenszel ratio of documents with a word inside and outside a window; all by group.

    >>> found = within_groups(np.array([5.0, 40]), np.array([50.0, 4]), np.array([100.0, 400]), np.array([1000.0, 40]))
    >>> round(found.ratio, 1), found.group, round(found.share_inside, 1), round(found.share_outside, 2)
    (1.0, 1, 0.8, 0.04)
    """
    n = np.maximum(n_inside + n_outside, 1.0)
    with_word = inside + outside
    both = (n_inside > 0) & (n_outside > 0)
    weight = with_word * both
    half = 0.5 * weight / max(weight.sum(), 1e-300)
    overall = np.divide(with_word, n, out=np.zeros_like(n), where=both)
    grown = np.divide(half, overall, out=np.zeros_like(n), where=overall > 0)
    n1, n0 = n_inside + grown, n_outside + grown
    total = np.maximum(n1 + n0, 1.0)
    R = float(((inside + half) * n0 / total * both).sum())
    S = float(((outside + half) * n1 / total * both).sum())
    if R <= 0 or S <= 0:
        ratio, spread = 1.0, np.inf
    else:
        ratio = R / S
        pooled = ((with_word + 2 * half) * n1 * n0 / total**2 * both).sum()
        spread = Z * float(np.sqrt(dispersion * pooled / (R * S)))  # Eq. 1
    contribution = inside / max(n_inside.sum(), 1.0) - outside / max(n_outside.sum(), 1.0)
    group = int(np.argmax(contribution))
    return WithinGroups(
        ratio,
        ratio * float(np.exp(-spread)),
        ratio * float(np.exp(spread)) if spread < 700 else np.inf,
        group,
        float(n_inside[group] / max(n_inside.sum(), 1.0)),
        float(n_outside[group] / max(n_outside.sum(), 1.0)),
    )

r"""Bands for a share that changes over time: a word's, a topic's, a label's.

Observation :math:`d` (a document, say) has :math:`n_d` parts of which :math:`c_d` are of the kind in question. The
share at :math:`t` is :math:`\hat\theta = \sum_d A_d c_d` with :math:`A_d = K_d / \sum K n`, corrected for its leading
bias by a jackknife over bandwidths: :math:`2A_h - A_{\sqrt2 h}` two-sided (bias :math:`\propto h^2`),
:math:`2A_h - A_{2h}` past-only (bias :math:`\propto h`). Parts of one observation agree more often than by chance, by
:math:`\rho`, so

.. math:: \kappa = \sum A^2 n + \rho \sum A^2 n(n-1), \qquad x = \max(\hat\theta, 0) / \kappa

is a count with the same information, and the band is :math:`\kappa\,\Gamma^{-1}(\{.025, .975\};\, x + \tfrac12)`. It is
defined at zero counts, and has correct coverage for rare and frequent kinds alike, unlike plain standard errors.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import gammaincinv

from driftline.core.arrays import Bools, Counts, Floats
from driftline.core.confidence_levels import check_level
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import relative_weights, running_sums

_CELLS = 4_000_000


class BandTerms(NamedTuple):
    """Common terms of the bands of all shares, one value per requested time.

    `tokens` is ΣKn at the bandwidth and `wide_tokens` at the wider one; `single` is ΣA²n and `paired` ΣA²n(n−1) for the
    corrected weights; `effective_size` is (ΣKn)²/ΣK²n. Where `supported` is false there is no data in the window.
    """

    tokens: Floats
    wide_tokens: Floats
    single: Floats
    paired: Floats
    effective_size: Floats
    supported: Bools


def wider(kernel: Kernel, bandwidth: float) -> float:
    """Return the second bandwidth of the jackknife, at which the leading bias is twice as large."""
    return bandwidth * (math.sqrt(2.0) if kernel.side == "both" else 2.0)


def band_terms(
    times: Floats, tokens: Floats, token_pairs: Floats, when: Floats, kernel: Kernel, bandwidth: float
) -> BandTerms:
    """Return the common terms; `tokens` is Σn and `token_pairs` Σn(n−1) at each of the sorted `times`."""
    when = np.asarray(when, dtype=np.float64)
    columns = [np.empty(len(when)) for _ in range(5)]
    chunk = max(1, _CELLS // max(len(times), 1))
    for start in range(0, len(when), chunk):
        asked = slice(start, start + chunk)
        for column, values in zip(columns, _chunk_terms(times, tokens, token_pairs, when[asked], kernel, bandwidth)):
            column[asked] = values
    near, wide, single, paired, effective = columns
    return BandTerms(near, wide, single, paired, effective, supported=near > 0)


def _chunk_terms(
    times: Floats, tokens: Floats, token_pairs: Floats, when: Floats, kernel: Kernel, bandwidth: float
) -> tuple[Floats, ...]:
    reach = kernel.support * wider(kernel, bandwidth)
    first = np.searchsorted(times, when.min(initial=np.inf) - reach, side="left")
    last = np.searchsorted(times, when.max(initial=-np.inf) + reach, side="right")
    times, tokens, token_pairs = times[first:last], tokens[first:last], token_pairs[first:last]
    near = relative_weights(when, times, kernel, bandwidth)
    wide = relative_weights(when, times, kernel, wider(kernel, bandwidth))
    near_tokens, wide_tokens = near @ tokens, wide @ tokens
    squares = near**2 @ tokens
    with np.errstate(divide="ignore", invalid="ignore"):
        corrected = 2 * near / near_tokens[:, None] - wide / wide_tokens[:, None]
        effective = np.where(near_tokens > 0, near_tokens**2 / squares, 0.0)
    corrected[~(near_tokens > 0)] = 0.0
    corrected **= 2
    return near_tokens, wide_tokens, corrected @ tokens, corrected @ token_pairs, effective


def corrected_shares(
    counts: Counts, times: Floats, when: Floats, kernel: Kernel, bandwidth: float, terms: BandTerms
) -> Floats:
    """Return θ̂ of every column of `counts` (sparse, times × kinds) with bias correction: requested times × kinds.

    It may be slightly negative where a kind is rare. Rows without support are zero.
    """
    near = running_sums(counts, times, when, kernel, bandwidth)
    wide = running_sums(counts, times, when, kernel, wider(kernel, bandwidth))
    with np.errstate(divide="ignore", invalid="ignore"):
        result = 2 * near / terms.tokens[:, None] - wide / terms.wide_tokens[:, None]
    result[~terms.supported] = 0.0
    return result


def gamma_band(estimate: npt.ArrayLike, kappa: npt.ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the lower and upper end of the band of a share with estimate θ̂ and information 1/κ per unit share.

    >>> lower, upper = gamma_band(np.array([0.0, 0.01]), np.array([0.001, 0.001]))
    >>> lower.round(4), upper.round(4)
    (array([0.    , 0.0051]), array([0.0025, 0.0177]))
    """
    check_level(level)
    estimate, kappa = np.broadcast_arrays(np.clip(estimate, 0.0, 1.0), kappa)
    kappa = np.maximum(kappa, np.finfo(np.float64).tiny)
    shape = estimate / kappa + 0.5
    tail = (1.0 - level) / 2.0
    lower = np.minimum(kappa * gammaincinv(shape, tail), estimate)
    upper = np.clip(kappa * gammaincinv(shape, 1.0 - tail), estimate, 1.0)
    return lower, upper


def share_bands(
    counts: Counts,
    tokens: Floats,
    token_pairs: Floats,
    times: Floats,
    when: Floats,
    kernel: Kernel,
    bandwidth: float,
    dispersion: Floats,
    level: float = 0.95,
) -> tuple[Floats, Floats, Floats, BandTerms]:
    """Return estimate, lower and upper limit (requested times × kinds) and the common terms.

    Without support the estimate is zero and the band extends from zero to one.
    """
    terms = band_terms(times, tokens, token_pairs, when, kernel, bandwidth)
    estimate = np.clip(corrected_shares(sp.csc_array(counts), times, when, kernel, bandwidth, terms), 0.0, 1.0)
    kappa = terms.single[:, None] + np.asarray(dispersion) * terms.paired[:, None]
    lower, upper = gamma_band(estimate, kappa, level)
    lower[~terms.supported] = 0.0
    upper[~terms.supported] = 1.0
    return estimate, lower, upper, terms

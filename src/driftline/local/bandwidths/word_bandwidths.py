r"""A bandwidth for every word: from its own occurrences, stabilised by words of similar frequency.

For one word a left-out document is scored as a Poisson count, :math:`c \log\hat\theta - n\hat\theta`. The second term
is summed over *all* documents, including those without the word; since :math:`\hat\theta` is linear in the counts, the
sum can be taken over the occurrences instead, each weighted by its contribution to the estimates around it. So the
whole table of words × bandwidths needs one pass over the occurrences per bandwidth.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.progress import track
from driftline.local.background_prior import Prior
from driftline.local.bandwidths.leave_one_out import LeaveOneOut
from driftline.smoothing.grouping import group_sums
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import running_sums

_NEIGHBOURS = 100
_LIKE_WORDS = 5.0
_ROUNDS = 3
_LEAST_WEIGHT = 1e-3
_TEMPERATURE = 2.0
_FEWEST_EXPECTED = 2.0
_FEWEST_DOCUMENTS = 5
_WIDEST_TO_TYPICAL = 2.0
_MANY_WORDS = 0.25
"""Largest share of the tokens that a single word can have."""
UNDERSMOOTHING = {"both": 1.4, "past": 2.0}
"""Ratio of the best bandwidth to that of the bands, which are undersmoothed to reduce bias."""


def word_scores(
    loo: LeaveOneOut, bandwidths: Floats, priors: list[Prior], prior_of_word: Ints, *, verbose: bool | int = False
) -> Floats:
    """Return the leave-one-out score of every word at every bandwidth; word w is smoothed by its own prior.

    Entries must be spread over words (``LeaveOneOut(…, by_word=True)``).
    """
    history = loo.history
    prior_of_entry = prior_of_word[loo.word]
    entries = [np.flatnonzero(prior_of_entry == k) for k in range(len(priors))]
    scored = group_sums(loo.word, loo.count, loo.n_words)
    scale = history.word_totals / np.where(scored > 0, scored, 1.0)
    result = np.empty((loo.n_words, len(bandwidths)))
    background = history.word_totals / max(history.total_tokens, 1.0)
    for j, bandwidth in enumerate(track(bandwidths, "bandwidths of words", verbose=verbose)):
        around = loo.local(float(bandwidth))
        tokens = history.token_sums(history.times, loo.kernel, float(bandwidth))[history.document_time]
        tokens = np.maximum(tokens - loo.own_tokens, 0.0)
        for k, prior in enumerate(priors):
            chosen = entries[k]
            words = prior_of_word == k
            with np.errstate(divide="ignore"):
                gained = loo.count[chosen] * np.log(loo.probabilities(around, prior, chosen))
            score = scale * group_sums(loo.word[chosen], gained, loo.n_words)
            score -= _expected(loo, float(bandwidth), prior, tokens, chosen, scale, background)
            result[words, j] = score[words]
    return result


def _expected(
    loo: LeaveOneOut,
    bandwidth: float,
    prior: Prior,
    tokens: Floats,
    chosen: Ints,
    scale: Floats,
    background: Floats,
) -> Floats:
    """Return Σ_d n_d θ̂_w(t_d), the estimates without each document, for the words of the selected entries."""
    history = loo.history
    slope, constant, share = prior.linear(tokens, history.total_tokens, loo.n_words)
    weight = history.document_tokens * slope
    by_time = sp.csc_array(group_sums(history.document_time, weight, len(history.times))[:, None])
    # the contribution of an occurrence at τ to the estimates at all times t: the kernel with reversed argument
    mirrored = Kernel(loo.kernel.name, "both")
    if loo.kernel.side == "both":
        added = running_sums(by_time, history.times, history.times, mirrored, bandwidth)[:, 0]
    else:
        backwards = -history.times[::-1]
        added = running_sums(by_time[::-1], backwards, backwards, loo.kernel, bandwidth)[::-1, 0]
    document = loo.document[chosen]
    own = weight[document] if loo.kernel.side == "both" else 0.0
    spread = loo.count[chosen] * (added[history.document_time[document]] - own)
    from_counts = scale * group_sums(loo.word[chosen], spread, loo.n_words)
    rest = float((history.document_tokens * constant).sum())
    return from_counts + rest + background * float((history.document_tokens * share).sum())


def steadied_choice(scores: Floats, totals: Floats) -> Ints:
    """Return the best column for every word; words of similar frequency count as additional observations.

    For scoring: the choice that suits most similar words is safe for a rare one.
    """
    finite = np.where(np.isfinite(scores), scores, -1e12)
    found: Ints = (finite + _LIKE_WORDS * _mean_of_like(finite, totals)).argmax(axis=1)
    return found


def tempered_weights(scores: Floats, totals: Floats, allowed: Bools) -> Floats:
    """Return the weight of every bandwidth for every word: words × bandwidths, rows summing to one.

    Scores are tempered, because documents are not independent. The average preference of words of similar frequency is
    the prior of each word; it dominates for a rare word and hardly matters for a frequent one.
    """
    evidence = np.where(np.isfinite(scores), scores, -1e12) / _TEMPERATURE
    evidence = np.where(allowed, evidence, -np.inf)
    likelihood = np.exp(evidence - evidence.max(axis=1, keepdims=True))
    weights: Floats = likelihood / likelihood.sum(axis=1, keepdims=True)
    for _ in range(_ROUNDS):
        weights = likelihood * (_mean_of_like(weights, totals) + _LEAST_WEIGHT)
        weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _mean_of_like(values: Floats, totals: Floats) -> Floats:
    """Return the mean row over the words nearest in frequency, for every word."""
    n_words = len(totals)
    order = np.argsort(totals, kind="stable")
    low = np.maximum(np.arange(n_words) - _NEIGHBOURS // 2, 0)
    high = np.minimum(low + _NEIGHBOURS, n_words)
    low = np.maximum(high - _NEIGHBOURS, 0)
    cumulative = np.vstack([np.zeros(values.shape[1]), np.cumsum(values[order], axis=0)])
    result = np.empty_like(values)
    result[order] = (cumulative[high] - cumulative[low]) / (high - low)[:, None]
    return result


def typical_choice(wanted: Floats, totals: Floats) -> float:
    """Return the mean preference of words, weighted by their use.

    A column with more than a quarter of all tokens is not one word but many counted together, such as all words that
    did not change. It has no drift, so its preference is arbitrary, and it must not dominate the others.

    >>> typical_choice(np.array([1.0, 1.5, -6.0]), np.array([5.0, 5.0, 980.0]))
    1.25
    """
    words = totals <= _MANY_WORDS * totals.sum()
    weight = np.where(words, totals, 0.0)
    if not weight.sum() > 0:
        weight = np.maximum(totals, 1.0)
    return float(wanted @ weight / weight.sum())


def curve_bandwidths(loo: LeaveOneOut, bandwidths: Floats, *, verbose: bool | int = False) -> Ints:
    """Return for every word the index of the (ascending) bandwidth of its curve and band.

    Curves are not smoothed towards the background, so the selection uses a minimal prior: half an occurrence. The
    logarithm of the bandwidth is averaged with tempered weights instead of selecting the best one.
    """
    if len(bandwidths) == 1:
        return np.zeros(loo.n_words, dtype=np.int64)
    history = loo.history
    totals = history.word_totals
    tokens = max(history.total_tokens, 1.0)
    share = np.maximum(totals, 1.0) / tokens
    rarity, prior_of_word = np.unique((np.log2(share) / 2).round().astype(np.int64), return_inverse=True)
    priors = [Prior("dirichlet", 0.5 / 4.0**k, 0.0) for k in rarity]
    scores = word_scores(loo, bandwidths, priors, prior_of_word, verbose=verbose)
    near = [history.token_sums(history.times, loo.kernel, float(h)) * history.tokens for h in bandwidths]
    around = np.array([product.sum() / tokens for product in near])
    allowed = np.outer(share, around) >= _FEWEST_EXPECTED
    allowed &= around * len(history.document_tokens) >= _FEWEST_DOCUMENTS * tokens
    allowed[:, -1] = True
    weights = tempered_weights(scores, totals, allowed)
    span = float(history.times[-1] - history.times[0]) if len(history.times) else 0.0
    widths = np.log(np.minimum(bandwidths, max(2 * span, bandwidths[0])))
    wanted = weights @ widths
    # the drift of a rare word cannot be estimated; it is assumed to change about as fast as the whole stream
    wanted = np.minimum(wanted, typical_choice(wanted, totals) + np.log(_WIDEST_TO_TYPICAL))
    found: Ints = np.abs(wanted[:, None] - np.log(UNDERSMOOTHING[loo.kernel.side]) - widths).argmin(axis=1)
    return found

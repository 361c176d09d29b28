r"""Class-wise local word counts, and the joint log-probability of document and class under them.

With local counts :math:`S_{cw}`, tokens :math:`N_c` and documents :math:`M_c`, and totals :math:`T_{cw}, T_c, D_c`:

.. math:: \theta_{cw} = \frac{S_{cw} + \beta N_c/T_c + \mu G_{cw}}{N_c (1 + \beta V/T_c) + \mu}, \quad
          G_{cw} = \frac{T_{cw} + \beta}{T_c + \beta V}                                                    (1)

.. math:: \pi_c = \frac{M_c + M/D + \nu H_c}{M (1 + C/D) + \nu}, \quad H_c = \frac{D_c + 1}{D + C}         (2)

If local counts equal the totals, the results are G and H for any μ and ν.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def add_documents(rows, labels, first, weights, sums):
    """Add weighted documents first, first + 1, … to the sums: counts (word, class), tokens and documents by class.

    `rows` are the (indptr, indices, data) of the documents.
    """
    indptr, indices, data = rows
    counts, tokens, documents = sums
    for i in range(weights.shape[0]):
        w = weights[i]
        if w == 0.0:
            continue
        c = labels[first + i]
        documents[c] += w
        for e in range(indptr[first + i], indptr[first + i + 1]):
            counts[indices[e], c] += w * data[e]
            tokens[c] += w * data[e]


@njit(cache=True, nogil=True)
def clear_documents(rows, first, last, sums):
    """Set the sums of documents first … last - 1 to zero."""
    indptr, indices, _ = rows
    counts, tokens, documents = sums
    tokens[:] = 0.0
    documents[:] = 0.0
    n_classes = counts.shape[1]
    for e in range(indptr[first], indptr[last]):
        for c in range(n_classes):
            counts[indices[e], c] = 0.0


@njit(cache=True, nogil=True)
def class_shares(local, total, strength, out):
    """Write π (2) for local and total numbers of documents by class."""
    n_classes = total.shape[0]
    n_local = 0.0
    n_total = 0.0
    for c in range(n_classes):
        n_local += local[c]
        n_total += total[c]
    share = n_local / n_total if n_total > 0.0 else 0.0
    for c in range(n_classes):
        overall = (total[c] + 1.0) / (n_total + n_classes)
        mass = n_local + share * n_classes + strength
        out[c] = (local[c] + share + strength * overall) / mass if mass > 0.0 else overall


@njit(cache=True, nogil=True)
def joint_scores(
    rows, chosen, own_class, own_weight, left, right, share, totals, strengths, small, class_strength, out
):
    """Write log π_c + Σ_w x_w log θ_cw of the chosen documents into out (document, strength μ, class).

    `left`, `right` and `totals` are (counts, tokens, documents); the local ones are blended by `share`. A document that
    is among the counts is removed from them: `own_class` is its class (-1: it was not counted), `own_weight` its
    weight.
    """
    for i in chosen:
        joint_score(
            rows,
            i,
            own_class[i],
            own_weight[i],
            left,
            right,
            share[i],
            totals,
            strengths,
            small,
            class_strength,
            out[i],
        )


@njit(cache=True, nogil=True)
def joint_scores_forward(
    rows,
    chosen,
    documents,
    labels,
    counted,
    n_before,
    local,
    has_local,
    totals,
    strengths,
    small,
    class_strength,
    out,
):
    """Do the same in time order for a past-only kernel: earlier documents are added before each one is scored.

    `counted` are the numbers of labelled `documents` in the totals and in the local sums; `n_before` is the number of
    earlier ones. New documents have full weight in both. Returns the new numbers.
    """
    in_totals, in_local = counted
    one = np.ones(1)
    for i in chosen:
        while in_totals < n_before[i]:
            add_documents(documents, labels, in_totals, one, totals)
            in_totals += 1
        while has_local and in_local < n_before[i]:
            add_documents(documents, labels, in_local, one, local)
            in_local += 1
        joint_score(rows, i, -1, 0.0, local, local, 0.0, totals, strengths, small, class_strength, out[i])
    return in_totals, in_local


@njit(cache=True, nogil=True)
def joint_score(rows, row, own_class, own_weight, left, right, share, totals, strengths, small, class_strength, out):
    """Write log π_c + Σ_w x_w log θ_cw of one document into out (strength μ, class)."""
    indptr, indices, data = rows
    left_counts, left_tokens, left_documents = left
    right_counts, right_tokens, right_documents = right
    total_counts, total_tokens, total_documents = totals
    n_words, n_classes = total_counts.shape
    length = 0.0
    for e in range(indptr[row], indptr[row + 1]):
        length += data[e]
    local_documents = np.empty(n_classes)
    all_documents = np.empty(n_classes)
    shares = np.empty(n_classes)
    everything = 0.0
    for c in range(n_classes):
        own = 1.0 if c == own_class else 0.0
        local_documents[c] = max((1.0 - share) * left_documents[c] + share * right_documents[c] - own * own_weight, 0.0)
        all_documents[c] = total_documents[c] - own
        everything += total_tokens[c] - own * length
    class_shares(local_documents, all_documents, class_strength, shares)
    for c in range(n_classes):
        own = 1.0 if c == own_class else 0.0
        n = max((1.0 - share) * left_tokens[c] + share * right_tokens[c] - own * own_weight * length, 0.0)
        t = max(total_tokens[c] - own * length, 0.0)
        known = t > 0.0
        for s in range(strengths.shape[0]):
            out[s, c] = np.log(shares[c])
        for e in range(indptr[row], indptr[row + 1]):
            w = indices[e]
            x = data[e]
            if known:
                background = (max(total_counts[w, c] - own * x, 0.0) + small) / (t + small * n_words)
            else:
                # a class without any words so far has the word distribution of all classes together
                of_all = 0.0
                for d in range(n_classes):
                    of_all += total_counts[w, d]
                if own_class >= 0:
                    of_all -= x
                background = (max(of_all, 0.0) + small) / (max(everything, 0.0) + small * n_words)
            local = max((1.0 - share) * left_counts[w, c] + share * right_counts[w, c] - own * own_weight * x, 0.0)
            for s in range(strengths.shape[0]):
                mu = strengths[s]
                theta = background
                if known and n + mu > 0.0:
                    theta = (local + small * n / t + mu * background) / (n * (1.0 + small * n_words / t) + mu)
                out[s, c] += x * np.log(theta)

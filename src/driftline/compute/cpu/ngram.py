r"""Local n-gram counts and the probability of every word given the words before it.

With weighted counts :math:`S_{cw}` of word w after context c, :math:`N_c = \sum_w S_{cw}`, and totals marked by a bar:

.. math:: \tilde S = (S + \rho \bar S)/(1+\rho), \quad \tilde N = (N + \rho \bar N)/(1+\rho), \quad
          T_c = \sum_w \min(1, \sqrt{\tilde S_{cw}})                                                        (1)

.. math:: p(w \mid c) = \frac{\tilde S_{cw} + T_c\, p(w \mid c')}{\tilde N_c + T_c}, \qquad
          p(w) = \frac{\tilde S_w + \beta \tilde N / \bar N}{\tilde N (1 + \beta V / \bar N)}                 (2)

where c' is c without its first word. Whole counts make T the number of distinct followers, which is Witten and Bell's
rule; as the counts of a context decay, T decays more slowly, and the shorter context dominates.

All n-grams have one numbering; `context_of` is the n-gram that is an n-gram's context, and a last number, the root, is
the context of single words.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit

NEGLIGIBLE = 1e-9
"""Weight below which a context counts as absent, and relative difference that counts as rounding."""


@njit(cache=True, nogil=True)
def presence(count):
    """Return min(1, √count): the degree to which a follower of this count is present."""
    return 1.0 if count >= 1.0 else np.sqrt(count)


@njit(cache=True, nogil=True)
def add_totals(indptr, indices, data, first, last, context_of, rho, totals):
    """Add documents first … last - 1 to the totals: counts S̄, contexts N̄, and Σ presence of S̄ and of ρS̄/(1 + ρ)."""
    counts, contexts, followers, floors = totals
    floor = rho / (1.0 + rho)
    for e in range(indptr[first], indptr[last]):
        g = indices[e]
        c = context_of[g]
        before = counts[g]
        counts[g] += data[e]
        contexts[c] += data[e]
        followers[c] += presence(counts[g]) - presence(before)
        floors[c] += presence(floor * counts[g]) - presence(floor * before)


@njit(cache=True, nogil=True)
def add_local(indptr, indices, data, first, weights, context_of, rho, total_counts, local):
    """Add weighted documents first, first + 1, … to the local sums: S, N, and their contribution to the floor of T."""
    counts, contexts, followers = local
    share = 1.0 / (1.0 + rho)
    for i in range(weights.shape[0]):
        w = weights[i]
        if w == 0.0:
            continue
        for e in range(indptr[first + i], indptr[first + i + 1]):
            g = indices[e]
            c = context_of[g]
            base = rho * total_counts[g]
            before = counts[g]
            counts[g] += w * data[e]
            contexts[c] += w * data[e]
            followers[c] += presence(share * (counts[g] + base)) - presence(share * (before + base))


@njit(cache=True, nogil=True)
def clear_local(indptr, indices, first, last, context_of, local):
    """Set the local sums of documents first … last - 1 to zero."""
    counts, contexts, followers = local
    for e in range(indptr[first], indptr[last]):
        g = indices[e]
        counts[g] = 0.0
        contexts[context_of[g]] = 0.0
        followers[context_of[g]] = 0.0


@njit(cache=True, nogil=True)
def add_new(indptr, indices, data, document, context_of, rho, totals, local):
    """Add one document, just arrived, to the totals and with full weight to the local sums, keeping T exact."""
    counts, contexts, followers, floors = totals
    near_counts, near_contexts, near_followers = local
    share = 1.0 / (1.0 + rho)
    floor = rho * share
    for e in range(indptr[document], indptr[document + 1]):
        g = indices[e]
        c = context_of[g]
        x = data[e]
        old = counts[g]
        beyond = presence(share * (near_counts[g] + rho * old)) - presence(floor * old)
        counts[g] += x
        contexts[c] += x
        near_counts[g] += x
        near_contexts[c] += x
        followers[c] += presence(counts[g]) - presence(old)
        floors[c] += presence(floor * counts[g]) - presence(floor * old)
        now = presence(share * (near_counts[g] + rho * counts[g])) - presence(floor * counts[g])
        near_followers[c] += now - beyond


@njit(cache=True, nogil=True)
def score_documents(grams, offsets, chosen, left, right, share, whole, totals, rho, small, n_words, out):
    """Write log p of the chosen documents into out; words with the number -1 are unknown and are ignored.

    `grams` (token, order) has the numbers of the n-grams that end at every token. With `whole`, the totals are used
    instead of the local sums.
    """
    for d in chosen:
        out[d] = log_probability(
            grams, offsets[d], offsets[d + 1], left, right, share[d], whole, totals, rho, small, n_words
        )


@njit(cache=True, nogil=True)
def score_forward(
    grams, offsets, chosen, rows, context_of, counted, n_before, local, whole, totals, rho, small, n_words, out
):
    """Do the same in time order for a past-only kernel: earlier documents are added before each one is scored.

    `counted` are the numbers of documents in the totals and in the local sums; `n_before` is the number of earlier
    ones. Returns the new numbers.
    """
    indptr, indices, data = rows
    in_totals, in_local = counted
    one = np.ones(1)
    for d in chosen:
        while not whole and in_local < n_before[d]:
            if in_local == in_totals:
                add_new(indptr, indices, data, in_local, context_of, rho, totals, local)
                in_totals += 1
            else:
                add_local(indptr, indices, data, in_local, one, context_of, rho, totals[0], local)
            in_local += 1
        if in_totals < n_before[d]:
            add_totals(indptr, indices, data, in_totals, n_before[d], context_of, rho, totals)
            in_totals = n_before[d]
        out[d] = log_probability(
            grams, offsets[d], offsets[d + 1], local, local, 0.0, whole, totals, rho, small, n_words
        )
    return in_totals, in_local


@njit(cache=True, nogil=True)
def log_probability(grams, first, last, left, right, a, whole, totals, rho, small, n_words):
    """Return log p of the tokens first … last - 1, which are one document."""
    left_counts, left_contexts, left_followers = left
    right_counts, right_contexts, right_followers = right
    counts, contexts, followers, floors = totals
    root = contexts.shape[0] - 1
    log_p = 0.0
    for i in range(first, last):
        if grams[i, 0] < 0:
            continue
        p = 1.0 / n_words
        for m in range(grams.shape[1]):
            c = root
            if m > 0:
                c = grams[i - 1, m - 1] if i > first else -1
            if c < 0:
                break
            g = grams[i, m]
            n_all = contexts[c]
            n = n_all
            s = counts[g] if g >= 0 else 0.0
            t = followers[c]
            if not whole:
                n = ((1.0 - a) * left_contexts[c] + a * right_contexts[c] + rho * n) / (1.0 + rho)
                t = floors[c] + (1.0 - a) * left_followers[c] + a * right_followers[c]
                if g >= 0:
                    s = ((1.0 - a) * left_counts[g] + a * right_counts[g] + rho * s) / (1.0 + rho)
            p = single(s, n, counts[g], n_all, small, n_words) if m == 0 else longer(p, s, n, t)
        log_p += np.log(p)
    return log_p


@njit(cache=True, nogil=True)
def score_left_out(
    grams, offsets, rows, context_of, chosen, own_weight, left, right, share, whole, totals, rho, small, n_words, out
):
    """Do the same for documents that are among the counts (`rows`: their n-grams), each without its own counts."""
    indptr, indices, data = rows
    left_counts, left_contexts, left_followers = left
    right_counts, right_contexts, right_followers = right
    counts, contexts, followers, floors = totals
    root = contexts.shape[0] - 1
    own = np.zeros(counts.shape[0])
    own_context = np.zeros(contexts.shape[0])
    own_followers = np.zeros(contexts.shape[0])
    for d in chosen:
        a = share[d]
        k = 1.0 if whole else (own_weight[d] + rho) / (1.0 + rho)
        for e in range(indptr[d], indptr[d + 1]):
            g = indices[e]
            c = context_of[g]
            s = counts[g]
            if not whole:
                s = ((1.0 - a) * left_counts[g] + a * right_counts[g] + rho * s) / (1.0 + rho)
            own[g] = data[e]
            own_context[c] += data[e]
            own_followers[c] += presence(s) - presence(max(s - k * data[e], 0.0))
        log_p = 0.0
        for i in range(offsets[d], offsets[d + 1]):
            if grams[i, 0] < 0:
                continue
            p = 1.0 / n_words
            for m in range(grams.shape[1]):
                c = root
                if m > 0:
                    c = grams[i - 1, m - 1] if i > offsets[d] else -1
                if c < 0:
                    break
                g = grams[i, m]
                n_all = contexts[c]
                n = n_all
                s = counts[g]
                t = followers[c]
                if not whole:
                    n = ((1.0 - a) * left_contexts[c] + a * right_contexts[c] + rho * n) / (1.0 + rho)
                    t = floors[c] + (1.0 - a) * left_followers[c] + a * right_followers[c]
                    s = ((1.0 - a) * left_counts[g] + a * right_counts[g] + rho * s) / (1.0 + rho)
                taken = k * own_context[c]
                n = n - taken if n - taken > NEGLIGIBLE * taken else 0.0
                s = max(s - k * own[g], 0.0)
                t = max(t - own_followers[c], 0.0)
                if m == 0:
                    p = single(s, n, counts[g] - own[g], n_all - own_context[c], small, n_words)
                else:
                    p = longer(p, s, n, t)
            log_p += np.log(p)
        out[d] = log_p
        for e in range(indptr[d], indptr[d + 1]):
            own[indices[e]] = 0.0
            own_context[context_of[indices[e]]] = 0.0
            own_followers[context_of[indices[e]]] = 0.0


@njit(cache=True, nogil=True)
def single(s, n, total_s, total_n, small, n_words):
    """Return p(w) by (2): from the totals if no document is near, and uniform if there are no documents."""
    if total_n <= 0.0:
        return 1.0 / n_words
    if n <= 0.0:
        s, n = total_s, total_n
    return (s + small * n / total_n) / (n * (1.0 + small * n_words / total_n))


@njit(cache=True, nogil=True)
def longer(p, s, n, t):
    """Return p(w | c) by (2) from p(w | c'); a context that hardly occurs locally is uninformative."""
    return p if n <= NEGLIGIBLE else (s + t * p) / (n + t)

r"""Links between documents of a stream: the nearest earlier documents by cosine, found through posting lists.

The postings of word v are a linked list of the documents that contain it, the newest first; entry i of the rows is
posting i. Documents expire in the order of their arrival, so the expired part of a list is its end, which is cut off
when it is met.
"""

import math

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def weigh_rows(offsets, words, counts, n_containing, n_before, learn):
    r"""Return unit rows of :math:`(1 + \ln c)\,\ln(1 + (n - n_v + ½) / (n_v + ½))` (1).

    Document number n counts itself and those before it, of which :math:`n_v` contain the word; documents without words
    do not count. `n_before` documents came before the first row. If `learn`, `n_containing` is updated in place row by
    row; otherwise every row is weighed as the next one.
    """
    weights, n = np.empty(len(words), np.float64), n_before if learn else n_before + 1
    for d in range(len(offsets) - 1):
        first, last = offsets[d], offsets[d + 1]
        if learn and last > first:
            n += 1
        squares = 0.0
        for i in range(first, last):
            used = n_containing[words[i]] + 1
            if learn:
                n_containing[words[i]] = used
            weight = math.log1p((n - used + 0.5) / (used + 0.5))  # (1)
            weights[i] = (1.0 + math.log(max(counts[i], 1.0))) * weight
            squares += weights[i] * weights[i]
        for i in range(first, last):
            weights[i] /= math.sqrt(squares)
    return weights


@njit(cache=True, nogil=True)
def insert_postings(first, last, offsets, words, heads, nexts):
    """Put documents `first` to `last` − 1 at the front of the lists of their words."""
    for i in range(offsets[first], offsets[last]):
        nexts[i] = heads[words[i]]
        heads[words[i]] = i


@njit(cache=True, nogil=True)
def nearest_documents(
    first, last, lows, offsets, words, weights, times, owners, usable, heads, nexts, decay, learn,
    targets, cosines, scores,
):  # fmt: skip
    r"""Find the nearest earlier documents of `first` to `last` − 1 by :math:`\cos(d, e)\, e^{-(t_d - t_e)/\tau}` (2).

    Row d of `targets`, `cosines` and `scores` receives them, best first, with their cosines and (2); of equal ones the
    newer is first, and missing ones are −1. Only documents from ``lows[d]`` on that are `usable` and share a word are
    considered. If `learn`, every document is indexed after its search.
    """
    n_candidates = targets.shape[1]
    sums, touched = np.zeros(len(offsets), np.float64), np.empty(len(offsets), np.int64)
    for d in range(first, last):
        n_touched, low = 0, lows[d]
        for i in range(offsets[d], offsets[d + 1]):
            before, posting = -1, heads[words[i]]
            while posting >= 0:
                e = owners[posting]
                if e < low:  # it and all that follow have expired
                    if learn and before < 0:
                        heads[words[i]] = -1
                    elif learn:
                        nexts[before] = -1
                    break
                if usable[e]:
                    if sums[e] == 0.0:
                        touched[n_touched] = e
                        n_touched += 1
                    sums[e] += weights[i] * weights[posting]
                before, posting = posting, nexts[posting]
        targets[d] = -1
        scores[d] = -1.0
        cosines[d] = 0.0
        for j in range(n_touched):
            e = touched[j]
            cosine = min(sums[e], 1.0)
            score = cosine * math.exp((times[e] - times[d]) / decay)  # (2)
            sums[e] = 0.0
            place = n_candidates
            while place > 0 and (
                score > scores[d, place - 1] or (score == scores[d, place - 1] and e > targets[d, place - 1])
            ):
                place -= 1
            for c in range(n_candidates - 1, place, -1):
                targets[d, c], cosines[d, c], scores[d, c] = targets[d, c - 1], cosines[d, c - 1], scores[d, c - 1]
            if place < n_candidates:
                targets[d, place], cosines[d, place], scores[d, place] = e, cosine, score
        if learn:
            insert_postings(d, d + 1, offsets, words, heads, nexts)


@njit(cache=True, nogil=True)
def follow_links(first, last, offsets, links, stories, next_story):
    """Write the story of each document: that of the earlier document it links to, or a new one; return the next id."""
    for d in range(first, last):
        if offsets[d] == offsets[d + 1]:
            stories[d] = -1
        elif links[d] >= 0:
            stories[d] = stories[links[d]]
        else:
            stories[d] = next_story
            next_story += 1
    return next_story


@njit(cache=True, nogil=True)
def sample_links(targets, cumulative, uniforms):
    """Return the document that each document links to in each sample, −1 for none, samples × documents.

    A document links to candidate c of its row of `targets` if its uniform number is below column c of `cumulative` and
    not below an earlier one, and to none beyond the last.
    """
    n_samples, n = uniforms.shape
    links = np.full((n_samples, n), -1, np.int32)
    for s in range(n_samples):
        for d in range(n):
            for c in range(targets.shape[1]):
                if uniforms[s, d] < cumulative[d, c]:
                    links[s, d] = targets[d, c]
                    break
    return links


@njit(cache=True, nogil=True)
def count_joined(links, sides, times, decay, first, least):
    r"""Return in how many samples two sets of documents are joined by links of documents from `first` on.

    ``sides[d]`` is 0 or 1 for the members of the sets, and −1 for others. If links ignored the sets, a link of document
    d within their union would lead to the other set with probability

    .. math:: x_d = \frac{m_1}{m_0 + m_1}, \qquad m_k = \sum_{e < d,\; e \in k} e^{-(t_d - t_e)/\tau},              (3)

    k = 0 being its own set. The sets are joined if at least half of the expected number of links lead to the other set,
    and if there are at least `least` links.
    """
    expected, masses, latest = np.zeros(len(sides)), np.zeros(2), times[0]
    for d in range(len(sides)):
        if sides[d] >= 0:
            masses *= math.exp((latest - times[d]) / decay)
            latest = times[d]
            if masses[0] + masses[1] > 0.0:
                expected[d] = masses[1 - sides[d]] / (masses[0] + masses[1])  # (3)
            masses[sides[d]] += 1.0
    joined = 0
    for s in range(links.shape[0]):
        n_links, crossing, usual = 0, 0.0, 0.0
        for d in range(first, len(sides)):
            e = links[s, d]
            if e >= 0 and sides[d] >= 0 and sides[e] >= 0:
                n_links += 1
                usual += expected[d]
                crossing += sides[d] != sides[e]
        joined += n_links >= least and crossing >= usual / 2
    return joined


@njit(cache=True, nogil=True)
def find_roots(parents):
    """Return the first document of each document's component; a parent is an earlier document, or the document."""
    roots = np.empty(len(parents), np.int64)
    for d in range(len(parents)):
        roots[d] = d if parents[d] == d else roots[parents[d]]
    return roots

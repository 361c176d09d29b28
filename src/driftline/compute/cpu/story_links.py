r"""Links between documents of a stream: the nearest earlier documents by cosine, found through posting lists.

The postings of word v are the documents that contain it, in the order of their arrival: ``documents[begins[v]]`` to
``documents[ends[v] - 1]``, with their weights in `values`. Documents expire in the same order, so the expired part of a
list is its beginning, which is skipped from then on.
"""

import math

import numpy as np

from driftline.compute.jit import njit

FAINTEST = 1e-300
"""Cosine below which documents share no word."""


@njit(cache=True, nogil=True)
def weigh_rows(offsets, words, counts, n_containing, n_before, learn):
    r"""Return unit rows of :math:`(1 + \ln c)\,\ln(1 + (n - n_v + ½) / (n_v + ½))` (1).

    Document number n counts itself and those before it, of which :math:`n_v` contain the word; documents without words
    do not count. `n_before` documents came before the first row. If `learn`, `n_containing` is updated in place row by
    row; otherwise every row is weighted as if it were the next one.
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
            weights[i] = weight if counts[i] <= 1.0 else (1.0 + math.log(counts[i])) * weight
            squares += weights[i] * weights[i]
        for i in range(first, last):
            weights[i] /= math.sqrt(squares)
    return weights


@njit(cache=True, nogil=True)
def insert_postings(first, last, offsets, words, weights, ends, documents, values):
    """Put documents `first` to `last` − 1 at the end of the lists of their words."""
    for d in range(first, last):
        for i in range(offsets[d], offsets[d + 1]):
            place = ends[words[i]]
            documents[place], values[place] = d, weights[i]
            ends[words[i]] = place + 1


@njit(cache=True, nogil=True)
def nearest_documents(
    first, last, lows, offsets, words, weights, times, usable, begins, ends, documents, values, decay, learn,
    targets, cosines, scores,
):  # fmt: skip
    r"""Find the nearest earlier documents of `first` to `last` − 1 by :math:`\cos(d, e)\, e^{-(t_d - t_e)/\tau}` (2).

    Row d of `targets`, `cosines` and `scores` receives them, best first, with their cosines and (2); of equal ones the
    newer is first, and missing ones are −1. Only documents at or after ``lows[d]`` that are `usable` and have a word in
    common are considered. If `learn`, every document is indexed after its search, and `lows` must not decrease.
    """
    sums, worst = np.zeros(len(offsets), np.float64), targets.shape[1] - 1
    for d in range(first, last):
        targets[d], cosines[d], scores[d] = -1, 0.0, -1.0
        for i in range(offsets[d], offsets[d + 1]):
            weight, begin = weights[i], begins[words[i]]
            for posting in range(ends[words[i]] - 1, begin - 1, -1):
                e = documents[posting]
                if e < lows[d]:  # this document and all before it have expired
                    if learn:
                        begins[words[i]] = posting + 1
                    break
                sums[e] += weight * values[posting]
        least = FAINTEST
        for i in range(offsets[d], offsets[d + 1]):
            begin = begins[words[i]]
            for posting in range(ends[words[i]] - 1, begin - 1, -1):
                e = documents[posting]
                if e < lows[d]:
                    break
                cosine, sums[e] = min(sums[e], 1.0), 0.0
                if cosine < least or not usable[e]:  # the score is at most the cosine
                    continue
                score = cosine * math.exp((times[e] - times[d]) / decay)  # (2)
                place = worst + 1
                while place > 0 and (
                    score > scores[d, place - 1] or (score == scores[d, place - 1] and e > targets[d, place - 1])
                ):
                    place -= 1
                for c in range(worst, place, -1):
                    targets[d, c], cosines[d, c], scores[d, c] = targets[d, c - 1], cosines[d, c - 1], scores[d, c - 1]
                if place <= worst:
                    targets[d, place], cosines[d, place], scores[d, place] = e, cosine, score
                    least = max(scores[d, worst], FAINTEST)
        if learn:
            insert_postings(d, d + 1, offsets, words, weights, ends, documents, values)


@njit(cache=True, nogil=True)
def follow_links(first, links, offsets, stories, next_story):
    """Write the stories of documents: document ``first + i`` joins that of document ``links[i]``, an earlier one.

    A link of −1 begins a story. Returns the next id.
    """
    for i in range(len(links)):
        d = first + i
        if offsets[d] == offsets[d + 1]:
            stories[d] = -1
        elif links[i] >= 0:
            stories[d] = stories[links[i]]
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
    r"""Return the number of samples in which two sets are joined by links of documents at or after `first`.

    The first column of `links` is that of document `first`. ``sides[d]`` is 0 or 1 for the members of the sets, and −1
    for others. If links ignored the sets, a link of document d within their union would lead to the other set with
    probability

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
            e = links[s, d - first]
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

r"""Collapsed Gibbs sampling for LDA over packed documents, with the row of a word kept in the cache.

The topic of a token of word w in document d is drawn, given all others, with

.. math:: p(k) \propto (M_{wk} + \beta)\,(n_{dk} + \alpha_k) / (n_k + V\beta), \qquad (1)

counts being without the token itself. With :math:`q_k = (M_{wk} + \beta) / (n_k + V\beta)` this is the sum of two
parts,

.. math:: \sum_k n_{dk}\, q_k \; + \; \sum_k \alpha_k\, q_k. \qquad (2)

The first runs over the few topics of the document, which are kept as a packed list. The second changes little from
token to token as long as the word stays the same, so tokens are sorted by word: only the sums of the one or two
registers of 16 topics that changed are read again. Arrays of topics are as in `lda_online`. The weight of a token may
differ from one if counts are not integers.

Small functions are always inlined: a separately compiled copy may add in a different order than an inlined one, and the
choice between them would depend on whether the code was just compiled or loaded from the cache.
"""

import numpy as np

from driftline.compute.jit import njit

SUMS = {"reassoc", "contract", "nsz"}
LANES = 16


@njit(cache=True, nogil=True, forceinline=True)
def next_random(state):
    """Return a number in [0, 1) and the next state of a small generator (xorshift64*)."""
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    value = (state * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(40)
    return np.float32(value) * np.float32(2.0**-24), state


@njit(cache=True, nogil=True, forceinline=True)
def begin_random(seed, number):
    """Return the state of an independent generator for the task with this number (splitmix64)."""
    value = np.uint64(seed) + (np.uint64(number) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    value ^= value >> np.uint64(31)
    return value if value != np.uint64(0) else np.uint64(1)


@njit(cache=True, nogil=True, fastmath=SUMS, forceinline=True)
def weigh(row, n_d, inverse, alpha, beta, p):
    """Write Eq. 1 to `p` and return its sum."""
    total = np.float32(0)
    for k in range(len(row)):
        p[k] = (row[k] + beta) * (n_d[k] + alpha[k]) * inverse[k]
        total += p[k]
    return total


@njit(cache=True, nogil=True, fastmath=SUMS, forceinline=True)
def pick(p, n, point):
    """Return the topic at `point` of the running sum of the first `n` values, by whole registers first."""
    last = 0
    for b in range(0, n, LANES):
        whole = np.float32(0)
        for j in range(LANES):
            whole += p[b + j]
        if point < whole:
            for k in range(b, b + LANES):
                if p[k] > 0:
                    last = k
                    if point < p[k]:
                        return k
                point -= p[k]
            return last
        point -= whole
    # Rounding exceeded the end: take the last possible topic.
    for k in range(n):
        if p[k] > 0:
            last = k
    return last


@njit(cache=True, nogil=True)
def start_tokens(words, documents, M, inverse, alpha, beta, n_documents, z, seed, number, scratch):
    """Draw a topic for every token from the variational solution: Eq. 1 with all expected counts."""
    state = begin_random(seed, number)
    p = scratch[0]
    for i in range(len(words)):
        total = weigh(M[words[i]], n_documents[documents[i]], inverse, alpha, beta, p)
        u, state = next_random(state)
        z[i] = pick(p, len(alpha), u * total)


@njit(cache=True, nogil=True)
def pack_documents(documents, z, weights, starts, sizes, topics, uses, counts):
    """Count the topics of every document in its packed list, which begins at `starts` and has `sizes` entries.

    An entry is a topic, its number of tokens, and their weight. The lists must be empty.
    """
    for i in range(len(z)):
        sizes[documents[i]] += _enter(topics, uses, counts, starts[documents[i]], sizes[documents[i]], z[i], weights[i])


@njit(cache=True, nogil=True)
def unpack_documents(starts, sizes, topics, counts, n_documents):
    """Add packed lists to dense counts, documents × topics."""
    for d in range(len(n_documents)):
        for j in range(starts[d], starts[d] + sizes[d]):
            n_documents[d, topics[j]] += counts[j]


@njit(cache=True, nogil=True, forceinline=True)
def _enter(topics, uses, counts, start, size, k, weight):
    """Add a token to a list; return the number of entries added."""
    for j in range(start, start + size):
        if topics[j] == k:
            uses[j] += 1
            counts[j] += weight
            if j > start and uses[j] > uses[j - 1]:
                # The most frequent topics come first, so that they are found quickly.
                topics[j], topics[j - 1] = topics[j - 1], topics[j]
                uses[j], uses[j - 1] = uses[j - 1], uses[j]
                counts[j], counts[j - 1] = counts[j - 1], counts[j]
            return 0
    j = start + size
    topics[j], uses[j], counts[j] = k, 1, weight
    return 1


@njit(cache=True, nogil=True, forceinline=True)
def _leave(topics, uses, counts, start, size, k, weight):
    """Remove a token from a list; return the number of entries removed."""
    j = start
    while topics[j] != k:
        j += 1
    uses[j] -= 1
    counts[j] -= weight
    if uses[j] > 0:
        return 0
    last = start + size - 1
    topics[j], uses[j], counts[j] = topics[last], uses[last], counts[last]
    return 1


@njit(cache=True, nogil=True)
def count_words(words, weights, z, M):
    """Add every token to the counts of its word."""
    for i in range(len(z)):
        M[words[i], z[i]] += weights[i]


@njit(cache=True, nogil=True, fastmath=SUMS, forceinline=True)
def prepare(row, inverse, alpha, beta, q, r, sums):
    """Write q, r = αq and the sums of r over registers for a word (2); return the sum of r."""
    for k in range(len(row)):
        q[k] = (row[k] + beta) * inverse[k]
        r[k] = alpha[k] * q[k]
    rest = 0.0
    for b in range(len(row) // LANES):
        sums[b] = register_sum(r, b)
        rest += sums[b]
    return rest


@njit(cache=True, nogil=True, forceinline=True)
def change(k, row, inverse, alpha, beta, q, r, sums):
    """Update q, r and the sums after one topic changed; return the change of the sum of r."""
    before = np.float64(sums[k // LANES])
    q[k] = (row[k] + beta) * inverse[k]
    r[k] = alpha[k] * q[k]
    sums[k // LANES] = register_sum(r, k // LANES)
    return np.float64(sums[k // LANES]) - before


@njit(cache=True, nogil=True, fastmath=SUMS, forceinline=True)
def register_sum(values, b):
    """Return the sum of one register."""
    whole = np.float32(0)
    for j in range(b * LANES, (b + 1) * LANES):
        whole += values[j]
    return whole


@njit(cache=True, nogil=True, fastmath=SUMS, forceinline=True)
def weigh_list(topics, counts, q, p):
    """Write the first part of (2) to `p`, one value for each topic of the document, and return its sum."""
    total = np.float32(0)
    for j in range(len(topics)):
        p[j] = counts[j] * q[topics[j]]
        total += p[j]
    return total


@njit(cache=True, nogil=True, forceinline=True)
def pick_by_sums(p, sums, n, point):
    """Return the topic at `point` of the running sum of `p`, whose registers have these sums."""
    for b in range(n):
        if point < sums[b]:
            return b * LANES + pick(p[b * LANES : (b + 1) * LANES], LANES, point)
        point -= sums[b]
    return pick(p, n * LANES, np.float32(np.inf))


@njit(cache=True, nogil=True)
def sweep_tokens(
    words,
    documents,
    weights,
    z,
    M,
    totals,
    smoothing,
    alpha,
    beta,
    starts,
    sizes,
    topics,
    uses,
    counts,
    lengths,
    seed,
    number,
    scratch,
):
    r"""Draw every token's topic again (1), in place; return the sum of :math:`\ln p(w | \text{all other tokens})`.

    `totals` (n_k) is this task's own copy; `smoothing` is Vβ; the documents are packed (see `pack_documents`);
    `lengths` are those of the documents plus Σα.
    """
    state = begin_random(seed, number)
    q, r, inverse, sums, p = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    n = len(alpha) // LANES
    inverse[:] = 0
    for k in range(len(totals)):
        if alpha[k] > 0:
            inverse[k] = 1.0 / (totals[k] + smoothing)
    likelihood, rest, word = 0.0, 0.0, -1
    for i in range(len(words)):
        d, c, k = documents[i], weights[i], z[i]
        row, start = M[words[i]], starts[d]
        sizes[d] -= _leave(topics, uses, counts, start, sizes[d], k, c)
        row[k] -= c
        totals[k] -= c
        inverse[k] = 1.0 / (totals[k] + smoothing)
        if words[i] != word:
            word = words[i]
            rest = prepare(row, inverse[: len(alpha)], alpha, beta, q, r, sums)
        else:
            rest += change(k, row, inverse, alpha, beta, q, r, sums)
        own = weigh_list(topics[start : start + sizes[d]], counts[start : start + sizes[d]], q, p)
        total = own + np.float32(rest)
        likelihood += c * np.log(np.float64(total / (lengths[d] - c)))
        u, state = next_random(state)
        point = u * total
        if point < own:
            j = 0
            while p[j] <= point and j < sizes[d] - 1:
                point -= p[j]
                j += 1
            k = topics[start + j]
        else:
            k = pick_by_sums(r, sums, n, point - own)
        z[i] = k
        sizes[d] += _enter(topics, uses, counts, start, sizes[d], k, c)
        row[k] += c
        totals[k] += c
        inverse[k] = 1.0 / (totals[k] + smoothing)
        rest += change(k, row, inverse, alpha, beta, q, r, sums)
    return likelihood


@njit(cache=True, nogil=True)
def sweep_forest(
    words,
    documents,
    weights,
    z,
    M,
    totals,
    beta,
    vertex,
    within,
    strength,
    vertices,
    prior,
    component,
    members,
    starts,
    chosen,
    banned,
    bans,
    n_documents,
    lengths,
    seed,
    p,
):
    """Draw every token's topic again under a Dirichlet forest, in place; return the sum of ln p(w | all others).

    The structure is that of `driftline.inference.dirichlet_forest`: `vertices` are counts of vertices × topics, `prior`
    their β|v|, `members` the vertices of all components, which begin at `starts`, and `chosen` whether a vertex is in
    the set of a topic. A word is excluded from the topics `bans`, which begin at `banned`. `n_documents` include α_d.
    """
    state = begin_random(seed, 0)
    n_topics, smoothing, likelihood = len(totals), beta * len(M), 0.0
    for i in range(len(words)):
        w, d, c, k = words[i], documents[i], weights[i], z[i]
        v = vertex[w]
        M[w, k] -= c
        totals[k] -= c
        n_documents[d, k] -= c
        if v >= 0:
            vertices[v, k] -= c
        total = 0.0
        for j in range(n_topics):
            if v < 0:
                share = (M[w, j] + beta) / (totals[j] + smoothing)
            else:
                share = _vertex_share(v, j, vertices, prior, component, members, starts, chosen, strength / beta)
                share /= totals[j] + smoothing
                if within[w] > 0:
                    share *= (M[w, j] + within[w]) / (vertices[v, j] + strength)
            p[j] = share * n_documents[d, j]
        for j in range(banned[w], banned[w + 1]):
            p[bans[j]] = 0.0
        for j in range(n_topics):
            total += p[j]
        likelihood += c * np.log(total / (lengths[d] - c))
        u, state = next_random(state)
        point, k = u * total, 0
        while k < n_topics - 1 and (point >= p[k] or p[k] <= 0.0):
            point -= p[k]
            k += 1
        while p[k] <= 0.0:  # rounding exceeded the end
            k -= 1
        z[i] = k
        M[w, k] += c
        totals[k] += c
        n_documents[d, k] += c
        if v >= 0:
            vertices[v, k] += c
    return likelihood


@njit(cache=True, nogil=True, forceinline=True)
def _vertex_share(v, k, vertices, prior, component, members, starts, chosen, ratio):
    """Return the share of a vertex, times that of the root: the path (2) from the root to it; `ratio` is η/β."""
    own = vertices[v, k] + prior[v]
    r = component[v]
    if r < 0:
        return own
    all_, of_set, mass, rest = 0.0, 0.0, 0.0, 0.0
    for j in range(starts[r], starts[r + 1]):
        u = members[j]
        all_ += vertices[u, k]
        if chosen[u, k]:
            of_set += vertices[u, k]
            mass += prior[u]
        else:
            rest += prior[u]
    share = (all_ + mass + rest) * own / (all_ + ratio * mass + rest)
    return share * (of_set + ratio * mass) / (of_set + mass) if chosen[v, k] else share

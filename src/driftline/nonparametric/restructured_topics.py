r"""Greedy merges and splits of topics during the burn-in of a sampler: sweeps alone rarely merge or split whole topics.

Two topics are merged if that increases the probability of the words given the topics of tokens, and of these topics in
documents,

.. math:: \sum_k \ln \frac{B(M_k + \eta)}{B(\eta)}
          + \sum_d \sum_k \ln \frac{\Gamma(n_{dk} + \alpha_k)}{\Gamma(\alpha_k)};                                  (1)

the merged topic has the sum of the two α. Candidates are the nearest topics by cosine. A topic is split if its parts
predict its tokens better, each from all others:

.. math:: \sum_i \ln p(w_i \mid w_{-i}, z_{-i})                                                                     (2)

(with (1), a single topic of all documents would never be split, because its z has no uncertainty, which (1) favours). A
split starts with groups of the documents of a topic, found by k-means, and is refined by sweeps over the tokens of that
topic alone. A topic with a large share of all tokens is split into several parts at once.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln
from sklearn.preprocessing import normalize

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import seed_of
from driftline.inference.split_merge import best_disjoint, near_pairs
from driftline.nonparametric.franchise import Franchise, Sample, recounted, widened

SPLIT_EVERY, MERGE_EVERY = 10, 25
"""Number of sweeps between attempts to split, and to merge."""
FEWEST = 20
"""Minimum number of tokens of a topic that is split."""
MEANS_STEPS, REFINING_SWEEPS = 4, 15
"""Number of k-means steps, and of sweeps within a topic, before a split is evaluated."""
LEAST_GAIN = 0.05
"""Minimum increase of (2) per token, in nats, for which a topic is split."""
LARGE, PARTS = 0.1, 8
"""Share of all tokens above which a topic is split into several parts, and their number."""
LARGEST_PRIOR = 0.1
"""Maximum α of a part in a document: with the α of a topic of all documents, its parts could not differ."""


def restructure(sample: Sample, problem: Franchise, rng: np.random.Generator) -> Sample:
    """Split and merge topics at intervals during the burn-in; later sweeps leave the posterior invariant."""
    if sample.n_sweeps > problem.n_restructured:
        return sample
    if sample.n_sweeps % SPLIT_EVERY == 0 and 2 * sample.n_sweeps <= problem.n_restructured:
        sample = split_topics(sample, problem, rng)
    if sample.n_sweeps % MERGE_EVERY == 0:
        sample = merge_topics(sample, problem)
    return sample


def merge_topics(sample: Sample, problem: Franchise) -> Sample:
    """Merge pairs of topics if (1) increases, the best pair first; the older topic keeps its id."""
    slots = np.flatnonzero(sample.totals > 0)
    if len(slots) < 2:
        return sample
    documents = document_counts(sample, problem)
    alpha = sample.document_concentration * sample.group_weights[0]
    pairs = slots[near_pairs(normalize(sample.counts[:, slots].T.astype(np.float64)))]
    gains = np.array([-_gain_of_parts(sample, documents, i, j, alpha) for i, j in pairs])
    topics = sample.topics.copy()
    for pair in best_disjoint(pairs, gains):
        i, j = sorted(pair, key=lambda slot: sample.ids[slot])
        topics[topics == j] = i
        sample.weights[i] += sample.weights[j]
        sample.weights[j] = 0.0
        sample.ids[j] = -1
    if (topics == sample.topics).all():
        return sample
    return recounted(sample._replace(topics=topics, group_weights=sample.weights[None].copy()), problem)


def split_topics(sample: Sample, problem: Franchise, rng: np.random.Generator) -> Sample:
    """Split every topic for which (2) increases; the largest part keeps the id."""
    topics, tokens = sample.topics.copy(), problem.tokens
    large = LARGE * len(topics)
    free_slots = np.flatnonzero(sample.ids < 0)
    while len(free_slots) <= int((sample.totals >= FEWEST).sum()) + int((sample.totals > large).sum()) * PARTS:
        sample = widened(sample)
        free_slots = np.flatnonzero(sample.ids < 0)
    free = iter(free_slots[free_slots != sample.rest].tolist())
    weights, ids, next_id = sample.weights.copy(), sample.ids.copy(), sample.next_id
    order = np.argsort(topics, kind="stable")
    ends = np.searchsorted(topics[order], np.arange(len(ids) + 1))
    for slot in np.flatnonzero(sample.totals >= FEWEST):
        own = order[ends[slot] : ends[slot + 1]]
        n_parts = PARTS if len(own) > large else 2
        found, gain = _divided(tokens.words[own], tokens.documents[own], n_parts, int(slot), sample, problem, rng)
        if gain <= LEAST_GAIN * len(own):
            continue
        sizes = np.bincount(found)
        largest, whole = int(sizes.argmax()), weights[slot]
        for part in np.flatnonzero(sizes):
            place = int(slot) if part == largest else next(free)
            topics[own[found == part]] = place
            weights[place] = whole * sizes[part] / len(own)
            if part != largest:
                ids[place], next_id = next_id, next_id + 1
    if next_id == sample.next_id:
        return sample
    sample = sample._replace(topics=topics, weights=weights, group_weights=weights[None].copy())
    return recounted(sample._replace(ids=ids, next_id=next_id), problem)


def document_counts(sample: Sample, problem: Franchise) -> sp.csc_matrix:
    """Return the tokens of documents × slots."""
    ones = np.ones(len(sample.topics), dtype=np.float64)
    shape = (len(problem.tokens.lengths), len(sample.ids))
    return sp.csc_matrix((ones, (problem.tokens.documents, sample.topics)), shape=shape)


def word_gain(counts: Floats, eta: float) -> float:
    """Return ln B(c + η) / B(η) of one topic."""
    n, some = len(counts), counts[counts > 0]
    words = gammaln(some + eta).sum() - len(some) * gammaln(eta)
    return float(words + gammaln(n * eta) - gammaln(counts.sum() + n * eta))


def _gain_of_parts(sample: Sample, documents: sp.csc_matrix, i: int, j: int, alpha: Floats) -> float:
    """Return (1) of two topics minus (1) of their union."""
    first, second = sample.counts[:, i].astype(np.float64), sample.counts[:, j].astype(np.float64)
    eta, a, b = sample.word_prior, float(alpha[i]), float(alpha[j])
    words = word_gain(first, eta) + word_gain(second, eta) - word_gain(first + second, eta)
    both = np.asarray(documents[:, [i, j]].todense())
    both = both[both.any(axis=1)]
    return words + _document_gain(both, a + b, [a, b])


def _document_gain(parts: Floats, alpha: float, alphas: list[float]) -> float:
    """Return the gain of (1) in the topics of documents if a topic is split into `parts`, documents × parts."""
    own = gammaln(parts + alphas) - gammaln(alphas)
    whole = gammaln(parts.sum(axis=1) + alpha) - gammaln(alpha)
    return float(own.sum() - whole.sum())


def _divided(
    words: np.ndarray,
    documents: np.ndarray,
    n_parts: int,
    slot: int,
    sample: Sample,
    problem: Franchise,
    rng: np.random.Generator,
) -> tuple[Ints, float]:
    """Return the part of every token of a topic, and the increase of (2)."""
    rows, local = np.unique(documents, return_inverse=True)
    n_words, eta = problem.tokens.n_words, sample.word_prior
    if len(rows) < n_parts:
        return np.zeros(len(words), dtype=np.int64), 0.0
    X = sp.csr_matrix((np.ones(len(words)), (local, words)), shape=(len(rows), n_words))
    alpha = min(sample.document_concentration * float(sample.group_weights[0, slot]) / n_parts, LARGEST_PRIOR)
    z = _document_groups(X, n_parts, rng)[local].astype(np.int32)
    divided = _refined(words, local.astype(np.int32), z, n_parts, n_words, alpha, eta, rng)
    counts = np.bincount(words).astype(np.float64)
    counts = counts[counts > 0]
    whole = float((counts * np.log((counts - 1.0 + eta) / (len(words) - 1.0 + n_words * eta))).sum())
    return z.astype(np.int64), divided - whole


def _document_groups(X: sp.csr_matrix, n_groups: int, rng: np.random.Generator) -> Ints:
    """Divide documents into groups by spherical k-means, started from dissimilar documents."""
    unit = normalize(X)
    likeness = np.full(X.shape[0], -1.0)
    chosen = [int(rng.integers(X.shape[0]))]
    while len(chosen) < n_groups:
        likeness = np.maximum(likeness, np.asarray((unit @ unit[chosen[-1]].T).todense()).ravel())
        apart = np.maximum(1.0 - likeness, 0.0)
        if apart.sum() <= 0:
            return np.arange(X.shape[0]) % n_groups
        chosen.append(int(rng.choice(X.shape[0], p=apart / apart.sum())))
    centres = np.asarray(unit[chosen].todense())
    labels = np.zeros(X.shape[0], dtype=np.int64)
    for _ in range(MEANS_STEPS):
        labels = np.asarray(unit @ centres.T).argmax(axis=1)
        ones = sp.csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(n_groups, len(labels)))
        centres = normalize(np.asarray((ones @ unit).todense()))
    return labels


def _refined(
    words: np.ndarray,
    documents: np.ndarray,
    z: np.ndarray,
    n_parts: int,
    n_words: int,
    alpha: float,
    eta: float,
    rng: np.random.Generator,
) -> float:
    """Sample the parts of a topic by LDA's sweeps over its tokens, in place; return (2) of the last sweep."""
    width = current_kernels().lda_memory.padded(n_parts)
    names, columns = np.unique(words, return_inverse=True)
    columns = columns.astype(np.int32)
    counts, ones = current_kernels().lda_memory.aligned((len(names), width)), np.ones(len(z), dtype=np.float32)
    current_kernels().lda_gibbs.count_words(columns, ones, z, counts)
    lengths = np.bincount(documents)
    starts = np.cumsum(lengths) - lengths
    packed = (
        np.zeros(len(lengths), dtype=np.int32),
        np.zeros(len(z), dtype=np.int32),
        np.zeros(len(z), dtype=np.int32),
        np.zeros(len(z), dtype=np.float32),
    )
    current_kernels().lda_gibbs.pack_documents(documents, z, ones, starts, *packed)
    prior = current_kernels().lda_memory.pad_columns(np.full(n_parts, alpha), width)
    totals, scratch = counts.sum(axis=0, dtype=np.float64), current_kernels().lda_memory.scratch_rows(5, width)
    size = (lengths + n_parts * alpha).astype(np.float32)
    for number in range(REFINING_SWEEPS):
        fixed = (n_words * eta, prior, np.float32(eta), starts, *packed, size, seed_of(rng), number, scratch)
        likelihood = current_kernels().lda_gibbs.sweep_tokens(columns, documents, ones, z, counts, totals, *fixed)
    return float(likelihood)

r"""The influence of the transitions of a chain: the penalty on their weights, chosen by cross-validation.

The weights w of attributes and v of transitions minimise

.. math:: -\sum_d \log p(y_d \mid x_d) + \lambda_2 \bigl(\lVert w \rVert^2 + \lVert v \rVert^2 / c\bigr)        (1)

With c = 1 this is a conditional random field, with c = 0 a classifier of single tokens (v = 0). With few sentences, the
field attributes to transitions what attributes would explain better. The weight c in `CHAIN_WEIGHTS` that tags held-out
sentences most accurately is chosen; ties go to the smallest. The likelihood of these sentences is not a suitable
criterion: it prefers the chain even where more of its tags are wrong.
"""

from __future__ import annotations

import itertools

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Ints
from driftline.sequences.crf_training import Pairs, Sentences, Trained, Weights, seen_pairs, train_lbfgs
from driftline.sequences.tagging_problem import TaggingProblem

CHAIN_WEIGHTS = (0.0, 1 / 64, 1 / 16, 1 / 4, 1.0)
"""Candidates for the weight c."""
N_FOLDS = 5
ONE_FOLD_FROM = 500
"""Minimum number of sentences for which one fold of `N_FOLDS` is enough."""


def train_chain(
    problem: TaggingProblem, weight: float, l2: float, max_iter: int, tolerance: float, start: Weights | None = None
) -> Trained:
    """Minimise (1) with the weight c, from given weights or from zero."""
    n_tags = len(problem.classes)
    pairs = problem.pairs._replace(trained=(problem.pairs.allowed > 0) & (weight > 0))
    if start is None:
        start = Weights(np.zeros(len(pairs.pair_tags)), np.zeros((n_tags, n_tags)))
    return train_lbfgs(start, problem.sentences, pairs, l2, 0.0, max_iter, tolerance, chain_weight=weight)


def chosen_weight(problem: TaggingProblem, l2: float, max_iter: int, tolerance: float) -> float:
    """Return the weight c that tags held-out sentences most accurately; zero if none can be held out."""
    offsets, tags = problem.sentences.offsets, problem.sentences.tags
    known = np.array([(tags[a:b] >= 0).any() for a, b in itertools.pairwise(offsets)], dtype=bool)
    rows = np.flatnonzero(known)
    if len(rows) < 2:
        return 0.0
    fold = np.arange(len(rows)) % N_FOLDS
    right = np.zeros(len(CHAIN_WEIGHTS), dtype=np.int64)
    for number in range(1 if len(rows) >= ONE_FOLD_FROM else min(N_FOLDS, len(rows))):
        learned, left_out = rows[fold != number], rows[fold == number]
        tested = problem.sentences.rows(left_out, problem.sentences.counts_of)
        right += _right_tags(_part(problem, learned), tested, l2, max_iter, tolerance)
    return CHAIN_WEIGHTS[int(right.argmax())]


def _part(problem: TaggingProblem, rows: Ints) -> TaggingProblem:
    """Return some sentences, and the pairs of attributes and tags that occur in them."""
    sentences = problem.sentences.rows(rows, problem.sentences.counts_of)
    pairs = seen_pairs(sentences, len(problem.pairs.pointers) - 1, problem.pairs.allowed, problem.pairs.starts)
    return problem._replace(sentences=sentences, pairs=pairs)


def _right_tags(problem: TaggingProblem, tested: Sentences, l2: float, max_iter: int, tolerance: float) -> Ints:
    """Return the number of correct tags in the tested sentences by weight; each fit continues from the previous one."""
    weights, found = None, []
    for weight in CHAIN_WEIGHTS:
        weights = train_chain(problem, weight, l2, max_iter, tolerance, weights).weights
        best = _best_tags(tested, problem.pairs, weights)
        found.append(int((best == tested.tags).sum()))
    return np.array(found, dtype=np.int64)


def _best_tags(tested: Sentences, pairs: Pairs, weights: Weights) -> Ints:
    paths = np.empty(len(tested.tags), dtype=np.int64)
    with np.errstate(divide="ignore"):
        transition, first = weights.transition + np.log(pairs.allowed), np.log(pairs.starts)
    current_kernels().crf.best_tags(
        *(tested.attributes, tested.offsets, pairs.pointers, pairs.pair_tags, weights.pairs), transition, first, paths
    )
    return paths

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.compute.cpu import document_completion


def tossed(X):
    X = sp.csr_matrix(X)
    return document_completion.toss(X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data.astype(np.float64))


def test_coins_are_fair_and_bounded():
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(2.0, (400, 50)).astype(np.float64))
    first = tossed(X)
    assert (first >= 0).all()
    assert (first <= X.data).all()
    n = X.data.sum()
    assert abs(first.sum() - n / 2) < 4 * np.sqrt(n) / 2
    # tokens of one pair are independent: the variance is that of a binomial
    assert abs(((first - X.data / 2) ** 2 / (X.data / 4)).mean() - 1) < 0.05


def test_a_document_is_cut_in_the_same_way_anywhere():
    X = np.array([[3.0, 1, 0, 5], [2, 2, 2, 2], [0, 1, 1, 0]])
    alone, together = tossed(X[[1]]), tossed(X)
    assert (together[3:7] == alone).all()
    other = X[[1]].copy()
    other[0, 0] += 1
    many = [tossed(np.full((1, 40), float(c))) for c in (1, 2, 3)]
    assert len({tuple(cut > 0) for cut in many}) == 3


def test_large_and_broken_counts():
    first = tossed(np.array([[1e6, 0.5, 2.5]]))
    assert abs(first[0] - 5e5) <= 31
    assert first[1] in (0.0, 0.5)
    assert first[2] in (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)

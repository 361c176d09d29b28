from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import headlines as oracle

from driftline.compute.cpu.windows import best_windows, window_sums


def columns(counts):
    matrix = sp.csc_array(counts.T.astype(np.float64))
    return matrix.indptr, matrix.indices, matrix.data


@pytest.mark.parametrize("longest", [1, 3, 9])
@pytest.mark.parametrize("second_edge", [0.0, 2.5])
@pytest.mark.parametrize("rises_only", [True, False])
def test_the_best_window_is_the_best_of_all(longest, second_edge, rises_only):
    rng = np.random.default_rng(longest)
    counts = rng.poisson(rng.gamma(0.7, 2.0, (40, 9)))
    exposure = rng.integers(0, 30, 9).astype(np.float64)
    found = best_windows(*columns(counts), np.arange(9), exposure, longest, second_edge, rises_only)
    for row, window in zip(counts * (exposure > 0), found):
        wanted = oracle.best_window(row.tolist(), exposure.tolist(), longest, second_edge, rises_only)
        if wanted[2] == 0:
            assert window[2] == 0
            continue
        values = [oracle.score(row.tolist(), exposure.tolist(), *w[:2], second_edge) for w in (window, wanted)]
        assert values[0] == pytest.approx(values[1], abs=1e-8)
        assert window[2] == wanted[2] or not rises_only


def test_units_that_are_left_out_do_not_count():
    counts = np.array([[50.0, 1, 1, 9, 1, 1]])
    cells = np.array([-1, 0, 1, 2, 3, 4])
    assert best_windows(*columns(counts), cells, np.full(5, 10.0), 5, 0.0, False)[0].tolist() == [2, 3, 1]


def test_a_word_without_documents_has_no_window():
    assert best_windows(*columns(np.zeros((1, 4))), np.arange(4), np.ones(4), 4, 0.0, False)[0, 2] == 0


def test_sums_inside_and_outside():
    counts, sizes = np.array([[1.0, 2, 0, 4]]), np.array([10.0, 20, 30, 40])
    windows = np.array([[1, 3, 1]])
    sums = window_sums(*columns(counts), np.arange(4), sizes, windows)
    assert sums.tolist() == [[2.0, 4.0, 40.0, 5.0, 17.0, 170.0]]

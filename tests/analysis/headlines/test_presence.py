from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.analysis.headlines.presence import cells_of, halves_within_units, presence_of


def test_halves_add_up_and_split_every_unit():
    rng = np.random.default_rng(0)
    index = np.sort(rng.integers(0, 10, 101))[rng.permutation(101)]
    X = sp.csr_array(rng.poisson(0.5, (101, 7)).astype(np.float64))
    halves, whole = halves_within_units(X, index, 12), presence_of(X, index, 12)
    assert (halves[0].with_word + halves[1].with_word != whole.with_word).nnz == 0
    assert np.abs(halves[0].documents - halves[1].documents).max() <= 1


def test_cells_hold_about_equally_many_documents():
    documents = np.random.default_rng(1).integers(1, 30, 1000).astype(np.float64)
    cells = cells_of(documents)
    assert cells.max() == 59
    assert (np.diff(cells) >= 0).all()
    held = np.bincount(cells, weights=documents)
    assert held.max() < 1.2 * held.min() + 60


def test_a_great_day_leaves_no_empty_cell():
    cells = cells_of(np.r_[np.ones(50), 1000, np.ones(50)], 60)
    assert np.array_equal(np.unique(cells), np.arange(cells.max() + 1))

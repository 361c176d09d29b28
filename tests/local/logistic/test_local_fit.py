"""One local fit: rows, penalties, intercepts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.local.drifting import labelled_stream

from driftline.local.logistic.local_fit import Linear, Objective, Rows, Training, fit_window
from driftline.smoothing.kernels import Kernel


def test_documents_are_put_in_order():
    X, y, times = labelled_stream(n=50)
    order = np.random.default_rng(0).permutation(50)
    again = Training.in_order(X[order], y[order], times[order], 1)
    np.testing.assert_array_equal(again.times, times)
    np.testing.assert_array_equal(again.X.toarray(), X.toarray())


def test_penalties_of_intercepts():
    objective = Objective(Kernel(), 2.0, l1_ratio=0.25, center="global")
    lasso, ridge = objective.penalties((3, 1), intercept="pulled")
    np.testing.assert_allclose(lasso, 0.125)
    np.testing.assert_allclose(ridge, 0.375)
    lasso, ridge = objective.penalties((3, 1), intercept="free")
    assert lasso[-1] == ridge[-1] == 0
    lasso, ridge = objective.penalties((3, 1), intercept="held")
    assert lasso[-1] == ridge[-1] == -1
    lasso, ridge = replace(objective, center="zero").penalties((3, 1), intercept="pulled")
    assert (lasso[-1], ridge[-1]) == (0, 0.5)  # a lone intercept is pulled by the square, never by the absolute value


def test_rows_are_those_of_the_documents():
    X, y, times = labelled_stream(n=30)
    rows = Rows(Training.in_order(X, y, times, 1), 10, 25, by_column=True)
    for first, last in ((10, 14), (12, 25)):
        starts, columns, values = rows.window(first, last)
        lows, highs, row_of, entries, shift = rows.window_by_column(first, last)
        by_row, by_column = np.zeros((2, last - first, len(rows.present)))
        for i in range(last - first):
            part = slice(int(starts[i]), int(starts[i + 1]))
            by_row[i, columns[part]] = values[part]
        for j in range(len(rows.present)):
            part = slice(int(lows[j]), int(highs[j]))
            by_column[row_of[part] - shift, j] = entries[part]
        np.testing.assert_array_equal(by_row, X[first:last][:, rows.present].toarray())
        np.testing.assert_array_equal(by_column, by_row)
    with pytest.raises(ValueError, match="column layout"):
        Rows(rows.training, 0, 5, by_column=False).window_by_column(0, 5)


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_a_window_without_one_of_the_classes(l1_ratio):
    X, _, times = labelled_stream(n=30)
    training = Training.in_order(X, np.zeros(30, dtype=np.int64), times, 1)
    rows = Rows(training, 0, 30, by_column=True)
    start = np.zeros((len(rows.present) + 1, 1))
    objective = Objective(Kernel(), 1.0, l1_ratio, "zero", tol=1e-8)
    base = Linear(np.zeros((1, X.shape[1])), np.array([2.0]))
    alone = fit_window(rows, 0, np.ones(30), objective, start, None)
    pulled = fit_window(rows, 0, np.ones(30), objective, start, base)
    assert alone.converged
    assert pulled.converged
    assert -10 < alone.intercepts[0] < pulled.intercepts[0] < 2


def test_the_start_does_not_matter():
    X, y, times = labelled_stream(n=60, n_classes=3)
    training = Training.in_order(X, y, times, 3)
    objective = Objective(Kernel(), 1.0, tol=1e-8, center="zero")
    shape = (X.shape[1] + 1, 3)
    rows = Rows(training, 0, 60, by_column=False)
    fits = [fit_window(rows, 5, np.linspace(0, 1, 40), objective, size * np.ones(shape), None) for size in (0.0, 3.0)]
    np.testing.assert_allclose(fits[0].solution, fits[1].solution, atol=1e-6)
    assert fits[0].intercepts.sum() == pytest.approx(0)

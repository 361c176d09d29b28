import numpy as np
import pytest
import scipy.optimize

from driftline.evolving.pool.dual_logistic import solve_dual, solve_dual_by_products

RIDGE = 0.1


def data(n=25, v=60, seed=0):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, v)) * (generator.random((n, v)) < 0.3)
    return X, generator.choice([-1.0, 1.0], n), generator.normal(size=v)


def weights(X, y, w0):
    """The primal problem, by a general minimiser."""

    def objective(w):
        margins = y * (X @ w)
        value = np.logaddexp(0, -margins).sum() + RIDGE / 2 * ((w - w0) ** 2).sum()
        return value, -X.T @ (y / (1 + np.exp(margins))) + RIDGE * (w - w0)

    found = scipy.optimize.minimize(objective, w0, jac=True, options={"gtol": 1e-10, "maxiter": 10_000})
    return found.x


def test_is_the_primal_solution():
    X, y, w0 = data()
    found = solve_dual(X @ X.T / RIDGE, X @ w0, y, np.zeros(len(y)))
    expected = weights(X, y, w0)
    np.testing.assert_allclose(w0 + X.T @ found.duals / RIDGE, expected, atol=1e-5)
    np.testing.assert_allclose(found.scores, X @ expected, atol=1e-4)


def test_start_does_not_matter():
    X, y, w0 = data(seed=1)
    gram = X @ X.T / RIDGE
    cold = solve_dual(gram, X @ w0, y, np.zeros(len(y)))
    warm = solve_dual(gram, X @ w0, y, np.random.default_rng(2).normal(size=len(y)))
    np.testing.assert_allclose(cold.scores, warm.scores, atol=1e-4)


def test_products_give_the_same():
    X, y, w0 = data(n=80, seed=3)
    gram = X @ X.T / RIDGE
    duals, scores = solve_dual_by_products(gram.__matmul__, X @ w0, y, np.zeros(len(y)))
    direct = solve_dual(gram, X @ w0, y, np.zeros(len(y)))
    np.testing.assert_allclose(scores, direct.scores, atol=1e-3)
    np.testing.assert_allclose(duals, direct.duals, atol=1e-3)


def test_held_out_scores_are_close_to_leaving_one_out():
    X, y, w0 = data(n=40, v=8, seed=4)
    found = solve_dual(X @ X.T / RIDGE, X @ w0, y, np.zeros(len(y)))
    truly = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        truly.append(X[i] @ weights(X[rest], y[rest], w0))
    assert np.corrcoef(found.held_out, truly)[0, 1] > 0.99
    assert np.abs(found.held_out - truly).mean() < 0.1 * np.abs(found.scores - truly).mean() + 0.02


def test_placements_are_close_to_leaving_pairs_out():
    X, y, w0 = data(n=24, v=10, seed=5)
    found = solve_dual(X @ X.T / RIDGE, X @ w0, y, np.zeros(len(y)))
    truly = np.full((len(y), len(y)), np.nan)
    for a in np.flatnonzero(y > 0):
        for b in np.flatnonzero(y < 0):
            rest = np.setdiff1d(np.arange(len(y)), [a, b])
            w = weights(X[rest], y[rest], w0)
            truly[a, b] = truly[b, a] = X[a] @ w > X[b] @ w
    expected = np.nanmean(truly, axis=1)
    area, true_area = found.placements[y > 0].mean(), expected[y > 0].mean()
    fitted_area = np.mean(found.scores[y > 0][:, None] > found.scores[y < 0])
    assert np.corrcoef(found.placements, expected)[0, 1] > 0.95
    assert abs(area - true_area) < 0.1 * abs(fitted_area - true_area) + 0.01


def test_separable_and_huge_data_converge():
    y = np.array([1.0, -1.0, 1.0])
    found = solve_dual(1e8 * np.eye(3), np.array([-50.0, 50.0, 700.0]), y, np.zeros(3))
    assert (y * found.scores > 0).all()
    assert np.isfinite(found.held_out).all()


@pytest.mark.parametrize("n", [0, 1])
def test_few_documents(n):
    found = solve_dual(np.ones((n, n)), np.zeros(n), np.ones(n), np.zeros(n))
    assert found.scores.shape == found.held_out.shape == found.placements.shape == (n,)

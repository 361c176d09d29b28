"""The latent feature model on simulated rows: true features found, their number, and the error on unseen rows.

Rows are sums of the effects of 4, 8 or 12 features, each of which 40 % of the rows have, and noise; 200 rows are
learned, 200 others are reconstructed. The rivals: principal components, as many as parallel analysis finds (more
variance than 95 % of matrices with independently permuted columns), and k-means with as many clusters as there are
true features. Without noise, both the features and the same number of components could reconstruct a row exactly. The
settings are the defaults.

    python -m benchmarks.nonparametric.latent_features [--row]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

from driftline.nonparametric import IndianBuffet

SEEDS = (20, 21, 22)
"""Seeds of rows that were not used while the trials of the burn-in were designed (those were 0 to 7)."""
NUMBERS = (4, 8, 12)
N, D, NOISE = 200, 30, 0.5


def simulated(n_features, seed):
    """Return rows to learn from, their features, and other rows."""
    rng = np.random.default_rng(seed)
    Z, A = (rng.random((2 * N, n_features)) < 0.4).astype(int), rng.normal(0, 1, (n_features, D))
    X = Z @ A + NOISE * rng.standard_normal((2 * N, D))
    return X[:N], Z[:N], X[N:]


def entries_right(found, truth):
    """Return the share of entries of true features that the best matching found features have right."""
    agreement = (found.T[:, None, :] == truth.T[None, :, :]).mean(axis=2)
    rows, columns = linear_sum_assignment(-agreement)
    return float(agreement[rows, columns].sum() / truth.shape[1])


def parallel_analysis(X, rng, n_rounds=20):
    """Return the principal directions with more variance than those of permuted columns."""
    _, singular, directions = np.linalg.svd(X, full_matrices=False)
    permuted = [np.linalg.svd(rng.permuted(X - X.mean(axis=0), axis=0), compute_uv=False) for _ in range(n_rounds)]
    limit = np.quantile(permuted, 0.95, axis=0)
    below = np.flatnonzero(singular <= limit)
    return directions[: int(below[0]) if len(below) else len(singular)]


def main():
    quick = "--row" in sys.argv
    print(
        "| features | found, interval (seeds) | entries right | error of new rows | components | error "
        "| k-means, error | CPU s |\n|" + "---|" * 8
    )
    for n_features in NUMBERS[: 1 if quick else None]:
        cells, right, errors, numbers, rivals, clusters, begun = [], [], [], [], [], [], time.process_time()
        for seed in SEEDS[: 1 if quick else None]:
            X, Z, new = simulated(n_features, seed)
            model = IndianBuffet(random_state=seed, n_jobs=1).fit(X)
            interval = model.n_latent_features_
            cells.append(f"{model.features_.shape[1]} [{interval.low}, {interval.high}]")
            right.append(entries_right(model.features_, Z))
            errors.append(((model.inverse_transform(model.transform(new)) - new) ** 2).mean())
        spent = (time.process_time() - begun) / len(cells)
        for seed in SEEDS[: 1 if quick else None]:
            X, _, new = simulated(n_features, seed)
            directions = parallel_analysis(X, np.random.default_rng(seed))
            numbers.append(len(directions))
            rivals.append(((new - new @ directions.T @ directions) ** 2).mean())
            means = KMeans(n_features, n_init=5, random_state=seed).fit(X)
            clusters.append(((new - means.cluster_centers_[means.predict(new)]) ** 2).mean())
        found = [", ".join(cells), *(f"{np.mean(part):.3f}" for part in (right, errors))]
        other = [", ".join(map(str, numbers)), *(f"{np.mean(part):.3f}" for part in (rivals, clusters))]
        print(f"| {n_features} | " + " | ".join([*found, *other]) + f" | {spent:.1f} |", flush=True)
    print(f"\nThe noise alone has a mean square of {NOISE**2:.3f}.")


if __name__ == "__main__":
    main()

"""The recipe of the guide: a Gaussian process over the weekly share of a word, how often its band contains the truth.

Words of the simulated newswire whose rates change by a step or with the season, streams of 3,000 and 12,000 stories,
ten seeds. The rivals: the same band around every week's own share, and a constant through all weeks. Half-widths and
errors are relative to the mean rate.

    python -m benchmarks.nonparametric.gaussian_process [--row]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

from driftline.datasets import simulate_newswire
from driftline.text import count_words

WORDS = ("nova", "orbit", "inflation", "snow", "cricket")
SEEDS = range(10)
SIZES = (3000, 12_000)


def weekly(wire, X, vocabulary, word):
    """Return the square root of the shares by week, their variances, the middles of weeks, the scale, and the truth."""
    days = (np.asarray(wire.times, dtype="datetime64[s]") - np.datetime64("2025-01-01")) / np.timedelta64(1, "D")
    week = np.minimum((days // 7).astype(int), 51)
    said, length = X[:, [vocabulary.column(word)]].toarray().ravel(), np.asarray(X.sum(axis=1)).ravel()
    uses, tokens = np.bincount(week, weights=said), np.bincount(week, weights=length)
    share = (uses + 0.375) / tokens
    clumping = ((said - (uses / tokens)[week] * length) ** 2).sum() / uses.sum()
    scale = np.sqrt(share.mean())
    middle = 7 * np.arange(len(uses))[:, None] + 3.5
    noon = np.datetime64("2025-01-01") + (middle.ravel() * 86400).astype("timedelta64[s]")
    truth = wire.probabilities([word], noon, vocabulary=vocabulary)[:, 0]
    return np.sqrt(share) / scale, clumping / (4 * tokens) / scale**2, middle, scale, truth


def bands(root, error, middle):
    """Yield the name, the mean and the deviation of each method."""
    shapes = {"Matérn 3/2": Matern(60.0, (14, 1000), nu=1.5), "RBF": RBF(60.0, (14, 1000))}
    for name, shape in shapes.items():
        kernel = ConstantKernel(1.0, (0.01, 100)) * shape
        model = GaussianProcessRegressor(kernel, alpha=error, random_state=0).fit(middle, root - 1)
        mean, deviation = model.predict(middle, return_std=True)
        yield f"Gaussian process, {name}", 1 + mean, deviation
    yield "every week by itself", root, np.sqrt(error)
    weights = 1 / error
    yield (
        "constant",
        np.full(len(root), (weights * root).sum() / weights.sum()),
        np.full(len(root), weights.sum() ** -0.5),
    )


def main():
    quick = "--row" in sys.argv
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("| stories | band | truth within | half-width | error of the curve |\n|---|---|---|---|---|")
    for size in SIZES[: 1 if quick else None]:
        found: dict[str, list] = {}
        for seed in SEEDS[: 1 if quick else None]:
            wire = simulate_newswire(size, random_state=seed)
            X, vocabulary = count_words(wire.texts)
            for word in WORDS:
                root, error, middle, scale, truth = weekly(wire, X, vocabulary, word)
                for name, mean, deviation in bands(root, error, middle):
                    low, high = (scale**2 * np.maximum(mean + sign * 1.96 * deviation, 0) ** 2 for sign in (-1, 1))
                    curve, level = scale**2 * mean**2, truth.mean()
                    inside = ((low <= truth) & (truth <= high)).mean()
                    distance = np.sqrt(((curve - truth) ** 2).mean()) / level
                    found.setdefault(name, []).append((inside, ((high - low) / 2).mean() / level, distance))
        for name, rows in found.items():
            inside, width, distance = np.mean(rows, axis=0)
            print(f"| {size:,} | {name} | {inside:.3f} | {width:.2f} | {distance:.2f} |", flush=True)


if __name__ == "__main__":
    main()

"""Do bands cover, and does the error fall as fast as it should? On simulated drift with known truth.

    python -m benchmarks.local.bands [coverage] [single] [slopes] [plugin]

Prints the coverage of pointwise 95 % bands by the frequency of a word, the slopes of the mean squared error, and the
plug-in bandwidth against the best. Settings were tried on other seeds than those used here.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import print_table
from driftline.core.errors import OutsideSupportWarning
from driftline.local import LocalMultinomial
from driftline.local.bandwidths.asymptotics import best_bandwidth
from driftline.local.bandwidths.plug_in import plugin_bandwidths
from driftline.local.history import History
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import running_sums

Path = Callable[[np.ndarray], np.ndarray]
CLASSES = ((0, 10), (10, 30), (30, 100), (100, 300), (300, 1000))
RANKS = [f"words {a + 1}-{b}" for a, b in CLASSES]


def wandering_path(n_words: int, speed: float, rng: np.random.Generator) -> Path:
    """Return a smooth path on the simplex; word i is about 1/i as frequent as the first."""
    base = -np.log(np.arange(1, n_words + 1))
    swing = speed * rng.normal(size=(n_words, 4)) * (0.5, 0.4, 0.3, 0.2)
    phase = 2 * np.pi * rng.random((n_words, 4))

    def path(t: np.ndarray) -> np.ndarray:
        t = np.atleast_1d(t)
        waves = sum(swing[:, k] * np.sin(np.pi * (k + 1) * t[:, None] + phase[:, k]) for k in range(4))
        weights = np.exp(base + waves)
        return weights / weights.sum(axis=1, keepdims=True)

    return path


def documents(
    shares: np.ndarray, length: float, rho: float, rng: np.random.Generator, chunk: int = 500
) -> sp.csr_matrix:
    """Draw a document for each row of shares; two of its words agree by `rho` more often than chance."""
    lengths = rng.negative_binomial(4, 4 / (4 + length), len(shares)) + 1
    blocks = []
    for start in range(0, len(shares), chunk):
        part = shares[start : start + chunk]
        if rho:
            part = rng.gamma(part * (1 / rho - 1)) + 1e-300
            part /= part.sum(axis=1, keepdims=True)
        blocks.append(sp.csr_matrix(rng.multinomial(lengths[start : start + chunk], part).astype(np.float64)))
    return sp.vstack(blocks, format="csr")


def coverage(
    side: str, rho: float, speed: float, *, one_for_all: bool = False, n_streams: int = 16, n_words: int = 1000
) -> list[float]:
    """Return the share of (word, time) pairs covered, in per cent, by class of frequency and overall.

    With `one_for_all`, every curve is drawn at the single bandwidth that makes left-out documents most likely.
    """
    rng = np.random.default_rng(0)
    when = np.linspace(0.15, 0.95, 17)
    covered = []
    for _ in range(n_streams):
        path = wandering_path(n_words, speed, rng)
        times = np.sort(rng.random(3000))
        X = documents(path(times), 40, rho, rng)
        model = LocalMultinomial(bandwidth="cv", side=side).fit(X, times=times)
        if one_for_all and np.isfinite(model.bandwidth_):
            model = LocalMultinomial(bandwidth=model.bandwidth_, side=side).fit(X, times=times)
        curve = model.frequency(np.arange(n_words), when)
        truth = path(when).T
        covered.append((curve.lower <= truth) & (truth <= curve.upper))
    by_word = 100 * np.mean(covered, axis=(0, 2))
    return [float(by_word[a:b].mean()) for a, b in CLASSES] + [float(by_word.mean())]


def squared_error(side: str, n_tokens: float, bandwidths: np.ndarray, *, n_streams: int = 40) -> float:
    """Return the least mean squared error over the bandwidths, for streams of this number of words."""
    rng = np.random.default_rng(1)
    path = wandering_path(50, 1.0, np.random.default_rng(7))
    times, when = np.linspace(0, 1, 2001), np.linspace(0.45, 0.9, 10)
    truth, kernel, shares = path(when), Kernel("triangular", side), path(times)
    error = np.zeros(len(bandwidths))
    for _ in range(n_streams):
        counts = sp.csc_array(rng.poisson(n_tokens / len(times) * shares).astype(np.float64))
        tokens = sp.csc_array(np.asarray(counts.sum(axis=1)).reshape(-1, 1))
        for j, h in enumerate(bandwidths):
            mass = running_sums(tokens, times, when, kernel, h)
            estimate = running_sums(counts, times, when, kernel, h) / np.maximum(mass, 1e-9)
            error[j] += ((estimate - truth) ** 2).sum(axis=1).mean() / n_streams
    return float(error.min())


def plugin_risk(side: str, rho: float, *, n_streams: int = 8) -> list[float]:
    """Return the squared error at the plug-in bandwidths, estimated and from true derivatives, over the least."""
    rng = np.random.default_rng(3)
    path = wandering_path(100, 1.0, np.random.default_rng(7))
    kernel, step = Kernel("triangular", side), 1e-3
    when = np.linspace(0.2, 0.8, 25)
    here, before, after = path(when), path(when - step), path(when + step)
    slope, curvature = (after - before) / (2 * step), (after - 2 * here + before) / step**2
    motion = (slope**2 if side == "past" else (curvature / 2) ** 2).sum(axis=1)
    fixed = np.geomspace(0.02, 1.0, 25)
    risks = np.zeros((n_streams, len(fixed) + 2))
    for i in range(n_streams):
        times = np.sort(rng.random(4000))
        history = History.of(documents(path(times), 40, rho, rng), times)
        factor = 1 + rho * history.token_pairs.sum() / history.total_tokens
        true = best_bandwidth(kernel, factor * (1 - (here**2).sum(axis=1)), history.total_tokens, motion)
        knots, widths = plugin_bandwidths(history, kernel, history.dispersion("triangular", 0.1))
        estimated = np.interp(when, knots, np.minimum(widths, 2.0))
        choices = [np.full(len(when), h) for h in fixed] + [np.minimum(true, 2.0), estimated]
        for j, choice in enumerate(choices):
            for t, h, truth in zip(when, choice, here):
                at = np.array([t])
                mass = history.token_sums(at, kernel, h)[0]
                estimate = running_sums(history.counts, history.times, at, kernel, h)[0] / max(mass, 1e-9)
                risks[i, j] += ((estimate - truth) ** 2).sum() / len(when)
    mean = risks.mean(axis=0)
    best = mean[: len(fixed)].min()
    return [float(best), float(mean[-2] / best), float(mean[-1] / best)]


def print_coverage() -> None:
    """Print how often bands cover, each word at its own bandwidth."""
    rows = [
        [side, rho, "moving" if speed else "at rest", *coverage(side, rho, speed)]
        for speed in (1.0, 0.0)
        for side in ("both", "past")
        for rho in (0.0, 0.02, 0.1)
    ]
    print_table(
        "Coverage of pointwise 95 % bands, per cent (3,000 documents of 40 words, 1,000 words, 16 streams)",
        ["side", "dispersion", "stream", *RANKS, "all"],
        rows,
    )


def print_single() -> None:
    """Print how often they would cover with one bandwidth for all."""
    rows = [
        [side, rho, *coverage(side, rho, 1.0, one_for_all=True, n_streams=6)]
        for side in ("both", "past")
        for rho in (0.0, 0.1)
    ]
    print_table(
        "The same with one cross-validated bandwidth for all words, changing streams (6 of them)",
        ["side", "dispersion", *RANKS, "all"],
        rows,
    )


def print_slopes() -> None:
    """Print how fast the error falls."""
    sizes = np.array([3e4, 1e5, 3e5, 1e6])
    grids = {"both": np.geomspace(0.05, 0.6, 16), "past": np.geomspace(0.02, 0.44, 16)}
    rows = []
    for side, expected in (("both", -0.8), ("past", -2 / 3)):
        errors = [squared_error(side, n, grids[side]) for n in sizes]
        rows.append([side, *errors, float(np.polyfit(np.log(sizes), np.log(errors), 1)[0]), expected])
    print_table(
        "Least mean squared error by number of words", ["side", *(f"{n:.0e}" for n in sizes), "slope", "theory"], rows
    )


def print_plugin() -> None:
    """Print what the plug-in bandwidth loses to the best fixed one."""
    rows = [[side, rho, *plugin_risk(side, rho)] for side in ("both", "past") for rho in (0.0, 0.1)]
    print_table(
        "Plug-in bandwidth: squared error relative to the best fixed bandwidth",
        ["side", "dispersion", "best fixed", "true derivatives", "estimated"],
        rows,
    )


PARTS = {
    "coverage": print_coverage,
    "single": print_single,
    "slopes": print_slopes,
    "plugin": print_plugin,
}


def main() -> None:
    warnings.simplefilter("ignore", OutsideSupportWarning)
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()

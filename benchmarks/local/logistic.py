"""365 weighted logistic regressions along a year's worth of windows: ours against scikit-learn's solvers.

    python -m benchmarks.local.logistic

All solve the same problems: tricube weights around 365 times, an L2 (or L1) penalty on all columns, one of which is
constant (so that liblinear, which penalises its intercept, has the same objective). Times are processor seconds on one
thread; slow peers solve every tenth window and are scaled up. Gaps are (objective - best) / best over the windows.
A peer's time is compared with ours at the same gap, median or worst over the windows that the peer solved: ours is
interpolated between two tolerances (time and gap both in logarithms). A gap larger than our largest counts as that.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks.local.pairs import Pair, read_pair
from benchmarks.measure import measure, print_table
from driftline.local.fit_times import window
from driftline.local.logistic.fit_path import Background, fit_background, fit_path
from driftline.local.logistic.fitted_path import learn
from driftline.local.logistic.local_fit import Objective, Training
from driftline.smoothing.kernels import Kernel

N_FITS = 365
SLOW = 10
SLOWEST = 40
TOLERANCES = (0.3, 0.1, 0.03, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
SHOWN = (0.3, 0.1, 1e-2, 1e-3, 1e-4)
LEAST_GAP = 1e-14
KERNEL = Kernel("tricube")
CASES = [
    ("maillists_2019_2026", "linux-raid", "selinux", 8000, 120.0),
    ("gitlog_2003_2008", "postgres", "wine", 12000, 120.0),
    ("health_tweets", "goodhealth", "latimeshealth", 8000, 60.0),
]


class Problem(NamedTuple):
    """A stream and the times and bandwidth at which it is to be fitted."""

    training: Training
    at: np.ndarray
    bandwidth: float
    C: float
    l1: bool

    def windows(self, every: int = 1) -> list[tuple[int, int, np.ndarray]]:
        """Return where each window begins and ends, and the weights of its rows."""
        found = []
        for t in self.at[::every]:
            first, last = window(self.training.times, KERNEL, self.bandwidth, t)
            found.append((first, last, KERNEL.relative_weights(t - self.training.times[first:last], self.bandwidth)))
        return found

    def objective(self, coefficients: np.ndarray, where: tuple[int, int, np.ndarray]) -> float:
        """Return what all solvers minimise, at the coefficients of one window."""
        first, last, weights = where
        scores = self.training.X[first:last] @ coefficients
        signs = np.where(self.training.labels[first:last] == 1, 1, -1)
        penalty = np.abs(coefficients).sum() if self.l1 else 0.5 * coefficients @ coefficients
        return float(weights @ np.logaddexp(0, -signs * scores) + penalty / self.C)


def problem_of(pair: Pair, bandwidth: float, C: float, *, l1: bool = False) -> Problem:
    """Return the problem with a constant column, at times that each have documents of both classes near."""
    X = sp.hstack([pair.X, np.ones((pair.X.shape[0], 1))], format="csr")
    training = Training.in_order(sp.csr_matrix(X), pair.labels, pair.times, 1)
    inner = np.linspace(*np.quantile(training.times, [0.02, 0.98]), 4 * N_FITS)
    ok = []
    for t in inner:
        first, last = window(training.times, KERNEL, bandwidth, t)
        share = training.labels[first:last].mean() if last > first else 0.0
        ok.append(last - first > 20 and 0.02 < share < 0.98)
    at = inner[ok]
    return Problem(training, at[np.linspace(0, len(at) - 1, N_FITS).astype(int)], bandwidth, C, l1)


def ours(problem: Problem, tol: float) -> Callable[[], sp.csr_matrix]:
    """Return the work of fitting the path at a tolerance."""
    objective = Objective(KERNEL, problem.C, float(problem.l1), "zero", fit_intercept=False, tol=tol)
    background, _ = fit_background(problem.training, objective)

    return lambda: fit_path(problem.training, background, objective, problem.bandwidth, problem.at)[0].coefficients


def peer(problem: Problem, every: int, *, warm: bool = False, **settings: Any) -> Callable[[], list[np.ndarray]]:
    """Return the work of fitting windows with scikit-learn."""
    windows = problem.windows(every)
    X, labels = problem.training.X, problem.training.labels

    def work() -> list[np.ndarray]:
        model = LogisticRegression(
            C=problem.C, fit_intercept=False, l1_ratio=float(problem.l1), max_iter=20_000, warm_start=warm, **settings
        )
        found = []
        for first, last, weights in windows:
            model.fit(X[first:last], labels[first:last], sample_weight=weights)
            found.append(model.coef_[0].copy())
        return found

    return work


def gaps(problem: Problem, solutions: Any, best: np.ndarray, every: int) -> np.ndarray:
    """Return how far above the best objective each window ended, as a share of it."""
    windows = problem.windows(every)
    found = np.array([problem.objective(_dense(beta), where) for beta, where in zip(solutions, windows)])
    return (found - best[::every]) / best[::every]


def _dense(coefficients: Any) -> np.ndarray:
    return coefficients.toarray()[0] if sp.issparse(coefficients) else coefficients


def compare(name: str, problem: Problem, peers: list[tuple[str, int, dict[str, Any]]]) -> list[list[Any]]:
    """Return a row for each of our tolerances and for each peer."""
    ours(problem, 1e-2)()
    best = np.array(
        [problem.objective(_dense(beta), where) for beta, where in zip(ours(problem, 1e-6)(), problem.windows())]
    )
    rows: list[list[Any]] = []
    seconds_of_ours, gaps_of_ours = [], []
    for tol in TOLERANCES:
        solutions, taken = measure(ours(problem, tol), repeat=2)
        gap = gaps(problem, solutions, best, 1)
        seconds_of_ours.append(taken.cpu_seconds)
        gaps_of_ours.append(gap)
        if tol in SHOWN:
            label = f"driftline, tol={tol:g}"
            rows.append([name, label, taken.cpu_seconds, float(np.median(gap)), float(gap.max()), "1", "1"])
    for label, every, settings in peers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solutions, taken = measure(peer(problem, every, **settings))
        gap = gaps(problem, solutions, best, every)
        seconds = taken.cpu_seconds * N_FITS / len(problem.windows(every))
        ratios = [
            ratio(seconds, float(of(gap)), seconds_of_ours, [float(of(own[::every])) for own in gaps_of_ours])
            for of in (np.median, np.max)
        ]
        rows.append([name, label, seconds, float(np.median(gap)), float(gap.max()), *ratios])
    return rows


def ratio(seconds: float, gap: float, seconds_of_ours: list[float], gaps_of_ours: list[float]) -> str:
    """Return a peer's seconds over ours at the same gap, which lies between two of our tolerances."""
    gap, known = max(gap, LEAST_GAP), np.maximum(gaps_of_ours, LEAST_GAP)
    if gap < known[-1]:
        return f">= {seconds / seconds_of_ours[-1]:.1f}"
    own = np.exp(np.interp(np.log(gap), np.log(known[::-1]), np.log(seconds_of_ours[::-1])))
    return f"{seconds / own:.1f}"


def grid_against_exact(name: str, pair: Pair, bandwidth: float, C: float) -> list[Any]:
    """Return what a grid of a quarter bandwidth saves against a fit at each of 365 times, and what it costs."""
    training = Training.in_order(pair.X, pair.labels, pair.times, 1)
    objective = Objective(KERNEL, C, tol=1e-3)
    background, _ = fit_background(training, objective)
    state, _, _, _ = learn(training, objective, [bandwidth], [C], 4, 5)
    at = np.linspace(training.times[0], training.times[-1], N_FITS)
    (_, grid_time), (exact, exact_time) = (
        measure(lambda at=at: fit_path(training, background, objective, bandwidth, at)[0], repeat=2)
        for at in (state.path.times, at)
    )
    chosen = np.abs(training.times[:, None] - at).argmin(axis=1)
    when = at[chosen]
    on_grid, _ = state.scores(training.X, when)
    path_state = state._replace(path=exact)
    exactly, _ = path_state.scores(training.X, when)
    moved = np.abs(1 / (1 + np.exp(-on_grid)) - 1 / (1 + np.exp(-exactly)))
    turned = float(((on_grid > 0) != (exactly > 0)).mean())
    return [
        name,
        len(state.path.times),
        grid_time.cpu_seconds,
        exact_time.cpu_seconds,
        exact_time.cpu_seconds / grid_time.cpu_seconds,
        float(moved.mean()),
        f"{100 * turned:.2f} %",
    ]


def threads(name: str, problem: Problem) -> list[Any]:
    """Return the wall time with one thread and with two, and whether the answers are the same bytes."""
    answers, seconds = [], []
    for n in (1, 2):
        objective = Objective(KERNEL, problem.C, 0.0, "zero", fit_intercept=False, tol=1e-3, n_jobs=n)
        background, _ = fit_background(problem.training, objective)
        path, taken = measure(_path_work(problem, background, objective), repeat=2)
        answers.append(path.coefficients.data.tobytes())
        seconds.append(taken.wall_seconds)
    return [name, *seconds, seconds[0] / seconds[1], "yes" if answers[0] == answers[1] else "no"]


def _path_work(problem: Problem, background: Background, objective: Objective) -> Callable[[], Any]:
    return lambda: fit_path(problem.training, background, objective, problem.bandwidth, problem.at)[0]


def main() -> None:
    """Print all tables, each as soon as it is known."""
    smooth = [
        ("lbfgs, tol=1e-4", SLOW, {"solver": "lbfgs", "tol": 1e-4}),
        ("lbfgs, tol=1e-6", SLOW, {"solver": "lbfgs", "tol": 1e-6}),
        ("lbfgs, tol=1e-4, warm start", 1, {"solver": "lbfgs", "tol": 1e-4, "warm": True}),
        ("newton-cg, tol=1e-4", SLOW, {"solver": "newton-cg", "tol": 1e-4}),
        ("liblinear, tol=1e-2", SLOW, {"solver": "liblinear", "tol": 1e-2}),
        ("liblinear, tol=1e-4", SLOW, {"solver": "liblinear", "tol": 1e-4}),
    ]
    absolute = [
        ("liblinear, tol=1e-2", SLOW, {"solver": "liblinear", "tol": 1e-2}),
        ("liblinear, tol=1e-4", SLOWEST, {"solver": "liblinear", "tol": 1e-4}),
    ]
    pairs = [
        (f"{first}/{second}", read_pair(source, first, second, n), bandwidth)
        for source, first, second, n, bandwidth in CASES
    ]
    with threadpool_limits(1):
        for title, C, l1, peers in (
            ("L2, C = 1", 1.0, False, smooth),
            ("L2, C = 100", 100.0, False, smooth),
            ("L1, C = 10", 10.0, True, absolute),
        ):
            rows: list[list[Any]] = []
            for name, pair, bandwidth in pairs:
                rows += compare(name, problem_of(pair, bandwidth, C, l1=l1), peers)
            print_table(
                title,
                [
                    "stream",
                    "solver",
                    "seconds for 365 fits",
                    "median gap",
                    "worst gap",
                    "times ours at equal median gap",
                    "at equal worst gap",
                ],
                rows,
            )
        print_table(
            "A grid of a quarter bandwidth with interpolation, against a fit at each of 365 times",
            [
                "stream",
                "grid fits",
                "grid, seconds",
                "365 fits, seconds",
                "ratio",
                "mean change of p",
                "labels that turn",
            ],
            [grid_against_exact(name, pair, bandwidth, 10.0) for name, pair, bandwidth in pairs],
        )
        print_table(
            "Threads (wall seconds of 365 fits)",
            ["stream", "one", "two", "ratio", "same bytes"],
            [threads(name, problem_of(pair, bandwidth, 10.0)) for name, pair, bandwidth in pairs],
        )


if __name__ == "__main__":
    main()

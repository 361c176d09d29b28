"""Local against global classifiers on pairs of classes from real streams, everything chosen by cross-validation.

    python -m benchmarks.local.against_global [offline] [zero] [bayes]

Offline: the documents are split into two halves at random, and each half is predicted from the other (so every document
counts once); bandwidth and C of the local model, and C of the global one, are chosen within the half that is learned
from. p is McNemar's exact test of whether the two models err equally often. `benchmarks.local.online` compares them
online.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from benchmarks.local.pairs import Pair, read_pair
from benchmarks.measure import print_table
from driftline.core.errors import OutsideSupportWarning
from driftline.local import LocalLogisticRegression, LocalNaiveBayes

N = 3000
PAIRS = [
    ("health_tweets", "goodhealth", "latimeshealth"),
    ("health_tweets", "nytimeshealth", "NBChealth"),
    ("health_tweets", "nprhealth", "cnnhealth"),
    ("health_tweets", "cbchealth", "KaiserHealthNews"),
    ("gitlog_2003_2008", "django", "sqlite"),
    ("gitlog_2003_2008", "postgres", "wine"),
    ("spamassassin", "ham", "spam"),
    ("maillists_2019_2026", "linux-raid", "selinux"),
    ("maillists_2019_2026", "linux-bluetooth", "linux-man"),
    ("20news_bydate", "talk.politics.guns", "talk.politics.mideast"),
    ("reuters21578", "earn", "acq"),
]


class Outcome(NamedTuple):
    """Labels, the probability of the second class under both models, and the bandwidths chosen."""

    labels: np.ndarray
    local: np.ndarray
    steady: np.ndarray
    bandwidths: list[float]


def offline(pair: Pair, **settings: Any) -> Outcome:
    """Predict each half from the other."""
    half = np.random.default_rng(1).permutation(len(pair.labels)) % 2
    local, steady = np.empty((2, len(half)))
    bandwidths = []
    for part in (0, 1):
        seen, held = pair.rows(half != part), pair.rows(half == part)
        model = LocalLogisticRegression(C="cv", **settings).fit(seen.X, seen.labels, times=seen.times)
        base = LocalLogisticRegression(bandwidth="global", C=_best_global(model)).fit(
            seen.X, seen.labels, times=seen.times
        )
        local[half == part] = model.predict_proba(held.X, times=held.times)[:, 1]
        steady[half == part] = base.predict_proba(held.X, times=held.times)[:, 1]
        bandwidths.append(model.bandwidth_)
    return Outcome(pair.labels, local, steady, bandwidths)


def _best_global(model: LocalLogisticRegression) -> float:
    return min((c for c in model.candidates_ if math.isinf(c[0])), key=lambda c: c[2])[1]


def naive_bayes(pair: Pair) -> Outcome:
    """Predict each half from the other by naive Bayes on whether words occur."""
    half = np.random.default_rng(1).permutation(len(pair.labels)) % 2
    X = pair.X.copy()
    X.data[:] = 1.0
    local, steady = np.empty((2, len(half)))
    bandwidths = []
    for part in (0, 1):
        seen, held = half != part, half == part
        model = LocalNaiveBayes().fit(X[seen], pair.labels[seen], times=pair.times[seen])
        base = LocalNaiveBayes(bandwidth="global", strength=1.0).fit(X[seen], pair.labels[seen], times=pair.times[seen])
        local[held] = model.predict_proba(X[held], times=pair.times[held])[:, 1]
        steady[held] = base.predict_proba(X[held], times=pair.times[held])[:, 1]
        bandwidths.append(model.bandwidth_)
    return Outcome(pair.labels, local, steady, bandwidths)


def row(name: str, outcome: Outcome, span: float) -> list[Any]:
    """Return the line of one pair."""
    labels = outcome.labels
    wrong_local, wrong_steady = ((p > 0.5) != labels for p in (outcome.local, outcome.steady))
    lost = [float(-np.log(np.clip(np.where(labels == 1, p, 1 - p), 1e-12, 1)).mean()) for p in outcome[1:3]]
    only_local, only_steady = int((wrong_local & ~wrong_steady).sum()), int((wrong_steady & ~wrong_local).sum())
    p = binomtest(only_local, only_local + only_steady).pvalue if only_local + only_steady else 1.0
    errors = [float(wrong_steady.mean()), float(wrong_local.mean())]
    change = f"{100 * (errors[1] / errors[0] - 1):+.0f} %" if errors[0] else "–"
    chosen = ", ".join("∞" if math.isinf(h) else f"{h:.0f} d" for h in outcome.bandwidths)
    return [
        name,
        len(labels),
        f"{span:.0f} d",
        chosen,
        *(f"{100 * e:.2f} %" for e in errors),
        change,
        f"{p:.2g}",
        *lost,
    ]


WORK: dict[str, tuple[str, Callable[[Pair], Outcome]]] = {
    "offline": ("Offline, penalty towards the global fit", offline),
    "zero": ("Offline, penalty towards zero", lambda pair: offline(pair, center="zero")),
    "bayes": ("Offline, naive Bayes", naive_bayes),
}


def main() -> None:
    """Print the tables, or those named, each as soon as it is known."""
    warnings.simplefilter("ignore", OutsideSupportWarning)
    headings = [
        "pair",
        "documents",
        "span",
        "bandwidth",
        "global error",
        "local error",
        "change",
        "p",
        "local log-loss",
        "global log-loss",
    ]
    pairs = [(f"{first} / {second}", read_pair(source, first, second, N)) for source, first, second in PAIRS]
    for name in sys.argv[1:] or WORK:
        title, work = WORK[name]
        rows = []
        for label, pair in pairs:
            rows.append(row(label, work(pair), float(pair.times[-1] - pair.times[0])))
            print(*rows[-1], file=sys.stderr, flush=True)
        print_table(title, headings, rows)


if __name__ == "__main__":
    main()

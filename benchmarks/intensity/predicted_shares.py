"""Shares of classes over time from classifiers: slope against the true share, and coverage of the bands.

    python -m benchmarks.intensity.predicted_shares

The classifier (tf-idf, logistic regression) learns from the first quarter of a stream, or from 500 simulated documents
of equal shares; the curve is drawn for the rest. The true share is the same local mean of the true labels. A slope of
one means that a change of the share is shown in full. `predicted_shares` is given probabilities of documents left out
of the fit; the others are local means of posterior probabilities. *Covered* is the share of times at which the band
contains the true share.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from benchmarks.intensity.streams import Split, clients, health, mail, spam
from benchmarks.measure import print_table
from driftline.evaluation import predicted_shares
from driftline.intensity import IntensityClassifier
from driftline.intensity.classification.intensity_classifier import COMBINED
from driftline.local import LocalLogisticRegression

POINTS = 40
SHARE_OF_SPAN = 1 / 15


def simulated(seed: int = 0) -> Split:
    """A wave of shares between 10 and 90 %, two classes that overlap, and equal shares in training."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 400, 4500))
    share = 0.5 + 0.4 * np.sin(times / 200 * 2 * np.pi)
    y = (rng.random(len(times)) < share).astype(int)
    y[:500] = np.arange(500) % 2
    X = rng.normal(0, 1, (len(times), 3)) + 0.8 * np.column_stack([y == 0, y == 1, np.zeros(len(y))])
    return Split(f"simulated wave, seed {seed}", X[:500], X[500:], y[:500], y[500:], times[:500], times[500:])


def of(split: Split) -> Split:
    """Return the stream with labels as columns (the second class is the one drawn) and times in days."""
    second = max(np.unique(split.y_train))
    days = [times.astype("datetime64[s]").astype(float) / 86_400 for times in (split.times_train, split.times_test)]
    labels = [(y == second).astype(int) for y in (split.y_train, split.y_test)]
    return Split(split.name, split.train, split.test, *labels, *days)


def cases() -> list[Split]:
    found = [*(simulated(seed) for seed in range(4)), of(next(spam())), of(next(clients()))]
    found += [of(next(mail())), of(next(health()))]
    return found


def local_means(values: Any, times: Any, when: Any, width: float) -> Any:
    weights = np.maximum(1 - np.abs(when[:, None] - times) / width, 0)
    return weights @ values / weights.sum(axis=1)


def row(case: Split) -> list[Any]:
    width = SHARE_OF_SPAN * float(np.ptp(case.times_test))
    inside = np.linspace(case.times_test[0] + width, case.times_test[-1] - width, POINTS)
    near = np.abs(inside[:, None] - case.times_test).min(axis=1) < width / 2
    inside = inside[near]
    true = local_means(case.y_test, case.times_test, inside, width)
    base = LogisticRegression(max_iter=1000)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    held_out = cross_val_predict(base, case.train, case.y_train, cv=folds, method="predict_proba")
    proba = base.fit(case.train, case.y_train).predict_proba(case.test)
    found = predicted_shares(
        proba, held_out, case.y_train, times=case.times_test, when=inside, bandwidth=width, unit=case.times_test // 1
    )
    intensity = IntensityClassifier(methods=COMBINED).fit(case.train, case.y_train, times=case.times_train)
    local = LocalLogisticRegression(side="past", C=10.0).fit(case.train, case.y_train, times=case.times_train)
    curves = {
        "probabilities": local_means(proba[:, 1], case.times_test, inside, width),
        "labels": local_means(proba[:, 1] > 0.5, case.times_test, inside, width),
        "local": local_means(
            local.predict_proba(case.test, times=case.times_test)[:, 1], case.times_test, inside, width
        ),
        "intensity": local_means(
            intensity.predict_proba(case.test, times=case.times_test)[:, 1], case.times_test, inside, width
        ),
        "corrected": found.share[1],
    }
    covered = float(((found.lower[1] <= true) & (true <= found.upper[1])).mean())
    cells = [f"{np.polyfit(true, curve, 1)[0]:.2f} ({np.abs(curve - true).mean():.3f})" for curve in curves.values()]
    spread = f"{true.min():.2f} to {true.max():.2f}"
    return [case.name, len(case.y_test), f"{case.y_train.mean():.2f}", spread, *cells, f"{100 * covered:.0f} %"]


def main() -> None:
    """Print one table."""
    headings = ["stream", "documents", "share in training", "true share", "mean probability", "predicted labels"]
    headings += ["local logistic, mean probability", "IntensityClassifier, mean probability", "predicted_shares"]
    print_table(
        "Slope against the true share (and mean absolute error)",
        [*headings, "covered"],
        [row(case) for case in cases()],
    )


if __name__ == "__main__":
    import warnings

    from driftline.core.errors import OutsideSupportWarning

    warnings.simplefilter("ignore", OutsideSupportWarning)
    main()

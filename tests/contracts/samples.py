"""Small data of every kind that an estimator may learn from, and the ways in which data can be awkward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

N_DOCUMENTS = 24
N_WORDS = 12


@dataclass(frozen=True)
class Sample:
    """What is handed to `fit`: `labels` and `times` are None for estimators that know neither."""

    X: Any
    times: Any = None
    labels: Any = None

    def __len__(self) -> int:
        return self.X.shape[0] if hasattr(self.X, "shape") else len(self.X)

    def take(self, rows: Any) -> Sample:
        """Return the documents with these numbers."""
        rows = np.arange(len(self))[rows]
        X = [self.X[row] for row in rows] if isinstance(self.X, list) else self.X[rows]
        return Sample(X, *(None if part is None else part[rows] for part in (self.times, self.labels)))


def counts() -> Sample:
    """Documents that use the first words early and the last words late."""
    rng = np.random.default_rng(11)
    times = np.sort(rng.uniform(0, 10, N_DOCUMENTS))
    early, late = rng.dirichlet(np.linspace(3, 0.2, N_WORDS)), rng.dirichlet(np.linspace(0.2, 3, N_WORDS))
    shares = early + (times / 10)[:, None] * (late - early)
    X = np.array([rng.multinomial(15, row / row.sum()) for row in shares], dtype=np.float64)
    return Sample(sp.csr_matrix(X), times)


def labels() -> Sample:
    """Counts with two classes, a third of the documents unlabelled (-1)."""
    plain = counts()
    X, times = plain.X, plain.times
    rng = np.random.default_rng(12)
    y = (X[:, : N_WORDS // 2].sum(axis=1).A1 > X[:, N_WORDS // 2 :].sum(axis=1).A1).astype(np.int64)
    y[:2], y[-2:] = (0, 1), (0, 1)
    y[rng.permutation(np.arange(2, N_DOCUMENTS - 2))[: N_DOCUMENTS // 3]] = -1
    return Sample(X, times, y)


def sequences() -> Sample:
    """The same documents as lists of word ids whose order matters."""
    plain = counts()
    X, times = plain.X, plain.times
    rng = np.random.default_rng(13)
    return Sample([rng.permutation(np.repeat(row.indices, row.data.astype(int))).astype(np.int32) for row in X], times)


def tags() -> Sample:
    """Sentences of words, each with the tags of its words: B-N and I-N for names."""
    plain = sequences()
    names = np.array([f"{'N' if number % 4 == 0 else 'w'}{number}" for number in range(N_WORDS)])
    X = [names[words[:6]].tolist() for words in plain.X]
    labels = np.empty(len(X), dtype=object)
    for row, words in enumerate(X):
        is_name = [word.startswith("N") for word in words]
        labels[row] = [
            ("I-N" if place and is_name[place - 1] else "B-N") if name else "O" for place, name in enumerate(is_name)
        ]
    return Sample(X, plain.times, labels)


def log_likelihoods() -> Sample:
    """The log-likelihood of every document under each of three topics."""
    rng = np.random.default_rng(14)
    return Sample(np.log(rng.dirichlet([0.5, 0.5, 0.5], N_DOCUMENTS) + 1e-6), counts().times)


def series() -> Sample:
    """A count per step, twice as high in the second half."""
    rng = np.random.default_rng(16)
    return Sample(
        rng.poisson(np.repeat([10.0, 25.0], N_DOCUMENTS // 2)).astype(np.float64), np.arange(float(N_DOCUMENTS))
    )


def times() -> Sample:
    """Nothing but arrival times."""
    return Sample(np.concatenate([np.arange(8.0), 8 + 0.1 * np.arange(8), 9 + np.arange(8.0)]))


KINDS: dict[str, Callable[[], Sample]] = {
    "counts": counts,
    "labels": labels,
    "sequences": sequences,
    "tags": tags,
    "log-likelihoods": log_likelihoods,
    "series": series,
    "times": times,
}


def _scaled(unit: float) -> Callable[[Sample], Sample]:
    def scaled(sample: Sample) -> Sample:
        return (
            replace(sample, X=sample.X * unit) if sample.times is None else replace(sample, times=sample.times * unit)
        )

    return scaled


def _with_time(value: float) -> Callable[[Sample], Sample]:
    def with_time(sample: Sample) -> Sample:
        column = np.array(sample.X if sample.times is None else sample.times, dtype=np.float64)
        column[len(column) // 2] = value
        return replace(sample, X=column) if sample.times is None else replace(sample, times=column)

    return with_time


def _with_value(value: float) -> Callable[[Sample], Sample]:
    def with_value(sample: Sample) -> Sample:
        if isinstance(sample.X, list):
            bad = [*sample.X]
            if sample.labels is not None:
                bad[5] = [*bad[5][:-1], value]
                return replace(sample, X=bad)
            bad[5] = np.array([*bad[5][:-1], value], dtype=np.float64)
            return replace(sample, X=bad)
        bad = sample.X.astype(np.float64, copy=True)
        if sp.issparse(bad):
            bad.data[bad.indptr[5]] = value
        else:
            bad[5] = value
        return replace(sample, X=bad)

    return with_value


def _blanked(sample: Sample) -> Sample:
    """Let every third document say nothing: no known word, or impossible under every topic."""
    rows = np.arange(0, len(sample), 3)
    if isinstance(sample.X, list):
        shorter = replace(sample, X=[x[:0] if i in rows else x for i, x in enumerate(sample.X)])
        if sample.labels is None:
            return shorter
        labels = sample.labels.copy()
        labels[rows] = [[] for _ in rows]
        return replace(shorter, labels=labels)
    if sp.issparse(sample.X):
        blank = sample.X.tolil()
        blank[rows] = 0
        return replace(sample, X=blank.tocsr())
    X = sample.X.copy()
    X[rows] = -np.inf if X.ndim == 2 else X[0]
    return replace(sample, X=X)


def _identical(sample: Sample) -> Sample:
    same = sample.take(np.zeros(len(sample), dtype=int))
    return same if sample.times is None else replace(same, times=sample.times, labels=sample.labels)


def _at_one_time(sample: Sample) -> Sample:
    return replace(sample, times=np.full(len(sample), 2.5)) if sample.times is not None else _identical(sample)


def _duplicated(sample: Sample) -> Sample:
    rows = np.repeat(np.arange(len(sample) // 2), 2)
    pairs = sample.take(rows)
    return pairs if sample.times is None else replace(sample, times=pairs.times)


AWKWARD: dict[str, Callable[[Sample], Sample]] = {
    "no document": lambda sample: sample.take(slice(0, 0)),
    "one document": lambda sample: sample.take(slice(0, 1)),
    "two documents": lambda sample: sample.take(slice(0, 2)),
    "identical documents": _identical,
    "blank documents": _blanked,
    "one time for all": _at_one_time,
    "duplicate times": _duplicated,
    "disordered times": lambda sample: sample.take(np.random.default_rng(15).permutation(len(sample))),
    "times of 1e15": _scaled(1e15),
    "times of 1e300": _scaled(1e300),
    "times of 1e-9": _scaled(1e-9),
    "a NaN time": _with_time(np.nan),
    "an infinite time": _with_time(np.inf),
    "a NaN in X": _with_value(np.nan),
    "an infinity in X": _with_value(np.inf),
}
"""Problems of real data: each leads to finite numbers or to a clear error."""


def in_days(sample: Sample) -> Sample:
    """Return the same sample with dates for times: one unit is a day."""
    start = np.datetime64("2003-03-01T00:00:00", "us")
    dates = start + np.round(np.asarray(sample.times) * 86_400e6).astype("timedelta64[us]")
    return replace(sample, times=dates)

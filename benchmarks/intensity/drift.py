"""Unnamed topics whose content drifts (IDA-ITT): two that swap places, and two topics of Reuters.

python -m benchmarks.intensity.drift
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.mixture import GaussianMixture

from benchmarks.measure import print_table, real_data
from driftline.intensity import TopicDriftTracker

SEEDS = range(5)
PAIRS = (("crude", "trade"), ("trade", "interest"), ("money-fx", "sugar"), ("crude", "coffee"))


def main() -> None:
    trading_places()
    reuters()


def agreement(found: Any, topics: Any) -> float:
    """Return the share of documents that are assigned correctly, under the better of the two namings."""
    return float(max((found == topics).mean(), (found != topics).mean()))


def methods(seed: int) -> dict[str, Any]:
    return {
        "k-means": KMeans(2, n_init=5, random_state=seed),
        "Gaussian mixture": GaussianMixture(2, covariance_type="diag", n_init=5, random_state=seed),
        "TopicDriftTracker, mixture": TopicDriftTracker(2, inference="mixture", random_state=seed),
        "TopicDriftTracker, structured": TopicDriftTracker(2, inference="structured", random_state=seed),
    }


def sorted_by(model: Any, X: Any, times: Any) -> Any:
    if isinstance(model, TopicDriftTracker):
        return model.fit(X, times=times).labels_
    return model.fit_predict(X)


def trading_places() -> None:
    rows: dict[str, list[Any]] = {}
    for apart in (3.0, 2.0, 1.0):
        found: dict[str, list[float]] = {}
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            topics, t = rng.integers(0, 2, 500), np.arange(500)
            side = 4 - 8 * t / 500
            centres = np.column_stack(
                [np.where(topics == 0, -side, side), np.where(topics == 0, apart / 2, -apart / 2)]
            )
            X = centres + rng.normal(0, 0.7, (500, 2))
            for name, model in methods(seed).items():
                found.setdefault(name, []).append(agreement(sorted_by(model, X, t.astype(float)), topics))
        for name, values in found.items():
            rows.setdefault(name, [name]).append(f"{100 * np.mean(values):.1f} %")
    print_table(
        f"Two topics that swap places, documents assigned correctly (mean of {len(SEEDS)})",
        ["method", "3 apart when they meet", "2 apart", "1 apart"],
        list(rows.values()),
    )


def reuters() -> None:
    table = pq.read_table(real_data("reuters21578"), columns=["time", "title", "text", "topics"]).sort_by("time")
    given = [tuple(names or ()) for names in table["topics"].to_pylist()]
    labels = np.array([names[0] if len(names) == 1 else "" for names in given])
    texts = [f"{a or ''} {b or ''}" for a, b in zip(table["title"].to_pylist(), table["text"].to_pylist())]
    times = table["time"].to_numpy()
    rows: dict[str, list[Any]] = {}
    for pair, n_dims in itertools.product(PAIRS, (2, 8)):
        chosen = np.flatnonzero(np.isin(labels, pair))
        vectors = TfidfVectorizer(sublinear_tf=True, min_df=5, stop_words="english")
        X = TruncatedSVD(n_dims, random_state=0).fit_transform(vectors.fit_transform([texts[i] for i in chosen]))
        for name, model in methods(0).items():
            right = agreement(sorted_by(model, X, times[chosen]), labels[chosen] == pair[1])
            rows.setdefault(name, [name]).append(f"{100 * right:.1f} %")
    print_table(
        "Two topics of Reuters in 2 and 8 latent dimensions, without labels: stories assigned correctly",
        ["method", *(f"{'/'.join(pair)}, {n} dim." for pair, n in itertools.product(PAIRS, (2, 8)))],
        list(rows.values()),
    )


if __name__ == "__main__":
    main()

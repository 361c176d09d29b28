"""DenStream and CluStream on a simulated stream of drifting clusters, against k-means in batches and river.

Eight clusters of vectors in five dimensions drift; after a third of the stream two of them end and two others begin,
and one row in fifty is noise. Every 500 rows the next 500 are assigned before they are learned: adjusted Rand index
against the true clusters, noise left out, mean of five seeds. Settings were fixed beforehand: the radius is 1.5 times
the deviation within clusters, and k is the true number, which CluStream and k-means are given. DenStream with half of
that radius was added afterwards, to show how much depends on it.

    python -m benchmarks.nonparametric.stream_clusters [--row]
"""

from __future__ import annotations

import importlib.util
import sys
import time

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import adjusted_rand_score

from driftline import CluStream, DenStream

N_ROWS, BATCH, N_CLUSTERS, N_COLUMNS, NOISE, SPREAD = 10_000, 500, 8, 5, 0.02, 0.6
SEEDS = range(5)


def drifting(seed, n):
    """Return rows and their clusters, −1 for noise."""
    rng = np.random.default_rng(seed)
    starts = rng.uniform(-8, 8, (N_CLUSTERS + 2, N_COLUMNS))
    steps = rng.normal(0, 1, (N_CLUSTERS + 2, N_COLUMNS))
    early, late = np.arange(N_CLUSTERS), np.arange(2, N_CLUSTERS + 2)
    labels = np.where(np.arange(n) < n // 3, rng.choice(early, n), rng.choice(late, n))
    rows = starts[labels] + steps[labels] * (4 * np.arange(n) / n)[:, None] + rng.normal(0, SPREAD, (n, N_COLUMNS))
    noise = rng.random(n) < NOISE
    rows[noise] = rng.uniform(-12, 12, (noise.sum(), N_COLUMNS))
    return rows, np.where(noise, -1, labels)


class Batches:
    """k-means in batches, as scikit-learn has it."""

    def __init__(self, seed):
        self.model = MiniBatchKMeans(N_CLUSTERS, random_state=seed, n_init=3)

    def partial_fit(self, rows):
        """Learn a batch."""
        self.model.partial_fit(rows)

    def predict(self, rows):
        """Return the nearest centre of each row."""
        return self.model.predict(rows)


class River:
    """A clusterer of river, row by row."""

    def __init__(self, model):
        self.model = model

    def partial_fit(self, rows):
        """Learn rows one by one."""
        for row in rows:
            self.model.learn_one(dict(enumerate(row.tolist())))

    def predict(self, rows):
        """Return the cluster of each row."""
        return np.array([self.model.predict_one(dict(enumerate(row.tolist()))) for row in rows])


def methods(seed):
    """Return the name of each method, and a model."""
    radius = 1.5 * SPREAD * np.sqrt(N_COLUMNS)
    yield "DenStream", DenStream(radius=radius, half_life=1000.0)
    yield "DenStream, outliers by radius", DenStream(radius=radius, half_life=1000.0, outliers="radius")
    yield "DenStream, half the radius", DenStream(radius=radius / 2, half_life=1000.0)
    yield "CluStream", CluStream(n_clusters=N_CLUSTERS, horizon=2000.0, random_state=seed)
    yield "k-means in batches", Batches(seed)
    if importlib.util.find_spec("river"):
        from river import cluster

        yield "river DenStream", River(cluster.DenStream(epsilon=radius, decaying_factor=0.001, n_samples_init=200))
        yield "river CluStream", River(cluster.CluStream(n_macro_clusters=N_CLUSTERS, time_window=2000, seed=seed))
        yield "river DBSTREAM", River(cluster.DBSTREAM(clustering_threshold=radius, fading_factor=0.001))


def main():
    quick = "--row" in sys.argv
    n, seeds = (3000, SEEDS[:1]) if quick else (N_ROWS, SEEDS)
    print(f"{n:,} rows, batches of {BATCH}, {len(seeds)} seeds\n")
    if not importlib.util.find_spec("river"):
        print("river is not installed here, so its rows are missing.\n")
    print("| | adjusted Rand index (seeds) | last third | µs per row |\n|" + "---|" * 4)
    found, spent = {}, {}
    for seed in seeds:
        rows, labels = drifting(seed, n)
        for name, model in methods(seed):
            begun, scores = time.process_time(), []
            model.partial_fit(rows[:BATCH])
            for first in range(BATCH, n, BATCH):
                part = slice(first, first + BATCH)
                some = labels[part] >= 0
                scores.append(adjusted_rand_score(labels[part][some], model.predict(rows[part])[some]))
                model.partial_fit(rows[part])
            found.setdefault(name, []).append(scores)
            spent[name] = spent.get(name, 0.0) + time.process_time() - begun
    for name, scores in found.items():
        each = np.mean(scores, axis=1)
        last = np.mean([row[-len(row) // 3 :] for row in scores])
        listed = ", ".join(f"{value:.3f}" for value in each)
        print(f"| {name} | {each.mean():.3f} ({listed}) | {last:.3f} | {spent[name] / len(scores) / n * 1e6:.0f} |")


if __name__ == "__main__":
    main()

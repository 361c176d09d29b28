"""Variational inference for the Dirichlet process mixture beside Gibbs sampling: held-out score, clusters and cost.

How many Gibbs sweeps come before the first variational update is chosen on simulated documents, whose clusters are
known. Both methods, with their defaults, then learn four fifths of other simulated documents and of two real
collections (1,000 documents each), and are scored on the last fifth. On these, one run of Gibbs sampling with four
times the sweeps shows what longer chains gain; a mixture of unigrams that is given the number of labels is the
simple rival.

    python -m benchmarks.nonparametric.variational [--row | --simulated | COLLECTION …]
"""

from __future__ import annotations

import sys
import time
from unittest import mock

import numpy as np
from scipy.special import logsumexp
from sklearn.metrics import adjusted_rand_score

from benchmarks.nonparametric.start import REAL, SHAPES, real, simulated
from driftline.nonparametric import DirichletProcessMixture
from driftline.topics import MixtureOfUnigrams

SWEEPS = (0, 1, 2, 5, 10)
SEEDS = (0, 1, 2)
METHODS = {"variational": {"inference": "variational"}, "gibbs, 100 sweeps": {}}
LONGER = {"gibbs, 400 sweeps, one seed": {"burn_in": 200, "n_samples": 200}}
N_DOCUMENTS = 1000


def print_starts(shapes):
    print("Variational, simulated: adjusted Rand index (clusters found) by the number of Gibbs sweeps at the start\n")
    print("| documents | clusters | " + " | ".join(map(str, SWEEPS)) + " |\n|" + "---|" * (2 + len(SWEEPS)))
    for name, shape in shapes.items():
        X, labels = simulated(shape, seed=0)
        cells = []
        for sweeps in SWEEPS:
            with mock.patch("driftline.nonparametric.cluster_variational.FIRST_SWEEPS", sweeps):
                model = DirichletProcessMixture(inference="variational", random_state=0).fit(X)
            cells.append(f"{adjusted_rand_score(labels, model.labels_):.3f} ({len(model.sizes_)})")
        print(f"| {name} | {shape[1]} | " + " | ".join(cells) + " |", flush=True)


def print_methods(title, cases, seeds, longer):
    print(f"\n{title}\n")
    print(
        "| documents | method | held-out ln p per word | adjusted Rand index | clusters | R̂ | CPU s |\n|" + "---|" * 7
    )
    for name, (X, labels) in cases:
        known, new = X[: len(labels) * 4 // 5], X[len(labels) * 4 // 5 :]
        own = labels[: len(labels) * 4 // 5]
        DirichletProcessMixture(burn_in=0, n_samples=1, random_state=0).fit(known[:9])  # compiled before it is timed
        for method, options in {**METHODS, **longer}.items():
            rows = []
            for seed in seeds[: 1 if method in LONGER else None]:
                begun = time.process_time()
                model = DirichletProcessMixture(random_state=seed, **options).fit(known)
                spent = time.process_time() - begun
                held_out = float(model.score_samples(new).sum() / new.sum())
                r_hat = np.nan if model.r_hat_ is None else min(model.r_hat_, 99)
                found = adjusted_rand_score(own, model.labels_)
                rows.append((held_out, found, len(model.sizes_), r_hat, spent))
            print(f"| {name} | {method} | " + " | ".join(cells(rows)) + " |", flush=True)
        print(
            f"| {name} | mixture of unigrams | " + " | ".join(cells(with_known_number(known, new, own, seeds))) + " |",
            flush=True,
        )


def with_known_number(known, new, own, seeds):
    """Return the rows of the mixture of unigrams with as many clusters as there are labels."""
    n_labels, rows = len(np.unique(own)), []
    for seed in seeds:
        begun = time.process_time()
        model = MixtureOfUnigrams(n_labels, random_state=seed).fit(known)
        spent = time.process_time() - begun
        joint = new @ np.log(model.components_).T + np.log(model.weights_)
        held_out = float(logsumexp(joint, axis=1).sum() / new.sum())
        rows.append((held_out, adjusted_rand_score(own, model.labels_), n_labels, np.nan, spent))
    return rows


def cells(rows):
    """Return the means of columns with their ranges."""
    for column, places in zip(np.array(rows).T, (4, 3, 0, 2, 1)):
        if np.isnan(column).any():
            yield "–"
        elif np.ptp(column) == 0:
            yield f"{column[0]:.{places}f}"
        else:
            yield f"{column.mean():.{places}f} ({column.min():.{places}f} to {column.max():.{places}f})"


def main():
    named = [name for name in REAL if name in sys.argv]
    shapes = dict([*SHAPES.items()][2:3]) if "--row" in sys.argv else SHAPES
    if not named:
        print_starts(shapes)
        others = ((name, simulated(shape, seed=1)) for name, shape in shapes.items())
        print_methods("Both methods on other simulated documents", others, SEEDS[:1], {})
    if not {"--row", "--simulated"} & {*sys.argv}:
        cases = ((name, tuple(part[:N_DOCUMENTS] for part in real(name))) for name in named or REAL)
        title = f"Both methods on {N_DOCUMENTS} real documents: means of {len(SEEDS)} seeds (smallest to largest)"
        print_methods(title, cases, SEEDS, LONGER)


if __name__ == "__main__":
    main()

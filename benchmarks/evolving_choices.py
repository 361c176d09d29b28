"""What each part of the default is worth: AUC with one part changed, on the streams on which the default was chosen.

    python -m benchmarks.evolving_choices

The first two pairs of every stream, ten labelled documents a frame, the first 24 frames; seeds are others than those of
`benchmarks.evolving_auc`. "equal shares" mixes the members without regard to their forecasts.
"""

from __future__ import annotations

import warnings
from itertools import islice
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.evolving_auc import MOST, areas
from benchmarks.evolving_contenders import Ours
from benchmarks.evolving_streams import pairs_of
from benchmarks.measure import print_table
from driftline.evolving import EvolutionaryClassifier

SEEDS = (100, 101)
FRAMES = 24
STREAMS = ("mail", "git", "health", "health, raw")
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "5 neighbours": {"n_neighbors": 5},
    "20 neighbours": {"n_neighbors": 20},
    "no earlier documents in the graph": {"context": 0},
    "20 neighbours, no earlier documents": {"n_neighbors": 20, "context": 0},
    "no memory of earlier labels": {"memory": 0},
    "ridge 0.1": {"ridge": 0.1},
    "ridge 0.001": {"ridge": 0.001},
    "no graph": {"smoothing": (0.0,)},
    "one member, 0.6": {"smoothing": (0.6,)},
    "one member, 0.85": {"smoothing": (0.85,)},
    "equal shares": {},
}


def main() -> None:
    """Print one table, a row per variant."""
    warnings.simplefilter("ignore")
    found: dict[str, list[float]] = {name: [] for name in VARIANTS}
    for kind in STREAMS:
        streams = [s._replace(frames=s.frames[:FRAMES]) for s in islice(pairs_of(kind, MOST), 2)]
        for name, options in VARIANTS.items():
            with patch("driftline.evolving.pool.TRUST", 0.0 if name == "equal shares" else 0.3):
                scores = [
                    float(np.nanmean(areas(stream, Ours(EvolutionaryClassifier(n_jobs=1, **options), 2), seed)))
                    for stream in streams
                    for seed in SEEDS
                ]
            found[name].append(float(np.mean(scores)))
    rows = [[name, *(f"{v:.2f}" for v in values), f"{np.mean(values):.2f}"] for name, values in found.items()]
    print_table("Mean AUC with one part of the default changed", ["", *STREAMS, "mean"], rows)


if __name__ == "__main__":
    main()

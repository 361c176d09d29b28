"""What each part of the default is worth: AUC and accuracy with one part changed.

    python -m benchmarks.evolving_choices

Two pairs of every kind of stream, ten labelled documents per frame, the first 24 frames, a seed that
`benchmarks.evolving_auc` does not report. All constants of the default were fixed before this table. "A prior weight of
0.3" is an earlier default, chosen on sixteen pairs of which the first ones here are some: it adds 0.3 · 4 / max(n, 4)
to the weight of the smoothed member, n labels of the rarer class, and was removed after it had lost up to 3.7 points of
AUC on pairs that `benchmarks.evolving_auc` reports. "A stricter threshold" subtracts 20 / n from z.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.evolving_auc import CONTENDERS, FRAMES, MOST, REGRESSION, measures
from benchmarks.evolving_contenders import Ours
from benchmarks.evolving_streams import pairs_of
from benchmarks.measure import print_table
from driftline.evolving import EvolutionaryClassifier
from driftline.evolving.pool.ordered_level import OrderedLevel
from driftline.evolving.pool.ranking_evidence import LEAST_LABELS, RankingEvidence, Trust

SEED = 100
KINDS = {
    "mail": (0, 9),
    "git": (1, 5),
    "health": (0, 5),
    "20 newsgroups": (0, 4),
    "Reuters": (1, 4),
    "sites": (0, 3),
    "parties": (1, 7),
}
"""The two pairs of each kind."""
PRIOR = 0.3
THRESHOLD = 20.0


def _by_itself(level: OrderedLevel, scores: Any, mixture: np.ndarray) -> np.ndarray:
    return mixture


class _Counted(RankingEvidence):
    """Evidence that knows the number of labels of the rarer class."""

    n_rarer_ = 0.0

    def compare_placements(self, placements: Any, positive: np.ndarray) -> None:
        super().compare_placements(placements, positive)
        sizes = positive.sum(axis=0)
        rarer = np.minimum(sizes, len(positive) - sizes)
        self.n_rarer_ = float(rarer[rarer >= LEAST_LABELS].mean()) if self.n_compared_ else 0.0


class _WithPrior(_Counted):
    @property
    def trust(self) -> Trust:
        if not self.n_compared_:
            return Trust(1, PRIOR)
        weights = (self.scores - 1) / 2 + 0.5 + PRIOR * LEAST_LABELS / self.n_rarer_
        weights[self.plainest_] = 0.0
        best = int(np.argmax(weights))
        return Trust(best, float(np.clip(weights[best], 0.0, 1.0)))


class _Stricter(_Counted):
    @property
    def scores(self) -> np.ndarray:
        found = super().scores
        smoothed = np.arange(len(found)) != self.plainest_
        return np.where(smoothed, found - THRESHOLD / max(self.n_rarer_, 1.0), found)


def _evidence(kind: type[RankingEvidence]) -> Any:
    return lambda: patch("driftline.evolving.pool.member_pool.RankingEvidence", kind)


VARIANTS: dict[str, tuple[dict[str, Any], Any]] = {
    "default": ({}, contextlib.nullcontext),
    "the mixture's own order": ({}, lambda: patch.object(OrderedLevel, "probabilities", _by_itself)),
    "order of the plain member": ({}, lambda: patch.object(RankingEvidence, "trust", Trust(1, 0.0))),
    "a prior weight of 0.3": ({}, _evidence(_WithPrior)),
    "a stricter threshold": ({}, _evidence(_Stricter)),
    "ridge 0.01 for all members": ({"ridge": 0.01}, contextlib.nullcontext),
}


def main() -> None:
    """Print one table for the first pairs and one for the second, a row per variant: differences from regression."""
    warnings.simplefilter("ignore")
    kinds = sys.argv[1:] or list(KINDS)
    found: dict[str, list[list[np.ndarray]]] = {name: [] for name in VARIANTS}
    for kind in kinds:
        every = [stream._replace(frames=stream.frames[:FRAMES]) for stream in pairs_of(kind, MOST)]
        streams = [every[number] for number in KINDS[kind]]
        plain = [np.nanmean(measures(stream, CONTENDERS[REGRESSION](), SEED), axis=0) for stream in streams]
        for name, (options, changed) in VARIANTS.items():
            with changed():
                own = [
                    np.nanmean(measures(stream, Ours(EvolutionaryClassifier(n_jobs=1, **options), 2), SEED), axis=0)
                    for stream in streams
                ]
            found[name].append([a - b for a, b in zip(own, plain)])
    for half, title in enumerate(("first pairs", "second pairs")):
        rows = []
        for name, of_kinds in found.items():
            part = np.array(of_kinds)[:, half]
            means = [f"{part[:, m].mean():+.2f}" for m in (0, 1)] + [f"{part[:, 2].mean():+.3f}"]
            rows.append([name, *(f"{v:+.2f}" for v in part[:, 0]), means[0], f"{part[:, 0].min():+.2f}", *means[1:]])
        headings = ["", *(f"AUC, {kind}" for kind in kinds), "mean AUC", "worst AUC", "mean accuracy", "mean log-loss"]
        print_table(f"Ahead of logistic regression on all labels: {title}", headings, rows)


if __name__ == "__main__":
    main()

"""What each part of the default is worth: AUC and accuracy with one part changed.

    python -m benchmarks.evolving.choices [--correlation] [kind …]

Two pairs of every kind of stream, ten labelled documents per frame, the first 24 frames, a seed that
`benchmarks.evolving.auc` does not report. "No signal needed" trusts differences between members that rank no better
than chance; "evidence taken as independent" divides by √2 instead of √3; both together are the earlier default.
"A stricter threshold" subtracts 20 / n from z, n labels of the rarer class, and needs no signal.

With `--correlation`, the two kinds of evidence for the most smoothed member are compared instead, after every third
frame from the fourth on, over all pairs of a kind and three seeds.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.evolving.auc import CONTENDERS, FRAMES, LABELS, MOST, REGRESSION, SEEDS, measures
from benchmarks.evolving.contenders import Ours
from benchmarks.evolving.streams import FramedStream, pairs_of
from benchmarks.measure import print_table
from driftline.evolving import EvolutionaryClassifier
from driftline.evolving.pool.ordered_level import OrderedLevel
from driftline.evolving.pool.ranking_evidence import CORRELATION, LEAST_LABELS, RankingEvidence, Trust

SEED = 100
KINDS = {
    "mail": (0, 9),
    "git": (1, 5),
    "health": (0, 5),
    "20 newsgroups": (0, 4),
    "Reuters": (1, 4),
    "sites": (0, 3),
    "parties": (1, 9),
    "authors": (3, 4),
    "replies": (0, 3),
}
"""The two pairs of each kind."""
ALWAYS = -1e9
"""A signal that every ranking has."""
THRESHOLD = 20.0


def _by_itself(level: OrderedLevel, scores: Any, mixture: np.ndarray) -> np.ndarray:
    return mixture


class _Stricter(RankingEvidence):
    """Evidence that is trusted the less, the fewer labels the rarer class has."""

    n_rarer_ = 0.0

    def compare_placements(self, placements: Any, positive: np.ndarray) -> None:
        super().compare_placements(placements, positive)
        sizes = positive.sum(axis=0)
        rarer = np.minimum(sizes, len(positive) - sizes)
        self.n_rarer_ = float(rarer[rarer >= LEAST_LABELS].mean()) if self.n_compared_ else 0.0

    @property
    def scores(self) -> np.ndarray:
        found = super().scores
        smoothed = np.arange(len(found)) != self.plainest_
        return np.where(smoothed, found - THRESHOLD / max(self.n_rarer_, 1.0), found)


def _constants(**values: float) -> Any:
    return patch.multiple("driftline.evolving.pool.ranking_evidence", **values)


@contextlib.contextmanager
def _stricter() -> Iterator[None]:
    pool = patch("driftline.evolving.pool.member_pool.RankingEvidence", _Stricter)
    with _constants(NOISE=ALWAYS, CORRELATION=0.0), pool:
        yield


VARIANTS: dict[str, tuple[dict[str, Any], Any]] = {
    "default": ({}, contextlib.nullcontext),
    "the mixture's own order": ({}, lambda: patch.object(OrderedLevel, "probabilities", _by_itself)),
    "order of the plain member": ({}, lambda: patch.object(RankingEvidence, "trust", Trust(0, 0.0))),
    "no signal needed": ({}, lambda: _constants(NOISE=ALWAYS)),
    "evidence taken as independent": ({}, lambda: _constants(CORRELATION=0.0)),
    "both": ({}, lambda: _constants(NOISE=ALWAYS, CORRELATION=0.0)),
    "a stricter threshold": ({}, _stricter),
    "ridge 0.01 for all members": ({"ridge": 0.01}, contextlib.nullcontext),
}


def evidence_of(stream: FramedStream, seed: int) -> list[tuple[float, float]]:
    """Return z₁ and z₂ of the most smoothed member after some frames of a stream."""
    rng, model, found = np.random.default_rng(seed), EvolutionaryClassifier(n_jobs=1), []
    for number, rows in enumerate(stream.frames[:FRAMES]):
        codes = np.full(len(rows), -1)
        if len(rows) > 1:
            labelled = stream.labelled(rows, LABELS, rng)
            codes[labelled - rows[0]] = stream.codes[labelled]
        evidence = model.partial_fit(stream.counts[rows], codes).model_.evidence_
        if number >= 3 and number % 3 == 0 and evidence.n_compared_:
            forecasts = evidence.scores * np.sqrt(2 * (1 + CORRELATION)) - evidence.pair_scores_
            found.append((evidence.pair_scores_[-1], forecasts[-1]))
    return found


def correlations(kinds: list[str]) -> None:
    """Print how the two kinds of evidence correlate, and their spread."""
    rows = []
    for kind in kinds:
        found = np.array(
            [each for stream in pairs_of(kind, MOST) for seed in SEEDS for each in evidence_of(stream, seed)]
        )
        spread = (found.sum(axis=1) / np.sqrt(2)).std()
        correlation = np.corrcoef(found.T)[0, 1]
        rows.append([kind, len(found), *(f"{v:.2f}" for v in (*found.std(axis=0), correlation, spread))])
    headings = ["kind", "frames", "spread of z₁", "spread of z₂", "correlation", "spread of (z₁ + z₂) / √2"]
    print_table("Leave-pair-out (z₁) and forecasts (z₂)", headings, rows)


def main() -> None:
    """Print one table for the first pairs and one for the second, a row per variant: differences from regression."""
    warnings.simplefilter("ignore")
    kinds = [name for name in sys.argv[1:] if name != "--correlation"] or list(KINDS)
    if "--correlation" in sys.argv:
        correlations(kinds)
        return
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

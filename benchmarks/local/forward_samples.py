"""`driftline fit` and `update` against the window that the same validation chooses, on several samples of each stream.

    python -m benchmarks.local.forward_samples [chosen] [reported] [--samples N]

A stream of `benchmarks.local.forward` is one draw, and a difference on it may be luck. Here N samples of each (5 by
default) are drawn, others than those on which the rule was chosen: 2,000 documents, or three quarters of the stream if
it is smaller. *Difference* is the accuracy of `ForwardClassifier` less that of
the chosen window, averaged over the samples, with a 95 % interval by Student's t over the samples; they overlap, so it
describes the luck of a sample of this stream, not of another stream. *Worst* is the sample with the lowest difference.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import Any

import numpy as np

from benchmarks.local.forward import (
    CHOSEN_ON,
    REPORTED_ON,
    ChosenWindow,
    Ours,
    Source,
    learned_and_predicted,
    read,
    updated_and_predicted,
)
from benchmarks.measure import print_table
from driftline.smoothing.unit_mean import unit_mean

GROUPS = {
    "chosen": ("Samples of the streams chosen on", CHOSEN_ON),
    "reported": ("Samples of the streams reported on", REPORTED_ON),
}
SIZE = 2000


def differences(source: Source, samples: range) -> tuple[np.ndarray, np.ndarray, int]:
    """Return accuracies in % by sample, of the window and of ours, without and with later labels; and documents."""
    found, n = [], 0
    for sample in samples:
        documents = read(source, sample)
        n = len(documents.labels)
        methods: dict[str, Any] = {"window": ChosenWindow(documents), "ours": Ours(documents)}
        without = learned_and_predicted(documents, methods)
        chosen = methods["ours"].model.estimator_.chosen_, methods["window"].reach.described(dated=True)
        later = updated_and_predicted(documents, methods)
        found.append([[100 * each[name].mean() for name in methods] for each in (without, later)])
        print(source.shown, sample, n, np.round(found[-1], 1).tolist(), *chosen, file=sys.stderr, flush=True)
    scores = np.array(found)
    return scores[:, 0], scores[:, 1], n


def row(source: str, n: int, scores: np.ndarray) -> list[Any]:
    """Return the row of a stream: mean accuracies, and the differences over the samples."""
    gap = scores[:, 1] - scores[:, 0]
    mean, low, high = unit_mean(gap, np.arange(len(gap)))
    window, ours = scores.mean(axis=0)
    signs = f"{(gap > 0).sum()} / {(gap == 0).sum()} / {(gap < 0).sum()}"
    return [
        source,
        n,
        f"{window:.1f}",
        f"{ours:.1f}",
        f"{mean:+.1f} ({low:+.1f} to {high:+.1f})",
        signs,
        f"{gap.min():+.1f}",
    ]


def main() -> None:
    """Print a table without and one with later labels for each group of streams."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("groups", nargs="*", default=list(GROUPS))
    parser.add_argument("--samples", type=int, default=5)
    arguments = parser.parse_args()
    for group in arguments.groups:
        title, sources = GROUPS[group]
        tables: dict[str, list[list[Any]]] = {"without later labels": [], "with later labels": []}
        for source in sources:
            *scores, n = differences(source._replace(most=SIZE), range(arguments.samples))
            for rows, found in zip(tables.values(), scores):
                rows.append(row(source.shown, n, found))
        headings = [
            "stream",
            "documents",
            "chosen window",
            "ours",
            "difference, points",
            "better / equal / worse",
            "worst",
        ]
        for name, rows in tables.items():
            print_table(f"{title}, {name}: accuracy in %, mean of {arguments.samples}", headings, rows)


if __name__ == "__main__":
    main()

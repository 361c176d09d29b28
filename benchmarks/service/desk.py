"""The labelling desk against random choice: accuracy on the other documents after some labels.

    python -m benchmarks.service.desk [--seeds 3]

A frame of 1,000 stories of the simulated newswire (one month, six topics); labels are the true topics. Five documents
are labelled at a time: those that the desk suggests, or some at random. The first five are the same for both.
"""

from __future__ import annotations

import argparse

import numpy as np

from driftline.datasets.newswire import simulate_newswire
from driftline.service.desk import learned_answers

ROUND, ROUNDS, N = 5, 10, 1_000


def accuracies(seed: int, *, suggested: bool) -> list[float]:
    """Return the accuracy after every round."""
    wire = simulate_newswire(12 * N, random_state=seed)
    first = int(np.searchsorted(wire.times, np.datetime64("2025-05-01")))
    times = wire.times.astype("datetime64[us]").astype(np.int64)
    rng = np.random.default_rng(seed)
    labelled = rng.choice(N, ROUND, replace=False).tolist()
    found = []
    for _ in range(ROUNDS):
        rows = [
            (
                k,
                int(times[first + k]),
                wire.texts[first + k],
                str(wire.true_labels[first + k]) if k in labelled else None,
            )
            for k in range(N)
        ]
        answers = learned_answers(rows, len(labelled))
        right = [answers.guess[k][0] == wire.true_labels[first + k] for k in answers.guess]
        found.append(float(np.mean(right)) if right else 0.0)
        others = [k for k in range(N) if k not in labelled]
        labelled += answers.suggested[:ROUND] if suggested else rng.choice(others, ROUND, replace=False).tolist()
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    ours = np.mean([accuracies(seed, suggested=True) for seed in range(seeds)], axis=0)
    random = np.mean([accuracies(seed, suggested=False) for seed in range(seeds)], axis=0)
    print("| labels | suggested by the desk | at random |\n|--:|--:|--:|")
    for k, (one, other) in enumerate(zip(ours, random)):
        print(f"| {ROUND * (k + 1)} | {100 * one:.1f} % | {100 * other:.1f} % |")
    print(f"\nMean accuracy of {seeds} seeds on the documents without a label.")


if __name__ == "__main__":
    main()

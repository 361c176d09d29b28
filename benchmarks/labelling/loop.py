"""The loop of `driftline label` with simulated answers: suggested documents against as many random ones.

    python -m benchmarks.labelling.loop [stories per year]

Every month of a simulated newswire is given without labels; then a number of stories are labelled, the suggested ones
or random ones, and the month's remaining stories are predicted. A table takes ten to thirty seconds of processor time.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import ttest_rel

from benchmarks.measure import print_table
from driftline.datasets.newswire import SimulatedNewswire, simulate_newswire
from driftline.labelling.stream_labeller import StreamLabeller
from driftline.streams.stream import Stream

SEEDS = range(5)


def accuracy_of_the_loop(wire: SimulatedNewswire, *, n_labels: int, suggested: bool, seed: int = 0) -> float:
    """Return the accuracy on unlabelled documents over the year, with `n_labels` answers per month."""
    rng = np.random.default_rng(seed)
    truth = dict(zip(wire.ids, wire.true_labels.tolist()))
    labeller = StreamLabeller(every="1mo")
    months = wire.times.astype("datetime64[M]")
    right: list[bool] = []
    for month in np.unique(months):
        rows = np.flatnonzero(months == month)
        documents = [(wire.ids[i], wire.times[i], wire.texts[i]) for i in rows]
        first = labeller.label(Stream.from_documents(documents).table(), n_suggestions=n_labels)
        asked = [each.id for each in first.suggestions]
        if not suggested:
            asked = [wire.ids[i] for i in rng.choice(rows, len(asked), replace=False)]
        answered = [(*document, truth[document[0]]) for document in documents if document[0] in asked]
        answers = labeller.label(Stream.from_documents(answered).table()).answers
        own = {wire.ids[i] for i in rows} - set(asked)
        right += [
            truth[name] == label
            for name, label in zip(answers["id"].to_pylist(), answers["label"].to_pylist())
            if name in own
        ]
    return float(np.mean(right))


def main() -> None:
    """Print the share of stories labelled correctly over the year by both methods, on the same newswires."""
    wanted = [int(size) for size in sys.argv[1:]]
    for n_documents, n_labels in ((600, 3), (1200, 3), (1200, 6)):
        if wanted and n_documents not in wanted:
            continue
        wires = [simulate_newswire(n_documents, random_state=seed) for seed in SEEDS]
        suggested, at_random = (
            np.array(
                [
                    accuracy_of_the_loop(wire, n_labels=n_labels, suggested=how, seed=seed)
                    for seed, wire in zip(SEEDS, wires)
                ]
            )
            for how in (True, False)
        )
        print_table(
            f"{n_documents:,} stories a year, {n_labels} answers a month",
            ["newswire", "suggested, % right", "at random, % right", "difference"],
            [
                *[(f"seed {seed}", 100 * a, 100 * b, 100 * (a - b)) for seed, a, b in zip(SEEDS, suggested, at_random)],
                ("mean", *(100 * each.mean() for each in (suggested, at_random, suggested - at_random))),
                ("standard error", "", "", 100 * np.std(suggested - at_random, ddof=1) / len(SEEDS) ** 0.5),
                ("p (paired t)", "", "", float(ttest_rel(suggested, at_random).pvalue)),
            ],
        )


if __name__ == "__main__":
    main()

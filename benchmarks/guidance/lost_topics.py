"""Topics that lose their words: with and without a new start, on the sets on which guidance is chosen.

The sets are those of `choice_sets.py`; LDA with as many topics as groups, and twice as many. If less than a quarter of
its words' uses are left to a topic, it starts again from the documents with its words, and two epochs follow ("again",
the default); "again, 10 epochs" has ten, which were the default before, and "once" is the fit without a new start. The
two epochs were chosen on the sets of Reuters, of 1, 2, 3, 5 and 10. Means of three seeds: accuracy, mean and least AUC
of the groups' own topics, the least share of its words' uses that a topic has, the number of topics with less than a
quarter, and processor seconds. The 20 newsgroups are in `words.md`.

    python -m benchmarks.guidance.lost_topics [PART OF A SET'S NAME]
"""

from __future__ import annotations

import sys
import warnings
from functools import partial

import numpy as np

from benchmarks.guidance.choice_sets import CHOICE_SETS
from benchmarks.guidance.words import guide_of, lda, scores
from benchmarks.measure import measure, print_table
from driftline.topics import guided_learning, lost_topics

SEEDS = range(3)
RULES = {
    "once": (0.0, 0),
    "again": (lost_topics.LOST, guided_learning.AFTER_RESTART),
    "again, 10 epochs": (lost_topics.LOST, 10),
}
"""Share of its words' uses below which a topic starts again, and number of epochs that follow."""
QUARTER = 0.25


def measured(data, n_topics, seed):
    model, cost = measure(partial(lda, data, n_topics, guide=guide_of(data), random_state=seed))
    held = np.array([report.with_guide for report in model.guide_report_])
    found = scores(model.transform(data.counts), data.labels, len(data.names))
    return *found, held.min(), (held < QUARTER).sum(), cost.cpu_seconds


def main():
    warnings.simplefilter("ignore")
    print(__doc__)
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    head = ["fit", "accuracy", "mean AUC", "least AUC", "least share of words' uses", "topics below 0.25", "seconds"]
    for name, make in CHOICE_SETS.items():
        if wanted not in name:
            continue
        data, rows = make(), []
        for times in (1, 2):
            n_topics = times * len(data.names)
            for rule, (limit, epochs) in RULES.items():
                lost_topics.LOST, guided_learning.AFTER_RESTART = limit, epochs
                found = np.mean([measured(data, n_topics, seed) for seed in SEEDS], axis=0)
                rows.append([f"{n_topics} topics, {rule}", *(f"{value:.3f}" for value in found)])
        print_table(f"{name}; {len(data.names)} groups", head, rows)


if __name__ == "__main__":
    main()

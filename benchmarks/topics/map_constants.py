"""How the constants of topic maps were chosen: starts and words rule, on the sets for choosing alone.

Nats per word are those of held-out documents, completed half by half; agreement is the adjusted Rand index between the
two seeds; NPMI is that of ten shown words in held-out documents. Nothing here was looked at on the other sets.

    python -m benchmarks.topics.map_constants
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.measure import print_table
from benchmarks.topics.preferred import held_npmi
from benchmarks.topics.preferred_sets import CHOSEN_ON, documents
from driftline.engines.threads import Threads
from driftline.topics import shown_words
from driftline.topics.map_candidates import CANDIDATES, Documents, Validation, starts
from driftline.topics.view_mixture import Views

N_TOPICS, SEEDS = 20, (0, 1)
RULES = ((0.0, 0.0, 60), (0.5, 2.0, 40), (0.5, 4.0, 40), (0.0, 3.0, 60), (0.1, 3.0, 60), (0.1, 4.0, 60))
"""Power of exclusivity, weight of association, number of candidates; the first is the likeliest words."""


def fits(data, seed, engine):
    """Return the fits by name; LDA also from the plain clusters."""
    given = Documents(Views.of(data.counts), N_TOPICS, np.random.default_rng(seed), engine)
    started = starts(given)
    found = {name: fit(given, started) for name, fit in CANDIDATES.items()}
    found["lda, plain start"] = CANDIDATES["lda"](given, {"merged": started["plain"]})
    return found


def words(components, counts, rule):
    """Return the shown words under other constants."""
    kept = shown_words.EXCLUSIVITY, shown_words.TOGETHER, shown_words.CANDIDATES
    shown_words.EXCLUSIVITY, shown_words.TOGETHER, shown_words.CANDIDATES = rule
    try:
        return shown_words.shown_columns(components, counts, 10)
    finally:
        shown_words.EXCLUSIVITY, shown_words.TOGETHER, shown_words.CANDIDATES = kept


def main():
    by_start, by_rule = [], []
    for name in CHOSEN_ON:
        data = documents(name)
        validation = Validation.of(Views.of(data.held))
        with Threads(1) as engine:
            runs = [fits(data, seed, engine) for seed in SEEDS]
            for model in runs[0]:
                found = [one[model] for one in runs]
                labels = [fit.shares(Views.of(data.counts), engine).argmax(axis=1) for fit in found]
                shown = [shown_words.shown_columns(fit.topics.components, data.counts, 10) for fit in found]
                nats = np.mean([validation.nats(fit, engine) for fit in found])
                npmi = np.mean([held_npmi(columns.tolist(), data.held) for columns in shown])
                by_start.append([name, model, float(nats), float(npmi), float(adjusted_rand_score(*labels))])
        chosen = [one["merged" if name == "20news subjects" else "lda"].topics.components for one in runs]
        for rule in RULES:
            columns = [words(components, data.counts, rule) for components in chosen]
            npmi = np.mean([held_npmi(one.tolist(), data.held) for one in columns])
            different = np.mean([len(np.unique(one)) / one.size for one in columns])
            by_rule.append([name, *rule, float(npmi), float(different)])
    print_table("## Models and starts", ["set", "model", "nats", "held NPMI", "agreement"], by_start)
    headings = ["set", "exclusivity", "association", "candidates", "held NPMI", "different"]
    print_table("## Words", headings, by_rule)


if __name__ == "__main__":
    main()

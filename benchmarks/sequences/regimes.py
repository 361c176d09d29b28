"""Turning points: simulated shares with and without changes against PELT (ruptures), dealt days, and a war.

Series of 365 days, 80 to 200 documents per day, with three times the binomial variance: without any change, and with
three changes of level. A change is found if one is reported at most three days away. PELT gets the standardised
shares, checks every day, and its penalty is the documented σ² log T, or three times that. Then the words war, iraq,
baghdad and troops in headlines of 2003, and the 20 commonest words of real streams before and after their days were
dealt in random order: afterwards, all changes are false. The upper quantile of the dispersion was introduced because of
spamassassin; the last two streams were not looked at before.

    python -m benchmarks.sequences.regimes [--row]
"""

from __future__ import annotations

import importlib.util
import sys

import numpy as np

import driftline
from benchmarks.measure import print_table, real_data
from driftline.analysis.findings.turning_points import LEAST_PROBABILITY, steps_of, turning_points
from driftline.sequences import HiddenMarkovModel, Regimes
from driftline.streams.preparation import prepare

N_DAYS, FACTOR, NEAR = 365, 3.0, 3
CHANGES = (100, 160, 250)
WAR = ("war", "iraq", "baghdad", "troops")


def drawn(rng, level):
    """Draw counts of binomial totals with a larger variance."""
    totals = rng.integers(80, 200, len(level))
    rho = (FACTOR - 1) / (totals - 1)
    a, b = level * (1 - rho) / rho, (1 - level) * (1 - rho) / rho
    return rng.binomial(totals, rng.beta(a, b)), totals


def by_regimes(counts, totals, **options):
    return Regimes(**options).fit(counts, totals=totals).changes_["time"].to_pylist()


def by_baum_welch(counts, totals):
    """Return changes of plain Baum-Welch, with the number of states by BIC."""
    x, found = np.stack([counts, totals], axis=1).astype(float), {}
    for k in range(1, 5):
        model = HiddenMarkovModel(k, "binomial", n_restarts=1, max_steps=60, random_state=0).fit([x])
        found[-2 * model.score_samples([x])[0] + (k * k + k - 1) * np.log(len(x))] = model.predict([x])[0]
    return (np.flatnonzero(np.diff(found[min(found)])) + 1).tolist()


def by_pelt(counts, totals, factor):
    import ruptures

    shares = counts / totals
    noise = np.median(np.abs(np.diff(shares))) / 0.6745 / np.sqrt(2)
    path = ruptures.Pelt(model="l2", jump=1, min_size=2).fit(shares / noise)
    return path.predict(pen=factor * np.log(len(shares)))[:-1]


def print_simulated(n_series):
    level = np.full(N_DAYS, 0.08)
    level[100:160], level[250:] = 0.16, 0.14
    methods = {
        "Regimes": by_regimes,
        "Regimes, stay 0.95": lambda c, n: by_regimes(c, n, stay=0.95),
        "Regimes, stay 0.999": lambda c, n: by_regimes(c, n, stay=0.999),
        "Baum-Welch and BIC": by_baum_welch,
    }
    if importlib.util.find_spec("ruptures") is not None:
        methods["PELT, penalty 3 σ² log T"] = lambda c, n: by_pelt(c, n, 3.0)
        methods["PELT, penalty σ² log T"] = lambda c, n: by_pelt(c, n, 1.0)
    rows = []
    for name, method in methods.items():
        false = hits = n_found = 0
        for seed in range(n_series):
            rng = np.random.default_rng(seed)
            false += len(method(*drawn(rng, np.full(N_DAYS, 0.1))))
            found = method(*drawn(rng, level))
            hits += sum(any(abs(at - true) <= NEAR for at in found) for true in CHANGES)
            n_found += len(found)
        wanted = len(CHANGES) * n_series
        rows.append([name, false / n_series, f"{2 * hits / (wanted + n_found):.2f}", f"{hits / wanted:.2f}"])
    print_table(
        f"{n_series} simulated series each", ["", "false changes per series without change", "F1", "recall"], rows
    )


def print_war():
    corpus = prepare(driftline.read(real_data("abc_headlines_2003"))).corpus(min_df=2)
    steps = steps_of(corpus.times)
    columns = corpus.vocabulary.index(list(WAR))
    present = np.asarray((corpus.counts[:, columns] > 0).sum(axis=1)).ravel() > 0
    counts = np.bincount(steps.of_document, weights=present.astype(float), minlength=len(steps.totals))
    rows = []
    for stay in (0.99, 0.999):
        found = Regimes(stay=stay).fit(counts, totals=steps.totals, times=steps.starts)
        for row in found.changes_.to_pylist():
            when = [str(row[name])[:10] for name in ("time", "earliest", "latest")]
            rows.append([stay, *when, *(f"{100 * row[side]:.1f}" for side in ("before", "after")), row["probability"]])
    heads = ["stay", "time", "earliest", "latest", "before, %", "after, %", "probability"]
    print_table(f"Headlines of 2003 with {', '.join(WAR)}", heads, rows)


def print_dealt():
    rows = []
    for name in ("abc_headlines_2003", "spamassassin", "tweets_2015_2017", "enron_partial_folders"):
        corpus = prepare(driftline.read(real_data(name))).corpus(min_df=50)
        steps = steps_of(corpus.times)
        held = np.argsort(-np.asarray((corpus.counts > 0).sum(axis=0)).ravel(), kind="stable")[:20]
        order = np.random.default_rng(0).permutation(len(steps.totals))
        dealt = steps._replace(of_document=order[steps.of_document], totals=steps.totals[np.argsort(order)])
        true = false = 0
        for column in held:
            weights = (corpus.counts[:, [column]].toarray().ravel() > 0).astype(float)
            true += sum(p.probability >= LEAST_PROBABILITY for p in turning_points(steps, weights, "word", ""))
            false += sum(p.probability >= LEAST_PROBABILITY for p in turning_points(dealt, weights, "word", ""))
        rows.append([name, len(held), len(steps.totals), true, false])
    print_table("The 20 commonest words", ["stream", "words", "steps", "changes", "changes after dealing days"], rows)


def main():
    if "--row" in sys.argv:
        print_simulated(3)
        return
    print_simulated(8)
    print_war()
    print_dealt()


if __name__ == "__main__":
    main()

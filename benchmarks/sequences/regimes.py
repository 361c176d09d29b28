"""Turning points: simulated shares with and without changes against PELT (ruptures), shuffled days, and a war.

Series of 365 days, 80 to 200 documents per day, binomial, with three times the binomial variance, or with days that are
also correlated, by 0.5 with the next: without any change, and with three changes of level. A change is found if one is
reported at most three days away. "Levels known" is the most probable path, given the true levels and the true variance:
no method can do much better. "One dispersion, no bound" is the plain rule that `Regimes` started from. PELT gets the
standardised shares, checks every day, and its penalty is the documented σ² log T, or three times that. Then the words
war, iraq, baghdad and troops in headlines of 2003, and the 20 most frequent words of all dated streams before and after
their days (weeks, months, years) were shuffled, twice: afterwards, all changes are false. The bound on the evidence of
a step was tried at 4 and 5 on all of these streams, and at 3 and 4 on the simulated series.

    python -m benchmarks.sequences.regimes [--row | --simulated]
"""

from __future__ import annotations

import importlib.util
import itertools
import sys

import numpy as np
from scipy.stats import beta, norm

import driftline
from benchmarks.measure import print_table, real_data
from driftline.analysis.findings.turning_points import LEAST_PROBABILITY, steps_of, turning_points
from driftline.inference.forward_backward import MarkovChain, best_path, smooth
from driftline.sequences import HiddenMarkovModel, Regimes
from driftline.sequences.emissions import KINDS
from driftline.streams.preparation import prepare

N_DAYS, NEAR = 365, 3
CORRELATION = 0.5
SERIES = {
    "binomial": (1.0, 0.0),
    "three times the binomial variance": (3.0, 0.0),
    "three times the binomial variance, neighbours correlated": (3.0, CORRELATION),
}
"""How much the counts of simulated series vary, and the correlation of a day with the next beyond their level."""
STREAMS = (
    "20news_bydate",
    "abc_headlines_2003",
    "bundestag_speeches",
    "enron_partial_folders",
    "gitlog_2003_2008",
    "health_tweets",
    "maillists_2019_2026",
    "news_sites_2017",
    "reuters21578",
    "sotu_1790_2024",
    "spamassassin",
    "tweets_2015_2017",
)
CHANGES = (100, 160, 250)
WAR = ("war", "iraq", "baghdad", "troops")


def drawn(rng, level, factor, correlation):
    """Draw counts whose variance is `factor` times that of binomial ones; days are correlated, on the normal scale."""
    totals = rng.integers(80, 200, len(level))
    if factor == 1:
        return rng.binomial(totals, level), totals
    rho = (factor - 1) / (totals - 1)
    a, b = level * (1 - rho) / rho, (1 - level) * (1 - rho) / rho
    if not correlation:
        return rng.binomial(totals, rng.beta(a, b)), totals
    noise = rng.normal(size=len(level))
    for day in range(1, len(level)):
        noise[day] = correlation * noise[day - 1] + np.sqrt(1 - correlation**2) * noise[day]
    return rng.binomial(totals, beta.ppf(norm.cdf(noise), a, b)), totals


def by_regimes(counts, totals, **options):
    return Regimes(**options).fit(counts, totals=totals).changes_["time"].to_pylist()


def by_baum_welch(counts, totals):
    """Return changes of plain Baum-Welch, with the number of states by BIC."""
    x, found = np.stack([counts, totals], axis=1).astype(float), {}
    for k in range(1, 5):
        model = HiddenMarkovModel(k, "binomial", n_restarts=1, max_steps=60, random_state=0).fit([x])
        found[-2 * model.score_samples([x])[0] + (k * k + k - 1) * np.log(len(x))] = model.predict([x])[0]
    return (np.flatnonzero(np.diff(found[min(found)])) + 1).tolist()


def by_one_dispersion(counts, totals, stay=0.99):
    """Return changes by the plain rule: one dispersion for all days, no bound on a day's evidence, BIC, Viterbi."""
    share = (counts[1:] + counts[:-1]) / (totals[1:] + totals[:-1])
    variance = share * (1 - share) * (1 / totals[1:] + 1 / totals[:-1])
    known = variance > 0
    factor = max(np.median(np.diff(counts / totals)[known] ** 2 / variance[known]) / 0.455, 1.0)
    x, found = np.stack([counts, totals], axis=1) / factor, {}
    for k in range(1, 5):
        move = np.full((k, k), (1 - stay) / max(k - 1, 1))
        np.fill_diagonal(move, stay if k > 1 else 1.0)
        chain = MarkovChain(np.full(k, 1 / k), move)
        levels = np.quantile(counts / totals, (np.arange(k) + 0.5) / k)
        for _ in range(60):
            logs = KINDS["binomial"].log_likelihood(x, levels[None])
            smoothed = smooth(chain, logs, len(x))
            hits, n = (smoothed.probabilities.T @ x).T
            levels = np.clip(hits / np.maximum(n, 1e-9), 1e-6, 1 - 1e-6)
        path = best_path(chain, logs, len(x)).states
        found[-2 * smoothed.log_evidence + k * np.log(len(x))] = path
    return (np.flatnonzero(np.diff(found[min(found)])) + 1).tolist()


def by_pelt(counts, totals, factor):
    import ruptures

    shares = counts / totals
    noise = np.median(np.abs(np.diff(shares))) / 0.6745 / np.sqrt(2)
    path = ruptures.Pelt(model="l2", jump=1, min_size=2).fit(shares / noise)
    return path.predict(pen=factor * np.log(len(shares)))[:-1]


def by_known_levels(counts, totals, levels, factor):
    """Return changes of the most probable path between these levels, given the variance."""
    x = np.stack([counts, totals], axis=1) / factor
    move = np.full((len(levels), len(levels)), 0.01 / max(len(levels) - 1, 1))
    np.fill_diagonal(move, 0.99 if len(levels) > 1 else 1.0)
    logs = KINDS["binomial"].log_likelihood(x, np.array([levels]))
    path = best_path(MarkovChain(np.full(len(levels), 1 / len(levels)), move), logs, len(x)).states
    return (np.flatnonzero(np.diff(path)) + 1).tolist()


def methods():
    """Return the methods by name: functions of counts, totals, the true levels and the true factor."""
    found = {
        "Regimes": lambda c, n, *_: by_regimes(c, n),
        "Regimes, stay 0.95": lambda c, n, *_: by_regimes(c, n, stay=0.95),
        "Regimes, stay 0.999": lambda c, n, *_: by_regimes(c, n, stay=0.999),
        "one dispersion, no bound": lambda c, n, *_: by_one_dispersion(c, n),
        "Baum-Welch and BIC": lambda c, n, *_: by_baum_welch(c, n),
    }
    if importlib.util.find_spec("ruptures") is not None:
        found["PELT, penalty 3 σ² log T"] = lambda c, n, *_: by_pelt(c, n, 3.0)
        found["PELT, penalty σ² log T"] = lambda c, n, *_: by_pelt(c, n, 1.0)
    return found | {"levels known": by_known_levels}


def print_simulated(n_series):
    level = np.full(N_DAYS, 0.08)
    level[100:160], level[250:] = 0.16, 0.14
    for title, (factor, correlation) in SERIES.items():
        rows = []
        for name, method in methods().items():
            false = hits = n_found = 0
            for seed in range(n_series):
                rng = np.random.default_rng(seed)
                false += len(method(*drawn(rng, np.full(N_DAYS, 0.1), factor, correlation), [0.1], factor))
                found = method(*drawn(rng, level, factor, correlation), [0.08, 0.14, 0.16], factor)
                hits += sum(any(abs(at - true) <= NEAR for at in found) for true in CHANGES)
                n_found += len(found)
            precision, recall = hits / max(n_found, 1), hits / (n_series * len(CHANGES))
            f1 = 2 * precision * recall / max(precision + recall, 1e-9)
            rows.append([name, f"{false / n_series:.2f}", f"{f1:.3f}", f"{recall:.3f}"])
        heads = ["", "false changes per series without change", "F1", "recall"]
        print_table(f"{n_series} simulated series each, {title}", heads, rows)


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
            rows.append(
                [
                    f"Regimes, stay {stay}",
                    *when,
                    *(f"{100 * row[side]:.1f}" for side in ("before", "after")),
                    row["probability"],
                ]
            )
    if importlib.util.find_spec("ruptures") is not None:
        for factor, name in ((3.0, "PELT, 3 σ² log T"), (1.0, "PELT, σ² log T")):
            places = by_pelt(counts, steps.totals, factor)
            ends = [0, *places, len(counts)]
            level = [100 * counts[a:b].sum() / steps.totals[a:b].sum() for a, b in itertools.pairwise(ends)]
            for number, place in enumerate(places):
                shares = (f"{part:.1f}" for part in level[number : number + 2])
                rows.append([name, str(steps.starts[place])[:10], "", "", *shares, ""])
    heads = ["method", "time", "earliest", "latest", "before, %", "after, %", "probability"]
    print_table(f"Headlines of 2003 with {', '.join(WAR)}", heads, rows)


def print_dealt(n_deals=2):
    rows = []
    for name in STREAMS:
        corpus = prepare(driftline.read(real_data(name))).corpus(min_df=50)
        steps = steps_of(corpus.times)
        held = np.argsort(-np.asarray((corpus.counts > 0).sum(axis=0)).ravel(), kind="stable")[:20]
        present = [(corpus.counts[:, [column]].toarray().ravel() > 0).astype(float) for column in held]

        def n_changes(steps, present=present):
            found = (point for weights in present for point in turning_points(steps, weights, "word", ""))
            return sum(point.probability >= LEAST_PROBABILITY for point in found)

        false = 0
        for seed in range(n_deals):
            order = np.random.default_rng(seed).permutation(len(steps.totals))
            dealt = steps._replace(of_document=order[steps.of_document], totals=steps.totals[np.argsort(order)])
            false += n_changes(dealt)
        n_steps = f"{len(steps.totals)} ({int((steps.totals > 0).sum())})"
        rows.append([name, len(held), f"{steps.days:.4g} d", n_steps, n_changes(steps), false / n_deals])
    heads = ["stream", "words", "step", "steps (with documents)", "changes", "changes after shuffling steps"]
    print_table("The 20 most frequent words", heads, rows)


def main():
    if "--row" in sys.argv:
        print_simulated(3)
        return
    print_simulated(30)
    if "--simulated" in sys.argv:
        return
    print_war()
    print_dealt()


if __name__ == "__main__":
    main()

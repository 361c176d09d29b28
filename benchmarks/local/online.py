"""Local classifiers online: every batch of fifty documents is predicted from all before it, then learned from.

    python -m benchmarks.local.online [chosen] [reported] [ahead]

The first 40 % of each stream are learned at once. Rivals, refitted after every batch: logistic regression on all
documents so far, on the last 500, 1,500 and 3,000, on the window with the lowest log-loss so far (the validation that
`LocalLogisticRegression` uses for its own rivals), and on words together with words × time. Their C is chosen by
forward validation on the first 40 %. *Once* is the bandwidth chosen there and kept. p is McNemar's exact test of ours
against the chosen window; the settings of the contest were fixed on the streams *chosen on*.

*Ahead*: the first 70 % are learned at once and the rest is predicted without updates, which applies the last fit far
beyond its documents. The window is chosen by replaying the second half of what was learned.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression

from benchmarks.local.pairs import Pair, read_pair
from benchmarks.measure import print_table
from driftline.core.errors import OutsideSupportWarning
from driftline.local import LocalLogisticRegression, LocalNaiveBayes

N = 3000
WARM_UP = 0.4
LEARNED = 0.7
BATCH = 50
WINDOWS = (500, 1500, 3000)
HALF_LIFE = 300.0
PENALTIES = (1.0, 10.0, 100.0)
CHOSEN_ON = [
    ("gitlog_2003_2008", "django", "sqlite"),
    ("gitlog_2003_2008", "postgres", "wine"),
    ("maillists_2019_2026", "linux-raid", "selinux"),
    ("20news_bydate", "talk.politics.guns", "talk.politics.mideast"),
    ("health_tweets", "goodhealth", "latimeshealth"),
]
REPORTED_ON = [
    ("tweets_2015_2017", "Twitter for Android", "Twitter for iPhone"),
    ("tweets_2015_2017", "Twitter for Android", "Twitter Web Client"),
    ("tweets_2015_2017", "Twitter for iPhone", "Twitter Web Client"),
    ("health_tweets", "nytimeshealth", "NBChealth"),
    ("health_tweets", "cbchealth", "KaiserHealthNews"),
    ("spamassassin", "ham", "spam"),
    ("maillists_2019_2026", "linux-bluetooth", "linux-man"),
    ("reuters21578", "earn", "acq"),
    ("news_sites_2017", "aljazeera.com", "tass.com"),
]


class Refitted:
    """Logistic regression on the last documents of what came so far, with or without words × time."""

    def __init__(self, C: float, window: int | None = None, *, timed: bool = False) -> None:
        self.C, self.window, self.timed = C, window, timed

    def learn(self, pair: Pair) -> None:
        if self.window is not None:
            pair = pair.rows(slice(max(len(pair.labels) - self.window, 0), None))
        self.start, self.span = pair.times[0], max(pair.times[-1] - pair.times[0], 1e-9)
        self.only = pair.labels[0]
        self.model = None
        if len(np.unique(pair.labels)) > 1:
            self.model = LogisticRegression(C=self.C, max_iter=1000, tol=1e-3).fit(self.columns(pair), pair.labels)

    def predict(self, pair: Pair) -> Any:
        if self.model is None:
            return np.full(len(pair.labels), 0.99 if self.only else 0.01)
        return self.model.predict_proba(self.columns(pair))[:, 1]

    def columns(self, pair: Pair) -> Any:
        if not self.timed:
            return pair.X
        place = np.clip((pair.times - self.start) / self.span, 0, 1) * 2 - 1
        return sp.hstack([pair.X, sp.diags(place) @ pair.X], format="csr")


class Ours:
    """A past-only local classifier; the first call fits, later ones update."""

    def __init__(self, model: Any, *, binary: bool = False) -> None:
        self.model, self.binary, self.begun = model, binary, 0

    def learn(self, pair: Pair) -> None:
        fresh = pair.rows(slice(self.begun, None))
        self.begun = len(pair.labels)
        learn = self.model.partial_fit if hasattr(self.model, "classes_") else self.model.fit
        learn(self.rows(fresh), fresh.labels, times=fresh.times)

    def predict(self, pair: Pair) -> Any:
        return self.model.predict_proba(self.rows(pair), times=pair.times)[:, 1]

    def rows(self, pair: Pair) -> Any:
        if not self.binary:
            return pair.X
        X = pair.X.copy()
        X.data[:] = 1.0
        return X


def loss(labels: Any, p: Any) -> Any:
    return -np.log(np.clip(np.where(labels == 1, p, 1 - p), 1e-9, 1))


def mcnemar(one: Any, other: Any) -> float:
    """Return the p-value of both erring equally often."""
    only_one, only_other = int((one & ~other).sum()), int((other & ~one).sum())
    return float(binomtest(only_one, only_one + only_other).pvalue) if only_one + only_other else 1.0


def best_penalty(pair: Pair) -> float:
    """Return the C whose fit to the first 60 % predicts the rest best."""
    n = int(0.6 * len(pair.labels))
    losses = []
    for C in PENALTIES:
        model = Refitted(C)
        model.learn(pair.rows(slice(0, n)))
        rest = pair.rows(slice(n, None))
        losses.append(loss(rest.labels, model.predict(rest)).mean())
    return PENALTIES[int(np.argmin(losses))]


def prequential(pair: Pair) -> tuple[Any, dict[str, Any], LocalLogisticRegression]:
    """Return labels, every method's probabilities after the warm-up, and our model as it ended."""
    warm = int(WARM_UP * len(pair.labels))
    C = best_penalty(pair.rows(slice(0, warm)))
    once = LocalLogisticRegression(C=PENALTIES, side="past")
    rivals: dict[str, Any] = {"all so far": Refitted(C)}
    rivals |= {f"last {n:,}": Refitted(C, n) for n in WINDOWS}
    rivals["words × time"] = Refitted(C, timed=True)
    rivals["ours"] = Ours(once)
    rivals["naive Bayes"] = Ours(LocalNaiveBayes(side="past"), binary=True)
    for rival in rivals.values():
        rival.learn(pair.rows(slice(0, warm)))
    settings = {"bandwidth": once.bandwidth_, "C": once.C_, "global_C": once.global_C_}
    rivals["once"] = Ours(LocalLogisticRegression(side="past", **settings))
    rivals["once"].learn(pair.rows(slice(0, warm)))
    found: dict[str, list[Any]] = {name: [] for name in [*rivals, "chosen window"]}
    fading = dict.fromkeys([f"last {n:,}" for n in WINDOWS], 0.0)
    for start in range(warm, len(pair.labels), BATCH):
        batch = pair.rows(slice(start, start + BATCH))
        answers = {name: rival.predict(batch) for name, rival in rivals.items()}
        answers["chosen window"] = answers[min(fading, key=lambda name: fading[name])]
        for name, p in answers.items():
            found[name].append(p)
        for name in fading:
            fading[name] = 0.5 ** (BATCH / HALF_LIFE) * fading[name] + loss(batch.labels, answers[name]).sum()
        for rival in rivals.values():
            rival.learn(pair.rows(slice(0, start + BATCH)))
    return pair.labels[warm:], {name: np.concatenate(parts) for name, parts in found.items()}, once


def ahead(pair: Pair) -> tuple[Any, dict[str, Any]]:
    """Return the labels of the last 30 %, and every method's probabilities for them, learned from the rest at once."""
    n = int(LEARNED * len(pair.labels))
    seen, rest = pair.rows(slice(0, n)), pair.rows(slice(n, None))
    C = best_penalty(seen)
    rivals: dict[str, Any] = {"all so far": Refitted(C)}
    rivals |= {f"last {size:,}": Refitted(C, size) for size in WINDOWS}
    losses = dict.fromkeys(list(rivals)[1:], 0.0)
    for start in range(n // 2, n, 2 * BATCH):
        batch = seen.rows(slice(start, start + 2 * BATCH))
        for name in losses:
            rivals[name].learn(seen.rows(slice(0, start)))
            fresh = loss(batch.labels, rivals[name].predict(batch)).sum()
            losses[name] = 0.5 ** (2 * BATCH / HALF_LIFE) * losses[name] + fresh
    rivals["ours, both sides"] = Ours(LocalLogisticRegression(C=PENALTIES))
    rivals["ours"] = Ours(LocalLogisticRegression(C=PENALTIES, side="past"))
    for rival in rivals.values():
        rival.learn(seen)
    found = {name: rival.predict(rest) for name, rival in rivals.items()}
    found["chosen window"] = found[min(losses, key=lambda name: losses[name])]
    return rest.labels, found


def report_ahead() -> None:
    """Print the errors of predictions without updates."""
    shown = ["all so far", *(f"last {n:,}" for n in WINDOWS), "chosen window", "ours, both sides", "ours"]
    rows = []
    for source, first, second in REPORTED_ON:
        labels, found = ahead(read_pair(source, first, second, N))
        wrong = {name: (found[name] > 0.5) != labels for name in shown}
        p = mcnemar(wrong["ours"], wrong["chosen window"])
        rows.append([f"{first} / {second}", len(labels), *(f"{100 * wrong[m].mean():.1f}" for m in shown), f"{p:.2g}"])
        print(*rows[-1], file=sys.stderr, flush=True)
    print_table("Ahead, without updates: errors, in %", ["pair", "documents", *shown, "p"], rows)


SHOWN = [
    "all so far",
    *(f"last {n:,}" for n in WINDOWS),
    "chosen window",
    "words × time",
    "once",
    "ours",
    "naive Bayes",
]


def report(title: str, pairs: list[tuple[str, str, str]]) -> None:
    """Print errors and log-losses of every method on every pair."""
    errors, losses, mistakes = [], [], []
    for source, first, second in pairs:
        labels, found, model = prequential(read_pair(source, first, second, N))
        wrong = {name: (found[name] > 0.5) != labels for name in SHOWN}
        p = mcnemar(wrong["ours"], wrong["chosen window"])
        name = f"{first} / {second}"
        errors.append([name, len(labels), *(f"{100 * wrong[m].mean():.1f}" for m in SHOWN), f"{p:.2g}"])
        losses.append([name, *(f"{loss(labels, found[m]).mean():.3f}" for m in SHOWN), model.standing_[0][0]])
        mistakes.append((name, wrong))
        print(*errors[-1], file=sys.stderr, flush=True)
    print_table(f"{title}: errors, in %", ["pair", "documents", *SHOWN, "p"], errors)
    print_table(f"{title}: log-loss", ["pair", *SHOWN, "leader at the end"], losses)
    against_each(title, mistakes)


def against_each(title: str, mistakes: list[tuple[str, dict[str, np.ndarray]]]) -> None:
    """Print on how many pairs ours errs less, as often and more than each rival, and where it loses most."""
    rows = []
    for rival in SHOWN:
        if rival == "ours":
            continue
        ahead = {name: 100 * (wrong[rival].mean() - wrong["ours"].mean()) for name, wrong in mistakes}
        sure = {name for name, wrong in mistakes if mcnemar(wrong["ours"], wrong[rival]) < 0.05}
        won, lost = ([n for n, d in ahead.items() if sign * d > 0] for sign in (1, -1))
        counts = [f"{len(part)} ({len(sure & set(part))})" for part in (won, lost)]
        worst = min(ahead, key=ahead.__getitem__)
        shown = f"{worst}: {-ahead[worst]:+.1f} points" if ahead[worst] < 0 else "none"
        rows.append([rival, counts[0], len(ahead) - len(won) - len(lost), counts[1], shown])
    headings = ["ours against", "fewer errors", "as many", "more errors", "largest loss"]
    print_table(f"{title}: pairs won, drawn and lost; in brackets, with p < 5 % (McNemar)", headings, rows)


def main() -> None:
    """Print the tables of both sets of streams, or of the one named."""
    warnings.simplefilter("ignore", OutsideSupportWarning)
    sets = {"chosen": ("Streams chosen on", CHOSEN_ON), "reported": ("Streams reported on", REPORTED_ON)}
    for name in sys.argv[1:] or [*sets, "ahead"]:
        if name == "ahead":
            report_ahead()
        else:
            report(*sets[name])


if __name__ == "__main__":
    main()

"""A classifier that decays: what `driftline fit` chooses, against windows of the past, with and without later labels.

    python -m benchmarks.local.forward [chosen] [reported]

The first 70 % of each stream are learned. *Without later labels* the rest is predicted at once; *with later labels* it
is predicted in batches, and each batch is learned before the next. Rivals are tf-idf and logistic regression on all
documents and on the last 3,000, 1,500 and 500 (words and weights from these documents, C by forward validation on the
first 70 %), the same with weights that halve with every half-life (*forgetting*; the half-life by the same validation,
from a 64th to a half of the span), stochastic gradient descent in one pass (*SGD*), and the *chosen window*: all
documents, or the last documents or days, by the validation that `ForwardClassifier` uses, with the same sizes,
penalties and origins, and chosen again as often. *Difference* is the accuracy of `ForwardClassifier`
less that of the chosen window, with its 95 % interval by days. Its settings were fixed on the streams *chosen on*. In
streams marked with † the label is not the topic, but the client, the site, the party, or whether a mail is a reply.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression, SGDClassifier

from benchmarks.measure import print_table, real_data
from driftline.local.forward.forward_classifier import (
    FEWEST_BEFORE_REVISION,
    PENALTIES,
    REVISE_AFTER,
    TOLERANCE,
    ForwardClassifier,
)
from driftline.local.forward.reach import reaches
from driftline.local.forward.reach_fit import class_scores, fit_reach, log_losses
from driftline.local.forward.rolling_origin import ALL, ROUGH, Forward, origins
from driftline.local.logistic.local_fit import Objective, Training
from driftline.monitoring import TextClassifier
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.unit_mean import unit_mean
from driftline.text.counts import count_words

LEARNED = 0.7
BATCHES = 6
WINDOWS = (3000, 1500, 500)
N_ORIGINS = 5
FIRST = 300
OBJECTIVE = Objective(Kernel("tricube", "past"), 1.0, tol=TOLERANCE)


class Source(NamedTuple):
    """A stream: its name, how many of the most frequent labels and how many documents at most are used."""

    name: str
    n_labels: int
    most: int = 2000
    column: str = "label"
    is_topic: bool = True

    @property
    def shown(self) -> str:
        """The name in a table."""
        column = "" if self.column == "label" else f", {self.column}"
        return f"{self.name}{column}{'' if self.is_topic else ' †'}"


CHOSEN_ON = [
    Source("health_tweets", 6),
    Source("gitlog_2003_2008", 4),
    Source("20news_bydate", 5),
    Source("spamassassin", 2),
    Source("enron_partial_folders", 5),
    Source("tweets_2015_2017", 3, 12_000, is_topic=False),
]
REPORTED_ON = [
    Source("bundestag_speeches", 5, is_topic=False),
    Source("maillists_2019_2026", 5),
    Source("maillists_2019_2026", 2, column="is_reply", is_topic=False),
    Source("reuters21578", 6, column="topics"),
    Source("reuters21578", 6, column="places"),
    Source("news_sites_2017", 6, is_topic=False),
]


class Documents(NamedTuple):
    """Documents in order of time: texts, labels, times, and the counts of all their words."""

    texts: list[str]
    labels: np.ndarray
    times: np.ndarray
    counts: sp.csr_matrix

    @property
    def days(self) -> np.ndarray:
        """Days since 1970, with fractions."""
        return self.times.astype("datetime64[us]").astype(np.int64) / 86_400e6


def read(source: Source, sample: int | None = None) -> Documents:
    """Return the documents of the most frequent labels; a numbered sample has at most three quarters."""
    path = real_data(source.name)
    names = pq.read_schema(path).names
    wanted = [name for name in ("time", source.column, "subject", "title", "text") if name in names]
    table = pq.read_table(path, columns=wanted).to_pydict()
    labels = [_label(value) for value in table[source.column]]
    heads = table.get("subject") or table.get("title") or [""] * len(labels)
    common = {label for label, _ in Counter(filter(None, labels)).most_common(source.n_labels)}
    rows = [
        (np.datetime64(time, "us"), f"{head or ''} {text or ''}", label)
        for time, label, head, text in zip(table["time"], labels, heads, table["text"])
        if label in common and time is not None
    ]
    rows.sort(key=lambda row: row[0])
    most = source.most if sample is None else min(source.most, 3 * len(rows) // 4)
    if len(rows) > most:
        seed = 0 if sample is None else 1 + sample
        chosen = np.sort(np.random.default_rng(seed).choice(len(rows), most, replace=False))
        rows = [rows[i] for i in chosen]
    texts = [text for _, text, _ in rows]
    counts, _ = count_words(texts)
    return Documents(texts, np.array([label for *_, label in rows]), np.array([row[0] for row in rows]), counts)


def _label(value: Any) -> str | None:
    """Return a label; of several, as of a document about several topics, none."""
    if isinstance(value, list):
        return value[0] if len(value) == 1 else None
    return None if value is None else str(value)


class Refitted:
    """Logistic regression on the last documents, with their own words and weights."""

    def __init__(self, documents: Documents, size: int | None, C: float) -> None:
        self.documents, self.size, self.C = documents, size, C
        self.classes, self.codes = np.unique(documents.labels, return_inverse=True)

    def learn(self, n: int) -> None:
        first = 0 if self.size is None else max(n - self.size, 0)
        rows = self.documents.counts[first:n]
        self.columns = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) >= 2)
        self.weights = TfidfTransformer(sublinear_tf=True).fit(rows[:, self.columns])
        X = sp.csr_matrix(self.weights.transform(rows[:, self.columns]))
        n_outputs = 1 if len(self.classes) == 2 else len(self.classes)
        training = Training(X, self.codes[first:n], self.documents.days[first:n], n_outputs)
        self.model = fit_reach(training, ALL, replace(OBJECTIVE, C=self.C)).model

    def predict(self, first: int, last: int) -> np.ndarray:
        rows = self.weights.transform(self.documents.counts[first:last][:, self.columns])
        found: np.ndarray = self.classes[class_scores(sp.csr_matrix(rows), self.model).argmax(axis=1)]
        return found


class Forgetting:
    """Logistic regression on all documents, with weights that halve with every half-life."""

    def __init__(self, documents: Documents, C: float, first: int) -> None:
        self.documents, self.C = documents, C
        days = documents.days[:first]
        half_lives = [(days[-1] - days[0]) / 2**halvings for halvings in range(1, 7)]
        middle = int(LEARNED * first)
        scores = []
        for half_life in half_lives:
            self.half_life = half_life
            self.learn(middle)
            scores.append((self.predict(middle, first) == documents.labels[middle:first]).mean())
        self.half_life = half_lives[int(np.argmax(scores))]

    def learn(self, n: int) -> None:
        rows = self.documents.counts[:n]
        self.columns = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) >= 2)
        self.weights = TfidfTransformer(sublinear_tf=True).fit(rows[:, self.columns])
        days = self.documents.days[:n]
        age = np.exp2(-(days[-1] - days) / self.half_life)
        self.model = LogisticRegression(C=self.C, max_iter=300, tol=1e-3)
        self.model.fit(self.weights.transform(rows[:, self.columns]), self.documents.labels[:n], sample_weight=age)

    def predict(self, first: int, last: int) -> np.ndarray:
        rows = self.weights.transform(self.documents.counts[first:last][:, self.columns])
        found: np.ndarray = self.model.predict(rows)
        return found


class Online:
    """Stochastic gradient descent on the logistic loss: one pass, in order."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.model = SGDClassifier(loss="log_loss", alpha=1e-5, random_state=0)
        self.begun = 0

    def learn(self, n: int) -> None:
        if not self.begun:
            rows = self.documents.counts[:n]
            self.columns = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) >= 2)
            self.weights = TfidfTransformer(sublinear_tf=True).fit(rows[:, self.columns])
        self.model.partial_fit(self.rows(self.begun, n), self.documents.labels[self.begun : n], self.labels)
        self.begun = n

    @property
    def labels(self) -> np.ndarray:
        return np.unique(self.documents.labels)

    def rows(self, first: int, last: int) -> Any:
        return self.weights.transform(self.documents.counts[first:last][:, self.columns])

    def predict(self, first: int, last: int) -> np.ndarray:
        found: np.ndarray = self.model.predict(self.rows(first, last))
        return found


class ChosenWindow:
    """Logistic regression on the window that predicts best in the validation of `ForwardClassifier`."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.chosen_at = 0

    def learn(self, n: int) -> None:
        rows = self.documents.counts[:n]
        self.columns = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) >= 2)
        self.weights = TfidfTransformer(sublinear_tf=True).fit(rows[:, self.columns])
        X = sp.csr_matrix(self.weights.transform(rows[:, self.columns]))
        classes, codes = np.unique(self.documents.labels, return_inverse=True)
        self.classes = classes
        training = Training(X, codes[:n], self.documents.days[:n], 1 if len(classes) == 2 else len(classes))
        if not self.chosen_at or n - self.chosen_at >= max(REVISE_AFTER * n, FEWEST_BEFORE_REVISION):
            self.choose(training, None if self.chosen_at else math.inf)
            self.chosen_at = n
        self.model = fit_reach(training, self.reach, replace(OBJECTIVE, C=self.C)).model

    def choose(self, training: Training, horizon: float | None) -> None:
        parts = origins(training.times, N_ORIGINS, horizon)
        labels = np.concatenate([training.labels[first:last] for first, last in parts])
        forward = Forward(training, parts, labels, replace(OBJECTIVE, tol=ROUGH), [None] * len(parts))
        best, at = math.inf, len(PENALTIES) // 2
        for reach in reaches(training.times, ("all", "documents", "time")):
            at, scores, _ = forward.best_penalty(reach, PENALTIES, at)
            loss = float(log_losses(scores, labels).mean())
            if loss < best:
                best, self.reach, self.C = loss, reach, PENALTIES[at]

    def predict(self, first: int, last: int) -> np.ndarray:
        rows = self.weights.transform(self.documents.counts[first:last][:, self.columns])
        found: np.ndarray = self.classes[class_scores(sp.csr_matrix(rows), self.model).argmax(axis=1)]
        return found


class Ours:
    """What `driftline fit` and `driftline update` do."""

    def __init__(self, documents: Documents, **settings: Any) -> None:
        self.documents = documents
        self.model = TextClassifier(ForwardClassifier(**settings))
        self.begun = 0

    def learn(self, n: int) -> None:
        rows = slice(self.begun, n)
        texts, labels, times = self.documents.texts[rows], self.documents.labels[rows], self.documents.times[rows]
        if self.begun:
            self.model.partial_fit(texts, labels, np.unique(labels), times=times)
        else:
            self.model.fit(texts, labels, times=times)
        self.begun = n

    def predict(self, first: int, last: int) -> np.ndarray:
        rows = slice(first, last)
        found: np.ndarray = self.model.predict(self.documents.texts[rows], times=self.documents.times[rows])
        return found


def best_penalty(documents: Documents, n: int) -> float:
    """Return the C whose fit to the first 70 % of what is learned predicts the rest of it best."""
    first = int(LEARNED * n)
    scores = []
    for C in PENALTIES:
        model = Refitted(documents, None, C)
        model.learn(first)
        scores.append((model.predict(first, n) == documents.labels[first:n]).mean())
    return PENALTIES[int(np.argmax(scores))]


def compared(documents: Documents) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], Ours, str]:
    """Return which documents each method classified correctly, without and with later labels."""
    n = int(LEARNED * len(documents.labels))
    C = best_penalty(documents, n)
    window, ours = ChosenWindow(documents), Ours(documents)
    methods: dict[str, Any] = {"all": Refitted(documents, None, C)}
    methods |= {f"last {size:,}": Refitted(documents, size, C) for size in WINDOWS}
    methods |= {"forgetting": Forgetting(documents, C, n), "SGD": Online(documents)}
    methods |= {"chosen window": window, "ours": ours}
    without = learned_and_predicted(documents, methods)
    chosen = f"{ours.model.estimator_.chosen_} / {window.reach.described(dated=True)}"
    return without, updated_and_predicted(documents, methods), ours, chosen


def learned_and_predicted(documents: Documents, methods: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return which documents each method classified correctly when it learned the first ones only."""
    n, total = int(LEARNED * len(documents.labels)), len(documents.labels)
    for method in methods.values():
        method.learn(n)
    return {name: method.predict(n, total) == documents.labels[n:] for name, method in methods.items()}


def updated_and_predicted(documents: Documents, methods: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return which documents each method classified correctly when it learned each batch before the next."""
    n, total = int(LEARNED * len(documents.labels)), len(documents.labels)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in methods}
    edges = np.linspace(n, total, BATCHES + 1).astype(int)
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist()):
        for name, method in methods.items():
            parts[name].append(method.predict(first, last) == documents.labels[first:last])
            method.learn(last)
    return {name: np.concatenate(found) for name, found in parts.items()}


def report(title: str, sources: list[Source]) -> None:
    """Print both tables, and what was won and lost."""
    tables: dict[str, list[list[Any]]] = {"without later labels": [], "with later labels": []}
    choices, firsts = [], []
    differences: dict[str, list[tuple[str, Any]]] = {name: [] for name in tables}
    headings: list[str] = []
    for source in sources:
        documents = read(source)
        without, later, ours, chosen = compared(documents)
        n = int(LEARNED * len(documents.labels))
        day = np.floor(documents.days[n:]).astype(np.int64)
        for name, right in zip(tables, (without, later)):
            gap = unit_mean(right["ours"].astype(float) - right["chosen window"], day)
            differences[name].append((source.shown, gap))
            scores = [f"{100 * each.mean():.1f}" for each in right.values()]
            interval = f"{100 * gap.mean:+.1f} ({100 * gap.low:+.1f} to {100 * gap.high:+.1f})"
            tables[name].append([source.shown, len(documents.labels), *scores, interval])
            print(name, *tables[name][-1], file=sys.stderr, flush=True)
        headings = ["stream", "documents", *without, "difference, points"]
        firsts.append([source.shown, *(f"{100 * each[:FIRST].mean():.1f}" for each in without.values())])
        choices.append([source.shown, *chosen.split(" / "), ours.model.estimator_.chosen_])
    for name, rows in tables.items():
        print_table(f"{title}, {name}: accuracy in %", headings, rows)
    print_table(
        f"{title}, without later labels: accuracy on the first {FIRST} documents, in %",
        headings[:1] + headings[2:-1],
        firsts,
    )
    print_table(f"{title}: what was chosen", ["stream", "ours", "chosen window", "ours after all updates"], choices)
    rows = []
    for name, found in differences.items():
        lost = [f"{stream} ({100 * gap.mean:+.1f})" for stream, gap in found if gap.mean < 0]
        rows.append(
            [
                name,
                sum(gap.mean > 0 for _, gap in found),
                sum(gap.low > 0 for _, gap in found),
                len(lost),
                sum(gap.high < 0 for _, gap in found),
                ", ".join(lost) or "none",
            ]
        )
    print_table(
        f"{title}: ours against the chosen window",
        ["", "better", "significantly", "worse", "significantly", "losses, points"],
        rows,
    )


def main() -> None:
    """Print the tables of the groups of streams that were named, or of both."""
    warnings.simplefilter("ignore")
    groups = {"chosen": ("Streams chosen on", CHOSEN_ON), "reported": ("Streams reported on", REPORTED_ON)}
    for name in sys.argv[1:] or groups:
        report(*groups[name])


if __name__ == "__main__":
    main()

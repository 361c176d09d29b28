"""Drift checks of a classifier: false alarms on shuffled days, and how often planted drift is found.

    python -m benchmarks.local.drift_check [STREAM …]

Under *shuffled days* the days of a real stream are put into random order, so that the last 30 % of them are not later
than the first 70 %, from which the classifier learns: whatever is found there is a false alarm. Tolerances are zero.
The checks of 40 shuffles are counted; if the true rate is 5 %, more than five of 40 have a probability of 1.4 %. Drift
is planted in the last 30 % of the first ten shuffles: a new word in some documents, other words in place of the ten
most frequent ones in some documents, wrong labels, and a label that loses half of its documents.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from benchmarks.local.forward import Documents, Source, read
from benchmarks.measure import print_table
from driftline.local import ForwardClassifier
from driftline.monitoring import TextClassifier, Thresholds, check_drift
from driftline.monitoring.unit_permutation import mean_distances, p_value, shuffle_units
from driftline.streams.exchange import exchange_units

SOURCES = [Source("tweets_2015_2017", 3, 1500), Source("health_tweets", 4, 1500), Source("gitlog_2003_2008", 3, 1500)]
MEASURED_FIRST = [
    Source("gitlog_2003_2008", 3, 100_000),
    Source("maillists_2019_2026", 3, 100_000),
    Source("health_tweets", 3, 100_000),
]
MEASURED_LATER = [
    Source("tweets_2015_2017", 3, 100_000, is_topic=False),
    Source("spamassassin", 2, 100_000),
]
DEALS = 40
PLANTED_DEALS = 10
ALPHA = 0.05
LEARNED = 0.7
PARTS = ("unknown words", "words", "predictions", "errors")


def dealt(documents: Documents, seed: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return texts, labels and times with the days in random order."""
    day = np.unique(np.floor(documents.days), return_inverse=True)[1]
    place = np.random.default_rng(seed).permutation(day.max() + 1)[day]
    order = np.argsort(place, kind="stable")
    times = np.datetime64("2020-01-01T12") + place[order].astype("timedelta64[D]").astype("timedelta64[h]")
    return [documents.texts[i] for i in order], documents.labels[order], times


def planted(kind: str, share: float, texts: list[str], labels: np.ndarray, seed: int) -> tuple[list[str], Any, Any]:
    """Return texts and labels with drift, and which documents are left."""
    rng = np.random.default_rng(seed)
    struck = rng.random(len(texts)) < share
    kept = np.ones(len(texts), dtype=bool)
    if kind == "a new word":
        texts = [f"{text} novelty" if hit else text for text, hit in zip(texts, struck)]
    elif kind == "ten words replaced":
        common = {word for word, _ in Counter(word for text in texts for word in set(text.split())).most_common(10)}
        texts = [
            " ".join(f"{word}ish" if hit and word in common else word for word in text.split())
            for text, hit in zip(texts, struck)
        ]
    elif kind == "wrong labels":
        others = np.unique(labels)
        labels = np.where(struck, others[(np.searchsorted(others, labels) + 1) % len(others)], labels)
    else:
        kept = ~(struck & (labels == Counter(labels.tolist()).most_common(1)[0][0]))
    return texts, labels, kept


PLANTED = [
    ("a new word", 0.05),
    ("a new word", 0.2),
    ("ten words replaced", 0.2),
    ("ten words replaced", 0.5),
    ("wrong labels", 0.1),
    ("wrong labels", 0.2),
    ("a label loses documents", 0.5),
]


class Dominated(NamedTuple):
    """A stream in which one label has a share of the documents; `blocks` is the number of days, None for real days."""

    source: Source
    share: float
    n: int = 1500
    blocks: int | None = None


DOMINATED = [
    *(Dominated(source, share) for source in MEASURED_FIRST + MEASURED_LATER for share in (0.5, 0.8, 0.95, 0.99)),
    *(Dominated(source, 0.9, n) for source in (MEASURED_FIRST[0], MEASURED_LATER[0]) for n in (300, 3000)),
    *(Dominated(source, 0.9, blocks=60) for source in (MEASURED_FIRST[1], *MEASURED_LATER)),
]
SHIFTS = {"the label loses half": (True, 0.5), "the others lose 80 %": (False, 0.8)}


def dominated(documents: Documents, case: Dominated) -> Documents | None:
    """Return documents of which the most frequent label has a share; None if it has too few documents."""
    most = Counter(documents.labels.tolist()).most_common(1)[0][0]
    rng = np.random.default_rng(0)
    n_most = round(case.share * case.n)
    groups = (
        (np.flatnonzero(documents.labels == most), n_most),
        (np.flatnonzero(documents.labels != most), case.n - n_most),
    )
    if any(len(group) < n for group, n in groups):
        return None
    rows = np.sort(np.concatenate([rng.choice(group, n, replace=False) for group, n in groups]))
    times = documents.times[rows]
    if case.blocks is not None:
        block = np.arange(len(rows)) * case.blocks // len(rows)
        times = np.datetime64("2020-01-01T12", "us") + block.astype("timedelta64[D]")
    return Documents([documents.texts[i] for i in rows], documents.labels[rows], times, documents.counts[rows])


def replaced_p_value(model: TextClassifier, texts: list[str], times: np.ndarray, seed: int) -> float:
    """Return the p-value of the predicted labels against those in the forward validation."""
    when, _, before = model.estimator_.forward_predictions()
    classes = np.concatenate([before.argmax(axis=1), model.predict_proba(texts, times=times).argmax(axis=1)])
    unit = exchange_units(np.concatenate([when, times])).index
    assigned = shuffle_units(unit, np.arange(len(classes)) >= len(when), 199, seed)
    return p_value(mean_distances(assigned, np.eye(len(model.classes_))[classes]))


def one_label_dominates(names: list[str]) -> None:
    """Print false alarms and power of the test of predictions, if one label has most of the documents."""
    thresholds = Thresholds(ALPHA, 0.0, 0.0, 0.0, 0.0)
    table = []
    for case in [each for each in DOMINATED if not names or each.source.name in names]:
        documents = dominated(read(case.source), case)
        if documents is None:
            continue
        alarms: Counter[str] = Counter()
        for seed in range(DEALS):
            texts, labels, times = dealt(documents, seed)
            n = int(np.searchsorted(times, times[int(LEARNED * len(times))]))
            model = TextClassifier(ForwardClassifier(candidates=["all"], C=10.0))
            model.fit(texts[:n], labels[:n], times=times[:n])
            most = Counter(labels.tolist()).most_common(1)[0][0]
            rng = np.random.default_rng(seed)
            for shift, (of_most, lost) in {"none": (True, 0.0), **SHIFTS}.items():
                gone = ((labels[n:] == most) == of_most) & (rng.random(len(labels) - n) < lost)
                rows = n + np.flatnonzero(~gone)
                new, at = [texts[i] for i in rows], times[rows]
                how: Any = {"thresholds": thresholds, "n_permutations": 199, "n_words": 0, "random_state": seed}
                parts = {part.name: part for part in check_drift(model, new, times=at, **how).parts}
                p = parts["predictions"].p_value
                alarms[shift, "ours"] += p is not None and p <= ALPHA
                alarms[shift, "replaced"] += replaced_p_value(model, new, at, seed) <= ALPHA
        counts = [alarms[shift, which] for shift in ("none", *SHIFTS) for which in ("ours", "replaced")]
        n_days = len(np.unique(np.floor(documents.days)))
        table.append([case.source.shown, f"{case.share:.0%}", case.n, n_days, *counts])
        print(*table[-1], file=sys.stderr, flush=True)
    headings = [f"{shift}: {which}" for shift in ("no change", *SHIFTS) for which in ("ours", "replaced")]
    print_table(
        f"One label dominates: alarms of the test of predictions in {DEALS} shuffles of the days, alpha = {ALPHA:g}",
        ["stream", "share of the label", "documents", "days", *headings],
        table,
    )


def main() -> None:
    """Print the false alarms, and how often drift was found; then the same if one label dominates."""
    warnings.simplefilter("ignore")
    all_parts(sys.argv[1:])
    one_label_dominates(sys.argv[1:])


def all_parts(names: list[str]) -> None:
    """Print false alarms and power of all four parts."""
    thresholds = Thresholds(ALPHA, 0.0, 0.0, 0.0, 0.0)
    alarms, found = [], []
    for source in [each for each in SOURCES if not names or each.name in names]:
        documents = read(source)
        false: Counter[str] = Counter()
        power: dict[tuple[str, float], int] = dict.fromkeys(PLANTED, 0)
        for seed in range(DEALS):
            texts, labels, times = dealt(documents, seed)
            n = int(np.searchsorted(times, times[int(LEARNED * len(times))]))
            model = TextClassifier(ForwardClassifier(candidates=["all"], C=10.0))
            model.fit(texts[:n], labels[:n], times=times[:n])
            how: Any = {"thresholds": thresholds, "n_permutations": 199, "n_words": 0, "random_state": seed}
            result = check_drift(model, texts[n:], labels[n:], times=times[n:], **how)
            false.update(part.name for part in result.parts if part.verdict == "failed")
            false["any"] += not result.passed
            for kind, share in PLANTED if seed < PLANTED_DEALS else []:
                changed, new_labels, kept = planted(kind, share, texts[n:], labels[n:], seed)
                rows = np.flatnonzero(kept)
                result = check_drift(model, [changed[i] for i in rows], new_labels[rows], times=times[n:][rows], **how)
                power[kind, share] += not result.passed
        n_days = len(np.unique(np.floor(documents.days)))
        alarms.append([source.name, len(documents.labels), n_days, *(false[part] for part in (*PARTS, "any"))])
        found.append([source.name, *(f"{count} of {PLANTED_DEALS}" for count in power.values())])
        print(*alarms[-1], *found[-1], file=sys.stderr, flush=True)
    print_table(
        f"False alarms in {DEALS} shuffles of the days, alpha = {ALPHA:g}",
        ["stream", "documents", "days", *PARTS, "any"],
        alarms,
    )
    print_table(
        "Planted drift found; in brackets, the share of the documents",
        ["stream", *(f"{kind} ({share:.0%})" for kind, share in PLANTED)],
        found,
    )


if __name__ == "__main__":
    main()

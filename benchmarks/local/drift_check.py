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
from typing import Any

import numpy as np

from benchmarks.local.forward import Documents, Source, read
from benchmarks.measure import print_table
from driftline.local import ForwardClassifier
from driftline.monitoring import TextClassifier, Thresholds, check_drift

SOURCES = [Source("tweets_2015_2017", 3, 1500), Source("health_tweets", 4, 1500), Source("gitlog_2003_2008", 3, 1500)]
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


def main() -> None:
    """Print the false alarms, and how often drift was found."""
    warnings.simplefilter("ignore")
    thresholds = Thresholds(ALPHA, 0.0, 0.0, 0.0, 0.0)
    alarms, found = [], []
    for source in [each for each in SOURCES if each.name in sys.argv[1:]] or SOURCES:
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

"""Every claim of the README about quality, tested on any folder of streams.

    python -m benchmarks.strangers FOLDER_OR_FILE … [--claims words,likelihood,few,…] [--most N]

The sources are Parquet files, each with a time, a text and, for the claims about labels, a label column; they are found
as `driftline.read` finds them. Every row compares our default with the strongest simple rival on the same documents,
the best of several in hindsight; losses are printed, too.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import driftline
from benchmarks.evolving.auc import measures
from benchmarks.evolving.contenders import Ours, Refitted
from benchmarks.evolving.streams import Texts, framed
from benchmarks.intensity.real import BASES, predictions
from benchmarks.intensity.streams import Texts as LabelledTexts
from benchmarks.intensity.streams import splits_of
from benchmarks.local.drift_check import dealt as shuffled
from benchmarks.local.forward import LEARNED, compared
from benchmarks.local.forward import Documents as ForwardDocuments
from benchmarks.local.online import N as MOST_ONLINE
from benchmarks.local.online import prequential
from benchmarks.local.pairs import pair_of
from benchmarks.measure import print_table
from benchmarks.report.dealt_days import dealt
from driftline.analysis.analyse import analyse
from driftline.core.errors import DriftlineError, OutsideSupportWarning
from driftline.evolving.estimators.evolutionary_classifier import EvolutionaryClassifier
from driftline.intensity.classification.intensity_classifier import IntensityClassifier
from driftline.local.forward.forward_classifier import ForwardClassifier
from driftline.local.multinomial.local_multinomial import LocalMultinomial
from driftline.monitoring.drift_check import Thresholds, check_drift
from driftline.monitoring.text_classifier import TextClassifier
from driftline.streams.stream import Stream
from driftline.text.counts import count_words

MOST_DOCUMENTS = 15_000
MOST_LABELS = 3
FEWEST_PER_LABEL = 150
MOST_FRAMES = 24
MOST_PER_FRAME = 150
MOST_CLASSES = 8
CHECKS, CHECK_ALPHA = 20, 0.05
MOST_ALARMS = 3.0
"""More false alarms in 20 checks have a probability of 1.6 % if each has one of 5 %."""
DEALS = 2
SEEDS = 2
SIMPLE = ("the classifier alone", "calibration", "re-estimated", "weighted prior", "majority")
"""Corrections of a classifier that fit into ten lines."""
NOTHING_TRUE = "none: no claim is true"
HEADINGS = ("stream", "documents", "what is measured", "ours", "strongest simple rival", "its value", "verdict")


class Documents(NamedTuple):
    """A stream in order of time, read once."""

    name: str
    times: np.ndarray
    texts: list[str]
    labels: list[str | None]

    def common_labels(self) -> list[str]:
        """Return the most frequent labels that have enough documents."""
        sizes = Counter(label for label in self.labels if label is not None)
        return [label for label, n in sizes.most_common(MOST_LABELS) if n >= FEWEST_PER_LABEL]

    def stream(self, times: np.ndarray | None = None) -> Stream:
        """Return the documents as a stream in order of time, at other times if they are given."""
        times = self.times if times is None else times
        order = np.argsort(times, kind="stable")
        return Stream.from_documents([(str(i), times[i], self.texts[i], self.labels[i]) for i in order])


class Measured(NamedTuple):
    """One comparison; `lower_is_better` says which side wins, `margin` what counts as a draw."""

    what: str
    ours: float
    rival: str
    theirs: float
    lower_is_better: bool
    margin: float

    def verdict(self) -> str:
        if self.rival == NOTHING_TRUE:
            return "kept" if self.ours <= self.margin else "BROKEN"
        gain = (self.theirs - self.ours) if self.lower_is_better else (self.ours - self.theirs)
        return "draw" if abs(gain) <= self.margin else "won" if gain > 0 else "LOST"


def read(path: Path, most: int) -> Documents:
    """Return at most a given number of documents, spread evenly over the stream."""
    table = driftline.read(path).table().sort_by("time")
    if len(table) > most:
        table = table.take(np.linspace(0, len(table) - 1, most).astype(np.int64))
    times = table["time"].cast("timestamp[us]").to_numpy()
    return Documents(path.stem, times, table["text"].to_pylist(), table["label"].to_pylist())


def words(documents: Documents) -> Iterator[Measured]:
    """Headlines and topic trends when whole days are shuffled: every one is false."""
    found, topics = [], []
    for seed in range(DEALS):
        stream = documents.stream(dealt(documents.times, np.random.default_rng(seed)))
        findings = analyse(stream, n_words=20)
        found.append(len(findings.stories))
        topics.append(sum(topic.movement != "holds" for topic in findings.topics))
    yield Measured("headlines with days shuffled", float(np.mean(found)), NOTHING_TRUE, 0.0, True, 1.0)
    yield Measured("topic trends with days shuffled", float(np.mean(topics)), NOTHING_TRUE, 0.0, True, 1.0)


def likelihood(documents: Documents) -> Iterator[Measured]:
    """Log-likelihood of held-out words: the default against the best fixed bandwidth, which knows the answer."""
    corpus = driftline.Corpus.from_texts(documents.texts, times=documents.times, min_df=5)
    held_out = np.random.default_rng(0).random(len(corpus)) < 0.2
    train, test = corpus[~held_out], corpus[held_out]
    span = float(np.ptp(documents.times) / np.timedelta64(1, "D")) or 1.0
    fixed = {f"{share:.3g} of the span": max(span * share, 1e-3) for share in np.geomspace(0.003, 0.6, 6)}

    def score(bandwidth: Any) -> float:
        model = LocalMultinomial(bandwidth=bandwidth).fit(train.counts, times=train.times)
        return model.score(test.counts, times=test.times)

    rivals = {name: score(width) for name, width in fixed.items()} | {"one for all time": score("global")}
    best = max(rivals, key=lambda name: rivals[name])
    ours = LocalMultinomial().fit(train.counts, times=train.times).score(test.counts, times=test.times)
    yield Measured("held-out words, nats per word", ours, f"best fixed: {best}", rivals[best], False, 0.002)


def few_labels(documents: Documents) -> Iterator[Measured]:
    """Ten labels per frame: AUC and accuracy on pairs of labels and on all, against regression on all labels so far."""
    texts = Texts(documents.texts, np.array(documents.labels, dtype=object), documents.times)
    common = documents.common_labels()
    groups = [*combinations(common, 2), *([tuple(common)] if len(common) > 2 else [])]
    for labels in groups:
        stream = framed(texts, labels, _frame_size(documents, labels), most=MOST_PER_FRAME, together=False)
        n = len(labels)
        ours, theirs = (
            np.mean([np.nanmean(measures(stream, make(), seed), axis=0) for seed in range(SEEDS)], axis=0)
            for make in (lambda n=n: Ours(EvolutionaryClassifier(n_jobs=1), n), lambda n=n: Refitted(n, 10.0))
        )
        name = stream.name if n == 2 else f"{n} labels"
        for place, what in enumerate(("AUC", "accuracy")):
            rival = "regression on all labels"
            yield Measured(f"few labels, {what} in %, {name}", ours[place], rival, theirs[place], False, 0.5)


def intensity(documents: Documents) -> Iterator[Measured]:
    """Errors of a fixed classifier whose priors follow the stream, against the best of the simple corrections."""
    labels = np.array([label or "" for label in documents.labels])
    texts = LabelledTexts(np.array(documents.texts, dtype=object), labels, documents.times)
    for base, make in BASES.items():
        for split in splits_of(texts, combinations(documents.common_labels(), 2)):
            found = predictions(split, make)
            errors = {name: 100 * float(np.mean(found[name] != split.y_test)) for name in found}
            model = IntensityClassifier(make()).fit(split.train, split.y_train, times=split.times_train)
            ours = 100 * float(np.mean(model.predict(split.test, times=split.times_test) != split.y_test))
            rival = min((name for name in errors if name.startswith(SIMPLE)), key=lambda name: errors[name])
            yield Measured(f"errors in %, {split.name}, {base} base", ours, rival, errors[rival], True, 0.3)


def online(documents: Documents) -> Iterator[Measured]:
    """Errors of a classifier that learns online, against a window chosen by the same evidence."""
    for pair in combinations(documents.common_labels(), 2):
        rows = [i for i, label in enumerate(documents.labels) if label in pair][-MOST_ONLINE:]
        labelled = [(documents.times[i], documents.labels[i] == pair[1], documents.texts[i]) for i in rows]
        labels, found, _ = prequential(pair_of(labelled))
        errors = {name: 100 * float(np.mean((p > 0.5) != labels)) for name, p in found.items()}
        rival = min(("all so far", "chosen window", "words × time"), key=lambda name: errors[name])
        yield Measured(f"online errors in %, {' / '.join(pair)}", errors["ours"], rival, errors[rival], True, 0.5)


def forward(documents: Documents) -> Iterator[Measured]:
    """Accuracy in the last 30 %: what `driftline fit` and `update` choose, beside windows of the past."""
    labelled = _most_frequent(documents, MOST_CLASSES)
    for setting, right in zip(("no later labels", "later labels"), compared(labelled)[:2]):
        accuracy = {name: 100 * float(each.mean()) for name, each in right.items()}
        ours, chosen = accuracy.pop("ours"), accuracy.pop("chosen window")
        best = max(accuracy, key=lambda name: accuracy[name])
        yield Measured(f"accuracy in %, {setting}", ours, "window by the same validation", chosen, False, 0.5)
        yield Measured(f"accuracy in %, {setting}", ours, f"best in hindsight: {best}", accuracy[best], False, 0.5)


def check(documents: Documents) -> Iterator[Measured]:
    """Drift checks of a classifier when whole days are shuffled: every alarm is false."""
    labelled = _most_frequent(documents, MOST_CLASSES)
    thresholds, alarms = Thresholds(CHECK_ALPHA, 0.0, 0.0, 0.0, 0.0), 0
    for seed in range(CHECKS):
        texts, labels, times = shuffled(labelled, seed)
        n = int(np.searchsorted(times, times[int(LEARNED * len(times))]))
        model = TextClassifier(ForwardClassifier(candidates=["all"], C=10.0)).fit(
            texts[:n], labels[:n], times=times[:n]
        )
        found = check_drift(
            model, texts[n:], labels[n:].tolist(), times=times[n:], thresholds=thresholds, n_permutations=199, n_words=0
        )
        alarms += not found.passed
    yield Measured(f"false alarms in {CHECKS} checks at 5 %", float(alarms), NOTHING_TRUE, 0.0, True, MOST_ALARMS)


def _most_frequent(documents: Documents, n_labels: int) -> ForwardDocuments:
    """Return the documents of the most frequent labels."""
    common = {label for label, _ in Counter(filter(None, documents.labels)).most_common(n_labels)}
    rows = [i for i, label in enumerate(documents.labels) if label in common]
    texts = [documents.texts[i] for i in rows]
    labels = np.array([documents.labels[i] for i in rows])
    return ForwardDocuments(texts, labels, documents.times[rows], count_words(texts)[0])


def _frame_size(documents: Documents, labels: Any) -> int:
    n = sum(label in labels for label in documents.labels)
    return max(n // MOST_FRAMES, 40)


CLAIMS: dict[str, Callable[[Documents], Iterator[Measured]]] = {
    "words": words,
    "likelihood": likelihood,
    "few": few_labels,
    "intensity": intensity,
    "online": online,
    "forward": forward,
    "check": check,
}


def _measured(claim: str, documents: Documents) -> list[Measured]:
    """Return what could be measured; a stream that is too small or too uniform for a claim is named and skipped."""
    found = []
    try:
        found.extend(CLAIMS[claim](documents))
    except (DriftlineError, IndexError, ValueError) as error:
        print(f"{documents.name}: {claim} not measured to its end: {error}", file=sys.stderr)
    else:
        if not found:
            print(f"{documents.name}: {claim} not measured: too few documents with labels", file=sys.stderr)
    return found


def main() -> None:
    """Read the arguments, run the claims on every file and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--claims", default=",".join(CLAIMS), help="some of %(default)s")
    parser.add_argument("--most", type=int, default=MOST_DOCUMENTS, help="documents per stream")
    arguments = parser.parse_args()
    files = [
        file
        for source in arguments.sources
        for file in (sorted(source.glob("*.parquet")) if source.is_dir() else [source])
    ]
    claims = arguments.claims.split(",")
    if unknown := [claim for claim in claims if claim not in CLAIMS]:
        parser.error(f"unknown claims: {', '.join(unknown)}; known are {', '.join(CLAIMS)}")
    if missing := [str(file) for file in files if not file.is_file()]:
        parser.error(f"no such file or folder: {', '.join(missing)}")
    if not files:
        parser.error("there are no Parquet files in the folders")
    warnings.simplefilter("ignore", OutsideSupportWarning)
    rows, verdicts = [], Counter()
    for file in files:
        try:
            documents = read(file, arguments.most)
        except DriftlineError as error:
            print(f"{file.name}: {error}", file=sys.stderr)
            continue
        for claim in claims:
            start = time.process_time()
            found = _measured(claim, documents)
            verdicts.update(one.verdict() for one in found)
            for one in found:
                numbers = [f"{one.ours:.4g}", one.rival, f"{one.theirs:.4g}"]
                rows.append([documents.name, f"{len(documents.texts):,}", one.what, *numbers, one.verdict()])
            print(f"{file.stem}: {claim}, {time.process_time() - start:.0f} CPU s", file=sys.stderr, flush=True)
    print_table("Our defaults beside the strongest simple rivals", HEADINGS, rows)
    print(
        f"\nComparisons: {verdicts['won']} won, {verdicts['draw']} drawn, {verdicts['LOST']} lost. "
        f"Promises: {verdicts['kept']} kept, {verdicts['BROKEN']} broken."
    )


if __name__ == "__main__":
    main()

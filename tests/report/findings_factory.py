"""Findings made by hand from the simulated newswire, plainly and without driftline's models: something to show."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator

import numpy as np
from scipy.special import gammaincinv

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.bursts import WordBurst
from driftline.analysis.findings.by_label import LabelFindings
from driftline.analysis.findings.classifier_comparison import ClassifierFindings
from driftline.analysis.findings.cycles import Cycle
from driftline.analysis.findings.drift import DriftSpeed, FastPeriod
from driftline.analysis.findings.few_labels import FewLabelsFindings, PredictedFrame, Suggestion
from driftline.analysis.findings.headlines import Composition, Headlines, RatioWithin, Story, WordChange
from driftline.analysis.findings.label_intensities import LabelIntensity
from driftline.analysis.findings.long_documents import (
    DocumentEra,
    DocumentFlow,
    DocumentTheme,
    DocumentTurn,
    LongDocuments,
)
from driftline.analysis.findings.names import ChangedName, NameFindings
from driftline.analysis.findings.periods import CharacteristicWord, Period
from driftline.analysis.findings.source_summary import RejectedRecord, SourceSummary
from driftline.analysis.findings.storylines import Storyline, StorylineEvent, StorylineFindings
from driftline.analysis.findings.text_record import LeftOutFinding, TextRecord
from driftline.analysis.findings.topic_changes import TopicChange
from driftline.analysis.findings.topic_layout import describe_topic_layout
from driftline.analysis.findings.topics import TopicFinding
from driftline.analysis.findings.truth import Truth
from driftline.analysis.findings.turning_points import TurningPoint
from driftline.analysis.findings.turning_series import TurningSeries
from driftline.analysis.findings.words import ChangedWord
from driftline.analysis.group_differences import ComparedGroup, GroupDifferences, TopicDifference, WordDifference
from driftline.analysis.intensities import IntensityBurst
from driftline.analysis.shown_curves import curve_of_lists, no_curve
from driftline.analysis.shown_evidence import Example
from driftline.analysis.word_meaning import WordShift
from driftline.core.times import isos
from driftline.datasets import SimulatedNewswire, simulate_newswire
from driftline.datasets.grammar import words_of
from driftline.smoothing.curve import Curve

DAYS = 365
BANDWIDTH = 9.0


def _turn(of: str, name: str, before: float, after: float) -> TurningPoint:
    """Return a change of level in the span of the newswire."""
    when = [f"2025-02-{day:02}T00:00:00Z" for day in (10, 9, 12)]
    bands = [factor * level for level in (before, after) for factor in (1.0, 0.9, 1.1)]
    return TurningPoint(of, name, *when, 0.97, *bands, 1.0)


def newswire_findings(n_documents: int = 6000) -> Findings:
    """Analyse a newswire by kernel averages of daily counts."""
    wire = simulate_newswire(n_documents)
    made = _Made(wire, np.ones(len(wire), dtype=bool))
    labels = []
    for label in np.unique(wire.labels):
        part = _Made(wire, wire.labels == label)
        labels.append(LabelFindings(str(label), int(part.kept.sum()), part.volume(), part.changed(12), part.periods(4)))
    changed = [dataclasses.replace(word, change=_change(word)) for word in made.changed(39)]
    truth_words = [word.word for word in changed]
    return Findings(
        title="A simulated newswire",
        names=NameFindings(
            [
                ChangedName("Angela Merkel", "name", True, 0.01, 0.05, 40, 0.0001),
                ChangedName("gas pipeline", "phrase", False, 0.05, 0.02, 30, 0.02),
            ],
            n_tagged=len(wire),
            n_documents=len(wire),
            n_tested=100,
        ),
        turning_points=[_turn("volume", "", 4.0, 9.0), _turn("word", changed[0].word, 0.01, 0.05)],
        differences=GroupDifferences(
            "label",
            [ComparedGroup("weather", 60), ComparedGroup("politics", 50)],
            [TopicDifference("weather", "snow", ["snow"], 0.2, 0.1, 0.1, 0.05, 0.15, 0.001)],
            [WordDifference("weather", changed[0].word, 0.1, 0.05, 2.0, 1.5, 2.6, 0.01)],
            unit="day",
            n_topics=8,
            n_words=100,
        ),
        storylines=_storylines(made, changed),
        turning_series=[TurningSeries("volume", "", made.volume(), made.volume())],
        source=SourceSummary(
            name="newswire.jsonl",
            n_documents=len(wire),
            n_rejected=wire.n_broken,
            rejected_reasons={
                "no time": 2,
                "broken JSON": 2,
                "impossible date": 1,
                "bad encoding": 1,
                "not a record": 1,
            },
            rejected_examples=[
                RejectedRecord("newswire.jsonl", "line 429", "there is no time"),
                RejectedRecord("newswire.jsonl", "line 1287", "broken JSON: unterminated string at column 40"),
                RejectedRecord("newswire.jsonl", "line 2145", "2025-02-31T10:00:00Z is no date"),
            ],
            first=_iso(wire.times[0]),
            last=_iso(wire.times[-1]),
            n_words=int(made.counts.sum()),
            vocabulary_size=len(made.words),
            labels={str(label): int((wire.labels == label).sum()) for label in np.unique(wire.labels)},
        ),
        volume=made.volume(),
        changed_words=changed,
        n_words_tested=812,
        n_words_changed=len(changed),
        false_discovery_rate=0.05,
        bandwidth_days=BANDWIDTH,
        headlines=Headlines(
            [Story(word.change, [other.word]) for word, other in zip(changed[:12:2], changed[1:12:2])],
            [
                Composition(
                    [changed[12].word, changed[13].word],
                    changed[12].change,
                    RatioWithin(1.1, 0.9, 1.4),
                    "label",
                    "politics",
                    0.4,
                    0.1,
                    0.8,
                )
            ],
            n_words=20,
        ),
        drift=made.drift(),
        periods=made.periods(8),
        labels=labels,
        topics=[
            TopicFinding(
                [w.word for w in changed[i : i + 5]],
                0.2,
                0.1 - 0.1 * i,
                0.01,
                name,
                each.volume,
                [],
                each.volume,
                [*_bursts(i)],
                0.05 - 0.1 * i,
                0.15 - 0.1 * i,
            )
            for i, (name, each) in enumerate(zip(("rises", "holds", "falls"), labels))
        ],
        topic_layout=describe_topic_layout(
            np.random.default_rng(0).dirichlet(np.full(len(changed), 0.3), 3),
            np.full(3, 0.2),
            [word.word for word in changed],
        ),
        topic_changes=[
            TopicChange("born", [], [[w.word for w in changed[:4]]], 0.1, "2025-06-20T12:00:00Z"),
            TopicChange(
                "merged", [[changed[4].word], [changed[5].word]], [[changed[6].word]], 0.4, "2025-06-20T12:00:00Z"
            ),
        ],
        bursts=[
            WordBurst(word.word, *isos(word.curve.times[[10 * i, 10 * i + 20]]), 1 + i % 2, 30.0 - i, 12)
            for i, word in enumerate(changed[:8])
        ],
        intensities=[LabelIntensity(each.label, each.volume, [*_bursts(i)]) for i, each in enumerate(labels)],
        classifier=ClassifierFindings(
            labels=[str(label) for label in np.unique(wire.labels)],
            n_fitted=3000,
            n_tested=1000,
            error_ignoring_drift=0.08,
            error_following_drift=0.06,
            p_value=0.004,
            bandwidth_days=40.0,
            words=[WordShift(word.word, "politics", 0.1, word.curve) for word in changed[:4]],
        ),
        few_labels=FewLabelsFindings(
            labels=[str(label) for label in np.unique(wire.labels)],
            n_documents=len(wire),
            n_labelled=240,
            n_learned=240,
            labels_per_frame=None,
            every="1mo",
            frames=[
                PredictedFrame(each.start, each.end, each.n_documents, 20, 20, *_shares(month))
                for month, each in enumerate(made.periods(1))
            ],
            words=[WordShift(word.word, "sport", 3.0, word.curve) for word in changed[:2]],
            suggestions=[
                Suggestion(dataclasses.replace(made.example(-i), label=None), "sport", 0.4) for i in (1, 2, 3)
            ],
        ),
        long_documents=_long_documents(made, changed),
        text=_text_record(len(wire)),
        cycles=[
            Cycle("holiday", "year", "December", 6.2, 4, 4, 120, [0.8] * 11 + [4.5]),
            Cycle(changed[0].word, "week", "Sunday", 150.0, 14, 15, 80, [0.5] * 6 + [4.0]),
        ],
        truth=Truth(
            curves={word: made.truth(word) for word in truth_words},
            changed=wire.changed_words,
            bursts=[(burst.name, _iso(burst.start), _iso(burst.end)) for burst in wire.bursts],
            found=truth_words[:-2],
            missed=wire.changed_words[-2:],
            false_alarms=["strong"],
            band_coverage=0.947,
        ),
        version="0.1.0",
    )


def _bursts(i: int) -> Iterator[IntensityBurst]:
    """Yield a burst and a stronger one inside it; nothing for every third."""
    if i % 3 < 2:
        yield IntensityBurst("2025-03-01T00:00:00Z", "2025-05-01T00:00:00Z", 1, 40.0 - i, 0.9, 210)
        yield IntensityBurst("2025-03-20T00:00:00Z", "2025-04-10T00:00:00Z", 2, 20.0 - i, 0.75, 90)


def _shares(month: int) -> tuple[float | None, ...]:
    """Return accuracy, its band and that of guessing; nothing for the first month."""
    return (None,) * 4 if month == 0 else (0.5 + 0.03 * month, 0.4 + 0.03 * month, 0.6 + 0.03 * month, 0.2)


def _storylines(made: _Made, changed: list[ChangedWord]) -> StorylineFindings:
    """Two storylines, the second of which continues the first."""
    others = made.volume()
    spans = [("2025-02-01T00:00:00Z", "2025-04-01T00:00:00Z"), ("2025-05-20T00:00:00Z", "2025-07-20T00:00:00Z")]
    storylines = []
    for place, (number, (start, end)) in enumerate(zip((4, 9), spans)):
        first, last = (np.datetime64(time.removesuffix("Z")) for time in (start, end))
        inside = (others.times >= first) & (others.times <= last)
        lower, value, upper = (np.full(int(inside.sum()), level) for level in (0.02, 0.04, 0.07))
        curve = Curve(others.times[inside], value, lower, upper, np.ones(int(inside.sum())))
        words = [word.word for word in changed[5 * place : 5 * place + 5]]
        size = round(0.02 * len(made.wire)) - place
        storylines.append(Storyline(number, words, start, end, size, curve, [made.example(40 * place)]))
    events = [
        StorylineEvent("born", spans[0][0], 4, None, 0.93),
        StorylineEvent("revived", spans[1][0], 4, 9, 0.97),
        StorylineEvent("ended", spans[1][1], 9, None, 1.0),
    ]
    n = len(made.wire)
    share = others._replace(value=0.9 + 0 * others.value, lower=0.85 + 0 * others.value, upper=0.95 + 0 * others.value)
    return StorylineFindings(storylines, events, share, n_storylines=2, n_grouped=n, n_documents=n, memory_days=14.0)


def _text_record(n: int) -> TextRecord:
    left_out = [
        LeftOutFinding("urls", "web addresses", "match", 31, 30, ["http://example.org/storm"]),
        LeftOutFinding("duplicates", "duplicates of a document of the last 30 days", "document", 5, 5, ["storm again"]),
    ]
    return TextRecord("headlines", False, ["en"], 180, n, n - 5, 1, left_out=left_out)


def quiet_findings() -> Findings:
    """Findings of a stream in which nothing can be said: one document."""
    nothing = no_curve()
    time = "2025-03-01T12:00:00Z"
    return Findings(
        title="One document",
        source=SourceSummary("one.txt", 1, 0, {}, [], time, time, 3, 3),
        volume=curve_of_lists([time], [1.0], [0.1], [4.0]),
        changed_words=[],
        n_words_tested=0,
        n_words_changed=0,
        false_discovery_rate=0.05,
        bandwidth_days=1.0,
        drift=DriftSpeed(nothing, [], 1.0, []),
        periods=[],
    )


def hostile_findings(texts: list[str]) -> Findings:
    """Findings in which every string that comes from documents is one of `texts`, in turn."""
    turn = 0

    def next_text() -> str:
        nonlocal turn
        turn += 1
        return texts[turn % len(texts)]

    def spoil(value, name=""):
        if dataclasses.is_dataclass(value):
            fields = {field.name: spoil(getattr(value, field.name), field.name) for field in dataclasses.fields(value)}
            return dataclasses.replace(value, **fields)
        if isinstance(value, list):
            return [spoil(item, name) for item in value]
        if isinstance(value, dict):
            keys = {key: f"{next_text()}{i}" for i, key in enumerate(value)}
            return {keys[key]: spoil(item) for key, item in value.items()}
        if isinstance(value, str) and name in _FROM_DOCUMENTS:
            return next_text()
        return value

    findings = newswire_findings(400)
    findings = dataclasses.replace(findings, truth=None)
    spoiled = spoil(findings)
    words = [dataclasses.replace(w, word=f"{w.word}{i}") for i, w in enumerate(spoiled.changed_words)]
    truth = Truth({w.word: w.curve for w in words[::2]}, texts, [(texts[0], *_span())], texts, texts, texts, 0.9)
    return dataclasses.replace(spoiled, changed_words=words, truth=truth)


_FROM_DOCUMENTS = {
    "examples",
    "title",
    "name",
    "word",
    "text",
    "id",
    "label",
    "labels",
    "source",
    "place",
    "reason",
    "rising",
    "words",
    "falling",
    "passages",
}


def _long_documents(made: _Made, changed: list[ChangedWord]) -> LongDocuments:
    """Three themes that follow each other, in documents made of stories laid end to end."""
    ramp = np.linspace(0, 1, 30)
    shares = np.column_stack([1 - ramp, ramp * (1 - ramp), ramp**2])
    shares = np.round(shares / shares.sum(axis=1, keepdims=True), 3).tolist()
    times = isos(changed[0].curve.times)
    eras = [
        DocumentEra(times[0], times[180], 30, shares[::2], 90.0, 70.0, 115.0),
        DocumentEra(times[181], times[-1], 28, shares[1::2], 60.0, 45.0, 80.0),
    ]
    documents = [
        DocumentFlow(
            id=f"long{i}",
            time=times[100 * i],
            label=None,
            kind="latest" if i == 2 else "typical",
            era=min(i, 1),
            n_words=600,
            positions=list(range(0, 600, 20)),
            shares=shares,
            passage_of=[place // 3 for place in range(30)],
            passages=[made.wire.texts[10 * i + place] for place in range(10)],
            turns=[DocumentTurn(0, [0], [changed[i].word]), DocumentTurn(15, [1, 2], [changed[i + 3].word])],
        )
        for i in range(3)
    ]
    themes = [DocumentTheme([w.word for w in changed[i : i + 5]], 0.3, changed[i].curve) for i in range(3)]
    return LongDocuments(640.0, 58, 12.0, themes, eras, documents)


def _span() -> tuple[str, str]:
    return "2025-03-01T00:00:00Z", "2025-03-20T00:00:00Z"


class _Made:
    def __init__(self, wire: SimulatedNewswire, kept: np.ndarray) -> None:
        self.wire, self.kept = wire, kept
        self.words = wire.expected.words
        self.place = {word: i for i, word in enumerate(self.words)}
        self.day_of = ((wire.times - wire.start) / np.timedelta64(1, "D")).astype(int)
        self.counts = np.zeros((DAYS, len(self.words)))
        self.holders: dict[str, list[int]] = {}
        for document in np.flatnonzero(kept):
            for word, uses in Counter(words_of(wire.texts[document])).items():
                self.counts[self.day_of[document], self.place[word]] += uses
                self.holders.setdefault(word, []).append(int(document))
        days = np.arange(DAYS)
        self.days = wire.start + days.astype("timedelta64[D]")
        self.kernel = np.exp(-0.5 * ((days[:, None] - days) / BANDWIDTH) ** 2)
        self.total = self.kernel @ self.counts.sum(axis=1)
        self.smooth = self.kernel @ self.counts / self.total[:, None]

    def series(self, value: np.ndarray, kappa: np.ndarray) -> Curve:
        lower, upper = (kappa * gammaincinv(value / kappa + 0.5, tail) for tail in (0.025, 0.975))
        plain = [[float(f"{v:.6g}") for v in column] for column in (value, lower, upper)]
        return curve_of_lists([_iso(day) for day in self.days], *plain)

    def truth(self, word: str) -> Curve:
        rate = (1e4 * self.wire.probabilities([word], self.days)[:, 0]).tolist()
        return curve_of_lists([_iso(day) for day in self.days], rate, rate, rate)

    def volume(self) -> Curve:
        per_day = np.bincount(self.day_of[self.kept], minlength=DAYS)
        weights = self.kernel / self.kernel.sum(axis=1, keepdims=True)
        return self.series(weights @ per_day, 1.3 * (weights**2).sum(axis=1))

    def changed(self, n: int) -> list[ChangedWord]:
        squares = (self.kernel**2) @ self.counts.sum(axis=1)
        made = []
        for word in self.wire.changed_words:
            uses = self.counts[:, self.place[word]]
            value = 1e4 * self.smooth[:, self.place[word]]
            if uses.sum() < 5:
                continue
            ratio = np.maximum(value / value.mean(), 1e-9)
            information = float((uses.mean() * (ratio * np.log(ratio) - ratio + 1)).sum())
            peak = int(value.argmax())
            curve = self.series(value, 1.25 * 1e4 * squares / self.total**2)
            made.append(
                ChangedWord(word, _pattern(value), information, 0.0002, float(0.02 * np.exp(-information / 9)),
                            int(uses.sum()), len(self.holders[word]), _iso(self.days[peak]), float(value[peak]),
                            float(value.mean()), curve, self.examples(word, peak, 4))
            )  # fmt: skip
        return sorted(made, key=lambda word: -word.information)[:n]

    def examples(self, word: str, day: int, n: int) -> list[Example]:
        holders = self.holders.get(word, [])
        return [self.example(i) for i in sorted(holders, key=lambda i: abs(self.day_of[i] - day))[:n]]

    def example(self, i: int) -> Example:
        return Example(self.wire.ids[i], _iso(self.wire.times[i]), self.wire.texts[i], str(self.wire.labels[i]))

    def drift(self) -> DriftSpeed:
        speed = np.linalg.norm(np.gradient(self.smooth, axis=0), axis=1)
        floor = 0.5 / np.sqrt(self.total) / BANDWIDTH
        floor *= np.quantile(speed, 0.3) / floor.mean()
        curve = self.series(speed, np.full(DAYS, 2e-6))
        rates = self.smooth
        fastest = []
        for burst in self.wire.bursts:
            first, last = (int((time - self.wire.start) / np.timedelta64(1, "D")) for time in (burst.start, burst.end))
            peak = first + int(speed[first:last].argmax())
            moved = rates[peak + 6] - rates[peak - 6]
            order = np.argsort(moved)
            rising, falling = [self.words[i] for i in order[::-1][:5]], [self.words[i] for i in order[:4]]
            fastest.append(
                FastPeriod(_iso(self.days[peak - 5]), _iso(self.days[peak + 5]), _iso(self.days[peak]),
                           float(speed[peak]), float(speed[peak] / floor[peak]), rising, falling)
            )  # fmt: skip
        fastest.sort(key=lambda fast: -fast.times_noise_floor)
        return DriftSpeed(curve, floor.tolist(), BANDWIDTH, fastest)

    def periods(self, n: int) -> list[Period]:
        made = []
        for month in range(12):
            start = self.wire.start.astype("datetime64[M]") + np.timedelta64(month, "M")
            inside = (self.days >= start) & (self.days < start + np.timedelta64(1, "M"))
            a, b = self.counts[inside].sum(axis=0), self.counts[~inside].sum(axis=0)
            rate_a, rate_b = 1e4 * a / max(a.sum(), 1), 1e4 * b / max(b.sum(), 1)
            score = (rate_a - rate_b) / np.sqrt(rate_a + rate_b + 1)
            chosen = [i for i in np.argsort(-score)[:n] if score[i] > 1]
            words = [
                CharacteristicWord(self.words[i], float(rate_a[i]), float(rate_b[i]), float(score[i])) for i in chosen
            ]
            rows = np.flatnonzero(
                self.kept & (self.day_of >= np.argmax(inside)) & (self.day_of < np.argmax(inside) + 31)
            )
            examples = [self.example(int(i)) for i in rows[:3]]
            made.append(Period(_iso(start), _iso(start + np.timedelta64(1, "M")), len(rows), words, examples))
        return made


def _pattern(value: np.ndarray) -> str:
    first, last, top = value[:30].mean(), value[-30:].mean(), value.max()
    if top > 2.2 * max(first, last):
        return "peaked"
    if last > 2 * first:
        return "rose"
    if first > 2 * last:
        return "fell"
    return "dipped" if value.min() < 0.5 * min(first, last) else "varied"


def _change(word: ChangedWord) -> WordChange:
    """Make up a change about the peak of a word."""
    times = isos(word.curve.times)
    peak = times.index(word.peak)
    start, end = times[max(peak - 10, 0)], times[min(peak + 10, len(times) - 1)]
    return WordChange(
        word.word,
        "lasting",
        "more",
        5.4,
        4.1,
        7.2,
        start,
        end,
        False,
        False,
        word.n_documents // 2,
        word.n_documents,
        True,
    )


def _iso(time: np.datetime64) -> str:
    return f"{time.astype('datetime64[s]')}Z"

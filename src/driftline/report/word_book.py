"""The words that a reader can open: each has a number on the page, with its curve, band and documents."""

from __future__ import annotations

from collections.abc import Sequence

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.bursts import BURSTS, WordBurst
from driftline.analysis.findings.by_label import LABELS
from driftline.analysis.findings.truth import TRUTH
from driftline.analysis.findings.words import CHANGED_WORDS, ChangedWord
from driftline.core.display import visible
from driftline.core.times import as_timedelta
from driftline.figures.thinning import AxisValue
from driftline.report.date_formats import clock, moment
from driftline.report.numbers import chance, counted, share
from driftline.report.sentences import word_sentence
from driftline.report.series import compact
from driftline.report.short_ids import short_id
from driftline.report.story_sentences import Setting

MOST_WORDS = 500
_MOST_WORDS_OF_LABELS = 150
_MANY = 250


def words_of_a_label(n_labels: int) -> int:
    """Return the number of words that each label may show: fewer if there are many labels, so that the page stays
    small.

    >>> words_of_a_label(6), words_of_a_label(30)
    (12, 5)
    """
    return max(3, min(12, _MOST_WORDS_OF_LABELS // max(n_labels, 1)))


def narrow_bursts(word: ChangedWord, bursts: Sequence[WordBurst]) -> list[list[str]]:
    """Return (start, end) of the word's bursts that are narrower than twice its bandwidth, which the curve blurs."""
    widest = as_timedelta(2 * word.bandwidth_days)
    return [
        [burst.start.removesuffix("Z"), burst.end.removesuffix("Z")]
        for burst in bursts
        if burst.word == word.word and moment(burst.end) - moment(burst.start) < widest
    ]


class WordBook:
    """Numbers the changed words of the stream, then those of each label, and stores their data for the page."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.setting = Setting.of(findings)
        self._numbers: dict[tuple[str | None, str], int] = {}
        self._pages: list[dict[str, object]] = []
        self._times: dict[tuple[object, ...], int] = {}
        few = len(CHANGED_WORDS.of(findings)) <= _MANY  # otherwise each has fewer, so that the page stays small
        self._most_points, self._most_examples = (150, 3) if few else (60, 2)
        for word in CHANGED_WORDS.of(findings)[:MOST_WORDS]:
            self._add(word, None)
        for label in LABELS.of(findings):
            for word in label.changed_words[: words_of_a_label(len(LABELS.of(findings)))]:
                self._add(word, label.label)

    def number(self, word: str, label: str | None = None) -> int | None:
        """Return the number of a word (of a label, where it has one), or None if the page cannot open it."""
        shown = visible(word)
        return self._numbers.get((label, shown), self._numbers.get((None, shown)))

    def words(self) -> set[str]:
        """Return the words that can be opened."""
        return {word for _, word in self._numbers}

    def data(self) -> dict[str, object]:
        """Return all words as plain data: the times that curves share, and an entry per word."""
        return {"times": [list(times) for times in self._times], "words": self._pages}

    def _add(self, word: ChangedWord, label: str | None) -> None:
        self._numbers[label, visible(word.word)] = len(self._pages)
        without = f"; drawn without its {word.cycle}ly cycle" if word.cycle is not None else ""
        uses = f"{counted(word.n_uses, 'use')} in {counted(word.n_documents, self.setting.document)}"
        truth = TRUTH.of(self._findings)
        real = truth.curves.get(word.word) if truth is not None and label is None else None
        self._pages.append(
            {
                "word": visible(word.word),
                "label": None if label is None else visible(label),
                "pattern": word.pattern,
                "sentence": visible(word_sentence(word, self.setting)),
                "facts": f"{uses}; q {chance(word.q_value)}; band {share(word.curve.level, 1)}{without}",
                "curve": self._shared(compact(word.curve, self._most_points)),
                "bursts": [] if label is not None else narrow_bursts(word, BURSTS.of(self._findings)),
                "truth": None if real is None else self._shared(compact(real, self._most_points)),
                "examples": [
                    {
                        "id": visible(short_id(example.id)),
                        "time": clock(example.time),
                        "text": visible(example.text),
                        "label": None if example.label is None else visible(example.label),
                    }
                    for example in word.examples[: self._most_examples]
                ],
            }
        )

    def _shared(self, curve: dict[str, Sequence[AxisValue | None]]) -> dict[str, object]:
        """Most curves have the same times: store each list of times once and refer to it by number."""
        times = tuple(curve.pop("times"))
        return {"times": self._times.setdefault(times, len(self._times)), **curve}

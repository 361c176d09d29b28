"""The words whose use changed: tested, ranked, each with its curve, band and example documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from driftline.analysis.examples import examples_of, rows_near
from driftline.analysis.finding import Finding
from driftline.analysis.findings.cycles import curves_without_cycles
from driftline.analysis.findings.drift import DRIFT
from driftline.analysis.findings.headlines import WordChange
from driftline.analysis.headlines.story_headlines import Found
from driftline.analysis.items import PER, Items
from driftline.analysis.shown_curves import shown_curve
from driftline.analysis.shown_evidence import Example
from driftline.core.arrays import Datetimes, Floats
from driftline.core.progress import announce
from driftline.core.times import Duration, isos
from driftline.local.changed_words.discovery import ChangedWords
from driftline.local.reading.word_cycles import Cycles
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus
from driftline.streams.unit_counts import unit_counts

if TYPE_CHECKING:
    from driftline.analysis.context import Context

Pattern = Literal["rose", "fell", "peaked", "dipped", "varied"]


@dataclass(frozen=True)
class ChangedWord:
    """A word whose use changed over time, beyond what chance and clustering explain.

    The curve and the rates are in documents (or passages, see `Findings.counted`) with the word per 1,000; the curve
    averages over `bandwidth_days` on either side, without the word's `cycle` if it has one. `information` (nats) is the
    part of the stream that the change explains, and ranks the words; `q_value` is the false discovery rate at which the
    word would still be reported. `kind` is "lasting" (changed for longer than a unit, tested by permuting whole units)
    or "event" (concentrated in single units, most around `event_time`; tested as if documents were independent).
    `with_groups` is "author" or "thread" if a lasting change may be due only to authors or threads that joined or left.
    """

    word: str
    pattern: Literal["rose", "fell", "peaked", "dipped", "varied"]
    information: float
    p_value: float
    q_value: float
    n_uses: int
    n_documents: int
    peak: str
    peak_rate: float
    mean_rate: float
    curve: Curve
    examples: list[Example] = field(default_factory=list)
    kind: Literal["lasting", "event"] = "lasting"
    longer_than_a_week: bool | None = None
    event_time: str | None = None
    bandwidth_days: float = 0.0
    cycle: Literal["year", "week"] | None = None
    change: WordChange | None = None
    with_groups: str | None = None


def describe_changed_words(
    corpus: Corpus,
    items: Items,
    tests: ChangedWords,
    when: Datetimes,
    *,
    bandwidth: Duration,
    unit: str = "auto",
    n_words: int,
    n_examples: int,
    cycles: Sequence[Cycles] = (),
    measured: Found | None = None,
) -> list[ChangedWord]:
    """Return `n_words` of the words that changed, with their evidence.

    They are in the order of `measured`, headlines first, or otherwise the most informative lasting changes first.
    Curves count the `items` of the corpus, documents or passages, per 1,000; the `cycles` of words are removed.
    """
    ranked = tests.ranking()
    order = np.arange(len(ranked)) if measured is None else measured.order
    changes = [None if measured is None else measured.changes[i] for i in order[:n_words]]
    places = ranked[order[:n_words]]
    columns = tests.columns[places]
    if not len(columns):
        return []
    counted = unit_counts(items.counts[:, columns], times=items.times, unit=unit)
    events = np.array([change is not None and change.headline and change.kind == "event" for change in changes])
    curves = curves_without_cycles(counted, columns, when, bandwidth=bandwidth, cycles=cycles, events=events)
    period_of = {int(column): found.period for found in reversed(cycles) for column in found.columns}
    by_word = corpus.counts[:, columns].tocsc()
    words = np.asarray(corpus.vocabulary.words)
    weeks, outlasting = tests.longer_than_a_week, tests.outlasting
    findings = []
    drawn = np.flatnonzero(~np.isnan(curves.curve.value).all(axis=1))
    peaks = np.nanargmax(curves.curve.value[drawn], axis=1)
    dates, event_dates = isos(when[peaks]), isos(tests.event_time[places[drawn]])
    for row, peak, date, event_date in zip(drawn.tolist(), peaks.tolist(), dates, event_dates):
        place, column, change, value = places[row], columns[row], changes[row], curves.curve.value[row]
        holding = by_word.indices[by_word.indptr[row] : by_word.indptr[row + 1]]
        findings.append(
            ChangedWord(
                word=str(words[column]),
                pattern=pattern_of_change(change)
                or pattern_of(value, curves.curve.lower[row], curves.curve.upper[row]),
                information=float(tests.information[place]),
                p_value=float(tests.p_value[place]),
                q_value=float((tests.q_value if outlasting[place] else tests.event_q_value)[place]),
                n_uses=int(by_word.data[by_word.indptr[row] : by_word.indptr[row + 1]].sum()),
                n_documents=len(holding),
                peak=date,
                peak_rate=float(PER * value[peak]),
                mean_rate=float(PER * counted.shares[row]),
                curve=shown_curve(curves.curve, scale=PER, row=row),
                examples=examples_of(
                    corpus, rows_near(corpus, holding, when[peak]), n=n_examples, about=str(words[column])
                ),
                kind="lasting" if outlasting[place] else "event",
                longer_than_a_week=None if weeks is None else bool(weeks[place]),
                event_time=None if outlasting[place] else event_date,
                cycle=period_of.get(int(column)),
                bandwidth_days=float(f"{min(curves.bandwidth[row], np.ptp(counted.times)):.6g}"),
                change=change,
                with_groups=tests.groups if outlasting[place] and not tests.lasting[place] else None,
            )
        )
    return findings


def pattern_of_change(change: WordChange | None) -> Pattern | None:
    """Return the shape of a measured change, so that a word's curve and sentence agree; None if none is certain."""
    if change is None or change.lower <= 1:
        return None
    more = change.direction == "more"
    if change.kind == "event" or change.from_start == change.to_end:
        return "peaked" if more else "dipped"
    return "rose" if more == change.to_end else "fell"


def pattern_of(values: Floats, lower: Floats | None = None, upper: Floats | None = None) -> Pattern:
    """Return the shape of a curve from the position of its ends within its range. Gaps (NaN) are ignored.

    With a band, a shape is only claimed if the places that it compares lie outside each other's bands.

    >>> pattern_of(np.array([1.0, 9, 1])), pattern_of(np.array([0.0, 0, 3])), pattern_of(np.array([5.0, 0.1, 5]))
    ('peaked', 'rose', 'dipped')
    >>> wide = np.array([-2.0, -2, -1]), np.array([4.0, 4, 6])
    >>> pattern_of(np.array([0.0, 0, 3]), *wide)
    'varied'
    """
    known = ~np.isnan(values)
    low_end, high_end = (values if each is None else each for each in (lower, upper))
    bands = np.array([values[known], low_end[known], high_end[known]])
    edge = max(1, bands.shape[1] // 7)
    start, end = bands[:, :edge].mean(axis=1), bands[:, -edge:].mean(axis=1)
    lowest, highest = bands[:, bands[0].argmin()], bands[:, bands[0].argmax()]
    reach = highest[0] - lowest[0]
    if reach == 0 or lowest[0] > 0.8 * highest[0]:
        return "varied"
    if highest[0] - max(start[0], end[0]) > 0.4 * reach:
        return "peaked" if _above(highest, start) and _above(highest, end) else "varied"
    if min(start[0], end[0]) - lowest[0] > 0.4 * reach:
        return "dipped" if _above(start, lowest) and _above(end, lowest) else "varied"
    if abs(end[0] - start[0]) < 0.3 * reach:
        return "varied"
    if end[0] > start[0]:
        return "rose" if _above(end, start) else "varied"
    return "fell" if _above(start, end) else "varied"


def _above(one: Floats, other: Floats) -> bool:
    """Return whether the first of two places (value, lower, upper) is higher, each outside the band of the other."""
    return bool(one[1] > other[0] and other[2] < one[0])


def find(context: Context) -> list[ChangedWord]:
    """Describe the requested number of changed words."""
    tests, measured, options = context.tests, context.measured, context.options
    announce("Estimating the curves of the changed words ...")
    return describe_changed_words(
        context.with_phrases,
        context.items,
        tests,
        context.when,
        bandwidth=options.bandwidth,
        unit=context.unit,
        n_words=options.n_words,
        n_examples=4,
        cycles=context.cycles,
        measured=measured,
    )


def find_bandwidth(context: Context) -> float:
    """Return the median bandwidth of the words' curves; without any, that of the speed of drift."""
    shown = context[CHANGED_WORDS]
    return float(np.median([word.bandwidth_days for word in shown])) if shown else context[DRIFT].bandwidth_days


def find_counted(context: Context) -> str:
    """Return the unit counted by word curves."""
    return context.items.noun


CHANGED_WORDS = Finding("changed_words", find, empty=list[ChangedWord], position=30, since=1)
BANDWIDTH_DAYS = Finding("bandwidth_days", find_bandwidth, empty=float, position=70, since=1)
COUNTED = Finding("counted", find_counted, empty=lambda: "documents", position=220, since=9)

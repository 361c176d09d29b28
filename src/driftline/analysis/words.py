"""The words whose use changed: tested, ranked, each with its curve, its band and documents that show it."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np

from driftline.analysis.examples import examples_of, rows_near
from driftline.analysis.findings import ChangedWord
from driftline.analysis.moving_part import moving_part
from driftline.analysis.timeline import iso, series
from driftline.core.arrays import Datetimes, Floats, Ints
from driftline.core.errors import OutsideSupportWarning
from driftline.local.changed_words import ChangedWords
from driftline.local.multinomial import LocalMultinomial
from driftline.smoothing.curve import Curve
from driftline.streams.corpus import Corpus

UNIT = 10_000.0
"""Rates are uses per this many words."""

Pattern = Literal["rose", "fell", "peaked", "dipped", "varied"]


def describe_changed_words(
    corpus: Corpus, tests: ChangedWords, when: Datetimes, *, bandwidth: Any, n_words: int, n_examples: int
) -> list[ChangedWord]:
    """Return the `n_words` most informative of the words that changed, lasting changes first, with their evidence."""
    places = tests.ranking()[:n_words]
    columns = tests.columns[places]
    if not len(columns):
        return []
    curves = _curves(corpus, columns, when, bandwidth)
    by_word = corpus.counts[:, columns].tocsc()
    words = np.asarray(corpus.vocabulary.words)
    n_tokens = max(float(corpus.counts.sum()), 1.0)
    weeks = tests.longer_than_a_week
    findings = []
    for row, (place, column) in enumerate(zip(places, columns)):
        holding = by_word.indices[by_word.indptr[row] : by_word.indptr[row + 1]]
        uses = float(by_word.data[by_word.indptr[row] : by_word.indptr[row + 1]].sum())
        peak = int(np.argmax(curves.value[row]))
        nearest = rows_near(corpus, holding, when[peak])
        findings.append(
            ChangedWord(
                word=str(words[column]),
                pattern=pattern_of(curves.value[row]),
                information=float(tests.information[place]),
                p_value=float(tests.p_value[place]),
                q_value=float((tests.q_value if tests.lasting[place] else tests.event_q_value)[place]),
                n_uses=int(uses),
                n_documents=len(holding),
                peak=iso(when[peak]),
                peak_rate=float(UNIT * curves.value[row, peak]),
                mean_rate=UNIT * uses / n_tokens,
                curve=series(curves, scale=UNIT, row=row),
                examples=examples_of(corpus, nearest, n=n_examples),
                kind="lasting" if tests.lasting[place] else "event",
                longer_than_a_week=None if weeks is None else bool(weeks[place]),
                event_time=None if tests.lasting[place] else iso(tests.event_time[place]),
            )
        )
    return findings


def _curves(corpus: Corpus, columns: Ints, when: Datetimes, bandwidth: Any) -> Curve:
    """Return the curves of the words; where a word has no data around it, its band spans all that it has been."""
    model = LocalMultinomial(bandwidth=bandwidth).fit(moving_part(corpus, columns), times=corpus.times)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutsideSupportWarning)  # the wide band tells it
        curves = model.frequency(np.arange(len(columns)), when)
    known = curves.effective_size > 0
    widest = np.max(curves.upper, axis=1, keepdims=True, where=known, initial=0.0)
    return curves._replace(upper=np.where(known, curves.upper, np.maximum(widest, curves.value)))


def pattern_of(values: Floats) -> Pattern:
    """Name the shape of a curve: where its ends stand within its range.

    >>> pattern_of(np.array([1.0, 9, 1])), pattern_of(np.array([0.0, 0, 3])), pattern_of(np.array([5.0, 0.1, 5]))
    ('peaked', 'rose', 'dipped')
    """
    edge = max(1, len(values) // 7)
    low, high = values.min(), values.max()
    reach = high - low
    start, end = values[:edge].mean(), values[-edge:].mean()
    if reach == 0 or low > 0.8 * high:
        return "varied"
    if high - max(start, end) > 0.4 * reach:
        return "peaked"
    if min(start, end) - low > 0.4 * reach:
        return "dipped"
    if abs(end - start) < 0.3 * reach:
        return "varied"
    return "rose" if end > start else "fell"

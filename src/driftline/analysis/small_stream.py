"""A stream that is too small for claims about change: its volume, its frequent words and some documents are shown."""

from __future__ import annotations

import numpy as np

import driftline
from driftline.analysis.curve_times import grid, series
from driftline.analysis.dates import DateFindings
from driftline.analysis.examples import examples_of
from driftline.analysis.findings import DriftSpeed, Findings, SourceSummary
from driftline.analysis.shown_evidence import Series
from driftline.analysis.small_stream_findings import FrequentWord, SmallStream
from driftline.analysis.text_record import TextRecord
from driftline.analysis.volume import documents_per_day
from driftline.core.arrays import Datetimes
from driftline.streams.corpus import Corpus

FEWEST_DOCUMENTS = 200
"""Fewest documents for any claim about change; with fewer, the tests have almost no power."""
FEWEST_TIMES = 3
"""Fewest distinct times at which a change over time can be seen."""
N_POINTS = 60
"""Number of times at which the volume of a small stream is drawn."""
_MOST_WORDS = 30
_MOST_EXAMPLES = 10
_NOTHING = Series([], [], [], [])


def small_findings(
    title: str,
    source: SourceSummary,
    corpus: Corpus | None,
    n_documents: int,
    *,
    fewest: int,
    times: Datetimes | None = None,
    dates: DateFindings | None = None,
    text: TextRecord | None = None,
) -> Findings:
    """Return findings without claims; `corpus` is None where there is no document, or no word in them."""
    volume = _NOTHING
    if times is not None and len(times):
        volume = series(documents_per_day(times, grid(times, N_POINTS)))
    return Findings(
        title=title,
        source=source,
        volume=volume,
        changed_words=[],
        n_words_tested=0,
        n_words_changed=0,
        false_discovery_rate=0.0,
        bandwidth_days=0.0,
        drift=DriftSpeed(_NOTHING, [], 0.0, []),
        periods=[],
        small=describe_small_stream(corpus, n_documents, fewest),
        dates=dates,
        text=text,
        version=driftline.__version__,
    )


def too_small(corpus: Corpus, fewest: int) -> bool:
    """Whether nothing can be claimed about change: too few documents, or hardly any time between them."""
    return len(corpus) < fewest or len(np.unique(corpus.times)) < FEWEST_TIMES


def describe_small_stream(corpus: Corpus | None, n_documents: int, fewest: int) -> SmallStream:
    """Return the most frequent words, and documents spread over the stream.

    >>> corpus = Corpus.from_texts(["rain again", "rain and snow", "rain"], ["2024-01-01", "2024-01-02", "2024-01-03"])
    >>> describe_small_stream(corpus, 3, 200).words[0]
    FrequentWord(word='rain', n_documents=3)
    """
    if corpus is None:
        return SmallStream(n_documents, fewest)
    holding = np.bincount(corpus.counts.indices, minlength=corpus.counts.shape[1])
    order = np.argsort(-holding, kind="stable")[:_MOST_WORDS]
    if holding.max(initial=0) > 1:
        order = order[holding[order] > 1]  # words of one document each are in no order of frequency
    words = np.asarray(corpus.vocabulary.words)
    spread = np.unique(np.linspace(0, len(corpus) - 1, _MOST_EXAMPLES).round().astype(np.int64))
    return SmallStream(
        n_documents=n_documents,
        fewest=fewest,
        n_times=len(np.unique(corpus.times)),
        words=[FrequentWord(str(words[column]), int(holding[column])) for column in order],
        examples=examples_of(corpus, spread, n=_MOST_EXAMPLES),
    )

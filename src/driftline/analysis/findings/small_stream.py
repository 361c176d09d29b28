"""A stream that is too small for claims about change: only its volume, frequent words and some documents are shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from driftline.analysis.examples import examples_of
from driftline.analysis.finding import Finding, nothing
from driftline.analysis.shown_evidence import Example
from driftline.streams.corpus import Corpus

if TYPE_CHECKING:
    from driftline.analysis.context import Context

FEWEST_DOCUMENTS = 200
"""Minimum number of documents for any claim about change; with fewer, the tests have almost no power."""
FEWEST_TIMES = 3
"""Minimum number of distinct times for a change over time."""
_MOST_WORDS = 30
_MOST_EXAMPLES = 10


@dataclass(frozen=True)
class FrequentWord:
    """A word and the number of documents that contain it."""

    word: str
    n_documents: int


@dataclass(frozen=True)
class SmallStream:
    """A stream of fewer than `fewest` documents, or of fewer than three distinct times (`n_times`).

    No claim is made; words and documents are shown. `words` is empty if there was nothing to count.
    """

    n_documents: int
    fewest: int
    words: list[FrequentWord] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    n_times: int = 0


def too_small(corpus: Corpus, fewest: int) -> bool:
    """Whether no claim can be made about change: too few documents, or too few distinct times."""
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
        order = order[holding[order] > 1]  # words that are all in one document have no order of frequency
    words = np.asarray(corpus.vocabulary.words)
    spread = np.unique(np.linspace(0, len(corpus) - 1, _MOST_EXAMPLES).round().astype(np.int64))
    return SmallStream(
        n_documents=n_documents,
        fewest=fewest,
        n_times=len(np.unique(corpus.times)),
        words=[FrequentWord(str(words[column]), int(holding[column])) for column in order],
        examples=examples_of(corpus, spread, n=_MOST_EXAMPLES),
    )


def find(context: Context) -> SmallStream | None:
    """Describe a stream that is too small for claims; None for others."""
    if not context.is_small:
        return None
    corpus = None if context.counted is None else context.corpus
    n_documents = 0 if context.is_empty else len(context.part)
    return describe_small_stream(corpus, n_documents, context.options.fewest_documents)


SMALL = Finding("small", find, empty=nothing, position=250, always=True, since=11)

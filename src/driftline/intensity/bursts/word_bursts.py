"""Bursts of every word of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesCounts
from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Layout, Number, Table
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Ints, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import Duration
from driftline.engines.threads import map_in_threads
from driftline.intensity.bursts.burst_automaton import HIGHEST_LEVEL
from driftline.intensity.bursts.burst_table import burst_table
from driftline.text.vocabulary import WordList

WORDS_AT_A_TIME = 1_000
"""Number of words per task: large enough for a negligible overhead, small enough to occupy several threads."""
WIDTHS = (1.0, 1 / 24, 1 / 1440, 1 / 86_400)
"""Lengths of bins in days: the first of which the corpus spans `FEWEST_BINS` is chosen."""
FEWEST_BINS = 14


class WordBursts(TakesCounts, DriftEstimator):
    """Find the nested bursts of every word: the batched automaton, run over all columns of a corpus.

    Documents are put into bins of equal length; in each bin a word occurs in some of the documents. A word's burst is
    an interval in which its share is a power of `scaling` above its share in the whole corpus (`BurstAutomaton`, Eq.
    3). The result is exactly that of the automaton, but only the bins in which a word occurs are visited.

    Parameters
    ----------
    every : the length of a bin: a number, or for dates a duration such as ``"1d"``; "auto" is a day, an hour or a
        minute, the longest of which the corpus spans at least fourteen (otherwise a second), and a hundredth of the
        span for plain numbers. Bins of dates begin at midnight UTC, on the hour or on the minute.
    scaling, gamma, max_level : as in `BurstAutomaton`.
    min_documents : words in fewer documents are ignored.
    vocabulary : the words of the columns, for the table.
    n_jobs : threads; None for one, -1 for all cores. The result does not depend on it.

    Attributes
    ----------
    bursts_ : Arrow table with a row for each burst, in order of weight: word (if there is a vocabulary), column, start,
        end (the beginning of the bin after the last one), level, weight, n_documents (in the burst, with the word),
        parent (a row of the table).
    bin_width_ : the length of a bin on the time axis.
    bins_, totals_ : the start of each bin with documents, and its number of documents.

    >>> X = np.zeros((60, 2))
    >>> X[::6, 0] = 1
    >>> X[21:30, 1] = 1
    >>> found = WordBursts(every=5, vocabulary=["steady", "sudden"], min_documents=1).fit(X, times=range(60)).bursts_
    >>> found.select(["word", "start", "end", "level", "n_documents"]).slice(0, 1).to_pylist()
    [{'word': 'sudden', 'start': 20.0, 'end': 30.0, 'level': 1, 'n_documents': 9}]
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        "bin_width_": Number(least=0),
        "bins_": Array("bins", kind="any"),
        "totals_": Array("bins", kind="i", least=0),
        "bursts_": Table(("column", "start", "end", "level", "weight")),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "every": [Interval(Real, 0, None, closed="neither"), str, np.timedelta64],
        "scaling": [Interval(Real, 1, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "max_level": [Interval(Integral, 1, HIGHEST_LEVEL, closed="both"), None],
        "min_documents": [Interval(Integral, 1, None, closed="left")],
        "vocabulary": "no_validation",
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        every: Duration = "auto",
        scaling: float = 2.0,
        gamma: float = 1.0,
        max_level: int | None = None,
        min_documents: int = 5,
        vocabulary: WordList | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.every = every
        self.scaling = scaling
        self.gamma = gamma
        self.max_level = max_level
        self.min_documents = min_documents
        self.vocabulary = vocabulary
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: None = None, *, times: Times = None) -> WordBursts:
        """Find the bursts of every word; X contains counts, documents × words."""
        X = self._check_counts(X, reset=True)
        moments = self._check_times(times, X.shape[0], reset=True)
        words = _words(self.vocabulary, X.shape[1])
        self.bin_width_ = self._width(moments)
        number = np.floor(moments / self.bin_width_)
        bins, bin_of = np.unique(number, return_inverse=True)
        self.bins_ = self._time_axis.restore(bins * self.bin_width_)
        self.totals_ = np.bincount(bin_of, minlength=len(bins)).astype(np.int64)
        columns, relevant = _documents_by_bin(X, bin_of, len(bins), self.min_documents)
        n_batches = float(bins[-1] - bins[0] + 1)
        table, numbers = self._run(relevant, n_batches)
        self._keep(words, columns, bins, table, numbers)
        return self

    def _width(self, moments: Floats) -> float:
        if isinstance(self.every, str) and self.every == "auto":
            span = float(moments.max() - moments.min())
            if self.time_axis_kind_ == "datetime":
                return next((width for width in WIDTHS if span >= FEWEST_BINS * width), WIDTHS[-1])
            return span / 100 or 1.0
        width = self._time_axis.span(self.every)
        if not width > 0:
            raise InvalidInput(f"every={self.every!r} is not a duration; pass a positive one")
        return width

    def _run(self, relevant: sp.csc_matrix, n_batches: float) -> tuple[Ints, Floats]:
        starts = range(0, relevant.shape[1], WORDS_AT_A_TIME)
        totals = self.totals_.astype(np.float64)
        settings = (n_batches, float(self.scaling), float(self.gamma), self.max_level or HIGHEST_LEVEL)

        def chunk(begin: int) -> tuple[Ints, Floats]:
            ends = relevant.indptr[begin : begin + WORDS_AT_A_TIME + 1].astype(np.int64)
            inside = slice(ends[0], ends[-1])
            table, numbers = current_kernels().burst.word_bursts(
                ends - ends[0], relevant.indices[inside].astype(np.int64), relevant.data[inside], totals, *settings
            )
            table[0] += begin
            return table, numbers

        parts = map_in_threads(chunk, [(begin,) for begin in starts], n_jobs=self.n_jobs, progress="Bursts of words")
        tables, numbers, rows = [], [], 0
        for table, number in parts:
            table[4, table[4] >= 0] += rows
            rows += table.shape[1]
            tables.append(table)
            numbers.append(number)
        if not tables:
            return np.zeros((5, 0), dtype=np.int64), np.zeros((2, 0))
        return np.hstack(tables), np.hstack(numbers)

    def _keep(self, words: Sequence[str] | None, columns: Ints, bins: Floats, table: Ints, numbers: Floats) -> None:
        order = np.argsort(-numbers[0], kind="stable")
        row_of = np.full(len(order) + 1, -1)
        row_of[order] = np.arange(len(order))
        word, first, last, level, parent = table[:, order]
        column = columns[word] if len(word) else word
        before: dict[str, object] = {} if words is None else {"word": pa.array([words[c] for c in column], pa.string())}
        self.bursts_ = burst_table(
            self._time_axis,
            start=bins[first] * self.bin_width_,
            end=(bins[last] + 1) * self.bin_width_,
            level=level,
            weight=numbers[0, order],
            parent=row_of[parent],
            before={**before, "column": column},
            after={"n_documents": numbers[1, order].astype(np.int64)},
        )


def _words(vocabulary: WordList | None, n: int) -> list[str] | None:
    if vocabulary is None:
        return None
    words = [str(word) for word in vocabulary]
    if len(words) != n:
        raise InvalidInput(
            f"the vocabulary has {len(words)} words and the counts {n} columns; pass one word per column"
        )
    return words


def _documents_by_bin(X: Counts, bin_of: Ints, n_bins: int, min_documents: int) -> tuple[Ints, sp.csc_matrix]:
    """Return the columns in enough documents, and the documents of each bin that contain them: bins × columns, CSC."""
    present = sp.csr_matrix((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
    if X.nnz and not X.data.all():
        present.data[X.data == 0] = 0
        present.eliminate_zeros()
    frequency = np.bincount(present.indices, minlength=X.shape[1])
    columns = np.flatnonzero(frequency >= min_documents)
    gather = sp.csr_matrix((np.ones(len(bin_of)), (bin_of, np.arange(len(bin_of)))), shape=(n_bins, len(bin_of)))
    relevant = (gather @ present).tocsc()[:, columns]  # cheaper here: there are fewer bins than documents
    relevant.sort_indices()
    return columns, relevant

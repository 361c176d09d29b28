"""Leave-one-document-out likelihood of a local model, for any bandwidth and strength, in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.progress import track
from driftline.local.background_prior import Prior
from driftline.local.history import History
from driftline.smoothing.kernels import Kernel

MAX_ENTRIES = 400_000
"""Maximum number of (document, word) pairs scored, of evenly spread documents. Estimates use all pairs."""

MAX_PER_WORD = 2000
"""Maximum number of documents scored per word, evenly spread over those that contain it."""


class Local(NamedTuple):
    """Weighted counts and tokens around each scored entry, the entry's own document still included."""

    counts: Floats
    tokens: Floats


class LeaveOneOut:
    """Scores every word of a document under the model of all other documents.

    A document's own counts are subtracted from the sums at its time; with a past-only kernel they are not included (and
    neither are later documents, also in the background). By default evenly spread documents are scored; with
    ``by_word``, evenly spread entries of every word, for evaluating words separately.
    """

    def __init__(
        self, history: History, kernel: Kernel, *, by_word: bool = False, max_entries: int | None = None
    ) -> None:
        self.history = history
        self.kernel = kernel
        self.n_words = history.counts.shape[1]
        if by_word:
            entries = _spread_over_words(history, max_entries or MAX_PER_WORD)
        else:
            entries = _spread_over_documents(history, max_entries or MAX_ENTRIES)
        self.word = history.entry_word[entries]
        asked, self.position = np.unique(history.entry_position[entries], return_inverse=True)
        self._asked_indptr = np.searchsorted(asked, history.counts.indptr)
        self._asked_times = history.times[history.counts.indices[asked]]
        self.count = history.entry_count[entries]
        self.document = history.entry_document[entries]
        self.time = history.document_time[self.document]
        includes_own = kernel.side == "both"
        self.own_tokens = history.document_tokens * includes_own
        self._own = self.count * includes_own
        self._total = self._sums(np.inf)
        self._total_tokens = history.token_sums(history.times, kernel, np.inf)[self.time]

    @property
    def n_tokens(self) -> float:
        """The number of scored words."""
        return float(self.count.sum())

    def local(self, bandwidth: float) -> Local:
        """Return the weighted sums around every entry; they are valid for any prior."""
        tokens = self.history.token_sums(self.history.times, self.kernel, bandwidth)[self.time]
        return Local(self._sums(bandwidth), tokens)

    def scores(self, bandwidth: float, prior: Prior, strengths: Floats) -> Floats:
        """Return the log-likelihood of all scored words, for every strength of the prior."""
        around = self.local(bandwidth)
        found: Floats = current_kernels().leave_one_out.scores(
            around.counts,
            around.tokens,
            self._total,
            self._total_tokens,
            self._own,
            self.own_tokens[self.document],
            self.count,
            self.n_words,
            prior.small_count,
            prior.code,
            np.asarray(strengths, dtype=np.float64),
        )
        return found

    def probabilities(self, around: Local, prior: Prior, entries: Ints | slice = slice(None)) -> Floats:
        """Return the probability of every scored entry, or of some of them."""
        found: Floats = current_kernels().leave_one_out.probabilities(
            around.counts[entries],
            around.tokens[entries],
            self._total[entries],
            self._total_tokens[entries],
            self._own[entries],
            self.own_tokens[self.document[entries]],
            self.n_words,
            prior.small_count,
            prior.code,
            prior.strength,
        )
        return found

    def table(self, bandwidths: Floats, prior: Prior, strengths: Floats, *, verbose: bool | int = False) -> Floats:
        """Return the log-likelihood per word: bandwidths × strengths."""
        rows = [self.scores(float(h), prior, strengths) for h in track(bandwidths, "bandwidths", verbose=verbose)]
        return np.array(rows) / max(self.n_tokens, 1.0)

    def _sums(self, bandwidth: float) -> Floats:
        return self.history.pair_sums(self._asked_indptr, self._asked_times, self.kernel, bandwidth)[self.position]


def _spread_over_documents(history: History, most: int) -> Ints:
    n_entries, n_documents = len(history.entry_count), len(history.document_tokens)
    if n_entries <= most:
        return np.arange(n_entries)
    kept = np.zeros(n_documents, dtype=np.bool_)
    kept[np.linspace(0, n_documents - 1, max(1, int(n_documents * most / n_entries))).astype(np.int64)] = True
    return np.flatnonzero(kept[history.entry_document])


def _spread_over_words(history: History, most: int) -> Ints:
    ends = np.searchsorted(history.entry_word, np.arange(history.counts.shape[1] + 1))
    each = np.diff(ends)
    place = np.arange(len(history.entry_count)) - np.repeat(ends[:-1], each)
    step = np.repeat(-(-each // most), each)
    return np.flatnonzero(place % np.maximum(step, 1) == 0)

"""Leave-one-document-out likelihood of a local model, for any bandwidth and strength, in closed form."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.compute.cpu import leave_one_out as compiled
from driftline.core.arrays import Floats
from driftline.core.progress import track
from driftline.local.history import History
from driftline.local.prior import Prior
from driftline.smoothing.kernels import Kernel

MAX_ENTRIES = 400_000
"""Beyond this many (document, word) pairs, evenly spread documents stand for all; estimates still use every one."""


class Local(NamedTuple):
    """Weighted counts and tokens around each scored entry, the entry's own document still included."""

    counts: Floats
    tokens: Floats


class LeaveOneOut:
    """Scores every word of a document under the model of all other documents.

    A document's own counts are subtracted from the sums at its time; with a past-only kernel they are not in them
    (and neither is anything later, in the background too).
    """

    def __init__(self, history: History, kernel: Kernel, *, max_entries: int | None = MAX_ENTRIES) -> None:
        self.history = history
        self.kernel = kernel
        self.n_words = history.counts.shape[1]
        n_documents = len(history.document_tokens)
        if max_entries is not None and len(history.entry_count) > max_entries:
            n_kept = max(1, int(n_documents * max_entries / len(history.entry_count)))
            kept = np.zeros(n_documents, dtype=np.bool_)
            kept[np.linspace(0, n_documents - 1, n_kept).astype(np.int64)] = True
            entries: Any = np.flatnonzero(kept[history.entry_document])
        else:
            entries = slice(None)
        self.position = history.entry_position[entries]
        self.count = history.entry_count[entries]
        self.document = history.entry_document[entries]
        self.time = history.document_time[self.document]
        includes_own = kernel.side == "both"
        self.own_tokens = history.document_tokens * includes_own
        self._own = self.count * includes_own
        self._total = history.sums_at_own_times(kernel, np.inf)[self.position]
        self._total_tokens = history.token_sums(history.times, kernel, np.inf)[self.time]

    @property
    def n_tokens(self) -> float:
        """How many words are scored."""
        return float(self.count.sum())

    def local(self, bandwidth: float) -> Local:
        """Return the weighted sums around every entry; they serve for any prior."""
        sums = self.history.sums_at_own_times(self.kernel, bandwidth)[self.position]
        tokens = self.history.token_sums(self.history.times, self.kernel, bandwidth)[self.time]
        return Local(sums, tokens)

    def scores(self, bandwidth: float, prior: Prior, strengths: Floats) -> Floats:
        """Return the log-likelihood of all scored words, for every strength of the prior."""
        around = self.local(bandwidth)
        return compiled.scores(
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

    def probabilities(self, around: Local, prior: Prior, entries: Any = slice(None)) -> Floats:
        """Return the probability of every scored entry, or of some of them."""
        return compiled.probabilities(
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

    def table(self, bandwidths: Floats, prior: Prior, strengths: Floats, *, verbose: bool | int = False) -> Floats:
        """Return the log-likelihood per word: bandwidths × strengths."""
        rows = [self.scores(float(h), prior, strengths) for h in track(bandwidths, "bandwidths", verbose=verbose)]
        return np.array(rows) / max(self.n_tokens, 1.0)

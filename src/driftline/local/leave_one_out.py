"""Leave-one-document-out likelihood of a local model, for any bandwidth and strength, in closed form."""

from __future__ import annotations

import numpy as np

from driftline.compute.cpu import leave_one_out as compiled
from driftline.core.arrays import Floats
from driftline.core.progress import track
from driftline.local.history import History
from driftline.local.prior import Prior
from driftline.smoothing.kernels import Kernel

MAX_ENTRIES = 400_000
"""Beyond this many (document, word) pairs, evenly spread documents stand for all; estimates still use every one."""


class LeaveOneOut:
    """Scores every word of a document under the model of all other documents.

    A document's own counts are subtracted from the sums at its time; with a past-only kernel they are not in them
    (and neither is anything later, in the background too).
    """

    def __init__(self, history: History, kernel: Kernel, prior: Prior, *, max_entries: int = MAX_ENTRIES) -> None:
        self.history = history
        self.kernel = kernel
        self.prior = prior
        self.n_words = history.counts.shape[1]
        n_documents = len(history.document_tokens)
        if len(history.entry_count) > max_entries:
            n_kept = max(1, int(n_documents * max_entries / len(history.entry_count)))
            kept = np.zeros(n_documents, dtype=np.bool_)
            kept[np.linspace(0, n_documents - 1, n_kept).astype(np.int64)] = True
            self.entries = np.flatnonzero(kept[history.entry_document])
        else:
            self.entries = np.arange(len(history.entry_count))
        self.position = history.entry_position[self.entries]
        self.count = history.entry_count[self.entries]
        document = history.entry_document[self.entries]
        self.time = history.document_time[document]
        includes_own = kernel.side == "both"
        self._own = self.count if includes_own else np.zeros_like(self.count)
        self._own_tokens = history.document_tokens[document] if includes_own else np.zeros_like(self.count)
        self._total = history.sums_at_own_times(kernel, np.inf)[self.position]
        self._total_tokens = history.token_sums(history.times, kernel, np.inf)[self.time]

    @property
    def n_tokens(self) -> float:
        """How many words are scored."""
        return float(self.count.sum())

    def scores(self, bandwidth: float, strengths: Floats) -> Floats:
        """Return the log-likelihood of all scored words, for every strength."""
        local, local_tokens = self._local(bandwidth)
        return compiled.scores(
            local,
            local_tokens,
            self._total,
            self._total_tokens,
            self._own,
            self._own_tokens,
            self.count,
            self.n_words,
            self.prior.small_count,
            self.prior.code,
            np.asarray(strengths, dtype=np.float64),
        )

    def probabilities(self, bandwidth: float, strength: float) -> Floats:
        """Return the probability of every scored entry."""
        local, local_tokens = self._local(bandwidth)
        return compiled.probabilities(
            local,
            local_tokens,
            self._total,
            self._total_tokens,
            self._own,
            self._own_tokens,
            self.n_words,
            self.prior.small_count,
            self.prior.code,
            float(strength),
        )

    def table(self, bandwidths: Floats, strengths: Floats, *, verbose: bool | int = False) -> Floats:
        """Return the log-likelihood per word: bandwidths × strengths."""
        rows = [self.scores(float(h), strengths) for h in track(bandwidths, "bandwidths", verbose=verbose)]
        return np.array(rows) / max(self.n_tokens, 1.0)

    def _local(self, bandwidth: float) -> tuple[Floats, Floats]:
        sums = self.history.sums_at_own_times(self.kernel, bandwidth)[self.position]
        tokens = self.history.token_sums(self.history.times, self.kernel, bandwidth)[self.time]
        return sums, tokens

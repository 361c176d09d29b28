"""Combinations of local models: one, by time, by word, or mixed."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from driftline.base.state_layout import Array, Text, Together
from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import ModelFileError
from driftline.local.background_prior import Prior
from driftline.local.history import History
from driftline.smoothing.kernels import Kernel

INSTANT = float(np.finfo(np.float64).tiny)
"""Bandwidth of the per-time limit, in which only data of the same time contribute."""

Rule = Literal["one", "times", "words", "mixture"]


class Components(NamedTuple):
    """Bandwidths with their strengths of smoothing, and the rule of combination.

    "one": the only one. "times": ``answering[i]`` is the component for the time ``knots[i]``. "words": ``answering[w]``
    is that for word w, and the results are normalised. "mixture": all of them, with `weights`. A bandwidth of zero is
    the per-time limit.
    """

    rule: Rule
    bandwidths: Floats
    strengths: Floats
    weights: Floats
    knots: Floats
    answering: Ints

    @classmethod
    def one(cls, bandwidth: float, strength: float) -> Components:
        """Return a single component."""
        none = np.empty(0)
        return cls("one", np.array([bandwidth]), np.array([strength]), np.ones(1), none, none.astype(np.int64))

    def at(self, when: Floats) -> Ints:
        """Return the component for each time: that of the nearest knot."""
        if self.rule != "times":
            return np.zeros(len(when), dtype=np.int64)
        between = (self.knots[1:] + self.knots[:-1]) / 2
        return self.answering[np.searchsorted(between, when)]


COMPONENTS = Together(
    {
        "rule": Text(get_args(Rule)),
        "bandwidths": Array("components", least=0, finite=False),
        "strengths": Array("components", least=0),
        "weights": Array("components", least=0),
        "knots": Array("knots", ordered=True),
        "answering": Array("answering", kind="i", below="components"),
    }
)
"""Layout of `Components` in a saved model."""


def check_answering(components: Components, n_words: int) -> None:
    """Refuse components that do not cover every time or word of their rule."""
    expected = {"times": len(components.knots), "words": n_words}.get(components.rule, 0)
    if len(components.answering) != expected or (components.rule == "times" and not expected):
        raise ModelFileError(
            f"there are {len(components.answering)} answering components instead of {expected}; the model is damaged"
        )


class ComponentModel:
    """The word distribution at any time, from a history and the components selected on it."""

    def __init__(self, history: History, kernel: Kernel, prior: Prior, components: Components) -> None:
        self.history = history
        self.kernel = kernel
        self.prior = prior
        self.components = components
        self.n_words = history.counts.shape[1]

    def probabilities(self, when: Floats) -> tuple[Floats, Bools]:
        """Return the distribution at every time, and whether there is data near it."""
        chosen = self.components
        totals, total_tokens = self._totals(when, self.history)
        background = self.prior.background(totals, total_tokens, self.n_words)
        result = np.zeros((len(when), self.n_words))
        supported = np.zeros(len(when), dtype=np.bool_)
        component = chosen.at(when)
        for j in range(len(chosen.bandwidths)):
            rows = np.flatnonzero(component == j) if chosen.rule == "times" else np.arange(len(when))
            words = np.flatnonzero(chosen.answering == j) if chosen.rule == "words" else np.arange(self.n_words)
            if not len(rows) or not len(words):
                continue
            local, tokens = self._local(when[rows], self.history, j, words if chosen.rule == "words" else None)
            shared = len(background) == 1
            part = self._prior(j).smooth(
                local,
                tokens,
                background[:, words] if shared else background[np.ix_(rows, words)],
                total_tokens if shared else total_tokens[rows],
                self.n_words,
            )
            weight = chosen.weights[j] if chosen.rule == "mixture" else 1.0
            result[np.ix_(rows, words)] += weight * part
            supported[rows] |= tokens > 0
        if chosen.rule == "words":
            result /= result.sum(axis=1, keepdims=True)
        return result, supported

    def supported(self, when: Floats) -> Bools:
        """Return for every time whether there is data near it."""
        chosen = self.components.at(when)
        found = np.zeros(len(when), dtype=np.bool_)
        for j in range(len(self.components.bandwidths)):
            near = self.history.token_sums(*self._asked(when, j)) > 0
            found |= near & (chosen == j) if self.components.rule == "times" else near
        return found

    def pair_probabilities(self, indptr: Ints, at: Floats, row: Ints) -> tuple[Floats, Bools]:
        """Return the probability of each (word, document) pair, and for each document whether there is data near it.

        Pairs are in CSC order: word w occurs in the documents ``row[indptr[w] : indptr[w + 1]]``, in order of their
        times ``at``.
        """
        chosen = self.components
        history = self.history
        word = np.repeat(np.arange(self.n_words), np.diff(indptr))
        total = history.pair_sums(indptr, at[row], self.kernel, np.inf)
        total_tokens = history.token_sums(at, self.kernel, np.inf)
        nothing = np.zeros(len(row))
        result = np.zeros(len(row))
        supported = np.zeros(len(at), dtype=np.bool_)
        component = chosen.at(at)
        for j in range(len(chosen.bandwidths)):
            asked, kernel, width = self._asked(at, j)
            tokens = history.token_sums(asked, kernel, width)
            local = history.pair_sums(indptr, asked[row], kernel, width)
            prior = self._prior(j)
            part = current_kernels().leave_one_out.probabilities(
                local,
                tokens[row],
                total,
                total_tokens[row],
                nothing,
                nothing,
                self.n_words,
                prior.small_count,
                prior.code,
                prior.strength,
            )
            if chosen.rule == "times":
                mine = component == j
                result[mine[row]] = part[mine[row]]
                supported[mine] = tokens[mine] > 0
            elif chosen.rule == "words":
                mine = chosen.answering[word] == j
                result[mine] = part[mine]
                supported |= tokens > 0
            else:
                result += part * (chosen.weights[j] if chosen.rule == "mixture" else 1.0)
                supported |= tokens > 0
        if chosen.rule == "words":
            result /= self._word_mass(at)[row]
        return result, supported

    def _prior(self, j: int) -> Prior:
        return self.prior._replace(strength=float(self.components.strengths[j]))

    def _asked(self, when: Floats, j: int) -> tuple[Floats, Kernel, float]:
        """Return times, kernel and width for evaluation; the per-time limit uses one instant (the last one before)."""
        width = float(self.components.bandwidths[j])
        return asked_at(self.history, self.kernel, when, width)

    def _local(self, when: Floats, history: History, j: int, words: Ints | None = None) -> tuple[Floats, Floats]:
        asked, kernel, width = self._asked(when, j)
        return history.word_sums(asked, kernel, width, words), history.token_sums(asked, kernel, width)

    def _totals(self, when: Floats, history: History) -> tuple[Floats, Floats]:
        """Return the total count of each word and of all words, for past-only kernels up to each time."""
        if self.kernel.side == "both":
            return history.word_totals.reshape(1, -1), np.full(1, history.total_tokens)
        return history.word_sums(when, self.kernel, np.inf), history.token_sums(when, self.kernel, np.inf)

    def _word_mass(self, when: Floats) -> Floats:
        """Return the sum of all words' values before normalising; the words of each component count as one."""
        chosen = self.components
        n_groups = len(chosen.bandwidths)
        grouped = self.history.gathered(chosen.answering, n_groups)
        sizes = np.bincount(chosen.answering, minlength=n_groups)
        totals, total_tokens = self._totals(when, grouped)
        mass = np.zeros(len(when))
        for j in np.flatnonzero(sizes).tolist():
            local, tokens = self._local(when, grouped, j, np.array([j]))
            prior = self._prior(j)
            slope, constant, share = prior.linear(tokens, np.broadcast_to(total_tokens, tokens.shape), self.n_words)
            background = np.where(
                total_tokens > 0,
                (totals[:, j] + prior.small_count * sizes[j])
                / np.maximum(total_tokens + prior.small_count * self.n_words, 1e-300),
                sizes[j] / self.n_words,
            )
            mass += slope * local[:, 0] + constant * sizes[j] + share * background
        return mass


def asked_at(history: History, kernel: Kernel, when: Floats, bandwidth: float) -> tuple[Floats, Kernel, float]:
    """Return times, kernel and width for evaluation: unchanged, or an instant for the per-time limit.

    Past-only, that instant is the last time before.
    """
    if bandwidth > 0:
        return when, kernel, bandwidth
    if kernel.side == "past":
        before = np.searchsorted(history.times, when, side="left") - 1
        when = np.where(before >= 0, history.times[np.maximum(before, 0)], -np.inf)
    return when, Kernel("uniform"), INSTANT


def left_out_at(history: History, kernel: Kernel, bandwidth: float) -> tuple[History, Kernel, float]:
    """Return history, kernel and width for leave-one-out; an instant for the per-time limit.

    With a past-only kernel, only the last time before is near, if times are numbered in order.
    """
    if bandwidth > 0:
        return history, kernel, bandwidth
    if kernel.side == "past":
        return history._replace(times=np.arange(len(history.times), dtype=np.float64)), Kernel("uniform", "past"), 1.5
    return history, Kernel("uniform"), INSTANT

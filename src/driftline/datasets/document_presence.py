r"""The exact probability that a simulated document contains a word.

A document uses slot :math:`j` :math:`m_j` times. The first value is drawn once, and each use repeats it with
probability :math:`r` or draws again, so a word that fills the slot with probability :math:`p` is absent with
probability

.. math:: p\,[(1-r)(1-p)]^m + (1-p)\,[r + (1-r)(1-p)]^m, \qquad m \ge 1.

Slots are independent, and a fixed word is present whenever its sentence is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats
from driftline.datasets.grammar import Grammar, words_of

Plan = tuple[float, tuple[int, ...]]
"""A probability, and the sentences that a document then has."""


def document_shares(grammar: Grammar, plans: Sequence[Plan], words: Sequence[str], days: Floats) -> Floats:
    """Return the probability that a document of each day contains each word: days × words."""
    probability = np.array([share for share, _ in plans])
    lengths = [len(sentences) for _, sentences in plans]
    chosen = np.array([sentence for _, sentences in plans for sentence in sentences], dtype=np.int64)
    plan = np.repeat(np.arange(len(plans)), lengths)
    shape = (len(plans), len(grammar.sentences))
    held = sp.csr_array((np.ones(len(chosen)), (plan, chosen)), shape=shape)
    result = np.empty((len(days), len(words)))
    for column, word in enumerate(words):
        result[:, column] = _share(grammar, held, probability, word, days)
    return result


def _share(grammar: Grammar, held: sp.csr_array, probability: Floats, word: str, days: Floats) -> Floats:
    """Return the probability of one word; `held` contains the sentences of every plan, and how often each occurs."""
    fixed = np.array([float(word in sentence.fixed_words) for sentence in grammar.sentences])
    holding = {
        name: [value for value, text in enumerate(slot.values) if word in words_of(text)]
        for name, slot in grammar.slots.items()
    }
    names = [name for name, values in holding.items() if values]
    shares = [grammar.slots[name].probabilities(days, grammar.drift)[:, holding[name]].sum(axis=1) for name in names]
    places = np.array([[sentence.slots.count(name) for name in names] for sentence in grammar.sentences])
    free = np.flatnonzero(held @ fixed == 0)
    if not names:
        return np.full(len(days), 1.0 - probability[free].sum())
    kinds, kind = np.unique((held @ places)[free].astype(np.int64), axis=0, return_inverse=True)
    absent = np.zeros(len(days))
    for uses, weight in zip(kinds.tolist(), np.bincount(kind.ravel(), weights=probability[free])):
        gone = np.full(len(days), weight)
        for m, p in zip(uses, shares):
            gone *= _absence(m, p, grammar.repetition)
        absent += gone
    return 1.0 - absent


def _absence(m: int, p: Floats, repetition: float) -> Floats:
    if m == 0:
        return np.ones_like(p)
    fresh = (1 - repetition) * (1 - p)
    return p * fresh**m + (1 - p) * (repetition + fresh) ** m

"""Topics that appeared, disappeared, split or merged between the first half of the documents and the second."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Literal

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats, Ints
from driftline.topics import topic_lineage

ABSENT = 0.2
"""Ratio of a topic's shares in the two halves below which it counts as absent from the smaller."""
LEAST_WORDS = 50
NONZEROS_AT_A_TIME = 200_000


@dataclass(frozen=True)
class TopicChange:
    """A topic that appeared, disappeared, split or merged between the first half of the documents and the second.

    `earlier` and `later` are the words of the topics concerned, `overlap` the agreement of their words (1: complete),
    and `when` separates the halves. This is a convention, not a test: see `topic_lineage`.
    """

    kind: Literal["born", "died", "split", "merged"]
    earlier: list[list[str]]
    later: list[list[str]]
    overlap: float
    when: str


def describe_topic_changes(
    counts: Counts, components: Floats, shares: Floats, names: list[list[str]], *, when: str
) -> list[TopicChange]:
    """Return the changes of the topics between the first half of the documents and the second; `when` separates them.

    Two separate models of the halves would differ by chance alone; therefore one model of all documents gives the uses
    of each word by each topic in either half. A topic that is hardly used in a half counts as absent from it;
    `topic_lineage` compares the words of those that are present.

    >>> counts = sp.csr_matrix(np.repeat([[5, 0, 4], [0, 5, 4]], 20, axis=0))
    >>> topics = np.array([[0.9, 0.0, 0.1], [0.0, 0.9, 0.1], [0.0, 0.1, 0.9]])
    >>> shares = np.repeat([[0.5, 0.01, 0.49], [0.01, 0.5, 0.49]], 20, axis=0)
    >>> found = describe_topic_changes(counts, topics, shares, [["old"], ["new"], ["common"]], when="2024-01-01")
    >>> [(change.kind, change.earlier, change.later) for change in found]
    [('died', [['old']], []), ('born', [], [['new']])]
    """
    n = counts.shape[0]
    halves = [slice(0, n // 2), slice(n // 2, n)]
    uses = [_uses(counts[rows], components, shares[rows]) for rows in halves]
    rate = np.array([used.sum(axis=1) / max(used.sum(), 1e-12) for used in uses])
    often = (uses[0] + uses[1]).sum(axis=1) >= LEAST_WORDS
    present = [np.flatnonzero(often & (rate[i] >= ABSENT * rate[1 - i])) for i in range(2)]
    if not len(present[0]) or not len(present[1]):
        return []
    lineage = topic_lineage(*(_model(used, topics) for used, topics in zip(uses, present)))
    topic_of = {int(name): int(topic) for name, topic in zip(lineage.ids, present[1])}
    always = set(present[0].tolist()) & set(present[1].tolist())
    found = []
    for event in lineage.events:
        old, new = [int(present[0][i]) for i in event.old], [topic_of[i] for i in event.new]
        # A topic that is present in both halves neither appeared nor disappeared, however much its words changed
        if event.kind == "kept" or (event.kind in ("born", "died") and always.issuperset([*old, *new])):
            continue
        before, after = [names[topic] for topic in old], [names[topic] for topic in new]
        found.append(TopicChange(event.kind, before, after, float(f"{event.overlap:.4g}"), when))  # type: ignore[arg-type]
    return found


def _uses(counts: Counts, components: Floats, shares: Floats) -> Floats:
    """Return the number of uses of each word by each topic: a use is divided by p(topic | document, word)."""
    table = sp.csr_matrix(counts)
    total = np.zeros(components.shape)
    step = max(1, int(NONZEROS_AT_A_TIME / max(table.nnz / max(table.shape[0], 1), 1)))
    for first in range(0, table.shape[0], step):
        part, theta = table[first : first + step].tocoo(), shares[first : first + step]
        expected = np.einsum("ik,ki->i", theta[part.row], components[:, part.col])
        ratio = sp.csr_matrix((part.data / np.maximum(expected, 1e-300), (part.row, part.col)), shape=part.shape)
        total += components * (ratio.T @ theta).T
    return total


def _model(used: Floats, topics: Ints) -> SimpleNamespace:
    chosen = used[topics]
    return SimpleNamespace(components_=chosen / np.maximum(chosen.sum(axis=1, keepdims=True), 1e-300))

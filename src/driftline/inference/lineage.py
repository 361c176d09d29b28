r"""Matching of topics between models, so that topics keep their identity from one to the next.

Topics are compared by their overlap :math:`o_{ij} = \sum_w \min(\phi^{old}_{iw}, \phi^{new}_{jw})`, one minus the total
variation. Pairs are matched one to one to maximise the sum of overlaps; a match above the threshold is the same topic.
A topic without a match but with a link (a weaker overlap) to a matched one is part of a split or a merger.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.fitted_models import FittedTopics
from driftline.core.pictures import Bars, Picture
from driftline.core.results import Columns, Result, columns_of, counted

KEPT, LINKED = 0.5, 0.3


class LineageEvent(NamedTuple):
    """An event of topics: `kind` is "kept", "born", "died", "split" or "merged"; topics are named by their ids."""

    kind: str
    old: tuple[int, ...]
    new: tuple[int, ...]
    overlap: float


class _LineageFields(NamedTuple):
    """The fields of `Lineage`."""

    ids: Ints
    events: tuple[LineageEvent, ...]
    overlap: Floats
    next_id: int


class Lineage(Result, _LineageFields):
    """The ids of the new model's topics, all events, all overlaps, and the next free id."""

    __slots__ = ()

    def of_kind(self, kind: str) -> tuple[LineageEvent, ...]:
        """Return the events of one kind."""
        return tuple(event for event in self.events if event.kind == kind)

    def _columns(self) -> Columns:
        return columns_of(self.events, LineageEvent)

    def _summary(self) -> str:
        kinds = Counter(event.kind for event in self.events)
        return f"{counted(len(self.ids), 'topic')}: {', '.join(f'{n:,} {kind}' for kind, n in kinds.items())}"

    def _picture(self) -> Picture:
        ends = [["+".join(map(str, ids)) or "·" for ids in (event.old, event.new)] for event in self.events]
        names = [f"{old} → {new} ({event.kind})" for (old, new), event in zip(ends, self.events)]
        return Bars(names, np.array([event.overlap for event in self.events]), "overlap")


def topic_lineage(
    old_model: FittedTopics,
    new_model: FittedTopics,
    *,
    previous: Lineage | None = None,
    kept: float = KEPT,
    linked: float = LINKED,
) -> Lineage:
    """Match the topics of a new model with the topics of the old one that they continue.

    Parameters
    ----------
    old_model, new_model : fitted topic models
        Words are compared by name if both have a vocabulary, otherwise by column; words that one of them lacks count as
        unused in it.
    previous : Lineage, optional
        The result of this function for the old model, so that ids continue. Without it, the old topics are 0, 1, 2, …
    kept : float
        Minimum overlap for a match to be the same topic.
    linked : float
        Minimum overlap for a topic to be a part of another.

    >>> from types import SimpleNamespace
    >>> old = SimpleNamespace(components_=np.array([[1.0, 0, 0], [0, 1.0, 0]]), vocabulary=["war", "sars", "tax"])
    >>> new = SimpleNamespace(components_=np.array([[0, 0, 1.0], [1.0, 0, 0]]), vocabulary=["war", "sars", "tax"])
    >>> lineage = topic_lineage(old, new)
    >>> lineage.ids, [(event.kind, event.old, event.new) for event in lineage.events]
    (array([2, 0]), [('kept', (0,), (0,)), ('died', (1,), ()), ('born', (), (2,))])
    """
    if not 0 <= linked <= kept <= 1:
        raise InvalidInput(f"0 ≤ linked ≤ kept ≤ 1 is needed, but linked is {linked} and kept {kept}")
    overlap = topic_overlaps(*_aligned(old_model, new_model))
    n_old, n_new = overlap.shape
    old_ids = np.arange(n_old) if previous is None else previous.ids
    if len(old_ids) != n_old:
        raise InvalidInput(f"the previous lineage is of {len(old_ids)} topics, but the old model has {n_old}")
    next_id = n_old if previous is None else previous.next_id
    rows, columns = linear_sum_assignment(-overlap)
    heir = {int(i): int(j) for i, j in zip(rows, columns) if overlap[i, j] >= kept}
    parent = {j: i for i, j in heir.items()}
    ids = np.full(n_new, -1, dtype=np.int64)
    for i, j in heir.items():
        ids[j] = old_ids[i]
    for j in range(n_new):
        if ids[j] < 0:
            ids[j], next_id = next_id, next_id + 1
    events = [LineageEvent("kept", (int(old_ids[i]),), (int(ids[j]),), float(overlap[i, j])) for i, j in heir.items()]
    split: set[int] = set()
    merged: set[int] = set()
    for i in range(n_old):
        parts = [j for j in range(n_new) if overlap[i, j] >= linked and (j not in parent or parent[j] == i)]
        if len(parts) > 1:
            split.update(j for j in parts if j not in parent)
            ends = tuple(int(ids[j]) for j in parts)
            events.append(LineageEvent("split", (int(old_ids[i]),), ends, float(overlap[i, parts].min())))
    for j in range(n_new):
        parts = [i for i in range(n_old) if overlap[i, j] >= linked and (i not in heir or heir[i] == j)]
        if len(parts) > 1:
            merged.update(i for i in parts if i not in heir)
            ends = tuple(int(old_ids[i]) for i in parts)
            events.append(LineageEvent("merged", ends, (int(ids[j]),), float(overlap[parts, j].min())))
    split_parents = {event.old[0] for event in events if event.kind == "split"}
    for i in range(n_old):
        if i not in heir and i not in merged and int(old_ids[i]) not in split_parents:
            best = float(overlap[i].max(initial=0.0))
            events.append(LineageEvent("died", (int(old_ids[i]),), (), best))
    merged_heirs = {event.new[0] for event in events if event.kind == "merged"}
    for j in range(n_new):
        if j not in parent and j not in split and int(ids[j]) not in merged_heirs:
            best = float(overlap[:, j].max(initial=0.0))
            events.append(LineageEvent("born", (), (int(ids[j]),), best))
    return Lineage(ids, tuple(events), overlap, next_id)


def _aligned(old_model: FittedTopics, new_model: FittedTopics) -> tuple[Floats, Floats]:
    """Return both models' topics over the same words."""
    old, new = np.asarray(old_model.components_), np.asarray(new_model.components_)
    old_words, new_words = getattr(old_model, "vocabulary", None), getattr(new_model, "vocabulary", None)
    if old_words is None or new_words is None:
        width = max(old.shape[1], new.shape[1])
        return _widened(old, np.arange(old.shape[1]), width), _widened(new, np.arange(new.shape[1]), width)
    places: dict[str, int] = {}
    columns = [
        np.array([places.setdefault(str(word), len(places)) for word in words], dtype=np.int64)
        for words in (old_words, new_words)
    ]
    if len(columns[0]) != old.shape[1] or len(columns[1]) != new.shape[1]:
        raise InvalidInput(
            "a model's vocabulary and topics have different numbers of words; set the complete vocabulary"
        )
    return _widened(old, columns[0], len(places)), _widened(new, columns[1], len(places))


def _widened(components: Floats, columns: Ints, width: int) -> Floats:
    result = np.zeros((components.shape[0], width))
    result[:, columns] = components
    return result


def topic_overlaps(old: Floats, new: Floats) -> Floats:
    """Return Σ_w min(φ_iw, φ_jw) for every pair of topics over the same words."""
    return np.array([np.minimum(row, new).sum(axis=1) for row in old])

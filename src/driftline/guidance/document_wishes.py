"""Wishes about documents as arrays: labels and links become priors, proportions become bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.core.results import counted
from driftline.guidance.document_ids import rows_of
from driftline.guidance.kept_topics import number_of
from driftline.guidance.wishes import LabelWish, LinkWish, ProportionWish
from driftline.inference.guide_arrays import NO_ROWS, Bounds, DocumentWishes, PlacedWish


def compile_documents(
    wishes: Sequence[tuple[int, LabelWish | LinkWish]], names: Sequence[str], n: int
) -> tuple[DocumentWishes, dict[int, PlacedWish]]:
    """Return additions to the documents' priors, certain topics and links, and the placement of every wish."""
    placed: dict[int, PlacedWish] = {}
    additions, known, links = sp.csr_array((n, len(names))), np.full(n, -1, dtype=np.int64), sp.csr_array((n, n))
    labelled = linked = False
    for i, wish in wishes:
        if isinstance(wish, LabelWish):
            k, notes, labelled = number_of(wish.topic, names), [], True
            rows = rows_of(wish.documents, None)
            inside = (rows >= 0) & (rows < n)
            if not inside.all():
                notes.append(f"{counted((~inside).sum(), 'unknown document')} left out")
            rows = np.unique(rows[inside])
            twice = rows[(known[rows] >= 0) & (known[rows] != k)]
            if len(twice):
                notes.append(
                    f"{counted(len(twice), 'document')} with another label as well, such as document {twice[0]}"
                )
            known[rows] = np.where(known[rows] >= 0, known[rows], k)
            data = np.full(len(rows), wish.strength)
            additions += sp.csr_array((data, (rows, np.full(len(rows), k))), shape=additions.shape)
            placed[i] = PlacedWish(k, NO_ROWS, rows, tuple(notes))
        else:
            matrix, rows, found = _links(wish, n)
            links, linked = links + matrix, True
            placed[i] = PlacedWish(-1, NO_ROWS, rows, tuple(found))
    wanted = DocumentWishes(additions if labelled else None, known if labelled else None, links if linked else None)
    return wanted, placed


def _links(wish: LinkWish, n: int) -> tuple[sp.csr_array, Ints, list[str]]:
    """Return links as rows that sum to the strength; self-links and unknown documents are counted and left out."""
    sources, targets = rows_of(wish.sources, None), rows_of(wish.targets, None)
    if len(wish.weights) and (not np.isfinite(wish.weights).all() or (wish.weights < 0).any()):
        raise InvalidInput("the weights of links must be finite and not negative")
    inside = (sources >= 0) & (sources < n) & (targets >= 0) & (targets < n)
    own = inside & (sources == targets)
    notes = []
    if not inside.all():
        notes.append(f"{counted((~inside).sum(), 'link')} to or from unknown documents left out")
    if own.any():
        notes.append(f"{counted(own.sum(), 'link')} of documents to themselves left out")
    use = inside & ~own & (wish.weights > 0)
    matrix = sp.csr_array((wish.weights[use], (sources[use], targets[use])), shape=(n, n))
    matrix.sum_duplicates()
    totals = np.asarray(matrix.sum(axis=1)).ravel()
    scale = np.divide(wish.strength, totals, out=np.zeros(n), where=totals > 0)
    return sp.csr_array(sp.diags_array(scale) @ matrix), np.flatnonzero(totals > 0), notes


def compile_bounds(
    wishes: Sequence[tuple[int, ProportionWish]], names: Sequence[str], n: int
) -> tuple[Bounds | None, dict[int, PlacedWish]]:
    """Return bounds of all topics in all sets of documents; raise an error if they are contradictory."""
    if not wishes:
        return None, {}
    _check_agreement([wish for _, wish in wishes], names)
    divisions: list[Ints] = []
    places: list[int] = []
    for _, wish in wishes:
        division = _division(wish, n)
        same = (place for place, other in enumerate(divisions) if np.array_equal(division, other))
        places.append(next(same, len(divisions)))
        if places[-1] == len(divisions):
            divisions.append(division)
    groups = np.unique(np.column_stack(divisions), axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    sizes = [int(division.max(initial=0)) + 1 for division in divisions]
    firsts = np.cumsum([0, *sizes[:-1]])
    low, high = np.zeros((sum(sizes), len(names))), np.ones((sum(sizes), len(names)))
    placed: dict[int, PlacedWish] = {}
    for (i, wish), place in zip(wishes, places):
        k, sets = number_of(wish.topic, names), firsts[place] + np.arange(sizes[place])
        low[sets, k], high[sets, k] = np.maximum(low[sets, k], wish.low), np.minimum(high[sets, k], wish.high)
        placed[i] = PlacedWish(k, NO_ROWS, sets, ())
    of_groups = None
    if len(divisions) > 1:
        of_groups = np.zeros((len(divisions), int(groups.max(initial=0)) + 1), dtype=np.int64)
        for row, (first, division) in enumerate(zip(firsts.tolist(), divisions)):
            of_groups[row, groups] = first + division
    return Bounds(low, high, groups, of_groups), placed


def _division(wish: ProportionWish, n: int) -> Ints:
    """Return the set of every document in which a proportion holds."""
    if wish.by is None:
        return np.zeros(n, dtype=np.int64)
    if isinstance(wish.by, str):
        raise InvalidInput(f"a proportion by {wish.by} needs times; call for_documents(times=…) first")
    if len(wish.by) != n:
        raise InvalidInput(f"a proportion is by {len(wish.by)} values, but there are {n} documents")
    found: Ints = np.unique(wish.by, return_inverse=True)[1].astype(np.int64)
    return found


def _check_agreement(wishes: Sequence[ProportionWish], names: Sequence[str]) -> None:
    """Refuse proportions that cannot all hold. What holds in every set holds in all documents: these decide."""
    low, high = np.zeros(len(names)), np.ones(len(names))
    for wish in wishes:
        k = number_of(wish.topic, names)
        low[k], high[k] = max(low[k], wish.low), min(high[k], wish.high)
        if low[k] > high[k]:
            raise InvalidInput(
                f"the proportions of {names[k]!r} cannot all hold: at least {low[k]:g} and at most {high[k]:g}"
            )
    bounded = ", ".join(dict.fromkeys(names[number_of(wish.topic, names)] for wish in wishes))
    if low.sum() > 1 + 1e-9:
        raise InvalidInput(f"the proportions of {bounded} cannot all hold: they sum to at least {low.sum():g}")
    if high.sum() < 1 - 1e-9:
        raise InvalidInput(f"the proportions of {bounded} cannot all hold: they sum to at most {high.sum():g}")

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
    """Return additions to the documents' priors, certain topics and links, and where every wish went."""
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
    """Return bounds of all topics in all groups; raise an error if they cannot all hold."""
    if not wishes:
        return None, {}
    divisions = [wish.by for _, wish in wishes if wish.by is not None]
    groups = np.zeros(n, dtype=np.int64)
    for by in divisions:
        if isinstance(by, str):
            raise InvalidInput(f"a proportion by {by} needs times; call for_documents(times=…) first")
        if len(by) != n:
            raise InvalidInput(f"a proportion is by {len(by)} values, but there are {n} documents")
        groups = np.unique(groups * (int(by.max(initial=0)) + 1) + by, return_inverse=True)[1].astype(np.int64)
    n_groups = int(groups.max(initial=0)) + 1
    low, high = np.zeros((n_groups, len(names))), np.ones((n_groups, len(names)))
    placed: dict[int, PlacedWish] = {}
    for i, wish in wishes:
        k = number_of(wish.topic, names)
        low[:, k], high[:, k] = np.maximum(low[:, k], wish.low), np.minimum(high[:, k], wish.high)
        if (low[:, k] > high[:, k]).any():
            raise InvalidInput(
                f"the proportions of {names[k]!r} cannot all hold: at least {low[:, k].max():g} and at "
                f"most {high[:, k].min():g}"
            )
        placed[i] = PlacedWish(k, NO_ROWS, NO_ROWS, ())
    bounded = ", ".join(dict.fromkeys(names[number_of(wish.topic, names)] for _, wish in wishes))
    if (low.sum(axis=1) > 1 + 1e-9).any():
        raise InvalidInput(
            f"the proportions of {bounded} cannot all hold: they sum to at least {low.sum(axis=1).max():g}"
        )
    if (high.sum(axis=1) < 1 - 1e-9).any():
        raise InvalidInput(
            f"the proportions of {bounded} cannot all hold: they sum to at most {high.sum(axis=1).min():g}"
        )
    return Bounds(low, high, groups), placed

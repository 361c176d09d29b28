r"""EM for topics that have a common view and a view per collection.

Word w of document d in collection c is drawn from

.. math:: \lambda_B\, p_B(w) + (1 - \lambda_B) \sum_k \pi_{dk} \bigl((1 - \rho_c)\, \phi_{kw}
          + \rho_c\, \phi^c_{kw}\bigr), \qquad \pi_{dk} = (1 - \kappa_c)\, \theta_{dk} + \kappa_c\, \theta^c_k
          \tag{1}

with the background :math:`p_B`, topics :math:`\phi` that all collections share, their views :math:`\phi^c` in a
collection, shares of documents :math:`\theta_d` and of collections :math:`\theta^c`. With
:math:`r_{dw} = c_{dw} (1 - \lambda_B) / p(w|d)`, all expected counts are products of the sparse matrix r with the
parameters; the views of a collection have a prior worth μ words drawn from the common view.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats, Ints
from driftline.inference.em import EM

_BLOCK = 200_000
"""Number of entries whose mixtures are computed together."""


class Collections(NamedTuple):
    """The problem: documents of each collection, the background, and the settings.

    `members` are the documents of each collection, `rows` their counts; a final collection without a view contains the
    documents that belong to none. `view` and `coverage` are ρ and κ, or None if they are learned.
    """

    members: tuple[Ints, ...]
    rows: tuple[Counts, ...]
    background: Floats
    n_topics: int
    background_weight: float
    view: float | None
    coverage: float | None
    smoothing: float
    prior: float
    has_rest: bool

    @classmethod
    def of(
        cls,
        X: Counts,
        codes: Ints,
        n_collections: int,
        n_topics: int,
        *,
        background_weight: float,
        view: float | None,
        coverage: float | None,
        smoothing: float,
        prior: float,
    ) -> Collections:
        """Return the problem for counts and the collection of each document, −1 for none."""
        members = [np.flatnonzero(codes == c) for c in range(n_collections)]
        has_rest = bool((codes < 0).any())
        if has_rest:
            members.append(np.flatnonzero(codes < 0))
        total = np.asarray(X.sum(axis=0)).ravel() + smoothing
        rows = tuple(sp.csr_array(X[rows]) for rows in members)
        background = total / total.sum()
        return cls(
            tuple(members), rows, background, n_topics, background_weight, view, coverage, smoothing, prior, has_rest
        )

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return sum(len(each) for each in self.members)


class Views(NamedTuple):
    """The parameters of (1): φ, φ^c, θ, θ^c, ρ and κ."""

    common: Floats
    own: Floats
    documents: Floats
    collections: Floats
    view: Floats
    coverage: Floats


def _begin(problem: Collections, rng: np.random.Generator) -> Views:
    n_words, n, K = len(problem.background), len(problem.members), problem.n_topics
    common = 0.5 * rng.dirichlet(np.ones(n_words), K) + 0.5 * problem.background
    view = np.full(n, 0.5 if problem.view is None else problem.view)
    coverage = np.full(n, 0.5 if problem.coverage is None else problem.coverage)
    if problem.has_rest:
        view[-1], coverage[-1] = 0.0, 0.0
    shares = np.full((problem.n_documents, K), 1 / K)
    return Views(common, np.repeat(common[None], n, axis=0), shares, np.full((n, K), 1 / K), view, coverage)


def _expect(views: Views, problem: Collections, rng: np.random.Generator) -> tuple[Views, float]:
    """Return the expected counts for every parameter, and the objective.

    The prior of the views is not part of the objective, because its centre, the common view, changes in every step.
    """
    counts = Views(*(np.zeros_like(each) for each in views))
    weight, objective = problem.background_weight, 0.0
    for c, (members, rows) in enumerate(zip(problem.members, problem.rows)):
        if not rows.nnz:
            continue
        view, coverage, theta = views.view[c], views.coverage[c], views.documents[members]
        words = (1 - view) * views.common + view * views.own[c]
        shares = (1 - coverage) * theta + coverage * views.collections[c]
        total = weight * problem.background[rows.indices] + (1 - weight) * _mixed(rows, shares, words)
        objective += float(rows.data @ np.log(total))
        ratio = sp.csr_array((rows.data * (1 - weight) / total, rows.indices, rows.indptr), shape=rows.shape)
        by_document, by_word = ratio @ words.T, (ratio.T @ shares).T
        counts.documents[members] = (1 - coverage) * theta * by_document
        counts.collections[c] = coverage * views.collections[c] * by_document.sum(axis=0)
        in_common = (1 - view) * views.common * by_word
        counts.common[:] += in_common
        counts.own[c] = view * views.own[c] * by_word
        counts.view[c] = _share(counts.own[c].sum(), in_common.sum())
        counts.coverage[c] = _share(counts.collections[c].sum(), counts.documents[members].sum())
    prior = problem.smoothing * np.log(views.common).sum()
    return counts, objective + float(prior)


def _maximise(counts: Views, before: Views, problem: Collections) -> Views:
    own = counts.own + problem.prior * before.common + problem.smoothing / len(problem.background)
    return Views(
        _normalised(counts.common + problem.smoothing),
        _normalised(own),
        _normalised(counts.documents),
        _normalised(counts.collections),
        counts.view if problem.view is None else before.view,
        counts.coverage if problem.coverage is None else before.coverage,
    )


def _mixed(rows: Counts, shares: Floats, words: Floats) -> Floats:
    """Return Σ_k π_dk p(w|k) of every entry."""
    document = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    columns = np.ascontiguousarray(words.T)
    found = np.empty(rows.nnz)
    for first in range(0, rows.nnz, _BLOCK):
        part = slice(first, first + _BLOCK)
        found[part] = np.einsum("ek,ek->e", shares[document[part]], columns[rows.indices[part]])
    return np.maximum(found, np.finfo(np.float64).tiny)


def _normalised(values: Floats) -> Floats:
    total = values.sum(axis=-1, keepdims=True)
    found: Floats = np.divide(values, total, out=np.full_like(values, 1 / values.shape[-1]), where=total > 0)
    return found


def _share(part: float, rest: float) -> float:
    return float(part / (part + rest)) if part + rest > 0 else 0.0


METHOD = EM(_begin, _expect, _maximise)
"""EM for (1)."""

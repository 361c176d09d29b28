"""Learning with a guide: priors of documents from labels and links, which follow the topics that are being learned."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats
from driftline.core.errors import InvalidInput
from driftline.engines.threads import Threads
from driftline.inference.document_completion import KnownTopics, document_shares
from driftline.inference.guide_arrays import Bounds, DocumentWishes, GuideArrays
from driftline.inference.own_priors import added_priors, divided_priors
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts
from driftline.topics.fitting import FitReport, FitWishes, learn_topics

LINK_ROUNDS = 2
"""How often the priors of linked documents are computed from the topics of the others."""
WITHOUT_LINKS, SHORTER = 2, 6
"""An epoch of how many is done before the links are used, and per round: together fewer than without links."""


def guided_priors(documents: DocumentWishes, shares: Floats) -> Any:
    """Return what the guide adds to the priors of documents for their shares, given those of all; None if nothing."""
    own = documents.additions if documents.plain is None else documents.plain
    linked = None if documents.links is None else sp.csr_array(documents.links @ shares)
    both = [part for part in (own, linked) if part is not None]
    return sum(both[1:], both[0]) if both else None


def bounded_shares(topics: KnownTopics, X: Counts, bounds: Bounds, multipliers: Floats, n_jobs: int | None) -> Floats:
    """Return the topic shares of every document's words if bounds act on them: each word's odds times e^−λ."""
    n, found = topics.n_topics, np.zeros((X.shape[0], topics.n_topics))
    different, number = np.unique(multipliers, axis=0, return_inverse=True)
    number = number.ravel()[bounds.groups]
    prior = topics.prior[:n].astype(np.float64)
    with Threads(n_jobs) as engine:
        for i, row in enumerate(different):
            rows, tilted = np.flatnonzero(number == i), topics.shares.copy()
            tilted[:, :n] *= np.exp(-row).astype(np.float32)
            some = Pairs.of(X[rows])
            lengths = np.asarray(X[rows].sum(axis=1), dtype=np.float64).reshape(-1, 1)
            shares = document_shares(topics._replace(shares=tilted), some, engine)
            words = shares * (lengths + prior.sum()) - prior  # without the prior
            found[rows] = np.divide(np.maximum(words, 0.0), lengths, out=np.zeros_like(words), where=lengths > 0)
    return found


def learn_guided(
    topics: TopicCounts,
    pairs: Pairs,
    rng: np.random.Generator,
    settings: Any,
    arrays: GuideArrays | None,
    document_prior: npt.ArrayLike | None,
    *,
    warm: bool,
) -> FitReport:
    """Fit topics in place, under a guide and priors of documents."""
    alpha, shared, given = topics.document_prior, topics.document_prior, None
    documents = DocumentWishes(None, None, None) if arrays is None else arrays.documents
    if document_prior is not None:
        shared, given = divided_priors(document_prior, pairs.n_documents, topics.n_topics)
    own = summed_priors(given, documents.additions, topics.n_topics)
    if (own is not None or documents.links is not None) and settings.learned_priors.document:
        raise InvalidInput("doc_topic_prior='learned' and priors of documents exclude each other; give one of them")
    topics.set_priors(shared, topics.beta)
    # A start that says something is not to be overwritten by large first steps.
    warm = warm or (arrays is not None and arrays.start is not None)
    wishes = FitWishes(own, None if arrays is None else arrays.bounds, warm)
    if documents.links is None:
        report = learn_topics(topics, pairs, rng, settings, wishes)
    else:
        report = _learn_linked(topics, pairs, rng, settings, wishes, documents.links)
    if own is not None or documents.links is not None:
        topics.set_priors(alpha, topics.beta)
    return report


def _learn_linked(
    topics: TopicCounts,
    pairs: Pairs,
    rng: np.random.Generator,
    settings: Any,
    wishes: FitWishes,
    links: sp.csr_array,
) -> FitReport:
    """Learn without links, then in rounds: α_d = α + Σ_j w_dj θ_j with the topics so far, and some epochs more."""
    first, brief = copy.copy(settings), copy.copy(settings)
    first.inference = brief.inference = "online" if settings.inference == "gibbs" else settings.inference
    first.max_epochs = max(1, settings.max_epochs // WITHOUT_LINKS)
    brief.max_epochs = max(1, settings.max_epochs // SHORTER)
    report = learn_topics(topics, pairs, rng, first, wishes)
    for number in range(LINK_ROUNDS):
        shares = _shares(topics, pairs, settings.n_jobs)
        linked = summed_priors(wishes.own, sp.csr_array(links @ shares), topics.n_topics)
        last = number == LINK_ROUNDS - 1
        again = wishes._replace(own=linked, warm=True)
        found = learn_topics(topics, pairs, rng, settings if last and settings.inference == "gibbs" else brief, again)
        report = found._replace(n_epochs=report.n_epochs + found.n_epochs)
    return report


def _shares(topics: TopicCounts, pairs: Pairs, n_jobs: int | None) -> Floats:
    topics.settle()
    k = topics.n_topics
    counts = np.maximum(topics.values[:, :k].astype(np.float64) + topics.beta, 0.0)
    with Threads(n_jobs) as engine:
        prior = current_kernels().lda_memory.pad_columns(topics.document_prior, topics.width)
        shares = current_kernels().lda_memory.pad_columns(counts / counts.sum(axis=0), topics.width)
        return document_shares(KnownTopics(shares, prior, k), pairs, engine)


def summed_priors(one: Pairs | None, other: sp.csr_array | None, n_topics: int) -> Pairs | None:
    """Return the sum of two additions to the priors."""
    if one is None or other is None:
        return one if other is None else added_priors(other)
    rows = sp.csr_array((one.counts.astype(np.float64), one.words, one.indptr), shape=(one.n_documents, n_topics))
    return added_priors(rows + other)

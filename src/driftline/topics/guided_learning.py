"""Learning with a guide: priors of documents from labels and links, recomputed as the topics are learned."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.engines.threads import Threads
from driftline.inference.document_completion import KnownTopics, document_shares
from driftline.inference.guide_arrays import DocumentWishes, GuideArrays
from driftline.inference.online_variational import Revision
from driftline.inference.own_priors import added_priors, divided_priors, rows_of_priors
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts
from driftline.topics.fitting import FitReport, FitWishes, Settings, learn_topics
from driftline.topics.lost_topics import WordsOfTopics, free_topics, lost_topics, restart

LINK_ROUNDS, LINK_PASSES = 2, 5
"""Number of times that the priors of linked documents are computed from the topics of the others, and number of passes
over a document for this: with more, the topics are the same (`benchmarks/guidance/links.py`)."""
WITHOUT_LINKS, SHORTER = 2, 6
"""Divisors of the number of epochs, before links are used and in each round; the sum is smaller than without links."""

AFTER_RESTART = 2
"""Number of epochs after a restart of lost topics: with more, they drift as before
(`benchmarks/guidance/lost_topics.py`)."""


def guided_priors(documents: DocumentWishes, shares: Floats) -> Any:
    """Return the guide's additions to the priors of documents, given the shares of all documents; None without any."""
    own = documents.additions if documents.plain is None else documents.plain
    linked = None if documents.links is None else sp.csr_array(documents.links @ shares)
    both = [part for part in (own, linked) if part is not None]
    return sum(both[1:], both[0]) if both else None


def learn_guided(
    topics: TopicCounts,
    pairs: Pairs,
    rng: np.random.Generator,
    settings: Settings,
    arrays: GuideArrays | None,
    document_prior: npt.ArrayLike | None,
    *,
    warm: bool,
    words: Mapping[int, Ints] | None = None,
) -> FitReport:
    """Fit topics in place, under a guide and priors of documents.

    `words` are the slots of the words that a guide gives to topics, by topic; topics that lose them start again.
    """
    alpha, shared, given = topics.document_prior, topics.document_prior, None
    documents = DocumentWishes(None, None, None) if arrays is None else arrays.documents
    if document_prior is not None:
        shared, given = divided_priors(document_prior, pairs.n_documents, topics.n_topics)
    own = summed_priors(given, documents.additions, topics.n_topics)
    if (own is not None or documents.links is not None) and settings.learned_priors.document:
        raise InvalidInput("doc_topic_prior='learned' and priors of documents exclude each other; give one of them")
    topics.set_priors(shared, topics.beta)
    # An informative start must not be overwritten by large first steps.
    warm = warm or (arrays is not None and arrays.start is not None)
    wishes = FitWishes(own, None if arrays is None else arrays.bounds, warm)
    held = WordsOfTopics(words or {}, () if arrays is None or arrays.start is None else free_topics(arrays))
    if documents.links is None:
        report = _learn_held(topics, pairs, rng, settings, wishes, held)
    else:
        report = _learn_linked(topics, pairs, rng, settings, wishes, documents.links, held)
    if own is not None or documents.links is not None:
        topics.set_priors(alpha, topics.beta)
    return report


def _learn_held(
    topics: TopicCounts,
    pairs: Pairs,
    rng: np.random.Generator,
    settings: Settings,
    wishes: FitWishes,
    held: WordsOfTopics,
) -> FitReport:
    """Learn, and restart topics that have lost the uses of their words: other topics then have them.

    If topics are learned online from complete documents, lost ones are restarted before the last epochs; otherwise
    after learning, which then continues for a few epochs.
    """
    watch = _Watch(pairs, held)
    if held.words and settings.max_epochs > AFTER_RESTART:
        wishes = wishes._replace(revision=Revision(settings.max_epochs - AFTER_RESTART, watch.restart_lost))
    report = learn_topics(topics, pairs, rng, settings, wishes)
    if (watch.done and settings.inference == "online") or not watch.restart_lost(topics):
        return report
    brief = copy.copy(settings)
    brief.max_epochs = min(settings.max_epochs, AFTER_RESTART)
    found = learn_topics(topics, pairs, rng, brief, wishes._replace(warm=True, revision=None))
    return found._replace(n_epochs=report.n_epochs + found.n_epochs)


class _Watch:
    """Restarts topics that have lost the uses of their words; `done` is whether the topics have been examined."""

    def __init__(self, pairs: Pairs, held: WordsOfTopics) -> None:
        self._pairs, self._held, self.done = pairs, held, False

    def restart_lost(self, topics: TopicCounts) -> bool:
        """Restart lost topics; return whether there were any."""
        self.done = True
        lost = lost_topics(topics, self._held)
        if lost:
            restart(topics, self._pairs, self._held, lost)
        return bool(lost)


def _learn_linked(
    topics: TopicCounts,
    pairs: Pairs,
    rng: np.random.Generator,
    settings: Settings,
    wishes: FitWishes,
    links: sp.csr_array,
    held: WordsOfTopics,
) -> FitReport:
    """Learn without links, then in rounds: α_d = α + Σ_j w_dj θ_j from the current topics, and a few more epochs."""
    first, brief = copy.copy(settings), copy.copy(settings)
    first.inference = brief.inference = "online" if settings.inference == "gibbs" else settings.inference
    first.max_epochs = max(1, settings.max_epochs // WITHOUT_LINKS)
    brief.max_epochs = max(1, settings.max_epochs // SHORTER)
    report = _learn_held(topics, pairs, rng, first, wishes, held)
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
        return document_shares(KnownTopics(shares, prior, k), pairs, engine, max_passes=LINK_PASSES)


def summed_priors(one: Pairs | None, other: sp.csr_array | None, n_topics: int) -> Pairs | None:
    """Return the sum of two additions to the priors."""
    if one is None or other is None:
        return one if other is None else added_priors(other)
    return added_priors(rows_of_priors(one, n_topics) + other)

"""The state of LDA: counts of words in topics by slot, with the prior counts of seeds and of a guide."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from driftline.base.topic_model import AdmixtureModel
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Ints, Matrix
from driftline.core.errors import InvalidInput
from driftline.guidance.compile import compile_guide
from driftline.guidance.guide import Guide
from driftline.guidance.heeded import HALF, Evidence, UnheededWishWarning, measured_documents, needs_documents
from driftline.guidance.kept_topics import present_topics
from driftline.guidance.word_wishes import UnknownWordsWarning
from driftline.inference.document_completion import KnownTopics
from driftline.inference.guide_arrays import NO_ROWS, GuideArrays
from driftline.inference.pairs import Pairs
from driftline.inference.projection import Multipliers
from driftline.inference.topic_counts import TopicCounts
from driftline.text.word_columns import word_at
from driftline.topics.guided import GuidedModel
from driftline.topics.guided_learning import guided_priors
from driftline.topics.priors import seed_counts
from driftline.topics.word_slots import NO_SLOT


class LdaState(GuidedModel, AdmixtureModel):
    """Base of `LDA`: its stored state, and the conversion of that state into topics."""

    seed_words: Mapping[int, Sequence[str | int]] | None
    seed_weight: float
    topic_word_prior_: float
    n_features_in_: int
    _slots_: Ints
    _word_topic_: np.ndarray

    @property
    def components_(self) -> Floats:  # type: ignore[override]
        """The share of every word in every topic, topics × words; rows sum to one."""
        counts = self._counts()
        counts += self.topic_word_prior_
        counts = self._word_rules().without_banned(counts, 0.0)
        found: Floats = (counts / counts.sum(axis=0)).T
        return found

    def _counts(self) -> Floats:
        """Return the counts of words × topics."""
        counts = np.zeros((self.n_features_in_, self.n_topics))
        placed = self._slots_ != NO_SLOT
        counts[placed] = self._word_topic_[self._slots_[placed], : self.n_topics]
        return counts

    @property
    def topic_counts_(self) -> Floats:
        """Expected counts of words in topics, topics × words, without any prior."""
        counts = self._counts()
        for column, extra in self._seeds(by_column=True).items():
            counts[column] = np.maximum(counts[column] - extra, 0.0)
        return counts.T

    def guided_shares(self, X: Matrix) -> Floats:
        """Return the topic shares of the documents of the fit, including the labels and links of the guide."""
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        said = np.asarray(X.sum(axis=0), dtype=np.float64).ravel()
        shares = self.transform(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnknownWordsWarning)
            present = present_topics(self)
            arrays = compile_guide(
                self.guide or Guide(), said, self.n_topics, vocabulary=self.vocabulary, X=X, present=present
            )
        priors = guided_priors(arrays.documents, np.asarray(shares))
        return shares if priors is None else self.transform(X, document_prior=self.doc_topic_prior_ + priors)

    def _evidence(self, X: Counts, arrays: GuideArrays, multipliers: Multipliers | None) -> Evidence:
        evidence = Evidence(self.topic_counts_.T, self.components_).with_bounds(multipliers)
        if self.guide is None or not needs_documents(self.guide):
            return evidence
        rows = measured_documents(self.guide, arrays, X.shape[0])
        if not len(rows):
            return evidence
        shares = np.zeros((X.shape[0], self.n_topics))
        shares[rows] = self.transform(X[rows])
        priors, guided = guided_priors(arrays.documents, shares), shares
        if priors is not None:
            own = self.doc_topic_prior_ + sp.csr_array(priors)[rows].toarray()
            guided = np.zeros_like(shares)
            guided[rows] = self.transform(X[rows], document_prior=own)
        return evidence._replace(shares=shares, guided=guided, lengths=np.asarray(X.sum(axis=1)).ravel())

    def _check_seeds(self) -> None:
        """Warn about seed words that are mostly used in other topics."""
        counts, odd = self.topic_counts_.T, []
        for column, extra in self._seeds(by_column=True).items():
            own, whole = counts[column, extra > 0].sum(), counts[column].sum()
            if own < HALF * whole:
                odd.append(f"{word_at(column, self.vocabulary)!r} ({own / whole:.0%} in topic {extra.argmax()})")
        if odd:
            warnings.warn(
                f"seed words that are mostly used in other topics than their own: {', '.join(odd)}; raise seed_weight, "
                f"or use a Guide",
                UnheededWishWarning,
                stacklevel=4,
            )

    def _placed(self, seeds: dict[int, Floats]) -> dict[int, Floats]:
        return {int(self._slots_[column]): extra for column, extra in seeds.items() if self._slots_[column] != NO_SLOT}

    def _words_of_topics(self, arrays: GuideArrays | None) -> dict[int, Ints]:
        """Return the slots of the words that the guide gives to topics, by topic."""
        found: dict[int, Ints] = {}
        for wish in () if arrays is None else arrays.placed:
            slots = self._slots_[wish.words]
            if wish.topic >= 0 and (slots != NO_SLOT).any():
                found[wish.topic] = np.union1d(found.get(wish.topic, NO_ROWS), slots[slots != NO_SLOT])
        return found

    def _seeds(self, *, by_column: bool = False, n_words: int | None = None) -> dict[int, Floats]:
        """Return the prior counts of the guide, or of `seed_words`, by slot or by column.

        `n_words` is given before the first fit, which warns of unknown words.
        """
        prior = self._word_prior()
        first, n_words = n_words is not None, self.n_features_in_ if n_words is None else n_words
        if prior is not None:
            if self.seed_words is not None:
                raise InvalidInput("give either seed_words or a guide; a guide's topics take weights: {'war': 200}")
            found = dict(zip(prior.words.tolist(), prior.counts))
        else:
            given = (self.seed_words, self.seed_weight, self.vocabulary, self.n_topics)
            found = seed_counts(*given, n_words, warn=first)
        return found if by_column else self._placed(found)

    def _topics(self) -> TopicCounts:
        priors = (self.doc_topic_prior_, self.topic_word_prior_)
        said = np.zeros(len(self._word_topic_))
        wishes = getattr(self, "_word_wishes_", None)
        if wishes is not None:
            placed = self._slots_ != NO_SLOT
            placed[len(wishes["said"]) :] = False
            said[self._slots_[placed]] = wishes["said"][placed[: len(wishes["said"])]]
        rules = self._word_rules().placed(self._slots_, said)
        return TopicCounts(self._word_topic_, self.n_topics, *priors, self._seeds(), rules=rules)

    def _keep(self, topics: TopicCounts) -> None:
        topics.settle()
        topics.map_groups()
        self._word_topic_ = np.maximum(topics.values, 0.0, out=topics.values)
        self.doc_topic_prior_, self.topic_word_prior_ = topics.document_prior, topics.beta

    def _known_topics(self) -> KnownTopics:
        """Return the topics in single precision, without computing `components_`."""
        shares = current_kernels().lda_memory.aligned(
            (self.n_features_in_, current_kernels().lda_memory.padded(self.n_topics))
        )
        placed = self._slots_ != NO_SLOT
        shares[placed, : self.n_topics] = self._word_topic_[self._slots_[placed], : self.n_topics]
        shares[:, : self.n_topics] += np.float32(self.topic_word_prior_)
        words, topics = self._word_rules().banned.T
        shares[words, topics] = 0.0
        shares[:, : self.n_topics] /= shares[:, : self.n_topics].sum(axis=0, dtype=np.float64).astype(np.float32)
        return KnownTopics(
            shares, current_kernels().lda_memory.pad_columns(self.doc_topic_prior_, shares.shape[1]), self.n_topics
        )

    def _slot_pairs(self, X: Counts) -> Pairs:
        """Return the pairs of documents × slots; words without a slot are ignored."""
        slots = self._slots_[X.indices]
        if (slots == NO_SLOT).any():
            X = X.copy()
            X.data[slots == NO_SLOT] = 0
            X.eliminate_zeros()
            slots = self._slots_[X.indices]
        return Pairs(X.indptr.astype(np.int64), slots.astype(np.int32), X.data.astype(np.float32))

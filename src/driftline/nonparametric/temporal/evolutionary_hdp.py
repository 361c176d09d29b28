r"""The evolutionary hierarchical Dirichlet process: topics over epochs of several corpora."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from driftline.base.sklearn_private import Constraints, fit_context, num_samples
from driftline.base.state_layout import Array, Layout, Number
from driftline.core.arrays import Floats, Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed
from driftline.core.times import Duration, Moment
from driftline.nonparametric.temporal.epoch_topic_model import EPOCH_CONSTRAINTS, EPOCH_STATE, LEARNED, EpochTopicModel
from driftline.text.vocabulary import WordList


class EvolutionaryHDP(EpochTopicModel):
    r"""Find topics shared by several corpora over time, with separate weights in every corpus and epoch.

    The model has one level more than `InfiniteDynamicTopics`: in every epoch, corpus g has the weights
    :math:`\pi_g \sim \mathrm{DP}(\gamma_c, \beta)` given its own decayed tables of earlier epochs, and its documents
    the shares :math:`\theta_d \sim \mathrm{DP}(\alpha_0, \pi_g)` (1) (after Zhang, Song, Zhang and Liu, 2010). With one
    corpus it is `InfiniteDynamicTopics`.

    Parameters
    ----------
    every : int or duration
        The number of epochs, or their length (a fraction, ``"7d"``), counted from zero.
    start : int, number of topics of online LDA from which the first epoch starts.
    timescale, word_timescale : float
        λ and κ in epochs, of tables and of words. Near zero, epochs are independent; infinity means no decay or drift.
    burn_in, n_samples : int, sweeps per epoch before the first sample, and the number of averaged samples.
    document_concentration, concentration, group_concentration : float or "learned"
        α₀, γ and γ_c; learned, the priors are Gamma(1, 1).
    topic_word_prior : float or "learned", η; smaller values give more topics.
    restructure : bool, merge and split topics during the burn-in, as in `HDP`; only with a single corpus.
    n_jobs : int, optional, number of threads for `transform` and scores.
    vocabulary, random_state, verbose : the words of the columns; the seed; show progress.

    Attributes
    ----------
    corpora_ : ndarray of shape (n_corpora,), the names of the corpora, in order.
    group_concentration_ : float, γ_c of the last sample.
    n_topics_, n_topics_99_ : list of SampledNumber
        For every epoch: median and 95 % interval, over samples, of the number of topics, and of the smallest number
        that covers 99 % of the tokens.
    n_topics_samples_ : ndarray of shape (n_epochs, n_samples, 3), both numbers, and that of topics with 1 % of the
        tokens.
    lifetimes_, history_, shares_ : each topic by id; births and ends per epoch; shares of tokens per epoch.
    topic_ids_, components_, doc_topic_prior_ : the topics of the last epoch: ids, words, and their prior in documents.
    document_concentration_, concentration_, topic_word_prior_ : float, α₀, γ and η in the last sample.
    trace_ : ndarray of shape (n_epochs, n_sweeps), the mean log-likelihood of a word given all others.

    Examples
    --------
    >>> words = ["war", "iraq", "sars", "virus"]
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 20, axis=0)
    >>> model = EvolutionaryHDP(every=1.0, start=4, topic_word_prior=0.1, random_state=0, vocabulary=words)
    >>> model = model.fit(X, times=np.tile([0.0, 1.0], 20), corpora=np.repeat(["army", "health"], 20))
    >>> weights = model.weights_at(1.0)
    >>> weights.shape[0], [model.top_words(1)[k][0] for k in weights.argmax(axis=1)]
    (2, ['war', 'sars'])
    """

    _state_layout: ClassVar[Layout | None] = {
        **EPOCH_STATE,
        "corpora_": Array("groups", kind="any"),
        "group_concentration_": Number(least=0),
    }
    _parameter_constraints: ClassVar[Constraints] = {**EPOCH_CONSTRAINTS, "group_concentration": LEARNED}

    def __init__(
        self,
        every: int | Duration = 10,
        start: int = 50,
        timescale: float = 2.0,
        word_timescale: float = 2.0,
        burn_in: int = 60,
        n_samples: int = 10,
        document_concentration: float | str = "learned",
        concentration: float | str = "learned",
        group_concentration: float | str = "learned",
        topic_word_prior: float | str = 0.02,
        restructure: bool = True,
        n_jobs: int | None = None,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            every,
            start,
            timescale,
            word_timescale,
            burn_in,
            n_samples,
            document_concentration,
            concentration,
            topic_word_prior,
            restructure,
            n_jobs,
            vocabulary,
            random_state,
            verbose,
        )
        self.group_concentration = group_concentration

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Matrix, y: Labels | None = None, *, times: Times = None, corpora: npt.ArrayLike | None = None
    ) -> EvolutionaryHDP:
        """Learn from documents × words counts, which must be integers, in any order; `y` is ignored.

        `corpora` contains the name of the corpus of every document; None means a single corpus.
        """
        names, groups = np.array([""]), None
        if corpora is not None:
            given = np.asarray(corpora)
            n = num_samples(X)
            if given.shape != (n,):
                raise InvalidInput(f"there are {n} documents and {given.size} corpora; pass one per document")
            names, groups = np.unique(given.astype(str), return_inverse=True)
        self.corpora_ = names
        self._fit_epochs(X, times, groups, len(names))
        return self

    def weights_at(self, time: Moment) -> Floats:
        """Return the weights of the topics of a time's epoch in every corpus, corpora × topics of `components_at`."""
        moment = self._check_times(np.atleast_1d(np.asarray(time)), 1, reset=False)
        prior = self._prior_[int(self._places(moment)[0])]
        return np.asarray(prior / prior.sum(axis=1, keepdims=True))

    def _group_prior(self) -> float | str:
        return self.group_concentration

    def _keep_group_concentration(self, value: float) -> None:
        self.group_concentration_ = value

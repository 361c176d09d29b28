r"""Infinite dynamic topics: a hierarchical Dirichlet process per epoch, whose topics persist, drift and end."""

from __future__ import annotations

from typing import ClassVar

from driftline.base.sklearn_private import Constraints, fit_context
from driftline.base.state_layout import Layout
from driftline.core.arrays import Labels, Matrix, Times
from driftline.nonparametric.temporal.epoch_topic_model import EPOCH_CONSTRAINTS, EPOCH_STATE, EpochTopicModel


class InfiniteDynamicTopics(EpochTopicModel):
    r"""Find topics that are born, drift and end from epoch to epoch, and infer their number.

    Every epoch is an `HDP`: topic weights :math:`\beta \sim \mathrm{Dir}(m'_1, …, m'_K, \gamma)` given the decayed
    tables :math:`m'_k = \sum_\delta e^{-\delta / \lambda} m_{k, e - \delta}` of earlier epochs, shares
    :math:`\theta_d \sim \mathrm{DP}(\alpha_0, \beta)`, and words :math:`\phi_{ke} \sim \mathrm{Dir}(\eta + \sum_\delta
    e^{-\delta / \kappa} x_{k, e - \delta})` with the earlier counts x of the topic (1) (after Ahmed and Xing, 2010).
    Epochs are sampled one after another, each given a sample of the earlier ones. With one epoch, the model is `HDP`.

    Parameters
    ----------
    every : int or duration
        The number of epochs, or their length (a fraction, ``"7d"``), counted from zero.
    start : int, number of topics of online LDA from which the first epoch starts.
    timescale, word_timescale : float
        λ and κ in epochs, of tables and of words. Near zero, epochs are independent; infinity means no decay or drift.
    burn_in, n_samples : int, sweeps per epoch before the first sample, and the number of averaged samples.
    document_concentration, concentration : float or "learned", α₀ and γ; learned, the priors are Gamma(1, 1).
    topic_word_prior : float or "learned", η; smaller values give more topics.
    restructure : bool, merge and split topics during the burn-in, as in `HDP`.
    n_jobs : int, optional, number of threads for `transform` and scores.
    vocabulary, random_state, verbose : the words of the columns; the seed; show progress.

    Attributes
    ----------
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
    >>> import numpy as np
    >>> words = ["war", "iraq", "sars", "virus", "vote", "ballot"]
    >>> early = np.repeat([[4, 3, 0, 0, 0, 0], [0, 0, 5, 2, 0, 0]], 10, axis=0)
    >>> late = np.repeat([[4, 3, 0, 0, 0, 0], [0, 0, 0, 0, 3, 4]], 10, axis=0)
    >>> model = InfiniteDynamicTopics(every=1.0, start=4, topic_word_prior=0.1, random_state=0, vocabulary=words)
    >>> model = model.fit(np.concatenate([early, late]), times=np.repeat([0.0, 1.0], 20))
    >>> sorted((life.words[0], life.start, life.end) for life in model.lifetimes_ if life.n_documents > 20)
    [('ballot', 1.0, 1.0), ('sars', 0.0, 0.0), ('war', 0.0, 1.0)]
    """

    _state_layout: ClassVar[Layout | None] = EPOCH_STATE
    _parameter_constraints: ClassVar[Constraints] = EPOCH_CONSTRAINTS

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None, *, times: Times = None) -> InfiniteDynamicTopics:
        """Learn from documents × words counts, which must be integers, in any order; `y` is ignored."""
        self._fit_epochs(X, times, None, 1)
        return self

r"""Topics and sentiment: which topics documents are about, and how positive they are about each."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import Array, Layout, Number
from driftline.core.arrays import Floats, Ints, Labels, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.inference.stopping import SmallRise
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import columns_of
from driftline.topics.contexts.document_contexts import contexts_of
from driftline.topics.contexts.sentiment_em import METHOD, Documents
from driftline.topics.contexts.word_polarity import WordPolarity, learn_polarity
from driftline.topics.em_topics import EM_PARAMETERS, EM_STATE, EmTopics


class TopicSentiment(EmTopics):
    r"""Find topics, and the sentiment of documents about each.

    .. math:: p(w|d) = \lambda_B\, p_B(w) + (1 - \lambda_B) \sum_k \theta_{dk}
              \bigl(\delta_d^0\, \phi_{kw} + \delta_d^+\, p_+(w) + \delta_d^-\, p_-(w)\bigr)

    (Mei et al. 2007, but with sentiment shares per document instead of per document and topic, which its words do not
    identify). By default the polar distributions are learned from a few known words by pseudo-labels and then held
    fixed, which finds the polarity of documents better than learning them within the mixture.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    positive, negative : sequence of str or int
        Known positive and negative words, or their columns; strings need a `vocabulary`.
    polarity : {"pseudo-labels", "learned"}
        Learn the polarity of all words by pseudo-labels and hold it fixed, or learn it within the mixture, as
        published, with `seed_weight` prior counts of each known word.
    background_weight : float
        λ_B.
    seed_weight : float
        Prior count of each known word, for ``"learned"``.
    max_steps, tolerance : int, float
        Maximum number of EM steps, and the relative increase of the likelihood below which EM stops.
    smoothing : float
        Added to the count of every word in every topic.
    n_jobs, vocabulary, random_state, verbose
        Number of threads for the scores; the words of the columns; the seed; whether to show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_words)
        φ, the neutral words of topics.
    polar_components_ : ndarray of shape (2, n_words)
        The distributions of positive and of negative words.
    document_shares_ : ndarray of shape (n_documents, n_topics)
        θ of the documents of the fit.
    sentiment_counts_ : ndarray of shape (n_documents, n_topics, 2)
        Expected positive and negative words of each topic in each document.
    topic_polarity_ : ndarray of shape (n_topics,)
        The positive share of the polar words of each topic.
    word_polarity_ : ndarray of shape (n_words,)
        The polarity of words: a coefficient, or a log ratio for ``"learned"``.
    objective_ : ndarray
        The log-likelihood before every step.

    Examples
    --------
    >>> words = ["screen", "sharp", "dim", "keys", "crisp", "stiff"]
    >>> rng = np.random.default_rng(0)
    >>> good, bad = rng.multinomial(9, [0.4, 0.3, 0, 0, 0.3, 0], 40), rng.multinomial(9, [0, 0, 0.3, 0.4, 0, 0.3], 40)
    >>> model = TopicSentiment(2, positive=["sharp"], negative=["dim"], vocabulary=words, random_state=0)
    >>> polarity = model.fit(np.vstack([good, bad])).predict_polarity([[0, 0, 0, 0, 2, 0], [0, 0, 0, 0, 0, 2]])
    >>> polarity.round().tolist()  # of words that are not among the known ones
    [1.0, 0.0]
    """

    _state_layout: ClassVar[Layout | None] = {
        **EM_STATE,
        "polar_components_": Array(2, "words", least=0),
        "sentiment_counts_": Array("documents", "topics", 2, least=0),
        "topic_polarity_": Array("topics", least=0, most=1),
        "word_polarity_": Array("words"),
        "_intercept_": Number(),
        "_idf_": Array("words", least=0),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        **EM_PARAMETERS,
        "positive": ["array-like"],
        "negative": ["array-like"],
        "polarity": [StrOptions({"pseudo-labels", "learned"})],
        "background_weight": [Interval(numbers.Real, 0, 1, closed="left")],
        "seed_weight": [Interval(numbers.Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_topics: int = 20,
        positive: Sequence[str | int] = (),
        negative: Sequence[str | int] = (),
        polarity: str = "pseudo-labels",
        background_weight: float = 0.5,
        seed_weight: float = 100.0,
        max_steps: int = 100,
        tolerance: float = 1e-6,
        smoothing: float = 0.01,
        n_jobs: int | None = None,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(n_topics, max_steps, tolerance, smoothing, n_jobs, vocabulary, random_state, verbose)
        self.positive = positive
        self.negative = negative
        self.polarity = polarity
        self.background_weight = background_weight
        self.seed_weight = seed_weight

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None) -> TopicSentiment:
        """Learn from documents × words counts; `y` is ignored."""
        X = self._check_counts(X, reset=True)
        positive, negative = self._known_words(X.shape[1])
        totals = np.asarray(X.sum(axis=0)).ravel() + self.smoothing
        prior = None
        if self.polarity == "pseudo-labels":
            learned = learn_polarity(sp.csr_array(X), positive, negative)
            polar = np.array(learned.distributions(totals))
        else:
            prior = np.zeros((2, X.shape[1]))
            prior[0, positive] = prior[1, negative] = self.seed_weight
            polar = prior + totals / totals.sum()
            polar = polar / polar.sum(axis=1, keepdims=True)
            learned = None
        problem = Documents(
            sp.csr_array(X), totals / totals.sum(), polar, prior, self.n_topics, self.background_weight, self.smoothing
        )
        found = self._run_em(METHOD, problem, SmallRise(self.tolerance), generator(self.random_state))
        self.components_, self.polar_components_ = found.topics, found.polar
        lengths = np.asarray(X.sum(axis=1)).ravel() * (1 - self.background_weight)
        self.document_shares_ = found.shares.sum(axis=2)
        self.sentiment_counts_ = found.shares[:, :, 1:] * lengths[:, None, None]
        self.topic_polarity_ = _positive_share(self.sentiment_counts_.sum(axis=0))
        if learned is None:
            learned = WordPolarity(np.log(found.polar[0] / found.polar[1]), 0.0, np.ones(X.shape[1]))
        self.word_polarity_, self._intercept_, self._idf_ = learned.coefficients, learned.intercept, learned.idf
        return self

    def predict_polarity(self, X: Matrix) -> Floats:
        """Return the sentiment of each document, from 0 (negative) to 1 (positive), by the polarity of its words."""
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        return WordPolarity(self.word_polarity_, self._intercept_, self._idf_).of_documents(sp.csr_array(X))

    def polarity_by(self, by: object) -> dict[str, Floats]:
        """Return the positive share of the polar words of each topic, in every context of the documents of the fit.

        `by` is a group per document: a month, a brand.
        """
        check_is_fitted(self)
        contexts = contexts_of(by, len(self.sentiment_counts_))
        return {
            name: _positive_share(self.sentiment_counts_[contexts.members(c)].sum(axis=0))
            for c, name in enumerate(contexts.names)
        }

    def _known_words(self, n_words: int) -> tuple[Ints, Ints]:
        found = [columns_of(list(each), self.vocabulary, n_words)[0] for each in (self.positive, self.negative)]
        if not len(found[0]) or not len(found[1]):
            raise InvalidInput(
                "TopicSentiment needs known words: pass positive= and negative=, such as ['good'], ['bad']"
            )
        both = np.intersect1d(found[0], found[1])
        if len(both):
            raise InvalidInput(f"the word of column {both[0]} is both positive and negative; remove it from one")
        return np.asarray(found[0], dtype=np.int64), np.asarray(found[1], dtype=np.int64)


def _positive_share(counts: Floats) -> Floats:
    """Return n₊/(n₊ + n₋), one half if there is neither."""
    total = counts.sum(axis=-1)
    found: Floats = np.divide(counts[..., 0], total, out=np.full(total.shape, 0.5), where=total > 0)
    return found

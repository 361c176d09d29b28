r"""The hierarchical Pitman-Yor language model, and Kneser-Ney smoothing of the same n-grams."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSequences
from driftline.base.sequence_input import Sequences, as_sequences, as_words
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import Array, Each, Layout, Number
from driftline.base.word_numbers import in_columns
from driftline.core.arrays import Floats, Ints, Labels
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.nonparametric.ngrams.kneser_ney import discounts_of, one_table_per_dish
from driftline.nonparametric.ngrams.restaurants import SEATING_GIBBS, Restaurants, Seating
from driftline.nonparametric.ngrams.word_probabilities import Predictor, Samples, token_probabilities
from driftline.text.ngram_index import NGramIndex, check_index, index_ngrams
from driftline.text.sequences import TokenSequences
from driftline.text.vocabulary import Vocabulary, WordList
from driftline.text.word_columns import Words, word_at

UNKNOWN = "<unk>"
"""Name of the word that represents all rare and unseen words."""


class HPYLM(TakesSequences, DriftEstimator):
    r"""Predict a word from the words before it, with learned discounts of n-grams.

    The words after a context u have a Pitman-Yor prior around those after π(u), which is u without its first word:
    :math:`G_u \sim \mathrm{PY}(d_{|u|}, \theta_{|u|}, G_{\pi(u)})` (1), and the base of the empty context is uniform
    over all V words. The seats of tokens at tables, d and θ are sampled (Teh, 2006), and probabilities are averaged
    over the samples. ``smoothing="kn"`` and ``"mkn"`` are interpolated and modified Kneser-Ney smoothing, which need no
    samples.

    Parameters
    ----------
    order : int
        Length of the longest n-grams: 3 predicts a word from the two before it.
    smoothing : {"hpy", "kn", "mkn"}
        The hierarchical Pitman-Yor model, interpolated or modified Kneser-Ney smoothing.
    burn_in, n_samples : int
        Sweeps before the first sample, and the number of samples (one per sweep after that).
    min_count : int
        Words with fewer tokens are counted as one word, unk, which also represents the word number -1 and, in new
        documents, unseen words. With 1, unk has the probability of a word that was never seen.
    vocabulary : sequence of str or Vocabulary, optional
        The words, so that contexts and predictions are given by name.
    random_state, verbose : the seed; show progress.

    Attributes
    ----------
    word_numbers_ : ndarray of shape (n_words - 1,)
        The word number of each column of `probabilities`; the last column, unk, has none.
    n_words_, n_ngrams_ : int, the number of words with unk (V), and of distinct n-grams of every order up to `order`.
    discounts_ : ndarray of shape (n_samples, order, 3)
        d by length of the context, for counts of 1, 2 and more; the three differ only in ``"mkn"``.
    concentrations_ : ndarray of shape (n_samples, order), θ by length of the context; 0 in ``"kn"`` and ``"mkn"``.
    trace_ : ndarray of shape (n_sweeps,), the mean log-probability of a word given all others in every sweep.

    Examples
    --------
    >>> words = ["the", "war", "goes", "on", "peace"]
    >>> model = HPYLM(order=2, min_count=1, random_state=0, vocabulary=words).fit([[0, 1, 2, 3]] * 6 + [[0, 4, 2, 3]])
    >>> [word for word, _ in model.next_words("the", 2)]
    ['war', 'peace']
    >>> model.sample(3, prefix=["the"], random_state=1)
    ['war', 'goes', 'on']
    """

    _state_layout: ClassVar[Layout | None] = {
        "n_words_": Number("words", least=1),
        "word_numbers_": Array(None, kind="i8", least=0, ordered=True),
        "_keys_": Each(Array(None, kind="i8", least=0, ordered=True)),
        "n_ngrams_": Number("n-grams", least=1),
        "_customers_": Array("samples", "n-grams", kind="i4", least=0),
        "_tables_": Array("samples", "n-grams", kind="i4", least=0),
        "discounts_": Array("samples", "orders", 3, kind="f8", least=0, most=3),
        "concentrations_": Array("samples", "orders", kind="f8", least=0),
        "trace_": Array(None),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "order": [Interval(numbers.Integral, 1, 8, closed="both")],
        "smoothing": [StrOptions({"hpy", "kn", "mkn"})],
        "burn_in": [Interval(numbers.Integral, 0, None, closed="left")],
        "n_samples": [Interval(numbers.Integral, 1, None, closed="left")],
        "min_count": [Interval(numbers.Integral, 1, None, closed="left")],
        "vocabulary": "no_validation",
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        order: int = 3,
        smoothing: str = "hpy",
        burn_in: int = 10,
        n_samples: int = 12,
        min_count: int = 2,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.order = order
        self.smoothing = smoothing
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.min_count = min_count
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Sequences, y: Labels | None = None) -> HPYLM:
        """Learn from token sequences (lists of word numbers, -1 unknown), one per document; `y` is ignored."""
        sequences = as_sequences(X)
        if len(sequences) == 0:
            raise InvalidInput("there are no documents; pass at least one token sequence")
        found, uses = np.unique(sequences.ids[sequences.ids >= 0], return_counts=True)
        self.word_numbers_ = found[uses >= self.min_count].astype(np.int64)
        self.n_words_ = len(self.word_numbers_) + 1
        sequences = self._in_columns(sequences)
        index = index_ngrams(sequences, self.order, self.n_words_)
        self._keys_, self.n_ngrams_ = index.keys, int(index.starts[-1])
        problem = Restaurants.of(index, sequences)
        if self.smoothing == "hpy":
            self._sample(problem)
        else:
            self._discount(problem)
        return self

    def score_samples(self, X: Sequences) -> Floats:
        """Return the log-probability of every document; unseen words are scored as unk."""
        check_is_fitted(self)
        sequences = self._in_columns(as_sequences(X))
        logs = np.log(token_probabilities(self._samples, sequences))
        documents = np.repeat(np.arange(len(sequences)), sequences.lengths())
        return np.asarray(np.bincount(documents, weights=logs, minlength=len(sequences)), dtype=np.float64)

    def score(self, X: Sequences, y: Labels | None = None) -> float:
        """Return the mean log-probability of a word; `y` is ignored."""
        sequences = as_sequences(X)
        return float(self.score_samples(sequences).sum() / max(len(sequences.ids), 1))

    def perplexity(self, X: Sequences) -> float:
        """Return exp(−`score`): the number of equally probable words that would be equally difficult to predict."""
        return math.exp(-self.score(X))

    def probabilities(self, context: Words = ()) -> Floats:
        """Return the probability of every word after a context (words or their numbers, in order).

        The words are those of `word_numbers_`, then unk. Only the last ``order - 1`` words of the context matter.
        """
        check_is_fitted(self)
        return Predictor(self._samples).after(self._context(context))

    def next_words(self, context: Words = (), n: int = 10) -> list[tuple[str | int, float]]:
        """Return the most probable words after a context, with their probabilities; unk is ``"<unk>"``, or -1."""
        p = self.probabilities(context)
        return [(self._word(int(column)), float(p[column])) for column in np.argsort(-p, kind="stable")[:n]]

    def sample(
        self, length: int, *, prefix: Words = (), unknown: bool = False, random_state: Seed = None
    ) -> list[str | int]:
        """Draw words that follow a prefix, by name if there is a vocabulary; unk is drawn only if `unknown`."""
        check_is_fitted(self)
        if not unknown and not len(self.word_numbers_):
            raise InvalidInput(
                "every word was replaced by unk, which is omitted; lower min_count, or pass unknown=True"
            )
        rng, predictor, words = generator(random_state), Predictor(self._samples), self._context(prefix).tolist()
        n_given = len(words)
        for _ in range(length):
            p = predictor.after(np.array(words[-self.order :], dtype=np.int64))
            p[-1] *= unknown
            words.append(int(rng.choice(len(p), p=p / p.sum())))
        return [self._word(column) for column in words[n_given:]]

    def _sample(self, problem: Restaurants) -> None:
        def fold(kept: tuple[object, ...] | None, sample: Seating) -> tuple[object, ...]:
            values = (sample.customers, sample.tables, sample.discounts, sample.concentrations)
            return (*(kept or ()), tuple(value.copy() for value in values))

        done = run(
            SEATING_GIBBS,
            problem,
            stop=Stop(self.burn_in + self.n_samples),
            keep=Keep(self.burn_in, fold=fold),
            rng=generator(self.random_state),
            progress="sweeps",
            verbose=self.verbose,
        )
        found = [np.array(values) for values in zip(*done.result[0])]
        self._customers_, self._tables_, discounts, self.concentrations_ = found
        self.discounts_ = np.repeat(discounts[:, :, None], 3, axis=2)
        self.trace_ = done.objective[0]

    def _discount(self, problem: Restaurants) -> None:
        customers = one_table_per_dish(problem)
        self._customers_, self._tables_ = customers[None], (customers > 0).astype(np.int32)[None]
        self.discounts_ = discounts_of(problem, customers, self.smoothing == "mkn")[None]
        self.concentrations_, self.trace_ = np.zeros((1, self.order)), np.zeros(0)

    @property
    def _index(self) -> NGramIndex:
        return NGramIndex(self.n_words_, self._keys_, sp.csr_matrix((0, self.n_ngrams_)))

    @property
    def _samples(self) -> Samples:
        return Samples(self._index, self._customers_, self._tables_, self.discounts_, self.concentrations_)

    def _in_columns(self, sequences: TokenSequences) -> TokenSequences:
        columns = in_columns(sequences, self.word_numbers_)
        return TokenSequences(np.where(columns.ids < 0, len(self.word_numbers_), columns.ids), columns.offsets)

    def _context(self, context: Words) -> Ints:
        given: Sequence[str | int] = [context] if isinstance(context, str | int | numbers.Integral) else list(context)
        if any(isinstance(word, str) for word in given):
            if self.vocabulary is None:
                raise InvalidInput(f"{given!r} contains a word, but the model has no vocabulary; pass word numbers")
            given = Vocabulary.of(self.vocabulary).index([str(word) for word in given]).tolist()
        return self._in_columns(as_sequences([as_words(given, "the context")])).ids.astype(np.int64)

    def _word(self, column: int) -> str | int:
        if column == len(self.word_numbers_):
            return -1 if self.vocabulary is None else UNKNOWN
        return word_at(int(self.word_numbers_[column]), self.vocabulary)

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes:
            check_index(self._index, self.order)
        return sizes

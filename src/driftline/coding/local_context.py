r"""Topics of local contexts: sparse codes that use word proximity."""

from __future__ import annotations

import math
import numbers
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSequences
from driftline.base.sequence_input import Sequences, as_sequences, as_words
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import Array, Each, Either, Layout, Number, Optional, Sparse
from driftline.base.word_numbers import HasWordNumbers, in_columns, words_of
from driftline.coding.batch import learn
from driftline.coding.codes import Dictionary, Penalties, document_means
from driftline.coding.local_contexts import (
    KERNELS,
    ContextMaker,
    Contexts,
    inverse_document_frequency,
    known_words,
    some_documents,
)
from driftline.coding.online_dictionary import Batches, MiniBatches, Statistics, batch_generator, learn_batch, widened
from driftline.coding.seeding import first_topics
from driftline.core.arrays import Ints, Labels
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, seed_of
from driftline.engines.choose import NEAR_ENGINES, engine_of, traits_of
from driftline.engines.contract import Engine
from driftline.engines.threads import Threads
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.text.sequences import TokenSequences
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import word_at

SMALL_PROBLEM = (2_000_000, 5_000_000)
"""Largest number of topics × words, and of context entries, for which ``learning="auto"`` means "batch"."""
SEEDS_PER_TOPIC = 10
"""Number of candidate contexts per initial topic."""
PASSES, ITERATIONS = 2, 50
ANY_NUMBER = 2**31 - 1


class LocalContextSparseCoding(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, HasWordNumbers, TakesSequences, DriftEstimator
):
    r"""Learn topics of words that occur near each other, and code documents, and positions in them, by a few of these.

    The local context :math:`\phi(i)` of a position is the kernel-weighted distribution of the words around it. Topics
    :math:`D` (each sums to one) and codes :math:`\beta(i) \ge 0` minimise

    .. math:: \sum_i \ell(\phi(i), D\beta(i)) + \lambda \|\beta(i)\|_1 + \rho \|\beta(i) - z\|_2^2   \qquad (2), (5)

    and the mean :math:`z` of a document's codes (7) represents it.

    Parameters
    ----------
    n_topics : int
        K: thousands for features, about a dozen for reading the flow of one text.
    kernel, bandwidth : {"gaussian", "uniform"}, float
        Shape of the context and its width h in words. The Gaussian ends at 3h. 0 is single words; infinity is the whole
        document.
    alpha : float
        λ, the L1 penalty on codes. Under the Hellinger loss it only scales the codes, by 1 / (1 + λ)².
    rho : float
        Penalty on the distance of a context's code from its document's mean; 1e-4 has almost no effect.
    loss : {"squared", "hellinger"}
        ‖φ − Dβ‖² or ‖√φ − √(Dβ)‖². The second suits wide contexts better.
    learning : {"auto", "batch", "mini-batch"}
        All contexts at once (the objective decreases in every iteration), or mini-batches; "auto" decides by size.
    max_iter : int, optional
        Iterations (50) or passes over the documents (2).
    tol : float
        Relative decrease of the objective at which "batch" ends.
    code_tol : float
        Convergence threshold of a code: the largest remaining decrease of its objective.
    batch_size : int
        Number of documents per mini-batch.
    prune : float, optional
        Word shares below this are removed from topics in mini-batch learning; by default 0.02, or 0.02 / h if h > 1.
    threshold : float
        Under the Hellinger loss, codes below this part of a context's codes are dropped (never while "batch" learns).
    max_active : int, optional
        Maximum number of topics in the code of one context.
    max_positions : int, optional
        Maximum number of contexts per document in learning, evenly spread.
    weighting : {"none", "idf"}
        Whether words are weighted by their rarity.
    pooling : {"mean", "max"}
        How `transform` combines a document's codes; the mean is z.
    n_words, vocabulary :
        The number of words, or the words themselves; by default the words of the first documents: a word number is then
        the column of the word, or, if numbers exceed a million, only those that occur have columns.
    engine : {"threads", "gpu"}
        Where `transform` and `flow` run; on a graphics processor only with the squared loss. `fit` runs in threads.
    n_jobs, random_state, verbose :
        Threads (the result does not depend on them); seed; progress.

    Attributes
    ----------
    topics_ : sparse matrix, topics × words
        Every row sums to one.
    word_numbers_ : array of int, or None
        The word number of each column if they are not 0, 1, … (see `n_words`).
    objectives_ : list of float
        The objective after every iteration ("batch"), or the mean loss of a context before each mini-batch.

    Examples
    --------
    A bag of words cannot distinguish these documents; their local contexts can.

    >>> a, b, c = 0, 1, 2
    >>> documents = [[a, b, a, b, a, b, c, c, c], [a, c, a, c, a, c, b, b, b]]
    >>> model = LocalContextSparseCoding(n_topics=2, bandwidth=0.7, random_state=0)
    >>> model.fit_transform(documents).toarray().argmax(axis=1).tolist() in ([0, 1], [1, 0])
    True
    """

    topics_: sp.csr_matrix
    objectives_: list[float]
    _state_layout: ClassVar[Layout | None] = {
        "n_words_": Number("words", least=1),
        "word_numbers_": Optional(Array("words", kind="i8", least=0, ordered=True)),
        "_seed_": Number(least=0, whole=True),
        "word_weights_": Either(Array("words", least=0), Array(0)),
        "objectives_": Each(Number()),
        "topics_": Sparse("topics", "words", least=0),
        "_pairs_": Sparse("topics", "topics"),
        "_words_": Sparse("topics", "words"),
        "_n_batches_": Number(least=0, whole=True),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "n_topics": [Interval(numbers.Integral, 1, None, closed="left")],
        "kernel": [StrOptions(set(KERNELS))],
        "bandwidth": [Interval(numbers.Real, 0, None, closed="both")],
        "alpha": [Interval(numbers.Real, 0, None, closed="left")],
        "rho": [Interval(numbers.Real, 0, None, closed="left")],
        "loss": [StrOptions({"squared", "hellinger"})],
        "learning": [StrOptions({"auto", "batch", "mini-batch"})],
        "max_iter": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "tol": [Interval(numbers.Real, 0, None, closed="left")],
        "code_tol": [Interval(numbers.Real, 0, None, closed="neither")],
        "batch_size": [Interval(numbers.Integral, 1, None, closed="left")],
        "prune": [None, Interval(numbers.Real, 0, 1, closed="left")],
        "threshold": [Interval(numbers.Real, 0, 1, closed="left")],
        "max_active": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "max_positions": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "weighting": [StrOptions({"none", "idf"})],
        "pooling": [StrOptions({"mean", "max"})],
        "n_words": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "vocabulary": "no_validation",
        "engine": [StrOptions(set(NEAR_ENGINES))],
        "n_jobs": [None, numbers.Integral],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_topics: int = 100,
        *,
        kernel: str = "gaussian",
        bandwidth: float = 1.0,
        alpha: float = 1e-2,
        rho: float = 1e-4,
        loss: str = "squared",
        learning: str = "auto",
        max_iter: int | None = None,
        tol: float = 1e-4,
        code_tol: float = 1e-6,
        batch_size: int = 300,
        prune: float | None = None,
        threshold: float = 1e-3,
        max_active: int | None = None,
        max_positions: int | None = None,
        weighting: str = "none",
        pooling: str = "mean",
        n_words: int | None = None,
        vocabulary: WordList | None = None,
        engine: str = "threads",
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.n_topics = n_topics
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.alpha = alpha
        self.rho = rho
        self.loss = loss
        self.learning = learning
        self.max_iter = max_iter
        self.tol = tol
        self.code_tol = code_tol
        self.batch_size = batch_size
        self.prune = prune
        self.threshold = threshold
        self.max_active = max_active
        self.max_positions = max_positions
        self.weighting = weighting
        self.pooling = pooling
        self.n_words = n_words
        self.vocabulary = vocabulary
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Sequences, y: Labels | None = None) -> LocalContextSparseCoding:
        """Learn topics from token sequences (lists of word numbers, -1 unknown); `y` is ignored."""
        documents = self._begin(as_sequences(X))
        with Threads(self.n_jobs) as engine:
            contexts = self._small_enough(documents)
            if contexts is not None:
                self._seed_topics(contexts, engine)
                how = (contexts, self.topics_, self._penalties, engine)
                learned = learn(*how, max_iter=self.max_iter or ITERATIONS, tol=self.tol, verbose=self.verbose)
                self.topics_, self.objectives_ = learned.topics, learned.objectives
            else:
                self._learn_in_batches(documents, engine)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Sequences, y: Labels | None = None) -> LocalContextSparseCoding:
        """Learn from one more batch of documents; the first draws the topics and fixes the words. `y` is ignored."""
        documents = as_sequences(X)
        first = not hasattr(self, "topics_")
        documents = self._begin(documents) if first else in_columns(documents, self._numbers)
        contexts = self._maker(known_words(documents, self.n_words_), self.max_positions)
        if contexts.matrix.shape[0]:
            with Threads(self.n_jobs) as engine:
                if first:
                    self._seed_topics(contexts, engine)
                    self._prepare_hellinger(contexts, engine)
                self._learn_batch(contexts, self._penalties, engine)
        return self

    def transform(self, X: Sequences) -> sp.csr_matrix:
        """Return documents × topics, sparse; unknown words are ignored, and the code of an empty document is zero."""
        check_is_fitted(self)
        documents = in_columns(as_sequences(X), self._numbers)
        parts = [sp.csr_matrix((0, self.topics_.shape[0]))]
        with self._coding_engine() as engine:
            dictionary = Dictionary(self.topics_)
            for start in range(0, len(documents), self.batch_size):
                contexts = self._maker(some_documents(documents, range(start, start + self.batch_size)))
                codes = dictionary.code(contexts, self._penalties, engine)
                parts.append(document_means(codes.matrix, contexts, self.pooling))
        return sp.vstack(parts, format="csr")

    def flow(self, tokens: npt.ArrayLike, *, step: int = 1) -> sp.csr_matrix:
        """Return the semantic flow of one document: the code of every `step`-th known word, positions × topics."""
        check_is_fitted(self)
        if not isinstance(step, numbers.Integral) or step < 1:
            raise InvalidInput(f"step must be an integer of at least 1, not {step!r}")
        document = known_words(in_columns(as_sequences([as_words(tokens)]), self._numbers), self.n_words_)
        n = len(document.ids)
        whole = math.isinf(self.bandwidth)
        contexts = self._maker(document, None if whole else max(math.ceil(n / step), 1))
        repeat = np.zeros(len(range(0, n, step)), dtype=np.int64) if whole else np.arange(contexts.matrix.shape[0])
        with self._coding_engine() as engine:
            codes = Dictionary(self.topics_).code(contexts, self._penalties, engine).matrix
        return codes[repeat] if n else sp.csr_matrix((0, self.topics_.shape[0]))

    def top_words(self, n: int = 10) -> list[list[str | int]]:
        """Return the words with the largest shares of every topic; their numbers if there is no vocabulary."""
        check_is_fitted(self)
        found = []
        for topic in self.topics_:
            order = np.argsort(-topic.data, kind="stable")[:n]
            found.append([self._word(column) for column in topic.indices[order]])
        return found

    @property
    def _n_features_out(self) -> int:
        return int(self.topics_.shape[0])

    def _coding_engine(self) -> Engine:
        if not traits_of(self.engine).every_method and self.loss != "squared":
            raise InvalidInput(
                f"engine={self.engine!r} supports only loss='squared', not {self.loss!r}; use engine='threads'"
            )
        return engine_of(self.engine, self.n_jobs)

    @property
    def _penalties(self) -> Penalties:
        return Penalties(
            loss=self.loss,
            alpha=self.alpha,
            rho=self.rho,
            tol=self.code_tol,
            most_active=self.max_active or ANY_NUMBER,
            threshold=self.threshold,
        )

    @property
    def _least(self) -> float:
        if self.prune is not None:
            return float(self.prune)
        return 1e-4 if math.isinf(self.bandwidth) else 0.02 / max(1.0, self.bandwidth)

    @property
    def _maker(self) -> ContextMaker:
        return ContextMaker(self.kernel, float(self.bandwidth), self.n_words_, self.word_weights_)

    def _begin(self, documents: TokenSequences) -> TokenSequences:
        """Fix the words and the seed; return the documents without unknown words."""
        if len(documents) == 0:
            raise InvalidInput("there is no document; pass at least one token sequence")
        words = words_of(documents, self.n_words, self.vocabulary)
        documents = known_words(in_columns(documents, words.numbers), words.n_columns)
        if len(documents.ids) == 0:
            raise InvalidInput("no document has a known word; pass documents with words of the vocabulary")
        self.n_words_, self.word_numbers_ = words
        self._seed_ = seed_of(self.random_state)
        weighted = self.weighting == "idf"
        self.word_weights_ = inverse_document_frequency(documents, self.n_words_) if weighted else np.empty(0)
        self.objectives_ = []
        return documents

    def _small_enough(self, documents: TokenSequences) -> Contexts | None:
        """Return the contexts of all documents for batch learning."""
        most_values, most_entries = SMALL_PROBLEM
        if self.learning == "mini-batch":
            return None
        if self.learning == "auto":
            width = 2 * min(3 * self.bandwidth, float(documents.lengths().max())) + 1
            if self.n_topics * self.n_words_ > most_values or self._n_positions(documents).sum() * width > most_entries:
                return None
        return self._maker(documents, self.max_positions)

    def _n_positions(self, documents: TokenSequences) -> Ints:
        return np.minimum(documents.lengths(), self.max_positions or ANY_NUMBER)

    def _seed_topics(self, contexts: Contexts, engine: Engine) -> None:
        self.topics_ = first_topics(contexts, self.n_topics, self._penalties, self._least, engine, self._random(0))
        self._see(Statistics.nothing(*self.topics_.shape))

    def _learn_in_batches(self, documents: TokenSequences, engine: Engine) -> None:
        order = self._random(1).permutation(len(documents))
        n_first = np.cumsum(self._n_positions(documents)[order])
        enough = int(np.searchsorted(n_first, SEEDS_PER_TOPIC * self.n_topics)) + 1
        sample = self._maker(some_documents(documents, np.sort(order[:enough])), self.max_positions)
        self._seed_topics(sample, engine)
        self._prepare_hellinger(sample, engine)
        n_batches = max(math.ceil(len(documents) / self.batch_size), 1)
        rounds = [
            rows
            for turn in range(self.max_iter or PASSES)
            for rows in np.array_split(self._random(2 + turn).permutation(len(documents)), n_batches)
        ]

        def contexts_of(number: int) -> Contexts:
            return self._maker(some_documents(documents, np.sort(rounds[number])), self.max_positions)

        how = (self._penalties.of_batches(self.bandwidth), self._least, engine, self._seed_)
        problem, stop = Batches(contexts_of, self.topics_, self._seen, *how), Stop(len(rounds))
        done = run(MiniBatches(), problem, stop=stop, progress="Learning topics", verbose=self.verbose)
        self.topics_, seen = done.result.matrices(self.topics_.shape)
        self._see(seen)
        self.objectives_ += [-info.objective for info in done.infos[0] if not math.isnan(info.objective)]

    def _prepare_hellinger(self, contexts: Contexts, engine: Engine) -> None:
        """Learn once with the squared loss, and add all words of their contexts to the topics."""
        if self.loss == "hellinger":
            self._learn_batch(contexts, self._penalties._replace(loss="squared"), engine)
            self.topics_ = widened(self.topics_, self._seen, self._least)
            self._see(Statistics.nothing(*self.topics_.shape))
            self.objectives_ = []

    def _learn_batch(self, contexts: Contexts, penalties: Penalties, engine: Engine) -> None:
        draws = batch_generator(self._seed_, self._n_batches_)
        how = (penalties.of_batches(self.bandwidth), self._least, engine, draws)
        self.topics_, seen, codes = learn_batch(contexts, self.topics_, self._seen, *how)
        self._see(seen)
        self.objectives_.append(float(np.average(codes.losses, weights=contexts.weights)))

    @property
    def _seen(self) -> Statistics:
        return Statistics(self._pairs_, self._words_, self._n_batches_)

    def _see(self, seen: Statistics) -> None:
        self._pairs_, self._words_, self._n_batches_ = seen

    def _random(self, number: int) -> np.random.Generator:
        return np.random.default_rng([self._seed_, number])

    def _word(self, column: int) -> str | int:
        return word_at(column, self.vocabulary) if self._numbers is None else int(self._numbers[column])

r"""A linear-chain conditional random field: tags of tokens, given attributes of the whole sentence."""

from __future__ import annotations

import itertools
import numbers
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from driftline.base.input_kinds import TakesSequences
from driftline.base.sklearn_private import fit_context
from driftline.base.state_layout import Array, Each, Layout, Text
from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.core.randomness import generator
from driftline.sequences.crf_parameters import READY, FieldParameters
from driftline.sequences.crf_training import Trained, Weights, train_lbfgs, train_sgd
from driftline.sequences.tag_input import Tag, Tags, tag_codes, tag_score
from driftline.sequences.tagging_problem import TaggingProblem, tagging_problem
from driftline.sequences.templates import Encoding, Templates, encode
from driftline.sequences.token_input import TokenLists, Tokens, as_tokens

SMALL = 20_000
"""Maximum number of tokens for which the solver "auto" is L-BFGS."""


class TagSequence(NamedTuple):
    """Tags of a sentence, and their probability."""

    tags: tuple[Tag, ...]
    probability: float


class CRF(TakesSequences, FieldParameters):
    r"""Tag the tokens of sentences: parts of speech, phrases, names.

    .. math:: p(y \mid x) = \frac{1}{Z(x)} \exp \sum_t \Big( \sum_{a \in x_t} w_{a y_t} + v_{y_{t-1} y_t} \Big)

    (1), where :math:`x_t` are the attributes of position t, made by templates, and Z sums over all tag sequences. Pairs
    of an attribute and a tag, and transitions, have a weight only if they occur in training. The weights minimise

    .. math:: -\sum_d \log p(y_d \mid x_d) + \lambda_2 \lVert w \rVert^2 + \lambda_1 \lVert w \rVert_1

    (2); if some tags are unknown, p(y | x) is the probability of all tag sequences that agree with the known ones.

    Parameters
    ----------
    features : Templates or str
        Attributes of a position, or the name of predefined templates: "chunking" (tokens are rows of a word and its
        part of speech), "parts_of_speech", "parts_of_speech_pairs" (also pairs of neighbours, for many sentences),
        "names".
    l2, l1 : float
        λ₂ and λ₁ of (2).
    solver : {"auto", "lbfgs", "sgd"}
        L-BFGS-B on all sentences, or stochastic gradient descent with averaging, which is several times faster on large
        data and has no L1 penalty. "auto" means "lbfgs" with an L1 penalty or up to 20,000 tokens, otherwise "sgd".
    max_iter, tolerance : int, float
        For "lbfgs": the maximum number of iterations, and the relative decrease below which it stops.
    epochs : int
        For "sgd": the number of passes.
    forbidden : None, "bio", or a sequence of pairs
        Transitions that are impossible: none; I-X except after B-X or I-X; or pairs of tags.
    random_state, verbose : the seed of the order of sentences in "sgd"; show progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_tags,), the tags.
    pointers_, pair_tags_, weights_ : arrays; the weights w of attribute a are
        ``weights_[pointers_[a]:pointers_[a + 1]]``, one for each of the tags ``pair_tags_``.
    transition_ : ndarray of shape (n_tags, n_tags), v.
    objective_ : ndarray, (2) after every iteration or epoch.

    Examples
    --------
    >>> tokens = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["dogs", "bark"]]
    >>> tags = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]]
    >>> model = CRF(Templates(((("word", 0),), (("suffix1", 0),))), l2=0.1).fit(tokens, tags)
    >>> model.predict([["the", "cow", "moos"]])[0].tolist()
    ['D', 'N', 'V']
    """

    _state_layout: ClassVar[Layout | None] = {
        "classes_": Array("tags", kind="any"),
        "values_": Each(Each(Text())),
        "keys_": Each(Array(None, kind="i8", ordered=True)),
        "pointers_": Array("attributes+1", kind="i4", least=0, ordered=True),
        "pair_tags_": Array("pairs", kind="i2", below="tags"),
        "weights_": Array("pairs", kind="f4"),
        "transition_": Array("tags", "tags", kind="f8"),
        "allowed_": Array("tags", "tags", kind="b"),
        "starts_": Array("tags", kind="b"),
        "objective_": Array(None),
    }
    weights_: np.ndarray
    pointers_: np.ndarray
    pair_tags_: np.ndarray
    keys_: list[Ints]

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes:
            whole = self.pointers_[-1] == len(self.pair_tags_) and self.pointers_[0] == 0
            n_keys = sum(len(keys) for keys in self.keys_)
            if not whole or n_keys != sizes["attributes"] or len(self.keys_) != len(self._templates.templates):
                raise ModelFileError("CRF.pointers_ does not match its weights and attributes; the model is damaged")
            if len(self.values_) != len(self._templates.names_of_columns):
                raise ModelFileError("CRF.values_ does not match the templates; the model is damaged")
        return sizes

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: TokenLists, y: Tags, *, sample_weight: npt.ArrayLike | None = None) -> CRF:
        """Learn from sentences and their tags.

        A tag of None or −1 is unknown, and None in place of a sentence's tags means that all are unknown.
        `sample_weight` contains one number per sentence.
        """
        return self._learn(tagging_problem(self._templates, X, y, self.forbidden, sample_weight))

    def predict(self, X: TokenLists) -> list[np.ndarray]:
        """Return the most probable tags of every sentence (Viterbi)."""
        tokens, attributes = self._read(X)
        return tokens.split(self.classes_[self._best(tokens.offsets, attributes)])

    def predict_marginals(self, X: TokenLists, known: Tags | None = None) -> list[Floats]:
        """Return p(tag | sentence), tokens × tags, for every sentence; `known` are tags that are already known.

        Columns are in the order of ``classes_``.
        """
        tokens, attributes = self._read(X)
        codes = np.empty(0, dtype=np.int64) if known is None else tag_codes(known, tokens.lengths, self.classes_)[0]
        return tokens.split(self._marginals(tokens.offsets, attributes, codes)[0])

    def predict_best(self, X: TokenLists, n_best: int = 5) -> list[list[TagSequence]]:
        """Return the `n_best` most probable tag sequences of every sentence, with their probabilities."""
        if not isinstance(n_best, numbers.Integral) or n_best < 1:
            raise InvalidInput(f"n_best is {n_best!r}; pass an integer of at least 1")
        tokens, attributes = self._read(X)
        evidence = self._marginals(tokens.offsets, attributes, np.empty(0, dtype=np.int64))[1]
        found = []
        for log_z, (begin, end) in zip(evidence, itertools.pairwise(tokens.offsets.tolist())):
            found.append(self._several(attributes[begin:end], int(n_best), log_z))
        return found

    def log_probabilities(self, X: TokenLists, y: Tags) -> Floats:
        """Return log p(tags | sentence) of every sentence; if some tags are None, that of the known ones."""
        tokens, attributes = self._read(X)
        codes = tag_codes(y, tokens.lengths, self.classes_)[0]
        return self._log_probabilities(tokens.offsets, attributes, codes)

    def score(self, X: TokenLists, y: Tags) -> float:
        """Return the F1 of spans if tags are B-X, I-X and O, otherwise the share of correct tags."""
        return tag_score(self.predict(X), y, self.classes_)

    def unknown_attributes(self, X: TokenLists) -> Ints:
        """Return the number of attributes of every sentence that did not occur in training; they are left out."""
        tokens, attributes = self._read(X)
        each = (attributes < 0).sum(axis=1)
        return np.array([int(part.sum()) for part in tokens.split(each)], dtype=np.int64)

    def prune(self, n_weights: int) -> CRF:
        """Keep the `n_weights` largest weights of attributes, and the attributes that have one; return the model."""
        check_is_fitted(self)
        if n_weights < len(self.weights_):
            size = np.abs(self.weights_)
            kept = size >= np.partition(size, len(size) - n_weights)[len(size) - n_weights] if n_weights else size < 0
            attribute = np.repeat(np.arange(len(self.pointers_) - 1), np.diff(self.pointers_))
            counts = np.bincount(attribute[kept], minlength=len(self.pointers_) - 1)
            ends = np.cumsum([len(keys) for keys in self.keys_])[:-1]
            self.keys_ = [keys[part > 0] for keys, part in zip(self.keys_, np.split(counts, ends))]
            self.pointers_ = np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.int32)
            self.pair_tags_, self.weights_ = self.pair_tags_[kept], self.weights_[kept]
        return self

    def _learn(self, problem: TaggingProblem) -> CRF:
        classes, _, sentences, pairs = problem
        n_tags, solver = len(classes), self.solver
        start = Weights(np.zeros(len(pairs.pair_tags)), np.zeros((n_tags, n_tags)))
        if solver == "auto":
            solver = "lbfgs" if self.l1 > 0 or len(sentences.tags) <= SMALL else "sgd"
        if solver == "sgd" and self.l1 > 0:
            raise InvalidInput("an L1 penalty needs solver='lbfgs' (or 'auto')")
        if solver == "sgd":
            rng = generator(self.random_state)
            trained = train_sgd(start, sentences, pairs, self.l2, self.epochs, rng, self.verbose)
        else:
            trained = train_lbfgs(start, sentences, pairs, self.l2, self.l1, self.max_iter, self.tolerance)
        return self._keep(problem, trained)

    def _keep(self, problem: TaggingProblem, trained: Trained) -> CRF:
        """Store weights that were trained on a problem."""
        self.classes_, encoding, _, pairs = problem
        self.values_, self.keys_ = encoding
        self.pointers_, self.pair_tags_ = pairs.pointers.astype(np.int32), pairs.pair_tags.astype(np.int16)
        self.weights_, self.transition_ = trained.weights.pairs.astype(np.float32), trained.weights.transition
        self.allowed_, self.starts_ = pairs.allowed > 0, pairs.starts > 0
        self.objective_ = trained.objective
        return self

    @property
    def _templates(self) -> Templates:
        return READY[self.features]() if isinstance(self.features, str) else self.features

    @property
    def _pairs(self) -> tuple[Ints, Ints, Floats]:
        return self.pointers_.astype(np.int64), self.pair_tags_.astype(np.int64), self.weights_.astype(np.float64)

    @property
    def _logs(self) -> tuple[Floats, Floats]:
        return np.where(self.allowed_, self.transition_, -np.inf), np.where(self.starts_, 0.0, -np.inf)

    def _read(self, X: TokenLists) -> tuple[Tokens, Ints]:
        check_is_fitted(self)
        tokens = as_tokens(X, self._templates.n_columns)
        return tokens, encode(self._templates, Encoding(self.values_, self.keys_), tokens)

    def _best(self, offsets: Ints, attributes: Ints) -> Ints:
        paths = np.empty(len(attributes), dtype=np.int64)
        current_kernels().crf.best_tags(attributes, offsets, *self._pairs, *self._logs, paths)
        return paths

    def _log_probabilities(self, offsets: Ints, attributes: Ints, codes: Ints) -> Floats:
        limited = self._marginals(offsets, attributes, codes)[1]
        found: Floats = limited - self._marginals(offsets, attributes, np.empty(0, dtype=np.int64))[1]
        return found

    def _marginals(self, offsets: Ints, attributes: Ints, codes: Ints) -> tuple[Floats, Floats]:
        found, evidence = np.empty((len(attributes), len(self.classes_))), np.empty(len(offsets) - 1)
        matrix = np.exp(self.transition_) * self.allowed_
        current_kernels().crf.tag_marginals(
            attributes, offsets, codes, *self._pairs, matrix, self.starts_.astype(np.float64), found, evidence
        )
        return found, evidence

    def _several(self, attributes: Ints, n_best: int, log_z: float) -> list[TagSequence]:
        if not len(attributes):
            return [TagSequence((), 1.0)]
        scores = np.empty((len(attributes), len(self.classes_)))
        current_kernels().crf.score_tokens(attributes, *self._pairs, 1.0, scores)
        n_best = min(n_best, len(self.classes_) ** min(len(attributes), 64))  # there are no more sequences than that
        paths, totals = np.empty((n_best, len(attributes)), dtype=np.int64), np.empty(n_best)
        n = current_kernels().crf.several_best(scores, *self._logs, n_best, paths, totals)
        return [
            TagSequence(tuple(self.classes_[path].tolist()), float(np.exp(min(total - log_z, 0.0))))
            for path, total in zip(paths[:n], totals[:n])
        ]

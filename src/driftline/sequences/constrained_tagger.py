r"""A constrained conditional model: tags of tokens, from learned weights and rules given by the user."""

from __future__ import annotations

import itertools
import numbers
import warnings
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSequences
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import Array, Layout, Number, Optional, Part
from driftline.compute import current_kernels
from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.guidance.guide import Guide
from driftline.guidance.tag_rules import RuleTable, TagRule, learned_costs, rule_table
from driftline.inference.constrained_decoding import ChainProblem, best_tags, under_rules
from driftline.sequences.chain_weight import chosen_weight, train_chain
from driftline.sequences.constrained_perceptron import train_perceptron
from driftline.sequences.crf import CRF
from driftline.sequences.crf_parameters import READY
from driftline.sequences.crf_training import Weights
from driftline.sequences.tag_input import Tags, tag_codes, tag_score
from driftline.sequences.tagging_problem import TaggingProblem, tagging_problem
from driftline.sequences.templates import Templates
from driftline.sequences.token_input import TokenLists, Tokens, as_tokens


class BrokenRuleWarning(UserWarning):
    """Hard rules could not be satisfied in some sentences."""


class ConstrainedTagger(TakesSequences, DriftEstimator):
    r"""Tag the tokens of sentences by learned weights and rules: a constrained conditional model.

    .. math:: \hat y = \arg\max_y \sum_t \Big( \sum_{a \in x_t} w_{a y_t} + v_{y_{t-1} y_t} \Big) - \sum_r \rho_r n_r(y)

    (1), where :math:`x_t` are the attributes of position t, and :math:`n_r` is the number of times that rule r is
    broken. Viterbi's recursion solves (1) if rules are about tokens and neighbours; rules about the number of tags in a
    sentence make it an integer program, which HiGHS solves.

    Parameters
    ----------
    features : Templates or str
        Attributes of a position, as in `CRF`.
    guide : Guide, optional
        The rules: ``Guide().rule(TagRule.bio())``. Other wishes are an error.
    chain : "learned" or bool
        The influence of the weights v of all pairs of neighbouring tags: as in `CRF` (True); none, so that only the
        rules connect the tags (False); or the weight that tags held-out training sentences best, which may be zero
        ("learned", at about five times the cost; the same as True in "joint" training).
    training : {"local", "joint"}
        "local": the weights maximise the likelihood, and the rules are used for prediction only. "joint": an averaged
        perceptron corrects the errors made under the rules; all training tags must then be known.
    l2, max_iter, tolerance : float, int, float
        For "local": the penalty λ₂, and the stopping criteria of L-BFGS, as in `CRF`.
    epochs : int
        For "joint": the number of passes.
    random_state, verbose : the order of sentences in "joint"; show progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_tags,), the tags.
    crf_ : CRF, the weights.
    chain_weight_ : float, 0 without transitions, 1 as in `CRF`; a learned weight lies between.
    rule_costs_ : ndarray of shape (n_rules,), ρ; ∞ for hard rules.
    rule_breaks_ : ndarray of shape (n_rules,), the number of times that the training tags break each rule.

    Examples
    --------
    >>> tokens = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["dogs", "bark"]]
    >>> tags = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]]
    >>> features = Templates(((("word", 0),), (("suffix1", 0),)))
    >>> guide = Guide().rule(TagRule.at_least(1, ["V"]))
    >>> model = ConstrainedTagger(features, l2=0.1).fit(tokens, tags)
    >>> model.predict([["a", "dog"]])[0].tolist()
    ['D', 'N']
    >>> model.set_params(guide=guide).fit(tokens, tags).predict([["a", "dog"]])[0].tolist()
    ['D', 'V']
    """

    crf_: CRF
    classes_: np.ndarray
    chain_weight_: float
    _state_layout: ClassVar[Layout | None] = {
        "classes_": Array("tags", kind="any"),
        "chain_weight_": Optional(Number(least=0, whole=False)),
        "crf_": Part(CRF, {"tags": "tags"}),
        "rule_costs_": Array("rules", kind="f8", least=0, finite=False),
        "rule_breaks_": Array("rules", kind="i8", least=0),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "features": [StrOptions(set(READY)), Templates],
        "guide": [None, Guide],
        "chain": ["boolean", StrOptions({"learned"})],
        "training": [StrOptions({"local", "joint"})],
        **{name: [Interval(numbers.Real, 0, None, closed="left")] for name in ("l2", "tolerance")},
        **{name: [Interval(numbers.Integral, 1, None, closed="left")] for name in ("max_iter", "epochs")},
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        features: Templates | str = "parts_of_speech",
        guide: Guide | None = None,
        chain: bool | str = "learned",
        training: str = "local",
        l2: float = 1.0,
        max_iter: int = 200,
        tolerance: float = 1e-6,
        epochs: int = 8,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.features = features
        self.guide = guide
        self.chain = chain
        self.training = training
        self.l2 = l2
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.epochs = epochs
        self.random_state = random_state
        self.verbose = verbose

    def _state_sizes(self) -> dict[str, int]:
        return {"rules": len(self._rules)}

    @classmethod
    def of(cls, model: CRF, guide: Guide) -> ConstrainedTagger:
        """Return a tagger with the weights of a fitted field and with rules, whose costs must be numbers or hard.

        >>> model = CRF(Templates(((("word", 0),),))).fit([["a", "dog"]], [["D", "N"]])
        >>> ConstrainedTagger.of(model, Guide().rule(TagRule.at_most(0, ["D"]))).predict([["a"]])[0].tolist()
        ['N']
        """
        check_is_fitted(model)
        found = cls(model.features, guide)
        found.crf_, found.classes_ = model, model.classes_
        found.rule_costs_ = rule_table(found._rules, model.classes_).costs
        found.rule_breaks_ = np.zeros(len(found.rule_costs_), dtype=np.int64)
        return found

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: TokenLists, y: Tags) -> ConstrainedTagger:
        """Learn from sentences and their tags, including the learned costs of rules.

        A tag of None or −1 is unknown.
        """
        field = CRF(
            self.features,
            self.l2,
            solver="lbfgs",
            max_iter=self.max_iter,
            tolerance=self.tolerance,
            verbose=self.verbose,
        )
        tokens = as_tokens(X, self._n_columns(field))
        problem = tagging_problem(field._templates, tokens, y, None)
        self.classes_ = problem.classes
        unset = rule_table(self._rules, self.classes_, np.zeros(len(self._rules)))
        broken = unset.broken(problem.sentences.tags, tokens.offsets, tokens.columns)
        self.rule_costs_ = learned_costs(self._rules, broken)
        self.rule_breaks_ = np.array([one.times.sum() for one in broken], dtype=np.int64)
        limits = (float(self.l2), self.max_iter, self.tolerance)
        learned = self.chain == "learned" and self.training == "local"
        self.chain_weight_ = chosen_weight(problem, *limits) if learned else float(bool(self.chain))
        if self.training == "local":
            self.crf_ = field._keep(problem, train_chain(problem, self.chain_weight_, *limits))
        else:
            self.crf_ = self._train_jointly(field, problem, tokens)
        return self

    def predict(self, X: TokenLists) -> list[np.ndarray]:
        """Return the best tags of every sentence under the rules (1); warn if hard rules could not be satisfied."""
        check_is_fitted(self)
        tokens = as_tokens(X, self._n_columns(self.crf_))
        table = self._table
        _, attributes = self.crf_._read(tokens)
        scores = np.empty((len(attributes), len(self.classes_)))
        current_kernels().crf.score_tokens(attributes, *self.crf_._pairs, 1.0, scores)
        transition, first = self.crf_._logs
        decoder = _Decoder(table, tokens)
        parts = [
            decoder.tags(number, ChainProblem(scores[begin:end], first, transition))
            for number, (begin, end) in enumerate(itertools.pairwise(tokens.offsets.tolist()))
        ]
        codes = np.concatenate([np.empty(0, dtype=np.int64), *parts])
        self._warn_of_broken(table, codes, tokens)
        return tokens.split(self.classes_[codes])

    def violations(self, X: TokenLists, y: Tags) -> Ints:
        """Return the numbers of violations of the rules by tags, sentences × rules; an unknown tag violates none."""
        check_is_fitted(self)
        tokens = as_tokens(X, self._n_columns(self.crf_))
        codes = tag_codes(y, tokens.lengths, self.classes_)[0]
        broken = self._table.broken(codes, tokens.offsets, tokens.columns)
        return np.array([one.times for one in broken], dtype=np.int64).reshape(len(broken), len(tokens)).T

    def score(self, X: TokenLists, y: Tags) -> float:
        """Return the F1 of spans if tags are B-X, I-X and O, otherwise the share of correct tags."""
        return tag_score(self.predict(X), y, self.classes_)

    @property
    def _rules(self) -> tuple[TagRule, ...]:
        guide = self.guide if self.guide is not None else Guide()
        if len(guide.rules) < len(guide.wishes):
            others = [wish.described() for wish in guide.wishes if not hasattr(wish, "rule")]
            raise InvalidInput(f"a ConstrainedTagger takes only rules; the guide has other wishes: {'; '.join(others)}")
        return guide.rules

    @property
    def _table(self) -> RuleTable:
        return rule_table(self._rules, self.classes_, self.rule_costs_)

    def _n_columns(self, field: CRF) -> int:
        n = field._templates.n_columns
        for rule in self._rules:
            if rule.column >= n:
                raise InvalidInput(f"the rule {rule!r} is about column {rule.column}, but tokens have {n} columns")
        return n

    def _train_jointly(self, field: CRF, problem: TaggingProblem, tokens: Tokens) -> CRF:
        sentences = problem.sentences
        pairs = problem.pairs._replace(trained=np.full_like(problem.pairs.trained, self.chain_weight_ > 0))
        if (sentences.tags < 0).any():
            raise InvalidInput("training='joint' needs all tags; pass training='local' if some are unknown")
        decoder = _Decoder(self._table, tokens)

        def decode(number: int, weights: Weights) -> Ints:
            begin, end = sentences.offsets[number : number + 2]
            scores = np.empty((end - begin, len(pairs.starts)))
            current_kernels().crf.score_tokens(
                sentences.attributes[begin:end], pairs.pointers, pairs.pair_tags, weights.pairs, 1.0, scores
            )
            return decoder.tags(number, ChainProblem(scores, np.zeros(len(pairs.starts)), weights.transition))

        rng = generator(self.random_state)
        return field._keep(problem, train_perceptron(sentences, pairs, decode, self.epochs, rng, self.verbose))

    def _warn_of_broken(self, table: RuleTable, codes: Ints, tokens: Tokens) -> None:
        broken = table.broken(codes, tokens.offsets, tokens.columns)
        listed = [
            f"{rule!r} ({int((one.times > 0).sum())} sentences)"
            for rule, cost, one in zip(table.rules, table.costs, broken)
            if cost == np.inf and one.times.any()
        ]
        if listed:
            warnings.warn(f"hard rules that could not be kept: {'; '.join(listed)}", BrokenRuleWarning, stacklevel=3)


class _Decoder:
    """The costs of the rules for some sentences, computed once."""

    def __init__(self, table: RuleTable, tokens: Tokens) -> None:
        self._offsets = tokens.offsets
        self._tokens, self._first = table.tokens(tokens.columns), table.first()
        self._transition, self._counts = table.transition(), table.counts()

    def tags(self, number: int, model: ChainProblem) -> Ints:
        begin, end = self._offsets[number : number + 2]
        costs = self._tokens._replace(soft=self._tokens.soft[begin:end], hard=self._tokens.hard[begin:end])
        return best_tags(under_rules(model, costs, self._first, self._transition, self._counts))

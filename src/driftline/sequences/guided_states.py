"""A guide for the states of a hidden Markov model: words of states, shares of states, and rules about sequences."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.guidance.compile import compile_guide
from driftline.guidance.guide import Guide
from driftline.guidance.heeded import Evidence, warn_of_unheeded, wish_reports
from driftline.guidance.tag_rules import RuleTable, TagRule, rule_table
from driftline.guidance.wish_report import WishReport
from driftline.guidance.wishes import PairWish, ProportionWish, RuleWish, TopicWish
from driftline.inference.bounded_counts import CountBound
from driftline.inference.constrained_decoding import ChainProblem, Penalty, best_tags, under_rules
from driftline.inference.guide_arrays import Bounds, GuideArrays
from driftline.inference.guided_em import EmWishes
from driftline.inference.projection import group_shares
from driftline.sequences.baum_welch import Parameters, Sequences, bounded_states, expected_counts, state_probabilities
from driftline.text.vocabulary import WordList

WITHIN = 0.01
"""Maximum distance from its bounds at which the expected number of states in a sequence is accepted."""


class GuidedStates(NamedTuple):
    """A problem with the wishes of a guide, the compiled guide, and the rules."""

    problem: Sequences
    guide: Guide
    arrays: GuideArrays
    rules: RuleTable


def guided_problem(
    guide: Guide,
    problem: Sequences,
    vocabulary: WordList | None,
    classes: np.ndarray | None,
    word_numbers: Ints | None = None,
) -> GuidedStates:
    """Return a problem under a guide; wishes that a hidden Markov model does not support are an error."""
    if word_numbers is not None:
        raise InvalidInput("a guide needs word numbers up to a million, or vocabulary=")
    _check_kinds(guide, problem.kind)
    guide = guide if classes is None else _numbered(guide, [str(tag) for tag in classes])
    said = problem.summary().often if problem.kind == "categorical" else np.zeros(1)
    arrays = compile_guide(guide, said, problem.n_states, vocabulary=vocabulary, X=_counts(problem))
    names = arrays.names if classes is None else tuple(str(tag) for tag in classes)
    arrays = arrays._replace(names=names)
    rules = rule_table(guide.rules, names)
    wishes = start = None
    if problem.kind == "categorical" and (arrays.prior is not None or arrays.groups is not None):
        wishes, start = EmWishes.of(arrays, len(said), problem.n_states), arrays.start
    bounds = (*_share_bounds(arrays.bounds, problem), *_number_bounds(rules, problem))
    return GuidedStates(problem._replace(wishes=wishes, start=start, bounds=bounds), guide, arrays, rules)


def _check_kinds(guide: Guide, kind: str) -> None:
    for wish in guide.wishes:
        if not isinstance(wish, TopicWish | PairWish | ProportionWish | RuleWish):
            raise InvalidInput(
                f"a HiddenMarkovModel takes topics (its states), pairs, proportions and rules, not "
                f"'{wish.described()}'; known states are the tags y"
            )
        if isinstance(wish, TopicWish | PairWish) and kind != "categorical":
            raise InvalidInput(f"'{wish.described()}' is about words, but the states emit {kind} numbers")
        if isinstance(wish, RuleWish) and wish.rule.kind == "tokens":
            raise InvalidInput(
                f"'{wish.described()}' is about tokens; use topic(words=…, never=…) for the words of states"
            )


def _numbered(guide: Guide, names: list[str]) -> Guide:
    """Return the guide with the states of its topics, which are tags of the model."""
    wishes = []
    for wish in guide.wishes:
        if isinstance(wish, TopicWish):
            if wish.name not in names:
                raise InvalidInput(f"there is no state {wish.name!r}; the tags are {', '.join(names)}")
            wish = dataclasses.replace(wish, number=names.index(wish.name))
        elif isinstance(wish, ProportionWish) and isinstance(wish.topic, str) and wish.topic in names:
            wish = dataclasses.replace(wish, topic=names.index(wish.topic))
        wishes.append(wish)
    return dataclasses.replace(guide, wishes=tuple(wishes))


def _counts(problem: Sequences) -> sp.csr_matrix:
    """Return the counts of every word in every sequence; no columns for other observations."""
    sequence = np.repeat(np.arange(len(problem.offsets) - 1), np.diff(problem.offsets))
    seen = (problem.rows >= 0) & (problem.kind == "categorical")
    shape = (len(problem.offsets) - 1, len(problem.values) if problem.kind == "categorical" else 1)
    return sp.csr_matrix((np.ones(int(seen.sum())), (sequence[seen], problem.rows[seen])), shape=shape)


def _share_bounds(bounds: Bounds | None, problem: Sequences) -> list[CountBound]:
    """Return the bounds of states whose share is bounded, as numbers of steps."""
    if bounds is None:
        return []
    states, lengths, found = np.eye(problem.n_states, dtype=np.bool_), np.diff(problem.offsets), []
    for sets, groups, k in _bounded_states(bounds):
        steps = np.bincount(groups, weights=lengths, minlength=len(sets))
        found.append(CountBound(states[k], groups, bounds.low[sets, k] * steps, bounds.high[sets, k] * steps))
    return found


def _bounded_states(bounds: Bounds) -> Iterator[tuple[Ints, Ints, int]]:
    """Yield the sets of each division of the sequences, the place in them of every sequence, and a bounded state."""
    divisions = np.arange(bounds.n_groups)[None] if bounds.sets is None else bounds.sets
    for division in divisions:
        sets, of_group = np.unique(division, return_inverse=True)
        bounded = (bounds.low[sets] > 0).any(axis=0) | (bounds.high[sets] < 1).any(axis=0)
        for k in np.flatnonzero(bounded).tolist():
            yield sets, of_group[bounds.groups].astype(np.int64), k


def _number_bounds(rules: RuleTable, problem: Sequences) -> list[CountBound]:
    """Return the bounds of rules about the number of states in every sequence, limited by its length."""
    lengths = np.diff(problem.offsets).astype(np.float64)
    each = np.arange(len(lengths))
    return [
        CountBound(
            rule.counted, each, np.minimum(rule.low, lengths), np.maximum(rule.high, 0.0) + 0.0 * lengths, rule.cost
        )
        for rule in rules.counts()
    ]


def decoded(parameters: Parameters, problem: Sequences, rules: RuleTable) -> list[Ints]:
    """Return the most probable states of every sequence under rules."""
    logs = problem.emissions.log_likelihood(problem.values, parameters.emission)
    steps = np.where((problem.rows >= 0)[:, None], logs[problem.rows], 0.0)
    initial, transition = np.log(parameters.initial), np.log(parameters.transition)
    costs = rules.first(), rules.transition(), rules.counts()
    return [
        best_tags(
            under_rules(
                ChainProblem(steps[begin:end], initial, transition), Penalty.none(end - begin, len(initial)), *costs
            )
        )
        for begin, end in itertools.pairwise(problem.offsets.tolist())
    ]


def state_reports(guided: GuidedStates, parameters: Parameters) -> list[WishReport]:
    """Return the outcome of every wish; warn about those that were not heeded."""
    problem, arrays = guided.problem, guided.arrays
    plain = problem._replace(bounds=())
    lengths = np.diff(problem.offsets).astype(np.float64)
    numbers = np.array([rows.sum(axis=0) for rows in state_probabilities(parameters, plain)]).reshape(len(lengths), -1)
    bounded, multipliers = numbers, None if arrays.bounds is None else np.zeros_like(arrays.bounds.low)
    if problem.bounds:
        found = bounded_states(parameters, problem)
        bounded = np.array([part.sum(axis=0) for part in np.split(found.beliefs, problem.offsets[1:-1])])
        if arrays.bounds is not None and multipliers is not None:
            for (sets, _, k), values in zip(_bounded_states(arrays.bounds), found.multipliers):
                multipliers[sets, k] = values
    counts = expected_counts(parameters, plain)[0].emission
    shares, guided_shares = (each / np.maximum(lengths, 1.0)[:, None] for each in (numbers, bounded))
    evidence = Evidence(
        counts if problem.kind == "categorical" else np.zeros((1, problem.n_states)),
        parameters.emission.T,
        shares,
        guided_shares,
        lengths,
        multipliers,
        None if arrays.bounds is None else group_shares(guided_shares, arrays.bounds, lengths),
    )
    reports = wish_reports(guided.guide, arrays, evidence, warn=False)
    for place, wish in enumerate(guided.guide.wishes):
        if isinstance(wish, RuleWish) and wish.rule.is_count:
            reports[place] = _number_report(reports[place], wish.rule, guided.rules, numbers, bounded, lengths)
    warn_of_unheeded(reports)
    return reports


def _number_report(
    report: WishReport, rule: TagRule, rules: RuleTable, plain: Floats, bounded: Floats, lengths: Floats
) -> WishReport:
    """Return the share of sequences in which the expected number of states is within the bounds of a rule."""
    counted = np.isin(rules.classes, rule.tags)

    def kept(numbers: Floats) -> float:
        found = numbers[:, counted].sum(axis=1)
        if rule.kind == "at_least":
            return float((found >= np.minimum(rule.n, lengths) - WITHIN).mean())
        return float((found <= rule.n + WITHIN).mean())

    without, after = kept(plain), kept(bounded)
    heeded = after > 1 - WITHIN or rule.cost != "hard"
    measure = "share of sequences with the expected number"
    return dataclasses.replace(report, heeded=heeded, measure=measure, without=without, with_guide=after)

from __future__ import annotations

import itertools

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.inference.constrained_decoding import (
    UNLIMITED,
    ChainProblem,
    CountRule,
    Penalty,
    best_tags,
    known_score,
    program_tags,
    through_scores,
    under_rules,
    viterbi_tags,
)


def problem(rng, n, n_tags, counts=()):
    return ChainProblem(rng.normal(size=(n, n_tags)), rng.normal(size=n_tags), rng.normal(size=(n_tags,) * 2), counts)


def enumerated(given):
    n, n_tags = given.scores.shape
    sequences = [np.array(one, dtype=np.int64) for one in itertools.product(range(n_tags), repeat=n)]
    return max(sequences, key=given.score)


def test_the_integer_program_and_viterbi_agree_on_sixty_sentences():
    rng = np.random.default_rng(0)
    for number in range(60):
        given = problem(rng, 1 + number % 12, 2 + number % 4)
        np.testing.assert_array_equal(program_tags(given, prune=False), viterbi_tags(given))
        np.testing.assert_array_equal(program_tags(given), viterbi_tags(given))


@pytest.mark.parametrize("cost", [0.5, 3.0, 100.0])
def test_rules_about_numbers_of_tags_are_solved_exactly(cost):
    rng, used = np.random.default_rng(1), 0
    for _ in range(12):
        n_tags = int(rng.integers(2, 4))
        rules = (
            CountRule(rng.random(n_tags) < 0.5, int(rng.integers(1, 4)), UNLIMITED, cost),
            CountRule(rng.random(n_tags) < 0.5, 0, int(rng.integers(0, 3)), 0.7 * cost),
        )
        given = problem(rng, int(rng.integers(1, 6)), n_tags, rules)
        expected = enumerated(given)
        assert given.score(best_tags(given)) == pytest.approx(given.score(expected), abs=1e-7)
        np.testing.assert_array_equal(best_tags(given), expected)
        np.testing.assert_array_equal(program_tags(given, prune=False), expected)
        assert known_score(given) <= given.score(expected) + 1e-9
        used += not np.array_equal(expected, viterbi_tags(given))
    assert used >= 3


def test_impossible_transitions_stay_impossible():
    rng = np.random.default_rng(2)
    given = problem(rng, 4, 3, (CountRule(np.array([False, False, True]), 3, UNLIMITED, 50.0),))
    given.transition[2, 2] = -np.inf
    found = best_tags(given)
    np.testing.assert_array_equal(found, enumerated(given))
    assert not any(pair == (2, 2) for pair in itertools.pairwise(found.tolist()))


def test_hard_rules_are_broken_as_seldom_as_possible():
    rng = np.random.default_rng(3)
    for _ in range(10):
        model = problem(rng, 4, 3)
        tokens = Penalty(np.zeros((4, 3)), (rng.random((4, 3)) < 0.6).astype(float))
        moves = Penalty(np.zeros((3, 3)), (rng.random((3, 3)) < 0.4).astype(float))
        first = Penalty(rng.random(3), np.zeros(3))
        counts = (CountRule(np.array([True, False, False]), 2, UNLIMITED, np.inf),)
        found = best_tags(under_rules(model, tokens, first, moves, counts))

        def value(y, model=model, tokens=tokens, moves=moves, first=first, counts=counts):
            hard = tokens.hard[np.arange(4), y].sum() + moves.hard[y[:-1], y[1:]].sum() + counts[0].broken(y)
            return -hard, model.score(y) - first.soft[y[0]]

        sequences = [np.array(one) for one in itertools.product(range(3), repeat=4)]
        assert value(found) == pytest.approx(max(value(y) for y in sequences))


def test_a_sentence_without_tokens_has_no_tags():
    rules = (CountRule(np.array([True, False]), 1, UNLIMITED, 2.0),)
    empty = ChainProblem(np.empty((0, 2)), np.zeros(2), np.zeros((2, 2)), rules)
    assert len(best_tags(empty)) == 0
    assert len(program_tags(empty)) == 0
    assert empty.score(np.empty(0, dtype=np.int64)) == -2.0


def test_a_problem_without_any_solution_is_an_error():
    with pytest.raises(InvalidInput, match="no sequence of tags is possible for a sentence of 2 tokens"):
        program_tags(ChainProblem(np.zeros((2, 2)), np.zeros(2), np.full((2, 2), -np.inf)), prune=False)


def test_scores_through_tags_and_pairs_are_those_of_enumeration():
    given = problem(np.random.default_rng(5), 4, 3)
    tags, pairs = through_scores(given)
    sequences = [np.array(one) for one in itertools.product(range(3), repeat=4)]
    for t, s in itertools.product(range(4), range(3)):
        assert tags[t, s] == pytest.approx(max(given.score(y) for y in sequences if y[t] == s))
    for t, s, u in itertools.product(range(3), range(3), range(3)):
        assert pairs[t, s, u] == pytest.approx(max(given.score(y) for y in sequences if (y[t], y[t + 1]) == (s, u)))

from __future__ import annotations

import numpy as np
import pytest

from driftline.core.randomness import generator, seed_of, spawn


def test_the_same_seed_gives_the_same_numbers():
    assert generator(7).random(5).tolist() == generator(np.int64(7)).random(5).tolist()
    assert generator(7).random() != generator(8).random()


def test_a_generator_is_used_as_it_is():
    given = np.random.default_rng(1)
    assert generator(given) is given


def test_a_legacy_state_moves_on():
    state = np.random.RandomState(1)
    first, second = generator(state).random(), generator(state).random()
    assert first != second
    assert first == generator(np.random.RandomState(1)).random()


def test_no_seed_is_fresh_each_time():
    assert generator().random() != generator(None).random()


@pytest.mark.parametrize("wrong", ["7", 7.0, [7]])
def test_anything_else_is_refused(wrong):
    with pytest.raises(TypeError, match="random_state must be"):
        generator(wrong)


def test_spawned_generators_differ_and_do_not_depend_on_how_many():
    few, many = spawn(3, 2), spawn(3, 10)
    numbers = [each.random() for each in many]
    assert [each.random() for each in few] == numbers[:2]
    assert len(set(numbers)) == 10


def test_seeds_for_others_are_integers_of_31_bits():
    assert seed_of(5) == seed_of(5)
    assert all(0 <= seed_of(seed) < 2**31 for seed in range(50))
    assert len({seed_of(seed) for seed in range(50)}) == 50

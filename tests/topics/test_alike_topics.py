from __future__ import annotations

import itertools

import numpy as np
import pytest

from driftline.topics.alike_topics import merged, most_alike


def groups_by_definition(counts, n_topics):
    """Merge the two groups with the smallest distance, computed from all their topics, until there are `n_topics`."""
    sizes = counts.sum(axis=0)
    roots, groups = np.sqrt(counts / sizes), [[k] for k in range(len(sizes))]

    def mean(group):
        return roots[:, group] @ sizes[group] / sizes[group].sum()

    def distance(pair):
        one, other = (groups[i] for i in pair)
        weight = sizes[one].sum() * sizes[other].sum() / sizes[one + other].sum()
        return weight * ((mean(one) - mean(other)) ** 2).sum()

    while len(groups) > n_topics:
        first, second = min(itertools.combinations(range(len(groups)), 2), key=distance)
        groups[first] += groups.pop(second)
    return sorted(map(sorted, groups))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_topics", [1, 5, 12])
def test_merged_topics_are_those_of_the_definition(seed, n_topics):
    counts = np.random.default_rng(seed).gamma(0.3, 1.0, (20, 12))
    owners = most_alike(counts, n_topics)
    assert sorted(np.flatnonzero(owners == k).tolist() for k in range(n_topics)) == groups_by_definition(
        counts, n_topics
    )
    expected = np.stack([counts[:, owners == k].sum(axis=1) for k in range(n_topics)], axis=1)
    np.testing.assert_allclose(merged(counts, n_topics), expected)


def test_large_topics_with_one_theme_are_merged_before_small_ones_with_two():
    themes = np.array([[0.9, 0.1, 0.0], [0.1, 0.8, 0.1], [0.0, 0.1, 0.9]])
    counts = themes[:, [0, 0, 1, 2]] * [900.0, 800.0, 20.0, 30.0]
    assert most_alike(counts, 3).tolist() == [0, 0, 1, 2]


def test_topics_without_words_are_merged_first():
    counts = np.array([[3.0, 0.0, 1.0, 0.0], [1.0, 0.0, 3.0, 0.0]], dtype=np.float32)
    found = merged(counts, 2)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(np.sort(found, axis=1), [[1.0, 3.0], [1.0, 3.0]])

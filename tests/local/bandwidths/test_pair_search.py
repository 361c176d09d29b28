"""The search over pairs of settings."""

from __future__ import annotations

import functools

from driftline.local.bandwidths.pair_search import climb


def test_it_finds_a_valley_that_does_not_run_along_an_axis():
    asked = []

    @functools.cache
    def loss(x, y):
        asked.append((x, y))
        return (x - y) ** 2 + (y - 4) ** 2

    assert climb(loss, list(range(12)), list(range(6)), 0) == (4, 4)
    assert len(asked) < 12 * 6


def test_ties_stay_where_they_are():
    assert climb(lambda x, y: 0.0, [1.0, 2.0], [1.0, 2.0], 2.0) == (1.0, 2.0)


def test_single_values():
    assert climb(lambda x, y: x + y, [3.0], [7.0], 7.0) == (3.0, 7.0)

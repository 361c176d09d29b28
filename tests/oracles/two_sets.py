"""The comparison of two sets, word by word and unit by unit."""

from __future__ import annotations

from itertools import combinations, product
from math import inf, log, sqrt

from scipy.optimize import brentq
from scipy.stats import t as student


def compare(rows_a, rows_b, units_a, units_b, n_words, *, min_documents=10, level=0.95):
    """Rows are sets of words, units the number of each row's unit. Return word → (ratio, p, q, lower, upper)."""
    every_unit = sorted(set(units_a) | set(units_b))
    n_a, n_b = len(units_a), len(units_b)
    found = {}
    for word in range(n_words):
        with_a = [unit for row, unit in zip(rows_a, units_a) if word in row]
        with_b = [unit for row, unit in zip(rows_b, units_b) if word in row]
        c_a, c_b = len(with_a), len(with_b)
        if c_a + c_b < min_documents:
            continue
        parts, own = [], ([], [])
        for unit in every_unit:
            sides = []
            for with_word, units in ((with_a, units_a), (with_b, units_b)):
                n, here = len(units), units.count(unit)
                sides.append((with_word.count(unit) - here * len(with_word) / n) / n / (1 - here / n))
            parts.append(sides[0] - sides[1])
            for each, side in zip(own, sides):
                each.append(side)
        squares, fourths = (sum(part**power for part in parts) for power in (2, 4))
        dispersion = max(1.0, squares / (c_a / n_a**2 + c_b / n_b**2))
        excess = fourths / squares**2 - 1 / len(every_unit)
        most = len(every_unit) - 1
        freedom = most if excess <= 0 else min(max(2 / excess, 1), most)
        variance = [sum(side**2 for side in each) for each in own]
        fewer = [len(set(units)) - 1 for units in (units_a, units_b)]
        freedom = min(freedom, sum(variance) ** 2 / sum(v**2 / n for v, n in zip(variance, fewer)))
        p = 2 * student.sf(sqrt(_deviance(c_a, c_b, n_a / (n_a + n_b)) / dispersion), freedom)
        reach = dispersion * student.ppf((1 + level) / 2, freedom) ** 2
        ends = [_ratio(_end(c_a, c_b, reach, side), n_a, n_b) for side in (0.0, 1.0)]
        found[word] = [_ratio(c_a / (c_a + c_b), n_a, n_b), p, *ends]
    order = sorted(found, key=lambda word: found[word][1])
    q, least = {}, 1.0
    for rank in range(len(order), 0, -1):
        least = min(least, found[order[rank - 1]][1] * len(order) / rank)
        q[order[rank - 1]] = least
    return {word: (ratio, p, q[word], lower, upper) for word, (ratio, p, lower, upper) in found.items()}


def smallest_p(units_a, units_b):
    """Return the smallest p-value of a permutation test, by all assignments of the units."""
    of_a, of_b = set(units_a), set(units_b)
    if min(len(of_a), len(of_b)) < 2:
        return 1.0
    both, only = sorted(of_a & of_b), sorted(of_a ^ of_b)
    assignments = [
        (frozenset(chosen), turned)
        for chosen in combinations(only, len(of_a - of_b))
        for turned in product([False, True], repeat=len(both))
    ]
    exchanged = {
        (frozenset(only) - of_a, tuple([True] * len(both))),
        (frozenset(of_a - of_b), tuple([False] * len(both))),
    }
    return sum(each in exchanged for each in assignments) / len(assignments)


def _deviance(c_a, c_b, share):
    c = c_a + c_b
    return 2 * ((c_a * log(c_a / (c * share)) if c_a else 0) + (c_b * log(c_b / (c * (1 - share))) if c_b else 0))


def _end(c_a, c_b, reach, side):
    if (c_a if side == 0 else c_b) == 0:
        return side
    estimate = c_a / (c_a + c_b)
    return brentq(lambda share: _deviance(c_a, c_b, share) - reach, *sorted([estimate, abs(side - 1e-15)]), xtol=1e-15)


def _ratio(share, n_a, n_b):
    return inf if share == 1 else share / (1 - share) * n_b / n_a

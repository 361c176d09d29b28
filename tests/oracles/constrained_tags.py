"""Tags under rules by writing down every tag sequence; rules are applied as they are stated, one by one."""

from __future__ import annotations

import itertools

import numpy as np


def times_broken(rule, tags, tokens):
    """Return how often a sequence of tags (strings) breaks a rule; `tokens` are rows of strings."""
    if rule.kind == "bio":
        broken = 0
        for before, tag in zip([None, *tags], tags):
            if tag.startswith("I-"):
                broken += before not in (f"B-{tag[2:]}", tag)
        return broken
    if rule.kind == "never_after":
        return sum((before, tag) == (rule.values[0], rule.tags[0]) for before, tag in itertools.pairwise(tags))
    if rule.kind == "tokens":
        return sum(token[rule.column] in rule.values and tag not in rule.tags for token, tag in zip(tokens, tags))
    n = sum(tag in rule.tags for tag in tags)
    return max(rule.n - n, 0) if rule.kind == "at_least" else max(n - rule.n, 0)


def value_of(codes, scores, first, transition, rules, costs, classes, tokens):
    """Return minus the breaks of hard rules, and the score of a sequence less the cost of the other rules."""
    value = sum(scores[t, code] for t, code in enumerate(codes))
    value += sum(transition[pair] for pair in itertools.pairwise(codes)) + (first[codes[0]] if len(codes) else 0.0)
    times = [times_broken(rule, [classes[code] for code in codes], tokens) for rule in rules]
    hard = sum(n for n, cost in zip(times, costs) if cost == np.inf)
    return -hard, value - sum(n * cost for n, cost in zip(times, costs) if cost < np.inf)


def best_value(n, *problem):
    """Return the largest value of a sequence of n tags: the fewest breaks of hard rules first."""
    scores = problem[0]
    return max(value_of(codes, *problem) for codes in itertools.product(range(scores.shape[1]), repeat=n))

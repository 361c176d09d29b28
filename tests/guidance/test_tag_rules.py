from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.guidance import Guide, TagRule
from driftline.guidance.tag_rules import learned_costs, rule_table
from tests.oracles.constrained_tags import times_broken

CLASSES = ["B-X", "B-Y", "I-X", "I-Y", "O"]
RULES = (
    TagRule.bio(),
    TagRule.never_after("B-X", "B-Y", cost=1.5),
    TagRule.tokens(["the", "a"], ["B-X", "B-Y"], cost=2.0),
    TagRule.tokens(["NN"], ["O"], column=1),
    TagRule.at_least(2, ["B-X", "I-X"], cost="learned"),
    TagRule.at_most(1, ["O"]),
)


def test_breaks_are_counted_as_the_rules_are_stated():
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 6, 40)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    codes = rng.integers(0, 5, offsets[-1])
    columns = [rng.choice(["the", "a", "dog"], offsets[-1]).tolist(), rng.choice(["NN", "DT"], offsets[-1]).tolist()]
    found = rule_table(RULES, CLASSES, np.zeros(6)).broken(codes, offsets, columns)
    for rule, broken in zip(RULES, found):
        for number in range(40):
            part = slice(offsets[number], offsets[number + 1])
            tokens = list(zip(columns[0][part], columns[1][part]))
            assert broken.times[number] == times_broken(rule, [CLASSES[c] for c in codes[part]], tokens), rule
        limit = np.maximum(broken.places, 1) * (max(rule.n, 6) if rule.is_count else 1)
        assert (broken.times <= limit).all()


def test_unknown_tags_break_no_rule():
    found = rule_table(RULES, CLASSES, np.zeros(6)).broken(
        np.array([-1, 2, -1]), np.array([0, 3]), [["the"] * 3, ["NN"] * 3]
    )
    assert [int(one.times.sum()) for one in found] == [0, 0, 1, 1, 0, 0]


def test_costs_are_learned_from_how_often_rules_are_kept():
    table = rule_table(RULES, CLASSES, np.zeros(6))
    codes, offsets = np.array([0, 2, 0, 4]), np.array([0, 2, 3, 4])
    costs = learned_costs(RULES, table.broken(codes, offsets, [["x"] * 4, ["y"] * 4]))
    np.testing.assert_allclose(costs, [np.inf, 1.5, 2.0, np.inf, 0.0, np.inf])
    kept = learned_costs([TagRule.bio(cost="learned")], table.broken(codes, offsets, [["x"] * 4] * 2)[:1])
    np.testing.assert_allclose(kept, np.log(1.5 / 0.5))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: TagRule.bio(cost=-1.0), "must be 'hard', 'learned' or a non-negative number, not -1.0"),
        (lambda: TagRule.bio(cost="soft"), "not 'soft'"),
        (lambda: TagRule.at_least(0, ["V"]), "integer of at least 1, not 0"),
        (lambda: TagRule.at_most(-1, ["V"]), "integer of at least 0, not -1"),
        (lambda: TagRule.tokens("the", ["V"]), "values of a rule must be a list, not the string 'the'"),
        (lambda: TagRule.tokens(["the"], []), "needs at least one of its tags"),
        (lambda: TagRule.tokens(["the"], ["V"], column=-1), "must not be negative"),
        (lambda: Guide().rule("bio"), "a rule is a TagRule"),
        (
            lambda: rule_table([TagRule.at_least(1, ["B-Z"])], CLASSES),
            "has the tag 'B-Z', which the model does not have",
        ),
        (lambda: rule_table([TagRule.never_after("O", "Q")], CLASSES), "has the tag 'Q'"),
        (lambda: rule_table([TagRule.bio(cost="learned")], CLASSES), "it cannot be learned"),
    ],
)
def test_bad_rules_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


def test_rules_are_written_as_toml_and_read_again():
    guide = Guide()
    for rule in RULES:
        guide = guide.rule(rule)
    from driftline.guidance.toml_guide import guide_of_toml

    assert guide_of_toml(guide.to_toml()).rules == RULES


@pytest.mark.parametrize(
    "text, message",
    [
        ('kind = "boi"', "line 1: there is no rule 'boi'; did you mean 'bio'"),
        ('kind = "bio"\nn = 3', "a rule 'bio' takes no key 'n'"),
        ('kind = "at_least"\nn = 1', "a rule 'at_least' needs the key 'tags'"),
        ('kind = "never_after"\ntags = ["A", "B"]\nvalues = ["C"]', "has one tag, and one value"),
        ('kind = "bio"\ncosts = 3', "line 3: rule has no key 'costs'; did you mean 'cost'"),
    ],
)
def test_errors_in_toml_name_the_line(text, message):
    from driftline.guidance.toml_guide import guide_of_toml

    with pytest.raises(InvalidInput, match=message):
        guide_of_toml(f"[[rule]]\n{text}\n")

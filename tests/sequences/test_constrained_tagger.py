from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.oracles.constrained_tags import best_value, times_broken, value_of

import driftline
from driftline import CRF, ConstrainedTagger, Guide, TagRule, Templates
from driftline.core.errors import InvalidInput
from driftline.core.randomness import generator
from driftline.sequences.constrained_tagger import BrokenRuleWarning

WORDS = Templates(((("word", 0),), (("column1", 0),)))
WORD = Templates(((("word", 0),),))
TAGS = ["B-X", "I-X", "O"]
RULES = Guide().rule(TagRule.bio()).rule(TagRule.tokens(["DT"], ["B-X"], column=1, cost=1.0))
WITH_NUMBERS = RULES.rule(TagRule.at_least(2, ["B-X"])).rule(TagRule.at_most(1, ["O"], cost=0.5))


def sentences(n, seed=0):
    """Return spans "DT NN NN" and others, in which the word says little about the tag."""
    rng = np.random.default_rng(seed)
    tokens, tags = [], []
    for _ in range(n):
        words, names = [], []
        while len(words) < 3 or rng.random() < 0.3:
            if rng.random() < 0.5:
                length = int(rng.integers(1, 3))
                words += [("the", "DT" if rng.random() < 0.8 else "NN")]
                words += [(f"w{rng.integers(0, 6)}", "NN") for _ in range(length)]
                names += ["B-X", *(["I-X"] * length)]
            else:
                words += [(f"w{rng.integers(3, 9)}", "VB" if rng.random() < 0.4 else "NN")]
                names += ["O"]
        tokens.append(words[:5])
        tags.append(names[:5])
    return tokens, tags


@pytest.mark.parametrize("guide", [None, RULES, WITH_NUMBERS])
@pytest.mark.parametrize("chain", ["learned", True, False])
def test_predictions_are_those_of_enumeration(guide, chain):
    model = ConstrainedTagger(WORDS, guide, chain=chain, max_iter=20).fit(*sentences(12))
    tested = sentences(15, seed=1)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BrokenRuleWarning)
        found = model.predict(tested)
    field, rules = model.crf_, () if guide is None else guide.rules
    for tokens, tags in zip(tested, found):
        _, attributes = field._read([tokens])
        scores = np.zeros((len(tokens), 3))
        for t, row in enumerate(attributes):
            for a in row[row >= 0]:
                for pair in range(field.pointers_[a], field.pointers_[a + 1]):
                    scores[t, field.pair_tags_[pair]] += field.weights_[pair]
        problem = (scores, np.zeros(3), field.transition_, rules, model.rule_costs_, TAGS, tokens)
        codes = [TAGS.index(tag) for tag in tags]
        assert value_of(codes, *problem) == pytest.approx(best_value(len(codes), *problem))
    if chain is False:
        assert not field.transition_.any()


def test_without_rules_it_is_a_conditional_random_field():
    """All transitions occur, so that both have the same weights."""
    rng = np.random.default_rng(6)
    tags = [rng.choice(TAGS, 5).tolist() for _ in range(30)]
    tokens = [[(f"{tag}{rng.integers(0, 3)}", "NN") for tag in one] for one in tags]
    field, model = CRF(WORDS, solver="lbfgs").fit(tokens, tags), ConstrainedTagger(WORDS, chain=True).fit(tokens, tags)
    assert (np.abs(field.transition_) > 0).all()
    np.testing.assert_allclose(model.crf_.transition_, field.transition_, atol=1e-6)
    tested = sentences(10, seed=1)[0]
    for found, expected in zip(model.predict(tested), field.predict(tested)):
        assert found.tolist() == expected.tolist()


def test_transitions_that_do_not_occur_have_a_weight():
    model = ConstrainedTagger(WORDS, chain=True).fit(*sentences(30))
    transition = model.crf_.transition_
    assert transition[TAGS.index("O"), TAGS.index("I-X")] < 0
    assert not ConstrainedTagger(WORDS, chain=False).fit(*sentences(30)).crf_.transition_.any()


def test_joint_training_learns_what_the_rules_leave_open():
    train, test = sentences(60), sentences(60, seed=1)
    scores = {
        name: ConstrainedTagger(WORDS, guide, chain=False, training="joint", random_state=0).fit(*train).score(*test)
        for name, guide in {"rules": RULES, "none": None}.items()
    }
    local = ConstrainedTagger(WORDS, chain=False).fit(*train).score(*test)
    assert scores["rules"] > max(scores["none"], local) + 0.05
    again = ConstrainedTagger(WORDS, RULES, chain=False, training="joint", random_state=0).fit(*train)
    assert again.score(*test) == scores["rules"]
    assert again.crf_.objective_[-1] < again.crf_.objective_[0]


def test_joint_training_returns_the_mean_of_the_weights():
    """One attribute and two tags: the weights after every sentence can be written down."""
    tokens, tags = [["a"], ["a"], ["a"]], [["N"], ["V"], ["N"]]
    model = ConstrainedTagger(WORD, chain=False, training="joint", epochs=1, random_state=1).fit(tokens, tags)
    weights, sums = np.zeros(2), np.zeros(2)
    for number in generator(1).permutation(3):
        right, found = int(tags[number][0] == "V"), int(weights.argmax())
        weights[right] += right != found
        weights[found] -= right != found
        sums += weights
    np.testing.assert_allclose(model.crf_.weights_, sums / 3, atol=1e-7)


def test_hard_rules_that_cannot_be_kept_are_broken_once_and_reported():
    model = ConstrainedTagger(WORDS, Guide().rule(TagRule.at_least(2, ["O"]))).fit(*sentences(10))
    with pytest.warns(BrokenRuleWarning, match=r"at least 2: O \(2 sentences\)"):
        found = model.predict([[("the", "DT")], []])
    assert [tags.tolist() for tags in found] == [["O"], []]


def test_violations_costs_and_breaks():
    tokens, tags = sentences(10)
    tags[0] = ["I-X", *tags[0][1:]]
    model = ConstrainedTagger(WORDS, Guide().rule(TagRule.bio(cost="learned"))).fit(tokens, tags)
    assert model.rule_breaks_.tolist() == [1]
    inside = sum(tag == "I-X" for one in tags for tag in one)
    assert model.rule_costs_[0] == pytest.approx(np.log((inside - 1 + 0.5) / 1.5))
    expected = [[times_broken(TagRule.bio(), one, None)] for one in tags]
    assert model.violations(tokens, tags).tolist() == expected


def test_the_weights_of_a_field_under_rules():
    train, test = sentences(30), sentences(20, seed=1)
    field = CRF(WORDS, max_iter=20).fit(*train)
    model = ConstrainedTagger.of(field, RULES)
    assert model.violations(test[0], model.predict(test[0])).sum(axis=0)[0] == 0
    with pytest.raises(InvalidInput, match="it cannot be learned"):
        ConstrainedTagger.of(field, Guide().rule(TagRule.bio(cost="learned")))


def test_saved_and_loaded_it_predicts_the_same(tmp_path):
    model = ConstrainedTagger(WORDS, WITH_NUMBERS, max_iter=5).fit(*sentences(12))
    model.save(tmp_path / "model")
    loaded = driftline.load(tmp_path / "model")
    tested = sentences(5, seed=2)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BrokenRuleWarning)
        for found, expected in zip(loaded.predict(tested), model.predict(tested)):
            assert found.tolist() == expected.tolist()
    assert loaded.guide.rules == WITH_NUMBERS.rules


@pytest.mark.parametrize(
    "options, message",
    [
        ({"guide": Guide().topic("war", ["iraq"])}, "takes only rules; the guide has other wishes: topic war"),
        ({"guide": Guide().rule(TagRule.tokens(["a"], ["O"], column=4))}, "about column 4, but tokens have 2 columns"),
        ({"guide": Guide().rule(TagRule.at_least(1, ["B-Z"]))}, "has the tag 'B-Z'"),
        ({"training": "joint"}, "training='joint' needs all tags"),
    ],
)
def test_bad_input(options, message):
    tokens, tags = sentences(5)
    tags[0] = None
    with pytest.raises(InvalidInput, match=message):
        ConstrainedTagger(WORDS, **options).fit(tokens, tags)

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import driftline
from driftline import Guide, HiddenMarkovModel, TagRule
from driftline.core.errors import InvalidInput
from driftline.guidance.heeded import UnheededWishWarning

WORDS = ["the", "a", "dog", "cat", "cow", "barks", "sleeps", "runs"]
PARTS = {"D": [0, 1], "N": [2, 3, 4], "V": [5, 6, 7]}


def sentences(n, seed=0):
    """Return sentences "the dog barks" as word numbers, and their parts of speech."""
    rng = np.random.default_rng(seed)
    documents, tags = [], []
    for _ in range(n):
        parts = ["D", "N", "V"] if rng.random() < 0.7 else ["N", "V"]
        parts = [*parts, "D", "N"] if rng.random() < 0.5 else parts
        documents.append([int(rng.choice(PARTS[part])) for part in parts])
        tags.append(parts)
    return documents, tags


def named(words=True):
    guide = Guide()
    for part, columns in PARTS.items():
        guide = guide.topic(part, [WORDS[columns[0]]] if words else ())
    return guide


def test_words_name_the_states():
    documents, tags = sentences(60)
    model = HiddenMarkovModel(3, guide=named(), vocabulary=WORDS, n_restarts=1, random_state=0).fit(documents)
    assert model.state_names_ == ["D", "N", "V"]
    found = [model.state_names_[state] for path in model.predict(documents) for state in path]
    assert np.mean(np.array(found) == np.concatenate(tags)) > 0.95
    assert all(report.heeded for report in model.guide_report_)
    assert len(model.guide_report_) == 3


def test_banned_words_have_no_share_and_pairs_are_heeded():
    documents, _ = sentences(40)
    guide = named().together("cat", "cow").apart("dog", "barks")
    guide = Guide(tuple(wish for wish in guide.wishes)).topic("other", never=["the", "dog"])
    model = HiddenMarkovModel(4, guide=guide, vocabulary=WORDS, n_restarts=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnheededWishWarning)
        model.fit(documents)
    assert model.emission_[3, [0, 2]].max() <= 1e-200
    assert np.isfinite(model.objective_).all()


def test_without_wishes_nothing_changes():
    documents, _ = sentences(20)
    options = {"n_states": 2, "n_restarts": 2, "max_steps": 10, "random_state": 3}
    plain, empty = (HiddenMarkovModel(guide=guide, **options).fit(documents) for guide in (None, Guide()))
    np.testing.assert_array_equal(plain.emission_, empty.emission_)
    np.testing.assert_array_equal(plain.transition_, empty.transition_)


def test_shares_of_states_are_bounded_in_all_sequences():
    documents, _ = sentences(40)
    guide = named().proportion("V", exactly=0.45)
    model = HiddenMarkovModel(3, guide=guide, vocabulary=WORDS, n_restarts=1, random_state=0).fit(documents)
    report = model.guide_report_[-1]
    assert report.heeded
    assert report.with_guide == pytest.approx(0.45, abs=0.01)
    assert (np.diff(model.objective_) > -1e-2).all()


def test_a_rule_about_every_sequence_is_kept_in_training_and_decoding():
    documents, _ = sentences(40)
    guide = Guide().topic("V", ["barks"]).topic("N", ["dog"]).rule(TagRule.at_least(1, ["V"]))
    options = {"vocabulary": WORDS, "n_restarts": 1, "random_state": 0}
    model = HiddenMarkovModel(2, guide=guide, **options).fit(documents)
    assert model.guide_report_[-1].heeded
    assert model.guide_report_[-1].measure == "share of sequences with the expected number"
    tested = [[0, 2], [2], [2, 2, 2], []]
    for path in model.predict(tested):
        assert not len(path) or (path == 0).any()
    assert [len(path) for path in model.predict(tested)] == [2, 1, 3, 0]


def test_rules_in_decoding_are_those_of_enumeration():
    documents, _ = sentences(30)
    guide = named().rule(TagRule.at_most(1, ["N"])).rule(TagRule.never_after("V", "D", cost=0.3))
    model = HiddenMarkovModel(3, guide=guide, vocabulary=WORDS, n_restarts=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnheededWishWarning)
        model.fit(documents)
    tested = [[2, 3, 4], [0, 5, 2, 2], [1, 2, 6, 0, 3]]
    logs = [np.log(part) for part in (model.initial_, model.transition_, model.emission_)]
    for words, path in zip(tested, model.predict(tested)):

        def value(y, words=words):
            score = logs[0][y[0]] + sum(logs[1][pair] for pair in itertools.pairwise(y))
            score += sum(logs[2][state, word] for state, word in zip(y, words))
            return score - 0.3 * sum(pair == (0, 2) for pair in itertools.pairwise(y))

        possible = [y for y in itertools.product(range(3), repeat=len(words)) if sum(s == 1 for s in y) <= 1]
        assert value(tuple(path)) == pytest.approx(max(map(value, possible)))


def test_a_number_per_sequence_recovers_the_words_of_a_rare_state():
    """Every sequence has one step of the rare state, two of whose three words are those of the other state, too."""
    rng = np.random.default_rng(4)
    documents = []
    for _ in range(200):
        words = rng.choice([1, 2, 3, 4], 6)
        words[rng.integers(0, 6)] = rng.choice([0, 1, 2])
        documents.append(words.tolist())
    guide = Guide().topic("common", [3]).topic("rare", [0])
    bounded = guide.rule(TagRule.at_least(1, ["rare"])).rule(TagRule.at_most(1, ["rare"]))
    distance = {}
    for name, one in {"words": guide, "numbers": bounded}.items():
        model = HiddenMarkovModel(2, guide=one, n_restarts=1, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnheededWishWarning)
            model.fit(documents)
        distance[name] = 0.5 * np.abs(model.emission_[1] - np.array([1, 1, 1, 0, 0]) / 3).sum()
    assert distance["numbers"] < distance["words"] - 0.2


def test_tags_and_a_guide_agree_on_the_states(tmp_path):
    documents, tags = sentences(40)
    known = [one if number < 3 else None for number, one in enumerate(tags)]
    guide = Guide().topic("V", ["runs"]).rule(TagRule.at_least(1, ["V"])).proportion("N", at_least=0.2)
    model = HiddenMarkovModel(guide=guide, vocabulary=WORDS, n_restarts=1, random_state=0).fit(documents, known)
    assert model.state_names_ == ["D", "N", "V"]
    assert model.score(documents, tags) > 0.9
    model.save(tmp_path / "model")
    loaded = driftline.load(tmp_path / "model")
    assert [path.tolist() for path in loaded.predict(documents[:5])] == [
        p.tolist() for p in model.predict(documents[:5])
    ]
    assert loaded.guide_report_[0].name == "topic V"


@pytest.mark.parametrize(
    "guide, options, message",
    [
        (Guide().label([0], "V"), {}, "not 'label: 1 × V'; known states are the tags y"),
        (Guide().topic("V", [1]).spread(), {}, "takes topics"),
        (Guide().rule(TagRule.tokens(["a"], ["0"])), {}, "is about tokens"),
        (Guide().rule(TagRule.at_least(1, ["verb"])), {}, "has the tag 'verb'"),
        (Guide().rule(TagRule.at_least(1, ["0"], cost="learned")), {}, "it cannot be learned"),
        (Guide().topic("V", [1]), {"emissions": "poisson"}, "is about words, but the states emit poisson numbers"),
    ],
)
def test_unsupported_wishes_are_refused(guide, options, message):
    with pytest.raises(InvalidInput, match=message):
        HiddenMarkovModel(2, guide=guide, **options).fit([[1, 2, 3], [2, 1]])


def test_shares_of_states_that_emit_numbers_are_bounded():
    rng = np.random.default_rng(5)
    series = [rng.poisson(np.where(rng.random(30) < 0.2, 12, 3)).tolist() for _ in range(4)]
    guide = Guide().proportion(0, exactly=0.5)
    model = HiddenMarkovModel(2, "poisson", guide=guide, n_restarts=2, random_state=0).fit(series)
    assert model.guide_report_[0].with_guide == pytest.approx(0.5, abs=0.01)


def test_shares_of_states_are_bounded_in_every_group():
    documents, _ = sentences(40)
    guide = named().proportion("V", exactly=0.4, by=[0, 1] * 20)
    model = HiddenMarkovModel(3, guide=guide, vocabulary=WORDS, n_restarts=1, random_state=0).fit(documents)
    assert model.guide_report_[-1].heeded
    assert model.guide_report_[-1].with_guide == pytest.approx(0.4, abs=0.01)


def test_shares_of_states_hold_in_all_sequences_and_in_groups_and_their_multipliers_are_reported():
    documents, _ = sentences(60)
    by = np.arange(60) % 2
    guide = named().proportion("V", at_least=0.45).proportion("D", at_most=0.3, by=by)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnheededWishWarning)
        model = HiddenMarkovModel(3, guide=guide, vocabulary=WORDS, n_restarts=1, random_state=0).fit(documents)
    more, less = model.guide_report_[3:]
    assert more.with_guide == pytest.approx(0.45, abs=0.01)
    assert less.with_guide <= 0.31
    assert more.without < 0.44
    (note,) = more.notes
    assert float(note.rpartition(" ")[2]) > 1.0, "the bound needs a multiplier"

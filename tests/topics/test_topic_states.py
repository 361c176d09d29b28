from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.topics import TopicMap, topic_map
from driftline.topics import topic_states as module
from driftline.topics.map_candidates import row_keys
from driftline.topics.topic_states import left_out_words, pair_sums, specificity, topic_states, without_general
from tests.oracles import topic_words


def documents(n, seed, lengths=6):
    """Documents of five topics over 150 words, ten words each that matter, and fifty words of no topic."""
    rng = np.random.default_rng(seed)
    base = np.full((5, 150), 0.2 / 150)
    for k in range(5):
        base[k, 10 * k : 10 * k + 10] += 0.08
    which = rng.integers(0, 5, n)
    rows = [rng.multinomial(lengths, base[k] / base[k].sum()) for k in which]
    return sp.csr_array(np.array(rows, dtype=float)), which


@pytest.fixture(scope="module")
def planted():
    return documents(1200, 3)[0], documents(200, 4)[0]


def test_true_mixed_and_random_topics_are_distinguished(planted):
    fitted, held = planted
    true = [list(range(10 * k, 10 * k + 10)) for k in range(5)]
    mixed = [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]
    junk = [52, 57, 61, 66, 72, 79, 84, 88, 93, 99]
    columns = np.array([*true, mixed, junk])
    states = topic_states(columns, fitted, [(columns, held)], np.random.default_rng(0))
    assert states == ["clear"] * 5 + ["mixed", "junk"]
    half = [(columns, held[np.arange(start, 200, 2)]) for start in (0, 1)]
    assert topic_states(columns, fitted, half, np.random.default_rng(0)) == states


def test_topics_hardly_above_random_words_are_mixed(planted):
    """With the limits at the same level nothing is mixed for this reason; true topics stay clear at any."""
    fitted, held = planted
    rng = np.random.default_rng(1)
    columns = np.array([rng.choice(150, 10, replace=False) for _ in range(400)] + [np.arange(10)])

    def states(*levels):
        return topic_states(columns, fitted, [(columns, held)], np.random.default_rng(0), *levels)

    usual, lenient, strict = states((0.9, 0.99)), states((0.9, 0.9)), states((0.99, 0.99))
    assert usual[-1] == lenient[-1] == strict[-1] == "clear"
    assert [state == "junk" for state in usual] == [state == "junk" for state in lenient]
    assert usual.count("mixed") > lenient.count("mixed")
    assert strict.count("junk") > usual.count("junk")
    assert states() == states((module.JUNK_LEVEL, module.CLEAR_LEVEL))
    assert 360 < states().count("junk") < 395, "one of 20 random sets passes"


def test_words_that_occur_together_in_one_part_only_are_junk(planted):
    """All parts together would not show it: one part in which the words belong together outweighs three."""
    fitted, held = planted
    columns = np.array([np.arange(10), np.arange(10, 20)])
    apart = sp.csr_array(np.random.default_rng(0).permuted(held.toarray(), axis=0))

    def states(*parts):
        return topic_states(columns, fitted, [(columns, part) for part in parts], np.random.default_rng(0))

    assert states(held, held, held, held) == ["clear", "clear"]
    assert states(held, apart, apart, apart) == ["junk", "junk"]


def test_sums_over_pairs_equal_the_slow_sums(planted):
    X = planted[1].toarray() > 0
    words = [0, 3, 12, 40]
    observed = chance = 0.0
    for i, w in enumerate(words):
        for v in words[i + 1 :]:
            observed += (X[:, w] & X[:, v]).sum()
            chance += X[:, w].sum() * X[:, v].sum() / len(X)
    together, expected = pair_sums(planted[1], np.array([words]))
    assert together[0] == observed
    assert expected[0] == pytest.approx(chance)


def test_one_shown_word_has_no_coherence(planted):
    columns = np.array([[1], [2]])
    assert topic_states(columns, planted[0], [(columns, planted[1])], np.random.default_rng(0)) == ["clear", "clear"]


def test_sets_of_all_words_are_not_called_junk():
    X = sp.csr_array(np.repeat([[1.0, 1, 0, 0], [0, 0, 1, 1]], 30, axis=0))
    columns = np.array([[0, 1, 2, 3], [3, 2, 1, 0]])
    assert topic_states(columns, X, [(columns, X)], np.random.default_rng(0)) == ["mixed", "mixed"]


@pytest.mark.parametrize("by_word", [False, True])
def test_words_are_chosen_without_the_documents_that_test_them(by_word):
    """Forty copies of a document have words of their own, which lead a topic, but not where the copies test it."""
    X, which = documents(300, 1)
    X = X.toarray()
    X[:, 100:108] = 0.0
    copy = np.zeros((1, 150))
    copy[0, 100:108] = 3.0
    X = sp.csr_array(np.vstack([X, np.repeat(copy, 40, axis=0)]))
    which = np.concatenate([which, np.zeros(40, dtype=int)])
    shares = np.full((340, 5), 0.05)
    shares[np.arange(340), which] = 0.8
    components = np.asarray(X.T @ shares).T + 0.01
    components /= components.sum(axis=1, keepdims=True)
    parts = list(left_out_words(components, shares, X, 8, np.random.default_rng(0), by_word=by_word))
    divisions = [parts[first : first + module.PARTS] for first in range(0, len(parts), module.PARTS)]
    assert len(divisions) == module.DIVISIONS
    keys = [[set(row_keys(sp.csr_array(part)).tolist()) for _, part in division] for division in divisions]
    assert all(sum(part.shape[0] for _, part in division) == 340 for division in divisions)
    assert all(sum(map(len, one)) == len(set().union(*one)) for one in keys), "equal documents are in one part"
    assert keys[0] != keys[1], "each division is another"
    own = np.arange(100, 108)
    with_copies = [np.asarray(part.sum(axis=0)).ravel()[own].all() for _, part in parts]
    assert sum(with_copies) == module.DIVISIONS
    for (columns, _), has_copies in zip(parts, with_copies):
        assert np.isin(own, columns[0]).any() != has_copies
        assert all((row // 10 == k).mean() > 0.8 for k, row in enumerate(columns) if k)


def test_topics_of_general_words_are_junk():
    """The first two words are used by both other topics as often as by the second."""
    components = np.array([[0.4, 0.4, 0.0, 0.0, 0.2], [0.4, 0.4, 0.0, 0.2, 0.0], [0.4, 0.4, 0.2, 0.0, 0.0]]) + 1e-6
    components /= components.sum(axis=1, keepdims=True)
    states = ["clear", "clear", "mixed"]
    assert without_general(states, components, np.array([[4], [3], [2]])) == states
    assert without_general(states, components, np.array([[4], [1], [0]])) == ["clear", "junk", "junk"]
    assert without_general(["clear"], components[:1], np.array([[0]])) == ["clear"], "a single topic has no others"
    columns = np.array([[0, 4], [3, 1], [2, 1]])
    assert without_general(states, components, columns) == states, "five words are too few for six of their own"
    expected = [topic_words.specificity(components.tolist(), k, row) for k, row in enumerate(columns.tolist())]
    np.testing.assert_allclose(specificity(components, columns), expected)


def test_maps_ask_whether_words_are_general(monkeypatch):
    monkeypatch.setattr(module, "SPECIFIC", 1.1)
    found = TopicMap(5, random_state=0, model="mixture").fit(documents(500, 8)[0])
    assert {card.state for card in found.topics_} == {"junk"}


def test_topics_of_shuffled_words_are_junk_and_reported_as_arbitrary():
    rng = np.random.default_rng(5)
    X = documents(1500, 6)[0]
    words = np.repeat(X.indices, X.data.astype(int))
    rng.shuffle(words)
    rows = np.repeat(np.arange(X.shape[0]), X.sum(axis=1).astype(int))
    shuffled = sp.csr_array((np.ones(len(words)), (rows, words)), shape=X.shape)
    found = TopicMap(10, random_state=0).fit(shuffled)
    assert any("may be arbitrary" in note for note in found.notes_)
    assert sum(card.state == "junk" for card in found.topics_) >= 8
    assert found.trial_[-1].name == "no topics"
    true = TopicMap(5, random_state=0).fit(X)
    assert not true.notes_
    assert {card.state for card in true.topics_} == {"clear"}


def test_clear_topics_come_first_and_junk_last(monkeypatch):
    X = documents(500, 8)[0]
    monkeypatch.setattr(topic_map, "topic_states", lambda columns, *_: ["junk", "clear", "junk", "mixed", "clear"])
    found = TopicMap(5, random_state=0, model="mixture").fit(X)
    assert [card.state for card in found.topics_] == ["clear", "clear", "mixed", "junk", "junk"]
    assert found.rest_.name == "the rest"
    assert found.rest_.topics == [3, 4]
    assert found.rest_.share == pytest.approx(found.topics_[3].share + found.topics_[4].share)
    assert set(found.rest_.words) <= {word for card in found.topics_[3:] for word in card.words}
    assert found.notes_[-1].startswith(f"2 of 5 topics ({100 * found.rest_.share:.0f} % of a document on average)")
    shares = [card.share for card in found.topics_]
    assert shares[0] > shares[1]
    assert shares[3] > shares[4]
    assert (found.labels_ == found.transform(X).argmax(axis=1)).all()
    for k, card in enumerate(found.topics_):
        assert (found.labels_[card.examples] == k).all()
        assert set(card.words[:3]) <= set(np.argsort(-found.components_[k])[:20].tolist())

from __future__ import annotations

import itertools

import numpy as np
import pyarrow.parquet as pq
import pytest

import driftline
from driftline.core.errors import InvalidInput
from driftline.sequences import CRF, Templates

SENTENCES = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["dogs", "bark"], ["the", "old", "dog", "sleeps"]]
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"], ["D", "A", "N", "V"]]
WORDS = Templates(((("word", 0),), (("suffix1", 0),), (("word", -1),)))
CHUNKS = [["B-X", "I-X", "O"], ["O", "B-Y", "I-Y"], ["B-X", "O"], ["O", "O", "B-Y", "O"]]


def all_sequences(model, words):
    """Return every tag sequence and its probability, from weights and attributes."""
    marginals = model.predict_marginals([words])[0]
    sequences = list(itertools.product(range(len(model.classes_)), repeat=len(words)))
    logs = [model.log_probabilities([words], [model.classes_[list(one)].tolist()])[0] for one in sequences]
    shares = np.exp(logs)
    for t in range(len(words)):
        np.testing.assert_allclose(
            marginals[t],
            np.bincount([one[t] for one in sequences], weights=shares, minlength=len(model.classes_)),
            atol=1e-9,
        )
    return {tuple(model.classes_[list(one)].tolist()): share for one, share in zip(sequences, shares)}


@pytest.mark.parametrize("solver", ["lbfgs", "sgd"])
def test_probabilities_sum_to_one_and_the_best_is_predicted(solver):
    model = CRF(WORDS, l2=0.1, solver=solver, random_state=0).fit(SENTENCES, TAGS)
    assert model.score(SENTENCES, TAGS) == 1.0
    shares = all_sequences(model, ["the", "cow", "moos"])
    assert sum(shares.values()) == pytest.approx(1)
    assert tuple(model.predict([["the", "cow", "moos"]])[0].tolist()) == max(shares, key=shares.get)
    best = model.predict_best([["the", "cow", "moos"], []], 6)
    assert [one.tags for one in best[0]] == sorted(shares, key=shares.get, reverse=True)[:6]
    np.testing.assert_allclose([one.probability for one in best[0]], sorted(shares.values(), reverse=True)[:6])
    assert best[1] == [((), 1.0)]


def test_known_tags_limit_the_others():
    model = CRF(WORDS, l2=0.1).fit(SENTENCES, TAGS)
    words = ["the", "dog", "barks"]
    shares = all_sequences(model, words)
    found = model.predict_marginals([words], [["A", None, None]])[0]
    assert found[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    agree = {tags: share for tags, share in shares.items() if tags[0] == "A"}
    expected = sum(share for tags, share in agree.items() if tags[1] == "N") / sum(agree.values())
    assert found[1][model.classes_.tolist().index("N")] == pytest.approx(expected)
    assert model.log_probabilities([words], [["A", None, None]])[0] == pytest.approx(np.log(sum(agree.values())))


def test_partly_known_tags_are_enough_to_learn():
    part = [["D", None, "V"], None, ["N", "V"], ["D", "A", "N", None]]
    model = CRF(WORDS, l2=0.1).fit(SENTENCES, part)
    assert model.score(SENTENCES, part) == 1.0
    assert model.predict([["the", "dog", "barks"]])[0].tolist() == ["D", "N", "V"]


def test_forbidden_transitions_are_never_predicted():
    free = CRF(WORDS, l2=100.0).fit(SENTENCES, CHUNKS)
    model = CRF(WORDS, l2=100.0, forbidden="bio").fit(SENTENCES, CHUNKS)
    words = ["sleeps", "sleeps", "dog"]
    for tags in itertools.product(model.classes_.tolist(), repeat=3):
        bad = any(b.startswith("I-") and a[1:] != b[1:] for a, b in itertools.pairwise(("O", *tags)))
        assert (model.log_probabilities([words], [list(tags)])[0] < -300) == bad
        assert free.log_probabilities([words], [list(tags)])[0] > -300
    assert 0 < len(model.predict_best([words], 1000)[0]) < 125
    named = CRF(WORDS, l2=0.1, forbidden=[("O", "O")]).fit(SENTENCES[:3], CHUNKS[:3])
    assert all(("O", "O") not in itertools.pairwise(one.tags) for one in named.predict_best([words], 50)[0])


def test_the_score_of_spans():
    model = CRF(WORDS, l2=0.01).fit(SENTENCES, CHUNKS)
    assert model.score(SENTENCES, CHUNKS) == 1.0
    assert model.score([SENTENCES[0]], [["B-X", "O", "O"]]) == 0.0


def test_unknown_attributes_are_counted():
    model = CRF(WORDS).fit(SENTENCES, TAGS)
    assert model.unknown_attributes([["dog"], ["zebra", "the"], []]).tolist() == [0, 2, 0]


def test_empty_sentences_and_one_token():
    model = CRF(WORDS).fit([[], *SENTENCES, ["dog"]], [[], *TAGS, ["N"]])
    assert [len(tags) for tags in model.predict([[], ["cat"]])] == [0, 1]
    assert model.predict_marginals([[]])[0].shape == (0, 4)
    assert model.predict([]) == []


def test_one_tag_only():
    model = CRF(WORDS).fit([["a", "b"]], [["X", "X"]])
    assert model.predict([["c", "d", "e"]])[0].tolist() == ["X"] * 3


def test_pruning_keeps_the_largest_weights():
    model = CRF(WORDS, l2=0.1).fit(SENTENCES, TAGS)
    n, before = len(model.weights_), np.sort(np.abs(model.weights_))[::-1]
    model.prune(10)
    np.testing.assert_allclose(np.sort(np.abs(model.weights_))[::-1], before[: len(model.weights_)])
    assert 10 <= len(model.weights_) < n
    model._check_state()
    assert model.predict([SENTENCES[0]])[0].tolist() == TAGS[0]
    assert len(model.prune(0).weights_) == 0
    assert len(model.predict([SENTENCES[0]])[0]) == 3


def test_it_is_saved_with_its_templates(tmp_path):
    model = CRF(WORDS, forbidden="bio", l2=0.1).fit(SENTENCES, CHUNKS)
    model.save(tmp_path / "model")
    loaded = driftline.load(tmp_path / "model")
    assert loaded.features == WORDS
    assert [tags.tolist() for tags in loaded.predict(SENTENCES)] == [tags.tolist() for tags in model.predict(SENTENCES)]


@pytest.mark.parametrize(
    "arguments, X, y, message",
    [
        ({}, [["a", "b"]], [["X"]], "sentence 0 has 2 tokens but 1 tags: position 1"),
        ({}, ["a b"], [["X", "Y"]], "sentence 0 is 'a b'"),
        ({}, [["a"]], [[None]], "no token has a tag"),
        (
            {"forbidden": "bio"},
            [["x"], ["a", "b"]],
            [["O"], ["O", "I-X"]],
            "position 1 of sentence 1 has the tag 'I-X'",
        ),
        ({"forbidden": "bio"}, [["a"]], [["I-X"]], "position 0 of sentence 0 .*B-X begins a span"),
        ({"forbidden": "iob"}, [["a"]], [["O"]], "pass None, 'bio' or pairs"),
        ({"features": "chunking"}, [["a"]], [["O"]], "has 1 columns, but the model has 2"),
        ({"solver": "sgd", "l1": 1.0}, [["a"]], [["O"]], "L1 penalty needs"),
    ],
)
def test_bad_input_is_refused(arguments, X, y, message):
    with pytest.raises(InvalidInput, match=message):
        CRF(**arguments).fit(X, y)


def test_bad_questions_are_refused():
    model = CRF(WORDS).fit(SENTENCES, TAGS)
    with pytest.raises(InvalidInput, match="position 0 of sentence 0 has the tag 'Q', which did not occur in training"):
        model.log_probabilities([["the"]], [["Q"]])
    with pytest.raises(InvalidInput, match="n_best"):
        model.predict_best([["the"]], 0)
    with pytest.raises(InvalidInput, match="sample_weight"):
        CRF(WORDS).fit(SENTENCES, TAGS, sample_weight=[1, 2])


@pytest.mark.slow
@pytest.mark.data
def test_chunks_of_real_sentences(real_data):
    rows = pq.read_table(real_data("conll2000")).to_pylist()
    parts = [
        (
            [list(zip(row["tokens"], row["pos"])) for row in rows if row["split"] == split],
            [row["chunk"] for row in rows if row["split"] == split],
        )
        for split in ("train", "test")
    ]
    model = CRF("chunking", l2=0.5, random_state=0).fit(*parts[0])
    assert len(model.weights_) == 456_323, "as many as CRFsuite has"
    assert model.score(*parts[1]) >= 0.936


def test_the_best_sequences_of_a_very_long_sentence():
    model = CRF(Templates(((("word", 0),),)), l2=0.1).fit([["a", "b", "c"]] * 5, [["A", "B", "C"]] * 5)
    (best, second), *_ = model.predict_best([["a", "b"] * 400], 2)
    assert len(best.tags) == len(second.tags) == 800  # 3 ** 800 is no floating-point number
    assert best.probability >= second.probability

"""The words of a topic at two times: both lists have the same words, and only significant changes are reported."""

import json

import numpy as np

from driftline.service.views.topic import _compared, _tokens
from tests.service.running import take, writing


def documents(chance, shares, n=300):
    return [["common", *(word for word, share in shares.items() if chance.random() < share)] for _ in range(n)]


def test_both_lists_have_the_same_words_with_their_own_shares():
    found = _compared([["a", "b"], ["a"]], [["c", "a"], ["c"]])
    now, then = ({each["word"]: each["share"] for each in found[name]} for name in ("words_now", "words_then"))
    assert now == {"a": 0.66667, "b": 0.33333, "c": 0.0}
    assert then == {"a": 0.33333, "b": 0.0, "c": 0.66667}
    assert _compared([], [])["words_now"] == []


def test_changes_are_beyond_chance():
    chance = np.random.default_rng(0)
    same = {f"w{k}": 0.05 + 0.02 * k for k in range(20)}
    reports = [len(_compared(documents(chance, same), documents(chance, same))["changed"]) > 0 for _ in range(60)]
    assert sum(reports) <= 8
    assert _compared(documents(chance, {**same, "w9": 0.6}), documents(chance, same))["changed"] == ["w9"]


def test_words_are_those_that_are_counted(tmp_path):
    text = "Storm warning &amp; floods https://example.org/x1 RT @joe: shelter"
    with writing(str(tmp_path / "store")) as writer:
        row = json.dumps({"time": 1.7e9, "text": text}).encode()
        take(writer, [row])
        writer.database.execute("UPDATE documents SET topic = 3")
        (words,) = _tokens(writer.database, writer.learner.words.tokenizer, 3, int(1.8e15))
        assert sorted(words) == sorted(writer.learner.words.words()) == ["floods", "shelter", "storm", "warning"]

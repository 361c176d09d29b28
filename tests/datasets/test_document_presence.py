import numpy as np
import pytest

from driftline.datasets.courses import change
from driftline.datasets.document_presence import document_shares
from driftline.datasets.grammar import Grammar, Slot, words_of
from driftline.datasets.newswire_plan import expected_sentences, sentence_plans


@pytest.mark.parametrize("repetition", [0.0, 0.6, 1.0])
def test_shares_are_those_of_many_documents(repetition):
    slots = {
        "beast": Slot.ranked(["cat", "big dog", "dog"]),
        "mood": Slot.drifting({"happy": (1.0, change(3.0, day=5, width=1)), "dog": (0.2, None), "sad": (1.0, None)}),
    }
    grammar = Grammar(["a {mood} {beast} met a {beast}", "the dog left", "{beast}"], slots, repetition=repetition)
    plans = [(0.5, (0,)), (0.2, (0, 2)), (0.1, (1,)), (0.2, (2,))]
    n = 20_000
    random = np.random.default_rng(1)
    drawn = random.choice(4, size=n, p=[probability for probability, _ in plans])
    documents = np.repeat(np.arange(n), [len(plans[i][1]) for i in drawn])
    sentences = np.concatenate([plans[i][1] for i in drawn])
    texts = [set(words_of(text)) for text in grammar.write(documents, sentences, np.full(n, 6.0), random)]
    words = ["dog", "cat", "happy", "left", "sad", "unknown"]
    expected = document_shares(grammar, plans, words, np.array([6.0]))[0]
    found = [np.mean([word in text for text in texts]) for word in words]
    np.testing.assert_allclose(expected, found, atol=0.015)


def test_plans_agree_with_the_expected_sentences():
    plans = sentence_plans()
    assert sum(probability for probability, _ in plans) == pytest.approx(1.0)
    uses = np.zeros(len(expected_sentences()))
    for probability, sentences in plans:
        uses[list(sentences)] += probability
    np.testing.assert_allclose(uses, expected_sentences())

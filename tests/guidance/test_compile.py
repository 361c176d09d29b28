from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.guidance import Guide
from driftline.guidance.compile import compile_guide
from driftline.guidance.word_wishes import UnknownWordsWarning

WORDS = ["war", "iraq", "sars", "virus", "tax", "budget"]
SAID = np.array([10.0, 5.0, 8.0, 2.0, 4.0, 3.0])


def compiled(guide, n_topics=3, n_documents=4, **more):
    X = sp.csr_matrix(np.tile(SAID / n_documents, (n_documents, 1)))
    return compile_guide(guide, SAID, n_topics, vocabulary=WORDS, X=X, **more)


def test_words_are_worth_their_own_count_and_start_in_their_topic():
    arrays = compiled(Guide().topic("war", ["war", "iraq"], never=["sars"]).topic("disease", {"sars": 50}))
    assert arrays.names == ("war", "disease", "2")
    assert arrays.n_named == 2
    assert arrays.prior.words.tolist() == [0, 1, 2]
    assert arrays.prior.counts.tolist() == [[10, 0, 0], [5, 0, 0], [0, 50, 0]]
    assert arrays.prior.banned.tolist() == [[2, 0]]
    assert arrays.start.counts.toarray()[:4].tolist() == [[10, 0, 0], [5, 0, 0], [0, 8, 0], [0, 0, 0]]


def test_a_word_of_two_topics_is_shared():
    arrays = compiled(Guide().topic("a", ["war"]).topic("b", ["war"]))
    assert arrays.start.counts.toarray()[0].tolist() == [5, 5, 0]


def test_unknown_words_are_named_with_their_neighbours():
    with pytest.warns(UnknownWordsWarning, match=r"'wars' is not in the vocabulary \(near: .*war"):
        arrays = compiled(Guide().topic("war", ["wars", "iraq"]))
    assert "'wars'" in arrays.placed[0].notes[0]
    with pytest.raises(InvalidInput, match="topic 'war': no word is left; 'zzz' is not in the vocabulary"):
        compiled(Guide().topic("war", ["zzz"]))
    with pytest.raises(InvalidInput, match="no word is left"):
        compiled(Guide().together("war", "zzz"))


@pytest.mark.parametrize(
    ("guide", "message"),
    [
        (Guide().together("war", "iraq").together("iraq", "tax").apart("tax", "war"), "both together and apart"),
        (Guide().topic("a", ["war", "tax"]).apart("war", "tax"), "are wished apart, but both are words of topic"),
        (Guide().topic("a", ["war"], never=["tax"]).together("war", "tax"), "wants the one and bans the other"),
        (Guide().topic("a").topic("b").topic("c").topic("d"), "no free topic for 'd'"),
        (Guide().topic("a", number=1).topic("b", number=1), "both want the number 1"),
        (Guide().topic("a", number=7), "no free topic for 'a'"),
        (Guide().proportion("a", at_least=0.5), "there is no topic 'a'"),
        (Guide().topic("a").topic("b").proportion("a", at_least=0.6).proportion("b", at_least=0.6), "at least 1.2"),
        (Guide().topic("a").proportion("a", at_least=0.6).proportion("a", at_most=0.1), "cannot all hold"),
        (
            Guide().proportion(0, at_most=0.1).proportion(1, at_most=0.1).proportion(2, at_most=0.1),
            "sum to at most 0.3",
        ),
        (Guide().proportion(0, at_most=0.1, by=[0, 1]), "by 2 values, but there are 4 documents"),
        (Guide().link([(0, 1, -1.0)]), "not negative"),
        (Guide().topic("a", ["war"]).spread(), "at least two topics"),
    ],
)
def test_wishes_at_odds_are_named_before_fitting(guide, message):
    with pytest.raises(InvalidInput, match=message):
        compiled(guide)


def test_labels_links_and_unknown_documents():
    guide = Guide().topic("a").label([0, 9], "a", strength=3).link([(0, 1), (0, 2, 3.0), (1, 1), (2, 77)], strength=8)
    arrays = compiled(guide)
    assert arrays.documents.additions.toarray()[0].tolist() == [3, 0, 0]
    assert arrays.documents.known.tolist() == [0, -1, -1, -1]
    assert arrays.documents.links.toarray()[0].tolist() == [0, 2, 6, 0]
    assert arrays.documents.links.toarray()[1:].sum() == 0
    assert arrays.placed[1].notes == ("1 unknown document left out",)
    assert arrays.placed[2].notes == (
        "1 link to or from unknown documents left out",
        "1 link of documents to themselves left out",
    )


def test_apart_extends_to_the_words_that_belong_together():
    arrays = compiled(Guide().together("war", "iraq").apart("war", "sars"))
    assert arrays.groups.apart.tolist() == [[0, 2], [1, 2]]

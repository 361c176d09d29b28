from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.guidance import Guide
from driftline.guidance.compile import compile_guide
from driftline.guidance.heeded import Evidence, measured_documents, wish_reports
from driftline.guidance.kept_topics import present_topics
from driftline.guidance.word_wishes import Columns, UnknownWordsWarning

WORDS = ["war", "iraq", "sars", "virus", "tax", "budget"]
SAID = np.array([10.0, 5.0, 8.0, 2.0, 4.0, 3.0])


def compiled(guide, n_topics=3, n_documents=4, **more):
    X = sp.csr_matrix(np.tile(SAID / n_documents, (n_documents, 1)))
    return compile_guide(guide, SAID, n_topics, vocabulary=WORDS, X=X, **more)


def test_words_have_their_own_count_as_prior_and_start_in_their_topic():
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


def test_wishes_at_odds_and_lost_words_of_kept_topics_are_noted():
    arrays = compiled(Guide().topic("a", ["war"]).topic("b", ["sars"]).together("war", "sars"))
    assert arrays.placed[2].notes == ("at odds with 'war' of topic 'a', 'sars' of topic 'b'",)

    class Other:
        vocabulary: ClassVar = ["war", "peace"]
        components_ = topic_counts_ = np.array([[3.0, 1.0]])

    (note,) = compiled(Guide().keep(Other)).placed[0].notes
    assert note == "25% of the uses of its words are of words that are not counted here"


def test_a_kept_topic_that_the_model_has_already_starts_from_its_present_words():
    class Fitted:
        components_ = topic_counts_ = np.array([[6.0, 2.0, 0.0, 0.0], [2.0, 2.0, 8.0, 8.0]])
        topic_names_: ClassVar = ["war", "1"]

    said = Fitted.components_.sum(axis=0)
    guide = Guide().keep(Fitted, ["war"])
    arrays = compile_guide(guide, said, 2, present=present_topics(Fitted))
    np.testing.assert_array_equal(arrays.start.counts.toarray().T, Fitted.components_)
    np.testing.assert_array_equal(arrays.prior.counts[:, 0], [6.0, 2.0])
    first = compile_guide(guide, said, 2).start
    np.testing.assert_array_equal(first.counts.toarray()[:, 0], [6.0, 2.0, 0.0, 0.0])


def test_unknown_words_are_named_with_their_neighbours():
    with pytest.warns(UnknownWordsWarning, match=r"'wars' is not in the vocabulary \(near: .*war"):
        arrays = compiled(Guide().topic("war", ["wars", "iraq"]))
    assert "'wars'" in arrays.placed[0].notes[0]
    with pytest.raises(InvalidInput, match="topic 'war': no word is left; 'zzz' is not in the vocabulary"):
        compiled(Guide().topic("war", ["zzz"]))


def test_words_are_found_in_lower_case_too_and_count_once():
    one, both = (compiled(Guide().topic("war", words)) for words in (["war"], ["War", "WAR", "war"]))
    np.testing.assert_array_equal(both.prior.counts, one.prior.counts)
    np.testing.assert_array_equal(both.placed[0].words, one.placed[0].words)
    assert both.placed[0].notes == ()


@pytest.mark.parametrize(
    ("guide", "message"),
    [
        (Guide().together("war", "iraq").together("iraq", "tax").apart("tax", "war"), "both together and apart"),
        (Guide().topic("a", ["war", "tax"]).apart("war", "tax"), "are requested apart, but both are words of topic"),
        (Guide().topic("a", ["war"], never=["tax"]).together("war", "tax"), "wants the one and bans the other"),
        (Guide().topic("a").topic("b").topic("c").topic("d"), "no free topic for 'd'"),
        (Guide().topic("a", number=1).topic("b", number=1), "both request the number 1"),
        (Guide().topic("a", number=7), "no free topic for 'a'"),
        (Guide().topic("2", ["war"]), "the name '2' is the number of a topic"),
        (
            Guide().topic("a", never=["war"]).topic("b", never=["war"]).topic("c", never=["war"]),
            "'war' is banned from all",
        ),
        (Guide().merge(0, 1), "'merge: 0, 1': there is no topic to merge"),
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
def test_contradictory_wishes_are_named_before_fitting(guide, message):
    with pytest.raises(InvalidInput, match=message):
        compiled(guide)


def test_words_of_two_topics_are_noted_and_pairs_with_one_known_word_are_not_heeded():
    guide = Guide().topic("a", ["iraq", "war"]).topic("b", ["war", "tax"])
    arrays = compile_guide(guide, np.full(len(WORDS), 10.0), 4, vocabulary=WORDS)
    assert arrays.placed[0].notes == ()
    assert arrays.placed[1].notes == ("'war' is also a word of topic 'a'",)
    with pytest.warns(UnknownWordsWarning, match="'cat' is not in the vocabulary"):
        arrays = compile_guide(Guide().together("war", "cat"), np.full(len(WORDS), 10.0), 4, vocabulary=WORDS)
    assert arrays.groups is None
    evidence = Evidence(np.ones((len(WORDS), 4)), np.ones((4, len(WORDS))))
    assert not wish_reports(Guide().together("war", "cat"), arrays, evidence, warn=False)[0].heeded
    with pytest.raises(InvalidInput, match="no word is left"):
        compile_guide(Guide().together("dog", "cat"), np.full(len(WORDS), 10.0), 4, vocabulary=WORDS)


def test_a_weight_below_one_is_kept():
    arrays = compile_guide(Guide().topic("a", {"war": 0.25}), np.full(len(WORDS), 10.0), 4, vocabulary=WORDS)
    assert arrays.prior is not None
    assert arrays.prior.counts[0, 0] == 0.25


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


def test_columns_of_several_words_are_found_together():
    columns = Columns(WORDS, 4)  # the last two words have no column
    assert columns.known(["virus", 0, "unknown", 7, "tax", -1]).tolist() == [3, 0, -1, -1, -1, -1]
    assert columns.known([]).tolist() == []
    with pytest.raises(InvalidInput, match=r"a word is a string or the number of its column, not 2\.5"):
        columns.known(["war", 2.5])
    with pytest.raises(InvalidInput, match="'war' is a word, but the model has no vocabulary"):
        Columns(None, 4).known([0, "war"])


def test_reports_need_the_topics_of_the_documents_of_wishes_only():
    guide = Guide().topic("war", ["war"]).label([2], "war").link([(0, 3)])
    assert measured_documents(guide, compiled(guide), 4).tolist() == [0, 2, 3]
    guide = guide.proportion("war", at_least=0.1)
    assert measured_documents(guide, compiled(guide), 4).tolist() == [0, 1, 2, 3]


class Old:
    """A model of four topics, of which one has a name."""

    components_ = np.full((4, 6), 1 / 6)
    topic_counts_ = np.arange(24.0).reshape(4, 6)
    topic_names_: ClassVar[list[str]] = ["war", "1", "2", "3"]
    vocabulary = WORDS


def test_kept_topics_without_a_name_keep_their_numbers():
    arrays = compiled(Guide().topic("tax", ["tax"]).keep(Old, ["3", "war", "2"]), 5)
    assert arrays.names == ("tax", "war", "2", "3", "4")
    assert arrays.prior.counts[0].tolist() == [0, 0, 12, 18, 0]
    assert compiled(Guide().keep(Old, [3]), 2).names == ("3", "1"), "the model has no topic of that number"


@pytest.mark.parametrize(
    ("guide", "message"),
    [
        (Guide().keep(Old, [2]).keep(Old, [2]), "two kept topics have no name, and the number 2"),
        (Guide().topic("1", number=0), "the name '1' is the number of a topic"),
        (Guide().topic("tax", number=2).keep(Old, [2]), "both request the number 2"),
    ],
)
def test_no_two_topics_have_one_name(guide, message):
    with pytest.raises(InvalidInput, match=message):
        compiled(guide, 4)


def test_a_topic_that_the_guide_names_is_not_renamed_by_another_wish():
    with pytest.raises(InvalidInput, match="the topic 'war' and another name request the same number"):
        compiled(Guide().topic("war", ["war"]).topic("tax", number=0), 4, present=present_topics(Old))
    renamed = compiled(Guide().topic("tax", number=0), 4, present=present_topics(Old))
    assert renamed.names == ("tax", "1", "2", "3")

import pytest

from driftline.core.errors import InvalidInput
from driftline.text.stop_word_lists import STOP_WORDS
from driftline.text.stopwords import stop_words_of

ENGLISH = STOP_WORDS["en"]


def test_the_list_has_function_words_and_no_others():
    assert {"the", "and", "of", "is", "don", "ve", "themselves"} <= ENGLISH
    assert not {"may", "us", "new", "first", "war", "one", "government"} & ENGLISH
    assert all(word == word.lower() and word.isalpha() for word in ENGLISH)


def test_choices():
    assert stop_words_of(None) is None
    assert stop_words_of("english") == tuple(sorted(ENGLISH))
    assert stop_words_of({"b", "a"}) == ("a", "b")
    assert stop_words_of(w for w in "ba") == ("a", "b")


@pytest.mark.parametrize("choice", ["german", 3, ["a", 3]])
def test_other_choices_are_errors(choice):
    with pytest.raises(InvalidInput, match="stop_words"):
        stop_words_of(choice)

import pytest

from driftline.text.headline_words import is_calendar_word, is_stop_word, never_headline


@pytest.mark.parametrize(
    "word",
    ["2003", "1990s", "21st", "3.5", "10pm", "5bn", "monday", "sept", "may", "the", "first", "20 march", "inc", "gmbh"],
)
def test_never(word):
    assert never_headline([word], "en").tolist() == [True]


@pytest.mark.parametrize("word", ["war", "3d", "covid19", "us", "state", "new", "monday night", "sun", "montag", "q4"])
def test_perhaps(word):
    assert never_headline([word], "en").tolist() == [False]


def test_languages_add_up_and_unknown_ones_have_only_numbers():
    assert never_headline(["montag", "monday", "und", "7"], ("de", "en")).tolist() == [True, True, True, True]
    assert never_headline(["montag", "und", "7"], ()).tolist() == [False, False, True]
    assert never_headline(["montag", "7"], "xx").tolist() == [False, True]


def test_stop_words_apart_from_the_calendar():
    words = ["daß", "montag", "war"]
    assert is_stop_word(words, "de").tolist() == [True, False, True]
    assert is_calendar_word(words, "de").tolist() == [False, True, False]


def test_nothing():
    assert never_headline([], "en").tolist() == []

from __future__ import annotations

from driftline.graphs.search.snippets import snippet
from driftline.text.tokenise import Tokenizer

PLAIN = Tokenizer(stop_words="english")


def test_short_texts_are_shown_whole():
    assert snippet("Gas\n\npipeline  burst!", {"gas"}, PLAIN) == "Gas pipeline burst!"


def test_the_window_with_the_most_distinct_words_is_shown():
    text = "gas gas gas " + "filler " * 100 + "the gas in this pipeline burst " + "filler " * 100
    shown = snippet(text, {"gas", "pipeline", "burst"}, PLAIN, width=60)
    assert "gas in this pipeline burst" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 62


def test_texts_without_the_words_are_shown_from_the_beginning():
    assert snippet("alpha beta gamma delta epsilon", {"gas"}, PLAIN, width=12) == "alpha beta…"
    assert snippet("", {"gas"}, PLAIN) == ""


def test_stems_are_found_in_the_text():
    stemmed = Tokenizer(stop_words="english", stemmer="english")
    text = "filler " * 50 + "drifting pipelines " + "filler " * 50
    assert "drifting pipelines" in snippet(text, {"drift", "pipelin"}, stemmed, width=40)


def test_a_word_longer_than_the_snippet_is_shown():
    assert snippet("x" * 500, {"x" * 500}, PLAIN, width=40).startswith("xxx")

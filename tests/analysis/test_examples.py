import numpy as np

from driftline.analysis.examples import LONGEST_TEXT, examples_of, rows_near
from driftline.streams.corpus import Corpus


def test_examples_differ_and_long_ones_are_shortened_at_a_word():
    texts = ["same text", "same  text", "word " * 200, "other text"]
    corpus = Corpus.from_texts(texts, [f"2024-01-0{i}" for i in range(1, 5)], labels=["a", None, "b", "a"])
    shown = examples_of(corpus, np.arange(4), n=3)
    assert [example.text[:9] for example in shown] == ["same text", "word word", "other tex"]
    assert shown[1].text.endswith("word …")
    assert len(shown[1].text) <= LONGEST_TEXT + 2
    assert [example.label for example in shown] == ["a", "b", "a"]
    assert shown[0].time == "2024-01-01T00:00:00Z"


def test_nearest_rows_come_first():
    corpus = Corpus.from_texts(["some words"] * 5, [f"2024-01-0{i}" for i in range(1, 6)])
    assert rows_near(corpus, np.array([0, 2, 4]), np.datetime64("2024-01-04T13", "us")).tolist() == [4, 2, 0]


def test_without_texts_there_are_no_examples():
    corpus = Corpus.from_texts(["some words"] * 2, ["2024-01-01", "2024-01-02"], keep_texts=False)
    assert examples_of(corpus, np.arange(2), n=2) == []


def test_a_document_that_nearly_repeats_another_is_not_shown():
    texts = ["storm hits the north coast", "storm hits the whole north coast", "a calm day inland"]
    corpus = Corpus.from_texts(texts, [f"2024-01-0{i}" for i in range(1, 4)])
    assert [example.text for example in examples_of(corpus, np.arange(3), n=2)] == [texts[0], texts[2]]


def test_of_a_long_text_the_part_with_the_word_is_shown():
    text = "rain and wind. " * 100 + "Snow at last, " + "and sun. " * 100
    (example,) = examples_of(Corpus.from_texts([text], ["2024-01-01"]), np.arange(1), n=1, about="snow")
    assert example.text.startswith("… ")
    assert "Snow at last" in example.text
    assert example.text.endswith(" …")
    assert len(example.text) <= LONGEST_TEXT + 4
    (example,) = examples_of(Corpus.from_texts([text], ["2024-01-01"]), np.arange(1), n=1, about="rain")
    assert example.text.startswith("rain and wind")
    (example,) = examples_of(Corpus.from_texts([text], ["2024-01-01"]), np.arange(1), n=1, about="snow at")
    assert "Snow at last" in example.text
    (example,) = examples_of(Corpus.from_texts([text], ["2024-01-01"]), np.arange(1), n=1, about="hail")
    assert example.text.startswith("rain and wind")

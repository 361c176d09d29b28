from __future__ import annotations

import dataclasses
import json

from driftline.report.word_book import MOST_WORDS, WordBook, narrow_bursts, words_of_a_label


def test_words_have_numbers_of_their_own_and_labels_have_theirs(findings):
    book = WordBook(findings)
    data = book.data()
    for word in findings.changed_words:
        assert data["words"][book.number(word.word)]["word"] == word.word
    label = findings.labels[0]
    number = book.number(label.changed_words[0].word, label.label)
    assert data["words"][number]["label"] == label.label
    assert book.number("unheard of") is None
    assert book.number(findings.changed_words[0].word, "no such label") == 0


def test_times_are_kept_once(findings):
    data = WordBook(findings).data()
    assert len(data["times"]) == 1
    assert all(len(page["curve"]["value"]) == len(data["times"][0]) for page in data["words"])


def test_the_truth_is_given_where_it_is_known(findings):
    pages = WordBook(findings).data()["words"]
    assert pages[0]["truth"] is not None
    assert all(page["truth"] is None for page in pages if page["label"] is not None)


def test_the_number_of_words_is_bounded(findings):
    many = [dataclasses.replace(findings.changed_words[0], word=f"word{i}") for i in range(MOST_WORDS + 50)]
    book = WordBook(dataclasses.replace(findings, changed_words=many, labels=[]))
    assert len(book.data()["words"]) == MOST_WORDS
    assert book.number(f"word{MOST_WORDS}") is None
    assert words_of_a_label(1000) == 3


def test_it_is_plain_data(findings):
    json.dumps(WordBook(findings).data(), allow_nan=False)


def test_a_curve_without_its_cycle_says_so(findings):
    cyclic = dataclasses.replace(findings.changed_words[0], cycle="year")
    pages = WordBook(dataclasses.replace(findings, changed_words=[cyclic, findings.changed_words[1]])).data()["words"]
    assert pages[0]["facts"].endswith("; drawn without its yearly cycle")
    assert "cycle" not in pages[1]["facts"]


def test_bursts_that_the_curve_blurs_are_marked(findings):
    word = dataclasses.replace(findings.changed_words[0], bandwidth_days=3.0)
    burst = dataclasses.replace(
        findings.bursts[0], word=word.word, start="2025-03-01T00:00:00Z", end="2025-03-04T00:00:00Z"
    )
    long = dataclasses.replace(burst, end="2025-03-20T00:00:00Z")
    other = dataclasses.replace(burst, word="other")
    assert narrow_bursts(word, [burst, long, other]) == [["2025-03-01T00:00:00", "2025-03-04T00:00:00"]]
    pages = WordBook(dataclasses.replace(findings, changed_words=[word], bursts=[burst])).data()["words"]
    assert pages[0]["bursts"] == [["2025-03-01T00:00:00", "2025-03-04T00:00:00"]]
    assert all(page["bursts"] == [] for page in pages[1:])

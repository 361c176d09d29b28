from __future__ import annotations

import dataclasses

from driftline.report.sections.label_by_label import build
from driftline.report.word_book import WordBook


def test_each_label_has_its_words_with_their_own_numbers(findings):
    book = WordBook(findings)
    parts = build(findings, book).values["labels"]
    assert [part["name"] for part in parts] == [each.label for each in findings.labels]
    pages = book.data()["words"]
    for part in parts:
        for row in part["words"]:
            assert pages[row["number"]]["label"] == part["name"]
        assert all(card["words"] for card in part["periods"])


def test_no_labels_no_section(findings):
    without = dataclasses.replace(findings, labels=[])
    assert build(without, WordBook(without)) is None

from __future__ import annotations

import dataclasses

from driftline.analysis.group_differences import ComparedGroup, GroupDifferences, TopicDifference, WordDifference
from driftline.report.page import render
from driftline.report.sections.differences import build, verdict
from driftline.report.word_book import WordBook

FOUND = GroupDifferences(
    "site",
    [ComparedGroup("<b>one</b>", 60), ComparedGroup("two", 50), ComparedGroup("all others", 9)],
    [TopicDifference("two", "world cup", ["cup"], 0.2, 0.1, 0.1, 0.05, 0.15, 0.001)],
    [WordDifference("two", "goal", 0.1, 0.0, None, 4.0, None, 0.01)],
    unit="day",
    n_left_out=3,
    n_topics=8,
    n_words=100,
)


def test_every_compared_group_has_its_topics_and_words(findings):
    with_differences = dataclasses.replace(findings, differences=FOUND)
    parts = build(with_differences, WordBook(with_differences)).values["parts"]
    assert [part["name"] for part in parts] == ["<b>one</b>", "two"]
    assert parts[1]["words"][0]["ratio"] == "only here"
    assert parts[1]["words"][0]["interval"] == "at least 4.00"
    page = render(with_differences)
    assert "What differs" in page
    assert "<b>one</b>" not in page
    assert "+10.0" in page


def test_the_verdict():
    assert verdict(FOUND) == "1 of 8 topics has a share that differs; 1 word that differs most certainly is listed."
    assert verdict(GroupDifferences("label")) == "No word differs."


def test_groups_of_too_few_days_are_not_compared():
    two = [ComparedGroup("a", 900, 2, 0.1), ComparedGroup("b", 900, 3, 0.1)]
    said = "2 and 3 days are too few to distinguish a difference from chance."
    assert verdict(GroupDifferences("label", two, unit="day")) == f"Nothing is claimed. {said}"
    three = [*two, ComparedGroup("c", 60, 9, 0.01)]
    assert verdict(GroupDifferences("label", three, unit="day")).startswith(
        "No word differs. a: 2 of all days are too few"
    )


def test_without_groups_there_is_no_section(findings):
    without = dataclasses.replace(findings, differences=None)
    assert build(without, WordBook(without)) is None


def test_topics_whose_words_do_not_belong_together_are_not_compared(findings):
    junk = dataclasses.replace(findings.topics[0], words=FOUND.topics[0].words, state="junk")
    some = dataclasses.replace(findings, differences=FOUND, topics=[*findings.topics, junk])
    content = build(some, WordBook(some))
    assert content.values["verdict"].startswith("None of 7 topics has")
    assert not any(part["topics"] for part in content.values["parts"])

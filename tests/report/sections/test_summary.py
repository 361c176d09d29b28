from __future__ import annotations

import dataclasses

from driftline.analysis.findings.headlines import Headlines
from driftline.report.sections.summary import build
from driftline.report.word_book import WordBook


def test_the_drawings_are_those_of_the_stories(findings):
    content = build(findings, WordBook(findings)).values
    assert [each["word"].word for each in content["drawings"]] == [story.change.word for story in findings.stories]
    assert content["n_more"] == 20 - 12


def test_without_a_story_the_first_words_are_drawn(findings):
    quiet = dataclasses.replace(findings, headlines=Headlines())
    content = build(quiet, WordBook(quiet)).values
    assert [each["word"] for each in content["drawings"]] == findings.changed_words[:8]
    assert not content["has_ratios"]


def test_the_truth_is_drawn_where_it_is_known(findings):
    with_truth = build(findings, WordBook(findings)).values["drawings"]
    assert all(each["picture"].truth for each in with_truth)
    without = dataclasses.replace(findings, truth=None)
    assert not any(each["picture"].truth for each in build(without, WordBook(without)).values["drawings"])

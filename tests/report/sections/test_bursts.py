from __future__ import annotations

import dataclasses

from driftline.report.page import render
from driftline.report.sections.bursts import LISTED, MOST_PANELS, build
from driftline.report.word_book import WordBook
from tests.report.findings_factory import quiet_findings


def test_bursts_are_drawn_and_the_weightiest_listed_first(findings):
    content = build(findings, WordBook(findings))
    weights = [burst.weight for burst, _ in content.values["listed"]]
    assert weights == sorted(weights, reverse=True)
    assert len(weights) == min(LISTED, len(findings.bursts))
    assert set(content.figures) == {"bursts", "intensities"}


def test_bursts_of_labels_are_shaded_and_reported_with_their_certainty(findings):
    content = build(findings, WordBook(findings))
    assert content.values["of"] == "label"
    shapes = content.figures["intensities"].figure.layout.shapes
    assert len(shapes) == sum(len(each.bursts) for each in findings.intensities[:MOST_PANELS])
    weights = [burst.weight for _, burst, _, _ in content.values["bursting"]]
    assert weights == sorted(weights, reverse=True)
    assert len(weights) > 1
    page = render(findings)
    assert "The bursts of a label with the highest weights" in page
    assert "90 %" in page


def test_without_labels_topics_are_drawn_and_without_those_only_words(findings):
    unlabelled = dataclasses.replace(findings, intensities=[])
    content = build(unlabelled, WordBook(unlabelled))
    assert set(content.figures) == {"bursts", "intensities"}
    assert content.values["of"] == "topic"
    bare = dataclasses.replace(unlabelled, topics=[])
    assert set(build(bare, WordBook(bare)).figures) == {"bursts"}
    wordless = dataclasses.replace(findings, bursts=[])
    assert set(build(wordless, WordBook(wordless)).figures) == {"intensities"}
    assert "Words that suddenly became frequent" not in render(wordless)


def test_without_bursts_there_is_no_section():
    quiet = quiet_findings()
    assert build(quiet, WordBook(quiet)) is None

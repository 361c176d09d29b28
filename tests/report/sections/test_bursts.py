from __future__ import annotations

import dataclasses

import numpy as np
import pytest

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


@pytest.mark.parametrize(("per_day", "period", "factor"), [(25.0, "day", 1), (0.5, "week", 7)])
def test_rates_are_per_the_same_period_as_the_volume(findings, per_day, period, factor):
    volume = findings.volume._replace(value=np.full(len(findings.volume.times), per_day))
    changed = dataclasses.replace(findings, volume=volume)
    content = build(changed, WordBook(changed))
    assert content.values["unit"] == f"{WordBook(changed).setting.documents} per {period}"
    assert content.figures["bursts"].figure.layout.annotations[0].text == content.values["unit"]
    drawn = content.figures["intensities"].figure.data[1].y
    assert max(drawn) == pytest.approx(factor * np.nanmax(findings.intensities[0].curve.value), rel=0.02)
    assert f"{content.values['unit'].capitalize()}, as a rate that jumps" in render(changed)


def test_without_bursts_there_is_no_section():
    quiet = quiet_findings()
    assert build(quiet, WordBook(quiet)) is None


def test_of_nested_bursts_of_one_interval_the_innermost_is_listed_and_numbers_come_last(findings):
    burst = dataclasses.replace(findings.bursts[0], word="storm", level=1, weight=5.0)
    nested = dataclasses.replace(burst, level=2)
    shorter = dataclasses.replace(burst, level=3, end=burst.start, weight=1.0)
    number = dataclasses.replace(burst, word="1980", weight=9.0)
    some = dataclasses.replace(findings, bursts=[number, burst, nested, shorter])
    listed = [each for each, _ in build(some, WordBook(some)).values["listed"]]
    assert listed == [nested, shorter, number]

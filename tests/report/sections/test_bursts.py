from __future__ import annotations

import dataclasses

from driftline.report.sections.bursts import LISTED, build
from driftline.report.word_book import WordBook
from tests.report.made_findings import quiet_findings


def test_bursts_are_drawn_and_the_weightiest_listed_first(findings):
    content = build(findings, WordBook(findings))
    weights = [burst.weight for burst, _ in content.values["listed"]]
    assert weights == sorted(weights, reverse=True)
    assert len(weights) == min(LISTED, len(findings.bursts))
    assert set(content.figures) == {"bursts", "intensities"}


def test_without_labels_there_are_no_intensities_and_without_bursts_no_section(findings):
    unlabelled = dataclasses.replace(findings, intensities=[])
    assert set(build(unlabelled, WordBook(unlabelled)).figures) == {"bursts"}
    quiet = quiet_findings()
    assert build(quiet, WordBook(quiet)) is None

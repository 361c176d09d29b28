from __future__ import annotations

from driftline.report.sections.topics import build
from driftline.report.word_book import WordBook
from tests.report.made_findings import quiet_findings


def test_moving_topics_are_drawn_first_and_all_are_listed(findings):
    content = build(findings, WordBook(findings))
    assert len(content.values["rows"]) == len(findings.topics)
    assert content.values["counts"] == {"rises": 1, "falls": 1, "holds": 1}
    headings = [heading.text for heading in content.figures["topics"].figure.layout.annotations]
    still = next(topic for topic in findings.topics if topic.movement == "holds")
    assert headings[-1] == ", ".join(still.words[:3])


def test_no_topics_no_section():
    quiet = quiet_findings()
    assert build(quiet, WordBook(quiet)) is None

import dataclasses

import pytest

from driftline.analysis.findings.classifier_comparison import ClassifierFindings
from driftline.report.sections.classifier import build, verdict
from driftline.report.word_book import WordBook
from tests.report.findings_factory import quiet_findings

FOUND = ClassifierFindings(["ham", "spam"], 300, 100, 0.20, 0.10, 0.001, 30.0, [])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "50 % fewer errors"),
        ({"p_value": 0.2}, "no significant difference"),
        ({"error_following_drift": 0.3}, "increases the error"),
        ({"bandwidth_days": None}, "does not help"),
    ],
)
def test_the_verdict_follows_the_numbers(changes, words):
    assert words in verdict(dataclasses.replace(FOUND, **changes))


def test_the_words_that_moved_are_drawn(findings):
    content = build(findings, WordBook(findings))
    assert len(content.figures["classifier"].figure.data) == 2 * len(findings.classifier.words)


def test_without_words_there_is_no_figure_and_without_labels_no_section(findings):
    unmoved = dataclasses.replace(findings, classifier=FOUND)
    assert build(unmoved, WordBook(unmoved)).figures == {}
    quiet = quiet_findings()
    assert build(quiet, WordBook(quiet)) is None

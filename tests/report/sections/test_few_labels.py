import dataclasses

import numpy as np
import pytest

from driftline.report import write_report
from driftline.report.sections.few_labels import build, how, verdict
from driftline.report.word_book import WordBook
from tests.report.findings_factory import quiet_findings


@pytest.fixture
def found(findings):
    return findings.few_labels


def built(findings, **changes):
    changed = dataclasses.replace(findings, few_labels=dataclasses.replace(findings.few_labels, **changes))
    return build(changed, WordBook(changed))


def test_accuracy_is_drawn_for_the_frames_that_could_be_tested(findings, found):
    line = built(findings).figures["few-labels"].figure.data[-1]
    assert np.allclose(line.y, [100 * frame.accuracy for frame in found.frames[1:]])
    assert line.x[0].startswith("2025-02-15")


def test_the_verdict_weighs_frames_by_what_was_tested(found):
    first, second, last = (
        dataclasses.replace(found.frames[1], n_tested=n, accuracy=accuracy, most_frequent=0.25)
        for n, accuracy in ((10, 0.5), (30, 0.9), (10, 1.0))
    )
    reported = verdict(found, [first, second, last])
    assert "84\xa0% of the predicted labels were right over the whole span, and 100\xa0% in its last third" in reported
    assert "would get 25\xa0% right" in reported
    assert "last third" not in verdict(found, [first, second])
    assert "have a label" in verdict(found, [])


def test_the_method_is_described(found):
    assert "before learning it" in how(found)
    few = how(dataclasses.replace(found, labels_per_frame=10, n_labelled=2000, n_learned=120))
    assert "learned from only 120 labels of 2,000: 10 per time step" in few


def test_suggestions_are_on_the_page_with_their_texts(findings, found, tmp_path):
    page = write_report(findings, tmp_path / "report.html").read_text(encoding="utf-8")
    for suggestion in found.suggestions:
        assert suggestion.example.text[:40] in page
    without = dataclasses.replace(
        findings, few_labels=dataclasses.replace(found, suggestions=[], words=[], frames=found.frames[:1])
    )
    page = write_report(without, tmp_path / "without.html").read_text(encoding="utf-8")
    assert "Documents to label next" not in page
    assert "No word's association with a label changed" in page


def test_what_is_not_there_is_not_drawn(findings, found):
    assert set(built(findings).figures) == {"few-labels", "few-labels-words"}
    assert set(built(findings, words=[]).figures) == {"few-labels"}
    assert built(findings, words=[], frames=found.frames[:2]).figures == {}


def test_without_labels_there_is_no_section():
    quiet = quiet_findings()
    assert build(quiet, WordBook(quiet)) is None

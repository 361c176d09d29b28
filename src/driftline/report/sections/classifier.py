"""A classifier that follows the drift compared with one that ignores it, and the words whose coefficients changed."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.classifier_comparison import CLASSIFIER, ClassifierFindings
from driftline.figures import plot_coefficients
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.word_book import WordBook

SURE = 0.05


def build(findings: Findings, book: WordBook) -> Content | None:
    """Compare the two in one sentence and two numbers, and draw the coefficients that changed."""
    found = CLASSIFIER.of(findings)
    if found is None:
        return None
    figures = {}
    if found.words:
        figures["classifier"] = Drawn(
            plot_coefficients([(word.word, word.label, word.curve) for word in found.words]),
            "The coefficients of the words that changed most, over time.",
        )
    return Content({"found": found, "verdict": verdict(found), "has_figure": bool(found.words)}, figures)


def verdict(found: ClassifierFindings) -> str:
    """Return one sentence on whether following the drift helps."""
    if found.bandwidth_days is None:
        return (
            "Following the drift does not help here: one classifier for the whole span predicts held-out "
            "documents better."
        )
    change = found.error_following_drift - found.error_ignoring_drift
    if found.p_value >= SURE:
        return "Following the drift makes no significant difference."
    if change > 0:
        return "Following the drift increases the error here: train on all documents."
    share = 100 * -change / max(found.error_ignoring_drift, 1e-12)
    return f"A classifier that follows the drift makes {share:.0f} % fewer errors than one that ignores it."


SECTION = Section("classifier", "Can a classifier keep up?", "classifier.html", build, "Classifier", position=120)

"""What the documents are about: topics, their share over time, what rises and falls."""

from __future__ import annotations

from driftline.analysis.findings import Findings, TopicFinding
from driftline.figures import plot_panels
from driftline.figures.escaping import as_text
from driftline.report.dates import short_day
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.series import as_curve, drawing
from driftline.report.word_book import WordBook
from driftline.smoothing.curve import Curve

DRAWN = 9
NAMED = 3


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw the topics that move most, and list all of them with their words and documents."""
    if not findings.topics:
        return None
    moving = sorted(findings.topics, key=lambda topic: (topic.movement == "holds", -abs(topic.trend)))[:DRAWN]
    figure = plot_panels([(as_text(", ".join(topic.words[:NAMED])), _in_per_cent(topic)) for topic in moving])
    rows = [
        {
            "topic": topic,
            "spark": drawing(topic.curve, width=96, height=24, points=30),
            "examples": [(short_day(example.time), example) for example in topic.examples],
        }
        for topic in findings.topics
    ]
    counts = {kind: sum(topic.movement == kind for topic in findings.topics) for kind in ("rises", "falls", "holds")}
    return Content(
        {"rows": rows, "counts": counts},
        {"topics": Drawn(figure, "The share of the topics that moved most, over time; all are listed below.")},
    )


def _in_per_cent(topic: TopicFinding) -> Curve:
    curve = as_curve(topic.curve)
    return curve._replace(value=100 * curve.value, lower=100 * curve.lower, upper=100 * curve.upper)


SECTION = Section("topics", "What it was about", "topics.html", build, "Topics")

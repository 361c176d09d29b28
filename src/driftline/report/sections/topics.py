"""What the documents are about: topics, their shares over time, rising and falling topics."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.topics import TOPIC_CHANGES, TOPICS, TopicFinding
from driftline.core.display import figure_text
from driftline.figures import plot_panels
from driftline.report.date_formats import day, short_day
from driftline.report.intensity_bursts import heaviest, name_of, shaded
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.series import drawing
from driftline.report.word_book import WordBook
from driftline.smoothing.curve import Curve

DRAWN = 9
MOVING = 6
CHANGES = {"born": "came", "died": "went", "split": "split", "merged": "merged"}


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw the topics that change most, and list all topics with their words and documents."""
    if not TOPICS.of(findings):
        return None
    drawn = _most_telling(TOPICS.of(findings))
    figure = plot_panels(
        [(figure_text(name_of(topic)), _in_per_cent(topic)) for topic in drawn],
        bursts=[shaded(topic.bursts) for topic in drawn],
    )
    rows = [
        {
            "topic": topic,
            "burst": heaviest(topic.bursts),
            "spark": drawing(topic.curve, width=96, height=24, points=30),
            "examples": [(short_day(example.time), example) for example in topic.examples],
        }
        for topic in TOPICS.of(findings)
    ]
    counts = {
        kind: sum(topic.movement == kind for topic in TOPICS.of(findings)) for kind in ("rises", "falls", "holds")
    }
    described = "The shares of the topics that changed or burst most, over time; all topics are listed below."
    return Content(
        {
            "rows": rows,
            "counts": counts,
            "n_bursting": sum(bool(topic.bursts) for topic in TOPICS.of(findings)),
            "changes": [(CHANGES[change.kind], change) for change in TOPIC_CHANGES.of(findings)],
            "parted": day(TOPIC_CHANGES.of(findings)[0].when) if TOPIC_CHANGES.of(findings) else "",
        },
        {"topics": Drawn(figure, described)},
    )


def _most_telling(topics: list[TopicFinding]) -> list[TopicFinding]:
    """Return the topics to draw: those with the strongest trends, then those with the bursts of highest weight."""
    moving = sorted((t for t in topics if t.movement != "holds"), key=lambda topic: -abs(topic.trend))[:MOVING]
    rest = [topic for topic in topics if topic not in moving]
    rest.sort(key=lambda topic: -max((burst.weight for burst in topic.bursts), default=0.0))
    return [*moving, *rest][:DRAWN]


def _in_per_cent(topic: TopicFinding) -> Curve:
    curve = topic.curve
    return curve._replace(value=100 * curve.value, lower=100 * curve.lower, upper=100 * curve.upper)


SECTION = Section("topics", "What it was about", "topics.html", build, "Topics", position=60)

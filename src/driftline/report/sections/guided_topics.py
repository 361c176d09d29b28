"""Topics of the guide: their shares over time, their words, and wishes that were not heeded."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.guided_topics import GUIDED_TOPICS, GuidedTopic
from driftline.core.display import figure_text
from driftline.figures import plot_panels
from driftline.report.date_formats import short_day
from driftline.report.numbers import points_with_interval, share
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.series import drawing
from driftline.report.word_book import WordBook
from driftline.smoothing.curve import Curve

DRAWN = 9


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw the topics of the guide, and list them and its wishes."""
    found = GUIDED_TOPICS.of(findings)
    if found is None:
        return None
    rows = [
        {
            "topic": topic,
            "share": share(topic.share, 1),
            "trend": points_with_interval(topic.trend, topic.trend_lower, topic.trend_upper),
            "spark": drawing(topic.curve, width=96, height=24, points=30),
            "examples": [(short_day(example.time), example) for example in topic.examples],
        }
        for topic in found.topics
    ]
    unheeded = [wish for wish in found.wishes if not wish.heeded]
    values = {
        "rows": rows,
        "unheeded": unheeded,
        "noted": [wish for wish in found.wishes if wish.notes],
        "n_wishes": len(found.wishes),
        "n_free": found.n_topics - len(found.topics),
    }
    if not found.topics:
        return Content(values)
    panels = [(figure_text(topic.name), _in_per_cent(topic)) for topic in found.topics[:DRAWN]]
    return Content(values, {"guided": Drawn(plot_panels(panels), "Shares of the topics of the guide over time.")})


def _in_per_cent(topic: GuidedTopic) -> Curve:
    curve = topic.curve
    return curve._replace(value=100 * curve.value, lower=100 * curve.lower, upper=100 * curve.upper)


SECTION = Section("guided-topics", "Your topics", "guided_topics.html", build, "Your topics", position=59)

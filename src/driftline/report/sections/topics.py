"""The topics of the documents: their shares over time, similar topics, rising and falling ones."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.topics import TOPIC_CHANGES, TOPIC_LAYOUT, TOPICS, TopicFinding
from driftline.core.display import figure_text, visible
from driftline.figures import plot_panels, plot_topic_map, plot_topic_tree
from driftline.report.date_formats import day, short_day
from driftline.report.explore_address import can_explore, explore_address
from driftline.report.intensity_bursts import heaviest, name_of, shaded
from driftline.report.numbers import listed, points_with_interval, share
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.series import drawing
from driftline.report.word_book import WordBook
from driftline.smoothing.curve import Curve

DRAWN = 9
MOVING = 6
CHANGES = {"born": "came", "died": "went", "split": "split", "merged": "merged"}
STATES = {
    "mixed": "fewer than 70 % of the words are linked by occurring together, or hardly more than random words are",
}
"""The meaning of the states of listed topics other than clear."""
FEWEST_ON_MAP = 3
"""Minimum number of topics for a map and a tree."""


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw the topics that change most, their map and tree, and list all topics with their words and documents."""
    topics = TOPICS.of(findings)
    if not topics:
        return None
    coherent = [topic for topic in topics if topic.state != "junk"]
    if not coherent:
        return Content({"rows": [], "n_tried": len(topics)})
    drawn = _most_changed(coherent)
    figure = plot_panels(
        [(figure_text(name_of(topic)), _in_per_cent(topic)) for topic in drawn],
        bursts=[shaded(topic.bursts, book.setting) for topic in drawn],
    )
    rows = [
        {
            "number": number,
            "topic": topic,
            "trend": _trend(topic),
            "burst": heaviest(topic.bursts, book.setting),
            "spark": drawing(topic.curve, width=96, height=24, points=30),
            "examples": [(short_day(example.time), example) for example in topic.examples],
            "near": [name_of(topics[other]) for other in topic.near if other < len(topics)],
        }
        for number, topic in enumerate(topics)
    ]
    described = "The shares of the topics that changed or burst most, over time; all topics are listed below."
    layout, data = _layout(findings, book)
    return Content(
        {
            "rows": rows,
            "explore": explore_address if can_explore(findings) else None,
            "n_topics": len(coherent),
            "trends": _trends(coherent),
            "states": STATES,
            "has_mixed": any(topic.state == "mixed" for topic in topics),
            "rest": sum(topic.share for topic in topics if topic.state == "junk"),
            "n_bursting": sum(bool(topic.bursts) for topic in coherent),
            "changes": [(CHANGES[change.kind], change) for change in TOPIC_CHANGES.of(findings)],
            "parted": day(TOPIC_CHANGES.of(findings)[0].when) if TOPIC_CHANGES.of(findings) else "",
            "on_map": bool(layout),
            "ranked": data is not None,
            "shown": share(found.shown, 1) if (found := TOPIC_LAYOUT.of(findings)) is not None else "",
        },
        {"topics": Drawn(figure, described), **layout},
        data,
    )


def _layout(findings: Findings, book: WordBook) -> tuple[dict[str, Drawn], dict[str, object] | None]:
    """Return the map and the tree of the topics, and their words with the logarithms that relevance needs."""
    found, topics = TOPIC_LAYOUT.of(findings), TOPICS.of(findings)
    if found is None or len(found.words) != len(topics):
        return {}, None
    words = [
        [[visible(each.word), each.log_share, each.log_lift, book.number(each.word)] for each in topic]
        for topic in found.words
    ]
    placed = topics[: len(found.places)]  # groups of words that are no topics, the last ones, have no places
    if len(placed) < FEWEST_ON_MAP:
        return {}, {"words": words}
    names = [name_of(topic) for topic in placed]
    by_map = plot_topic_map(found.places, [topic.share for topic in placed], names)
    tree = plot_topic_tree(found.merges, found.lost, names)
    figures = {
        "topic-map": Drawn(by_map, "Map of the topics; the table below lists them with their words and shares."),
        "topic-tree": Drawn(tree, "Tree of the topics: which are alike, and would be merged first."),
    }
    return figures, {"words": words}


def _trends(topics: list[TopicFinding]) -> str:
    """Return the part of a sentence that counts the topics that rise, fall, or do neither."""
    kinds = (("rises", "rises", "rise"), ("falls", "falls", "fall"), ("holds", "shows", "show"))
    parts = []
    for movement, one, several in kinds:
        n = sum(topic.movement == movement for topic in topics)
        verb = one if n == 1 else several
        if n:
            subject = str(n) if n < len(topics) else "it" if n == 1 else "all"
            parts.append(f"{subject} {verb}{' no significant trend' if movement == 'holds' else ''}")
    return listed(parts)


def _trend(topic: TopicFinding) -> str:
    """Return the change of a topic's share with its interval, or a dash if it is not certain."""
    if topic.movement == "holds":
        return "–"
    if topic.trend_lower == topic.trend_upper:  # findings of earlier versions have no interval
        return f"{topic.movement} ({100 * topic.trend:+.1f} points)"
    return f"{topic.movement}, {points_with_interval(topic.trend, topic.trend_lower, topic.trend_upper)}"


def _most_changed(topics: list[TopicFinding]) -> list[TopicFinding]:
    """Return the topics to draw: those with the strongest trends, then those with the bursts of highest weight."""
    moving = sorted((t for t in topics if t.movement != "holds"), key=lambda topic: -abs(topic.trend))[:MOVING]
    rest = [topic for topic in topics if topic not in moving]
    rest.sort(key=lambda topic: -max((burst.weight for burst in topic.bursts), default=0.0))
    return [*moving, *rest][:DRAWN]


def _in_per_cent(topic: TopicFinding) -> Curve:
    curve = topic.curve
    return curve._replace(value=100 * curve.value, lower=100 * curve.lower, upper=100 * curve.upper)


SECTION = Section("topics", "What it was about", "topics.html", build, "Topics", position=60)

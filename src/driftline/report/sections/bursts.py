"""Bursts: words that suddenly became frequent, and the intensity of each label or topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.bursts import BURSTS, WordBurst
from driftline.analysis.findings.label_intensities import INTENSITIES
from driftline.analysis.findings.topics import TOPICS
from driftline.analysis.findings.volume import VOLUME
from driftline.analysis.intensities import IntensityBurst
from driftline.core.display import figure_text
from driftline.figures import plot_bursts, plot_panels
from driftline.report.date_formats import moment, short_span_at
from driftline.report.explore_address import can_explore, explore_address
from driftline.report.intensity_bursts import KINDS, name_of, shaded
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.sentences import per_period, volume_period
from driftline.report.word_book import WordBook
from driftline.smoothing.curve import Curve
from driftline.text.headline_words import is_calendar_word

LISTED = 12
MOST_PANELS = 6


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw and list the bursts of words, below the volume; then the intensities of labels, or otherwise of topics."""
    tracked = _tracked(findings)
    if not BURSTS.of(findings) and not any(each.bursts for each in tracked):
        return None
    figures = {}
    period, length = volume_period(VOLUME.of(findings))
    unit = f"{book.setting.documents} per {period}"
    if BURSTS.of(findings):
        figures["bursts"] = Drawn(
            plot_bursts(
                [(b.word, moment(b.start), moment(b.end), b.level, b.weight) for b in BURSTS.of(findings)],
                volume=per_period(VOLUME.of(findings), length) if len(VOLUME.of(findings).times) > 1 else None,
                unit=unit,
            ),
            "A timeline of the words that burst; those with the highest weights are listed below.",
        )
    if tracked:
        figures["intensities"] = Drawn(
            plot_panels(
                [(figure_text(each.name), per_period(each.curve, length)) for each in tracked],
                bursts=[shaded(each.bursts, book.setting) for each in tracked],
            ),
            f"{unit.capitalize()} of each label or topic, with bands and bursts.",
        )
    strongest = _strongest(BURSTS.of(findings))
    bursting = sorted(((each, burst) for each in tracked for burst in each.bursts), key=lambda pair: -pair[1].weight)
    searched = can_explore(findings)
    return Content(
        {
            "listed": [(burst, short_span_at(burst.start, burst.end, book.setting.dates)) for burst in strongest],
            "kinds": KINDS,
            "unit": unit,
            "explore": explore_address if searched else None,
            "of": "label" if INTENSITIES.of(findings) else "topic",
            "bursting": [
                (
                    *(each.name, burst, short_span_at(burst.start, burst.end, book.setting.dates)),
                    explore_address(each.words, burst.start, burst.end, label=each.label) if searched else "",
                )
                for each, burst in bursting[:LISTED]
            ],
        },
        figures,
    )


def _strongest(bursts: list[WordBurst]) -> list[WordBurst]:
    """Return the bursts to list: words before numbers, and of nested bursts of the same interval the innermost."""
    innermost = {(burst.word, burst.start, burst.end): burst for burst in sorted(bursts, key=lambda each: each.level)}
    distinct = [burst for burst in bursts if innermost[burst.word, burst.start, burst.end] is burst]
    numbers = is_calendar_word([burst.word for burst in distinct], ()).tolist()
    ranked = sorted(zip(numbers, distinct), key=lambda pair: (pair[0], -pair[1].weight))
    return [burst for _, burst in ranked[:LISTED]]


class _Tracked(NamedTuple):
    """Name, intensity and bursts of a label or a topic, and the words by which its documents are searched."""

    name: str
    curve: Curve
    bursts: list[IntensityBurst]
    words: Sequence[str] = ()
    label: str = ""


def _tracked(findings: Findings) -> list[_Tracked]:
    """Return the labels, or, without labels, the coherent topics that burst most."""
    if INTENSITIES.of(findings):
        return [
            _Tracked(each.label, each.curve, each.bursts, label=each.label)
            for each in INTENSITIES.of(findings)[:MOST_PANELS]
        ]
    bursting = sorted(
        (topic for topic in TOPICS.of(findings) if topic.bursts and topic.state != "junk"),
        key=lambda topic: -max(b.weight for b in topic.bursts),
    )
    return [
        _Tracked(name_of(topic), topic.intensity, topic.bursts, topic.words)
        for topic in bursting[:MOST_PANELS]
        if topic.intensity is not None
    ]


SECTION = Section("bursts", "What burst", "bursts.html", build, "Bursts", position=80)

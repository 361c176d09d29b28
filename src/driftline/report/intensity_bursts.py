"""Bursts of labels and topics on the page: shaded behind a curve, and in words."""

from __future__ import annotations

from collections.abc import Sequence

from driftline.analysis.findings.topics import TopicFinding
from driftline.analysis.intensities import IntensityBurst
from driftline.figures.panels import Burst
from driftline.report.date_formats import moment, short_span_at
from driftline.report.numbers import count
from driftline.report.story_sentences import Setting

NAMED = 3
LONGEST_NAME = 40
"""Number of characters of the longest name that fits beside a figure."""
KINDS = {"event": "no", "lasting": "yes", "unconfirmed": "not certain"}
"""Answers to "does the burst outlast a day?" by kind of burst."""
_IN_DAYS = Setting()
_IN_WORDS = {
    "event": ", within one {unit}",
    "lasting": ", longer than one {unit}",
    "unconfirmed": "; perhaps only single {unit}s that coincide",
}


def name_of(topic: TopicFinding) -> str:
    """Return the name under which a table lists a topic: its first words if it has no name or a long one."""
    return topic.name if topic.name and len(topic.name) <= LONGEST_NAME else ", ".join(topic.words[:NAMED])


def shaded(bursts: Sequence[IntensityBurst], setting: Setting = _IN_DAYS) -> list[Burst]:
    """Return bursts for `plot_panels`: interval, strength and hover text.

    >>> shaded([IntensityBurst("2003-03-19T00:00:00Z", "2003-04-21T00:00:00Z", 2, 38.2, 0.931, 111)])[0][3]
    '19 Mar – 21 Apr 2003: 4 times the usual rate, at least 93 % certain (111 documents)'
    """
    return [(moment(burst.start), moment(burst.end), burst.level, burst_in_words(burst, setting)) for burst in bursts]


def burst_in_words(burst: IntensityBurst, setting: Setting = _IN_DAYS) -> str:
    """Return a burst in words: interval, strength, probability, and whether it outlasts a day, or another unit."""
    when = short_span_at(burst.start, burst.end, setting.dates)
    sure = f"at least {100 * burst.probability:.0f} % certain"
    kind = _IN_WORDS.get(burst.kind or "", "").format(unit=setting.unit)
    documents = f"{count(burst.n_documents)} documents"
    return f"{when}: {2**burst.level} times the usual rate, {sure} ({documents}){kind}"


def heaviest(bursts: Sequence[IntensityBurst], setting: Setting = _IN_DAYS) -> str:
    """Return the burst with the highest weight in words, or an empty string."""
    return burst_in_words(max(bursts, key=lambda burst: burst.weight), setting) if bursts else ""

"""Bursts of labels and topics on the page: shaded behind a curve, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driftline.analysis.findings.topics import TopicFinding
from driftline.analysis.intensities import IntensityBurst
from driftline.report.date_formats import moment, span
from driftline.report.numbers import count, rate

NAMED = 3
KINDS = {"event": "one day", "lasting": "yes", "unconfirmed": "not sure"}
"""Answers to "does the burst last longer than a day?" by kind of burst."""
_IN_WORDS = {
    "event": ", on one day",
    "lasting": ", longer than a day",
    "unconfirmed": ", perhaps several days by chance",
}


def name_of(topic: TopicFinding) -> str:
    """Return the name of a topic: its first words."""
    return ", ".join(topic.words[:NAMED])


def shaded(bursts: Sequence[IntensityBurst]) -> list[tuple[Any, Any, int, str]]:
    """Return bursts for `plot_panels`: interval, strength and hover text.

    >>> shaded([IntensityBurst("2003-03-19T00:00:00Z", "2003-04-21T00:00:00Z", 2, 38.2, 0.931, 111)])[0][3]
    '19 Mar – 21 Apr 2003: 4 times the usual rate, at least 93 % certain (38.2 nats, 111 documents)'
    """
    return [(moment(burst.start), moment(burst.end), burst.level, burst_in_words(burst)) for burst in bursts]


def burst_in_words(burst: IntensityBurst) -> str:
    """Return a burst in words: interval, strength, probability, and whether it outlasts a day."""
    when = span(burst.start, burst.end, short=True)
    sure = f"at least {100 * burst.probability:.0f} % certain"
    kind = _IN_WORDS.get(burst.kind or "", "")
    documents = f"{count(burst.n_documents)} documents"
    return f"{when}: {2**burst.level} times the usual rate, {sure} ({rate(burst.weight)} nats, {documents}){kind}"


def heaviest(bursts: Sequence[IntensityBurst]) -> str:
    """Return the burst with the highest weight in words, or an empty string."""
    return burst_in_words(max(bursts, key=lambda burst: burst.weight)) if bursts else ""

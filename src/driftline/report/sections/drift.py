"""Changes of the language: the speed of drift and its fast periods."""

from __future__ import annotations

import numpy as np

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.drift import DRIFT, LARGEST_RATIO, FastPeriod
from driftline.analysis.findings.truth import TRUTH
from driftline.figures import plot_drift_speed
from driftline.report.date_formats import moment, short_span_at
from driftline.report.numbers import rate
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.sentences import per_period, with_words
from driftline.report.word_book import WordBook

_UNIT = 1_000.0
"""Number of documents to which the speed refers, as all other curves do."""


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw the speed with its noise floor, and list the fast periods with the words that changed in them."""
    drift = DRIFT.of(findings)
    if len(drift.curve.times) < 2:
        return None
    truth = TRUTH.of(findings)
    events = truth.bursts if truth is not None else []
    fastest = with_words(drift.fastest)
    period, length = ("hour", 1 / 24) if book.setting.dates.step == "minute" else ("day", 1.0)
    figure = plot_drift_speed(
        per_period(drift.curve, _UNIT * length),
        _UNIT * length * np.array(drift.noise_floor, dtype=np.float64),
        periods=[(moment(fast.start), moment(fast.end), _name(fast)) for fast in fastest],
        events=[(moment(start), moment(end), name) for name, start, end in events],
        unit=f"of 1,000 {book.setting.noun}, per {period}",
    )
    return Content(
        {
            "fastest": [
                (short_span_at(fast.start, fast.end, book.setting.dates), _ratio(fast), fast) for fast in fastest
            ],
            "bandwidth": drift.bandwidth_days,
            "has_events": bool(events),
        },
        {"drift": Drawn(figure, "Speed of drift over time with its noise floor; the fast periods are listed below.")},
    )


def _ratio(fast: FastPeriod) -> str:
    return "> 20 ×" if fast.times_noise_floor >= LARGEST_RATIO else f"{rate(fast.times_noise_floor)} ×"


def _name(fast: FastPeriod) -> str:
    return (fast.rising or fast.falling or [""])[0]


SECTION = Section("drift", "When the language changed", "drift.html", build, "Drift", position=50)

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from driftline.analysis.findings.drift import DriftSpeed, FastPeriod
from driftline.analysis.findings.headlines import WordChange
from driftline.analysis.findings.truth import Truth
from driftline.analysis.findings.word_tests import WordTests
from driftline.analysis.findings.words import ChangedWord
from driftline.analysis.shown_curves import curve_of_lists, no_curve
from driftline.report.date_formats import Resolution
from driftline.report.sentences import (
    _between,
    headlines,
    how_words_were_tested,
    quoted,
    volume_period,
    with_words,
    word_sentence,
)
from driftline.report.story_sentences import Setting
from tests.report.findings_factory import quiet_findings

TIMES = ["2003-01-01T00:00:00Z", "2003-06-01T00:00:00Z", "2003-12-31T00:00:00Z"]


def word(pattern, values, **changes):
    curve = curve_of_lists(TIMES, values, [0.5 * v for v in values], [2 * v for v in values])
    peak = TIMES[values.index(max(values))]
    made = ChangedWord("war", pattern, 9.0, 1e-4, 1e-3, 400, 300, peak, max(values), sum(values) / 3, curve)
    return dataclasses.replace(made, **changes)


def test_a_measured_change_is_reported_with_the_interval_of_its_ratio():
    change = WordChange("war", "lasting", "more", 5.4, 4.1, 7.2, TIMES[1], TIMES[2], False, True, 80, 300)
    assert word_sentence(word("rose", [1.0, 2.0, 4.0], change=change)) == (
        "“war”: in 5.4 times (4.1–7.2) as many documents since 1 June 2003 as before."
    )


@pytest.mark.parametrize(
    "change", [None, WordChange("war", "lasting", "more", 2, 0.9, 5, *TIMES[:2], False, True, 8, 9)]
)
def test_an_unmeasured_change_is_reported_by_its_highest_time(change):
    assert word_sentence(word("peaked", [1.0, 10.0, 1.0], change=change)) == (
        "“war”: in 4.00 of 1,000 documents on average, and most often around 1 June 2003, in 10.0 (5.00–20.0)."
    )


def test_no_sentence_contradicts_its_band():
    """The band at the peak contains the mean: nothing is claimed."""
    assert word_sentence(word("rose", [1.0, 2.0, 3.0])).endswith("the size of the change is uncertain.")
    assert word_sentence(word("rose", [1.0], curve=no_curve())).endswith("the size of the change is uncertain.")


def test_undrawn_ends_are_passed_over():
    curve = curve_of_lists(TIMES, [None, 2.0, 4.0], [None, 1.0, 3.0], [None, 3.0, 5.0])
    assert word_sentence(word("rose", [1.0, 2.0, 4.0], curve=curve), Setting("passages")) == (
        "“war”: in 2.33 of 1,000 passages on average, and most often around 31 December 2003, in 4.00 (3.00–5.00)."
    )


def test_headlines_are_sentences_with_numbers(findings):
    lines = headlines(findings)
    assert 5 <= len(lines) <= 16
    for line in lines:
        assert line.endswith(".")
        assert line[0].isupper() or line[0] in "“0123456789"
        assert "  " not in line
        assert not re.search(r"\bnan\b|None|\{|\}", line)
    assert "of 812 words tested" in " ".join(lines)


def test_the_truth_comes_first_where_it_is_known(findings):
    first, second = headlines(findings)[:2]
    assert f"{len(findings.truth.found)} of the {len(findings.truth.changed)} words" in first
    assert "94.7\xa0%" in second
    assert "simulated" not in " ".join(headlines(dataclasses.replace(findings, truth=None)))


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        (Truth({}, [], [], [], [], [], None), "no word really changed, and none was reported"),
        (Truth({}, [], [], [], [], ["a", "b"], None), "no word really changed, and 2 were reported"),
        (
            Truth({}, ["a"], [], ["a"], [], [], None),
            "1 of the 1 word that really changed were found, with no false alarm",
        ),
    ],
)
def test_odd_truths_are_reported_plainly(findings, truth, expected):
    assert expected in headlines(dataclasses.replace(findings, truth=truth))[0]


def test_the_absence_of_findings_is_reported():
    quiet = quiet_findings()
    assert headlines(quiet) == ["There was too little text to test any word for change."]
    tested = dataclasses.replace(quiet, n_words_tested=50)
    assert headlines(tested) == ["None of the 50 words tested changed by more than chance explains."]
    still = DriftSpeed(curve_of_lists(TIMES, [1.0] * 3, [0.5] * 3, [2.0] * 3), [2.0] * 3, 9.0, [])
    assert "At no time" in headlines(dataclasses.replace(tested, drift=still))[-1]


def test_the_claim_about_mistakes_is_made_of_lasting_changes_only(findings):
    tests = WordTests("day", 90, True, 40, 30, 20)
    lasting, bunched, *_ = how_words_were_tested(dataclasses.replace(findings, n_words_tested=500, word_tests=tests))
    assert lasting == (
        "40 of 500 words tested changed for longer than a single day; about 2 of them may be false alarms."
    )
    half = dataclasses.replace(tests, n_lasting=20)
    one = dataclasses.replace(findings, n_words_tested=500, word_tests=half)
    assert next(how_words_were_tested(one)).endswith("; about 1 of them may be a false alarm.")
    assert bunched.startswith(
        "20 more words are concentrated on single days; this test assumes that documents are independent"
    )
    few = WordTests("day", 25, False, 0, 0, 20)
    (only,) = how_words_were_tested(dataclasses.replace(findings, n_words_tested=500, word_tests=few))
    assert only.startswith("With only 25 days with enough text, no change can be shown to last; 20 of 500 words")
    event = dataclasses.replace(findings.changed_words[0], word="storm", kind="event")
    less = dataclasses.replace(event, word="hail", information=event.information / 2)
    unsure = WordChange("fog", "event", "more", 1.2, 0.9, 1.6, "2003-03-01", "2003-03-02", False, False, 4, 9)
    vague = dataclasses.replace(event, word="fog", change=unsure)
    named = dataclasses.replace(findings, n_words_tested=500, word_tests=few, changed_words=[event, vague, less])
    said = next(how_words_were_tested(named))
    assert said.endswith("if documents are independent: most of all “storm” and “hail”.")
    for n, said in ((1, "1 of 500 words tested is concentrated"), (0, "none of 500 words tested are concentrated")):
        alone = dataclasses.replace(findings, n_words_tested=500, word_tests=dataclasses.replace(few, n_events=n))
        assert said in next(how_words_were_tested(alone))
    quiet = dataclasses.replace(quiet_findings(), n_words_tested=9, word_tests=dataclasses.replace(few, n_events=0))
    assert "With only 25 days" in headlines(quiet)[0]


def test_the_fastest_period_is_the_one_farthest_above_chance(findings):
    fast, *_ = findings.drift.fastest
    other = dataclasses.replace(fast, times_noise_floor=fast.times_noise_floor + 1, rising=["comet"], falling=[])
    drift = dataclasses.replace(findings.drift, fastest=[fast, other])
    said = " ".join(headlines(dataclasses.replace(findings, drift=drift)))
    assert "chance explains: “comet” rose." in said


def test_volume_is_reported_only_when_it_stands_out(findings):
    flat = findings.volume._replace(
        **{name: np.full(365, n) for name, n in (("value", 5.0), ("lower", 4.0), ("upper", 6.0))}
    )
    assert "Volume was highest" in " ".join(headlines(findings))
    assert "Volume was highest" not in " ".join(headlines(dataclasses.replace(findings, volume=flat)))


def test_few_words_are_quoted():
    assert quoted(["a", "b", "c"], most=2) == "“a” and “b”"


def test_fast_stretches_are_dated_as_exactly_as_stories():
    start, end = "1981-06-22T00:00:00Z", "1996-03-14T00:00:00Z"
    assert _between(start, end, Resolution("year", True)) == "between 1981 and 1996"
    assert _between(start, start, Resolution("year", True)) == "in 1981"
    months = Resolution("month", True)
    assert _between(start, "1981-09-01T00:00:00Z", months) == "between June and September 1981"
    assert _between(start, end, Resolution("day", True)) == "between 22 June 1981 and 14 March 1996"


@pytest.mark.parametrize(
    ("n_lasting", "n_with", "expected"),
    [
        (9, None, ["9 of 20 words tested changed for longer than a single day; fewer"]),
        (
            9,
            0,
            ["9 of 20 words tested changed for longer than a single day, and not only because authors joined"],
        ),
        (9, 3, ["9 of 20 words tested", "3 more words also changed, but perhaps only because authors joined or left"]),
        (0, 3, ["3 of 20 words tested changed for longer than a single day, but perhaps only because authors joined"]),
    ],
)
def test_what_authors_may_explain_is_reported(n_lasting, n_with, expected):
    tests = WordTests("day", 90, True, n_lasting, None, 0, None if n_with is None else "author", n_with)
    findings = dataclasses.replace(quiet_findings(), n_words_tested=20, word_tests=tests)
    sentences = list(how_words_were_tested(findings))
    assert len(sentences) == len(expected)
    assert all(sentence.startswith(begin) for sentence, begin in zip(sentences, expected))


def test_words_of_single_days_alone_are_not_called_more_words():
    tests = WordTests("day", 90, True, 0, None, 8)
    none, events = how_words_were_tested(dataclasses.replace(quiet_findings(), n_words_tested=20, word_tests=tests))
    assert none == "None of the 20 words tested changed for longer than a single day."
    assert events.startswith("8 words are concentrated on single days;")


def test_with_few_days_twice_as_many_may_be_false():
    for n_days, expected in ((60, "about 10 of them"), (100, "about 5 of them")):
        tests = WordTests("day", n_days, True, 100, None, 0)
        (sentence,) = how_words_were_tested(dataclasses.replace(quiet_findings(), word_tests=tests))
        assert expected in sentence


def test_a_fast_period_without_words_is_passed_over():
    def period(times, rising):
        return FastPeriod(TIMES[0], TIMES[1], TIMES[0], 1.0, times, rising, [])

    assert with_words([period(3.0, []), period(2.0, ["war"])]) == [period(2.0, ["war"])]


def test_the_volume_of_a_stream_of_hours_is_per_minute():
    def period(last: str, per_day: float) -> str:
        times = ["2017-08-27T00:00:00Z", last]
        return volume_period(curve_of_lists(times, [per_day] * 2, [per_day] * 2, [per_day] * 2))[0]

    assert period("2017-08-27T01:00:00Z", 250_000) == "minute"
    assert period("2017-08-28T01:00:00Z", 250) == "hour"
    assert period("2017-09-28T01:00:00Z", 250_000) == "day"

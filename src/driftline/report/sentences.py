"""The findings in plain sentences, with numbers and their uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.drift import DRIFT, LARGEST_RATIO, FastPeriod
from driftline.analysis.findings.headlines import HEADLINES
from driftline.analysis.findings.small_stream import SMALL
from driftline.analysis.findings.source_summary import SOURCE
from driftline.analysis.findings.text_record import TEXT
from driftline.analysis.findings.truth import TRUTH, Truth
from driftline.analysis.findings.volume import VOLUME, certain_peak
from driftline.analysis.findings.word_tests import (
    FALSE_DISCOVERY_RATE,
    N_WORDS_CHANGED,
    N_WORDS_TESTED,
    WORD_TESTS,
    WordTests,
)
from driftline.analysis.findings.words import CHANGED_WORDS, ChangedWord
from driftline.core.date_precision import dates_given_to
from driftline.report.cycle_sentences import cycle_sentences
from driftline.report.date_formats import (
    Resolution,
    between,
    date_at,
    ends_at,
    moment,
    resolution,
    unit_name,
)
from driftline.report.date_sentences import date_sentences, small_sentence
from driftline.report.left_out_sentences import left_out_sentences, rejected_sentences
from driftline.report.numbers import count, counted, listed, rate, share, times_as
from driftline.report.story_sentences import Setting, change_sentence, composition_sentence, story_sentence
from driftline.smoothing.curve import Curve

PER = "of 1,000"
"""Denominator of rates, as text."""
PERIODS = (
    ("minute", 1 / 1440),
    ("hour", 1 / 24),
    ("day", 1.0),
    ("week", 7.0),
    ("month", 365.25 / 12),
    ("year", 365.25),
)
"""Periods for counting volume, with their lengths in days."""
MOST_COMPOSITIONS = 2
"""Maximum number of sentences on changes of composition."""


def headlines(findings: Findings) -> list[str]:
    """Return the main results, most important first: the stories, then the notes.

    Words are in “quotation marks”. For a stream that is too small or has no changes, the sentences say so.
    """
    with dates_given_to(SOURCE.of(findings).dated_to):
        return [*stories(findings), *notes(findings)]


def stories(findings: Findings, setting: Setting | None = None) -> list[str]:
    """Return one sentence per story: the large changes, with the interval of their ratios."""
    if SMALL.of(findings) is not None:
        return [small_sentence(findings)]
    setting = setting or Setting.of(findings)
    return [*_truth(findings), *(story_sentence(story, setting) for story in HEADLINES.of(findings).stories)]


def notes(findings: Findings, setting: Setting | None = None) -> list[str]:
    """Return the notes: changes in composition, the tests made, the text left out."""
    claims = () if SMALL.of(findings) is not None else (_composition, _how_much_changed, _fastest, _busiest)
    setting = setting or Setting.of(findings)
    return [
        *(sentence for part in claims for sentence in part(findings, setting)),
        *cycle_sentences(findings),
        *date_sentences(findings),
        *rejected_sentences(SOURCE.of(findings)),
        *left_out_sentences(TEXT.of(findings)),
    ]


def word_sentence(word: ChangedWord, setting: Setting = Setting()) -> str:  # noqa: B008 (it is immutable)
    """Return a sentence on one word: the size of its change, or otherwise its peak.

    >>> from driftline.analysis.shown_curves import curve_of_lists
    >>> times = ["2003-01-01T00:00:00Z", "2003-06-01T00:00:00Z", "2003-12-31T00:00:00Z"]
    >>> curve = curve_of_lists(times, [1.0, 30.0, 2.0], [0.5, 25.0, 1.0], [2.0, 36.0, 3.0])
    >>> print(word_sentence(ChangedWord("war", "peaked", 9.0, 0.0001, 0.001, 400, 300, times[1], 30.0, 8.0, curve)))
    “war”: in 8.00 of 1,000 documents on average, and most often around 1 June 2003, in 30.0 (25.0–36.0).
    """
    if word.change is not None and word.change.lower > 1:
        return change_sentence(word.change, setting)
    mean = f"“{word.word}”: in {rate(word.mean_rate)} {PER} {setting.noun} on average"
    highest = _nearest(word.curve, word.peak) if len(word.curve.times) else 0
    if not len(word.curve.times) or not word.curve.lower[highest] > word.mean_rate:
        return f"{mean}; the size of the change is uncertain."
    at_peak = f"{rate(word.peak_rate)} ({_band(word.curve, highest)})"
    return f"{mean}, and most often around {date_at(word.peak, setting.dates)}, in {at_peak}."


def quoted(words: Sequence[str], *, most: int = 4) -> str:
    """Return words in quotation marks as a list.

    >>> quoted(["war", "iraq"])
    '“war” and “iraq”'
    """
    return listed([f"“{word}”" for word in words[:most]], most=most)


def _truth(findings: Findings) -> Iterator[str]:
    truth = TRUTH.of(findings)
    if truth is None:
        return
    yield f"This stream is simulated, so the truth is known: {_found_and_missed(truth)}."
    if truth.band_coverage is not None:
        level = (
            VOLUME.of(findings).level if not CHANGED_WORDS.of(findings) else CHANGED_WORDS.of(findings)[0].curve.level
        )
        yield (
            f"The bands should contain the true curve {share(level, 1)} of the time; here they contained it "
            f"{100 * truth.band_coverage:.1f}\xa0% of the time."
        )


def _found_and_missed(truth: Truth) -> str:
    found, changed, false = len(truth.found), len(truth.changed), len(truth.false_alarms)
    alarms = "with no false alarm" if not false else f"with {counted(false, 'false alarm')}"
    if not changed:
        return "no word really changed, and " + ("none was reported" if not false else f"{false} were reported")
    return f"{count(found)} of the {counted(changed, 'word')} that really changed were found, {alarms}"


def _how_much_changed(findings: Findings, setting: Setting) -> Iterator[str]:
    tests = WORD_TESTS.of(findings)
    if not N_WORDS_TESTED.of(findings):
        yield "There was too little text to test any word for change."
    elif N_WORDS_CHANGED.of(findings) or (tests is not None and not tests.enough_units):
        yield from how_words_were_tested(findings)
    else:
        n_tested = N_WORDS_TESTED.of(findings)
        tested = "The only word" if n_tested == 1 else f"None of the {counted(n_tested, 'word')}"
        yield f"{tested} tested {'did not change' if n_tested == 1 else 'changed'} by more than chance explains."


def how_words_were_tested(findings: Findings) -> Iterator[str]:
    """State how many words changed lastingly, how many are concentrated on single units, and the error rates."""
    tests = WORD_TESTS.of(findings)
    n_lasting, n_events = (tests.n_lasting, tests.n_events) if tests is not None else (N_WORDS_CHANGED.of(findings), 0)
    unit = unit_name(tests.unit) if tests is not None else "day"
    if n_lasting:
        expected = FALSE_DISCOVERY_RATE.of(findings) * n_lasting * (2 if tests is not None and tests.few_units else 1)
        mistaken = "fewer than one" if expected < 1 else f"about {round(expected)}"
        alarms = "a false alarm" if expected < 1.5 else "false alarms"
        groups = (
            "" if tests is None or tests.groups is None else f", and not only because {tests.groups}s joined or left"
        )
        yield (
            f"{count(n_lasting)} of {counted(N_WORDS_TESTED.of(findings), 'word')} tested changed for longer than "
            f"a single {unit}{groups}; {mistaken} of them may be {alarms}."
        )
    if tests is not None:
        yield from _with_groups(tests, N_WORDS_TESTED.of(findings), unit)
    if tests is not None and not tests.enough_units:
        certain = [word for word in CHANGED_WORDS.of(findings) if word.change is None or word.change.lower > 1.0]
        events = [word.word for word in certain if word.kind == "event"]
        yield (
            f"With only {counted(tests.n_units, unit)} with enough text, no change can be shown to last; "
            f"{count(n_events) if n_events else 'none'} of {counted(N_WORDS_TESTED.of(findings), 'word')} tested "
            f"{'is' if n_events == 1 else 'are'} concentrated in time, "
            f"if documents are independent{f': most of all {quoted(events)}' if events else ''}."
        )
    elif n_events:
        none_lasts = not n_lasting and not (tests is not None and tests.n_with_groups)
        if none_lasts:
            tested = counted(N_WORDS_TESTED.of(findings), "word")
            yield f"None of the {tested} tested changed for longer than a single {unit}."
        yield (
            f"{counted(n_events, 'word' if none_lasts else 'more word')} {'is' if n_events == 1 else 'are'} "
            f"concentrated on single {unit}s; "
            "this test assumes that documents are independent, which reposts and shared texts are not."
        )


def _with_groups(tests: WordTests, n_tested: int, unit: str) -> Iterator[str]:
    """State how many changes may be due only to authors who joined or left."""
    n, group = tests.n_with_groups, tests.groups
    if not n:
        return
    if tests.n_lasting:
        which = f"{counted(n, 'more word')} also changed, but perhaps"
    else:
        which = f"{count(n)} of {counted(n_tested, 'word')} tested changed for longer than a single {unit}, but perhaps"
    yield (
        f"{which} only because {group}s joined or left: {group}s have their own subjects, so days are not independent, "
        f"and with whole {group}s in random order {'they do' if n > 1 else 'it does'} not stand out."
    )


def _composition(findings: Findings, setting: Setting) -> Iterator[str]:
    for found in HEADLINES.of(findings).compositions[:MOST_COMPOSITIONS]:
        yield composition_sentence(found, setting)


def _fastest(findings: Findings, setting: Setting) -> Iterator[str]:
    if not DRIFT.of(findings).fastest:
        if len(DRIFT.of(findings).curve.value):
            yield "At no time did the vocabulary as a whole change faster than chance explains."
        return
    explained = with_words(DRIFT.of(findings).fastest)
    if not explained:
        return
    first = max(explained, key=lambda fast: fast.times_noise_floor)
    words = []
    if first.rising:
        words.append(f"{quoted(first.rising)} rose")
    if first.falling:
        words.append(f"{quoted(first.falling, most=3)} fell")
    yield (
        f"The vocabulary as a whole changed fastest {_between(first.start, first.end, setting.dates)}, "
        f"{times_as(first.times_noise_floor, most=LARGEST_RATIO)} as fast as chance explains: {'; '.join(words)}."
    )


def with_words(periods: Sequence[FastPeriod]) -> list[FastPeriod]:
    """Return the fast periods in which some word rose or fell: a speed that no word explains is not informative."""
    return [fast for fast in periods if fast.rising or fast.falling]


def _between(start: str, end: str, dates: Resolution) -> str:
    """Return an interval with the date precision of the stream's stories."""
    if dates.step == "day":
        return between(start, end)
    if dates.step == "minute":
        dates = dates._replace(with_year=True)
    first, last = ends_at(start, end, dates)
    return f"in {first}" if first == last else f"between {first} and {last}"


def _busiest(findings: Findings, setting: Setting) -> Iterator[str]:
    volume = VOLUME.of(findings)
    top = certain_peak(volume) if len(volume.value) >= 3 else None
    if top is None:
        return
    value, mean = volume.value, float(np.nanmean(volume.value))
    when = date_at(str(volume.times[top]), setting.dates._replace(with_year=True))
    period, length = volume_period(volume)
    yield (
        f"Volume was highest around {when}: {rate(length * value[top])} {setting.documents} per {period} "
        f"({_band(volume, top, length)}), compared with {rate(length * mean)} on average."
    )


def volume_period(volume: Curve) -> tuple[str, float]:
    """Return the shortest period with at least one document on average, and its length in days.

    Minutes and hours are for streams of a few days, and nothing is shorter than the precision of the dates.

    >>> from driftline.analysis.shown_curves import curve_of_lists
    >>> volume_period(curve_of_lists(["2003-01-01T00:00:00Z"], [0.1], [0.05], [0.2]))
    ('month', 30.4375)
    """
    values = volume.value[~np.isnan(volume.value)]
    mean = float(np.mean(values)) if len(values) else 1.0
    of_days = len(volume.times) > 0 and resolution(*map(str, volume.times[[0, -1]])).step == "minute"
    shortest = {"year": 365.25, "month": 365.25 / 12}.get(unit_name("day"), 1 / 1440 if of_days else 1.0)
    periods = [(name, length) for name, length in PERIODS if length >= shortest]
    return next(((name, length) for name, length in periods if length * mean >= 1), PERIODS[-1])


def per_period(rate_per_day: Curve, length: float) -> Curve:
    """Return a curve per day as one per period of `length` days."""
    return rate_per_day._replace(
        value=length * rate_per_day.value, lower=length * rate_per_day.lower, upper=length * rate_per_day.upper
    )


def _band(curve: Curve, place: int, scale: float = 1.0) -> str:
    lower, upper = np.nan_to_num([curve.lower[place], curve.upper[place]])
    return f"{rate(scale * lower)}–{rate(scale * upper)}"


def _nearest(curve: Curve, iso: str) -> int:
    return int(np.argmin(np.abs(curve.times - moment(iso))))

import dataclasses

import pytest

from driftline.analysis.findings.dates import DateFindings, DatesAside, Gap
from driftline.analysis.findings.small_stream import FrequentWord, SmallStream
from driftline.report.date_sentences import date_sentences, small_sentence, why_aside


def aside(reason, n=2, first="1970-01-01T00:00:00Z", last="1971-01-01T00:00:00Z"):
    return DatesAside(reason, n, first, last, ["a", "b"])


@pytest.mark.parametrize("reason", ["early", "late", "future", "imported", "since", "until"])
def test_every_reason_has_words(reason):
    assert "1970" in why_aside(aside(reason))
    assert why_aside(aside(reason, last="1970-01-01T00:00:00Z")).count("1970") == 1


def test_dates_of_excluded_documents_say_once_what_they_share():
    assert "(19 April to 23 August 2016)" in why_aside(
        aside("early", first="2016-04-19T08:00:00Z", last="2016-08-23T00:00:00Z")
    )


def test_notes_on_dates(findings):
    dates = DateFindings(
        100, 96, [aside("early"), aside("future")], [Gap("1987-04-29T00:00:00Z", "1987-06-01T00:00:00Z")]
    )
    first, second = date_sentences(dataclasses.replace(findings, dates=dates))
    assert first.startswith(
        "Excluded from curves and tests, and listed with the records: 2 documents dated long before"
    )
    assert second == "There are no documents from 29 April to 1 June 1987; curves of words are interrupted there."
    many = dataclasses.replace(dates, aside=[], holes=dates.holes * 5)
    assert "and in 2 more intervals" in date_sentences(dataclasses.replace(findings, dates=many))[0]
    assert date_sentences(findings) == []


def test_of_a_small_stream_no_curve_of_a_word_is_drawn_that_a_gap_could_interrupt(findings):
    dates = DateFindings(100, 100, [], [Gap("1987-04-29T00:00:00Z", "1987-06-01T00:00:00Z")])
    small = SmallStream(100, 200)
    assert date_sentences(dataclasses.replace(findings, dates=dates, small=small)) == [
        "There are no documents from 29 April to 1 June 1987."
    ]


def test_gaps_of_hours_and_days_are_given_to_the_minute_alike(findings):
    night = Gap("2026-11-16T00:36:00Z", "2026-11-16T07:03:00Z")
    longer = Gap("2026-11-16T22:10:00Z", "2026-11-17T08:00:00Z")
    dates = DateFindings(100, 100, [], [night, longer])
    assert date_sentences(dataclasses.replace(findings, dates=dates)) == [
        "There are no documents from 00:36 to 07:03 on 16 November 2026 and from 16 November, 22:10 to "
        "17 November 2026, 08:00; curves of words are interrupted there."
    ]


def test_small_streams_say_why_nothing_is_claimed(findings):
    words = [FrequentWord("rain", 3)]
    for small, said in (
        (SmallStream(0, 200), "no document"),
        (SmallStream(1, 200, words), "only one document"),
        (SmallStream(30, 200, words), "only 30 documents. Below 200"),
        (SmallStream(300, 200), "no words to count in 300 documents"),
        (SmallStream(300, 200, words, n_times=1), "All 300 documents have the same time"),
        (SmallStream(300, 200, words, n_times=2), "one of two times"),
    ):
        assert said in small_sentence(dataclasses.replace(findings, small=small, text=None))
    assert small_sentence(findings) == ""

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


def test_notes_on_dates(findings):
    dates = DateFindings(
        100, 96, [aside("early"), aside("future")], [Gap("1987-04-29T00:00:00Z", "1987-06-01T00:00:00Z")]
    )
    first, second = date_sentences(dataclasses.replace(findings, dates=dates))
    assert first.startswith(
        "Excluded from curves and tests, and listed with the records: 2 documents dated long before"
    )
    assert second == "There are no documents from 29 April 1987 to 1 June 1987; curves are interrupted there."
    many = dataclasses.replace(dates, aside=[], holes=dates.holes * 5)
    assert "and in 2 more intervals" in date_sentences(dataclasses.replace(findings, dates=many))[0]
    assert date_sentences(findings) == []


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

import numpy as np

import driftline
from driftline.analysis.context import Context, Options
from driftline.analysis.findings.source_summary import SOURCE, TITLE, VERSION
from driftline.streams.stream import Stream

LABELLED = [(str(i), f"2024-01-{i + 1:02}", "rain again", "weather" if i % 2 else None) for i in range(20)]


def test_what_was_read_and_what_takes_part():
    context = Context(Stream.from_documents(LABELLED), Options(title="A month"))
    source = context[SOURCE]
    assert (source.n_documents, source.n_words, source.vocabulary_size) == (20, 40, 2)
    assert (source.first, source.last) == ("2024-01-01T00:00:00Z", "2024-01-20T00:00:00Z")
    assert source.labels == {"weather": 10}
    assert context[TITLE] == "A month"
    assert context[VERSION] == driftline.__version__


def test_an_empty_stream_has_no_dates():
    context = Context(Stream.from_documents([]))
    assert (context[SOURCE].first, context[SOURCE].last, context[SOURCE].n_words) == ("", "", 0)
    assert context[TITLE] == context.stream.name


def test_rejected_records_are_listed(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_text('{"time": "2024-01-01", "text": "rain"}\nbroken\n')
    source = Context(driftline.read(path))[SOURCE]
    assert (source.n_documents, source.n_rejected) == (1, 1)
    assert source.rejected_examples[0].place == "line 2"
    assert np.sum(list(source.rejected_reasons.values())) == 1


def test_years_and_months_are_recognised_as_such():
    def given(*dates):
        return Context(Stream.from_documents([(date, "rain") for date in dates]))[SOURCE].dated_to

    assert given("2001-01-01", "2003-01-01", "2004-01-01") == "year"
    assert given("2001-01-01", "2003-02-01", "2004-05-01") == "month"
    assert given("2001-01-01", "2003-02-02", "2004-05-01") == given("2001-01-01", "2002-01-01") == "day"
    assert given("2001-01-01", "2003-01-01", "2004-01-01 10:11") == "minute"

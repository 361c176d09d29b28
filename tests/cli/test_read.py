from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import driftline
from driftline.cli.main import cli
from driftline.cli.read import survey
from driftline.streams.stream import Stream

DOCUMENTS = [
    ("a", "2003-03-20T05:34", "war begins", "world"),
    ("b", "2003-03-19", "last hours", "world"),
    ("c", None, "when?", None),
    ("d", "2003-04-02T17:30", "sars spreads", "health"),
]


@pytest.fixture
def opened(monkeypatch):
    """Let driftline.read give a small stream, and remember how it was called."""
    calls = []

    def read(source, **options):
        calls.append((source, options))
        return Stream.from_documents(DOCUMENTS if source != "empty" else [], name=source, columns={"time": "sent"})

    monkeypatch.setitem(vars(driftline), "read", read)
    return calls


def test_a_source_is_summed_up(opened):
    result = CliRunner().invoke(cli, ["read", "news.csv", "--time", "sent"])
    assert result.exit_code == 0
    assert opened == [("news.csv", {"time": "sent"})]
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    for line in (
        "source news.csv",
        "documents 3",
        "from 2003-03-19",
        "to 2003-04-02 17:30:00",
        "length 11 characters per document",
        "columns time: sent",
        "labels world: 2",
        "health: 1",
        "rejected 1",
    ):
        assert line in lines
    assert "document 3" in result.stdout


def test_the_same_as_json(opened):
    facts = json.loads(CliRunner().invoke(cli, ["read", "news.csv", "--json"]).stdout)
    assert facts["documents"] + facts["rejected"] == len(DOCUMENTS)
    assert facts["labels"] == {"world": 2, "health": 1}
    assert facts["first"] == "2003-03-19T00:00:00+00:00"
    assert facts["examples"][0]["place"] == "document 3"


def test_nothing_readable_is_a_fault(opened):
    result = CliRunner().invoke(cli, ["read", "empty"])
    assert result.exit_code == 1
    assert "no document could be read from empty" in result.stderr
    assert "documents" in result.stdout


def test_many_labels_are_cut_short(monkeypatch):
    documents = [(str(i), "2003-01-01", "x", f"label {i}") for i in range(30)]
    monkeypatch.setitem(vars(driftline), "read", lambda source: Stream.from_documents(documents))
    assert "and 20 more" in CliRunner().invoke(cli, ["read", "x"]).stdout
    assert len(json.loads(CliRunner().invoke(cli, ["read", "x", "--json"]).stdout)["labels"]) == 30


def test_a_stream_is_surveyed_in_batches():
    stream = Stream.from_documents([("2003-01-0" + str(day), "x" * day) for day in (5, 1, 9)], batch_size=1)
    facts = survey(stream)
    assert (facts.first[:10], facts.last[:10], facts.characters) == ("2003-01-01", "2003-01-09", 15)


def test_a_file_and_standard_input_give_the_same(tmp_path):
    lines = '{"date": "2003-03-20", "text": "war"}\n{"date": "someday", "text": "no one knows when"}\n'
    (tmp_path / "news.jsonl").write_text(lines)
    reported = [
        json.loads(CliRunner().invoke(cli, ["read", source, "--json"], input=text).stdout)
        for source, text in ((str(tmp_path / "news.jsonl"), None), ("-", lines))
    ]
    for facts in reported:
        assert (facts["documents"], facts["rejected"]) == (1, 1)
        assert facts["first"] == facts["last"] == "2003-03-20T00:00:00+00:00"
    assert reported[0]["columns"]["time"] == "date"


def test_a_source_that_is_not_there_exits_with_1(tmp_path):
    result = CliRunner().invoke(cli, ["read", str(tmp_path / "nowhere.csv")])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert "nowhere.csv" in result.stderr

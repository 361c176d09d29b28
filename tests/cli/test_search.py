import json

import pytest
from click.testing import CliRunner

from driftline.cli.main import cli

ROWS = [
    ("m1", "2001-10-02", "the gas pipeline burst near the river"),
    ("m2", "2001-10-03", "a pipeline for the gas is planned"),
    ("m3", "2001-11-09", "football results of the day"),
    ("m4", "2001-12-01", "\x1b[31m gas\u202e and football"),
]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "mail.jsonl"
    path.write_text("".join(json.dumps(dict(zip(("id", "time", "text"), row))) + "\n" for row in ROWS))
    return path


def run(*arguments):
    return CliRunner().invoke(cli, ["search", *map(str, arguments)])


def found(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return [hit["id"] for hit in json.loads(result.stdout)["hits"]]


def test_documents_are_listed_best_first(source):
    result = run(source, "gas pipeline")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].split()[:4] == ["1", "2001-10-02", "00:00", "m1"]
    assert lines[1].strip() == "the gas pipeline burst near the river"
    assert "3 of 4 documents match." in lines


def test_words_need_not_be_quoted(source):
    assert found(source, "gas", "pipeline") == found(source, "gas pipeline")
    assert found(source, "burst", '"gas pipeline"') == found(source, 'burst "gas pipeline"')


def test_documents_cannot_write_to_the_terminal(source):
    result = run(source, "football")
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    assert "\\x1b[31m gas" in result.stdout


def test_options_reach_the_ranking(source):
    assert found(source, "gas", "--around", "2001-12")[0] == "m4"
    assert found(source, "gas pipeline", "-n", "1") == ["m1"]
    assert found(source, '"pipeline for"', "--stop-words", "none") == ["m2"]
    assert set(found(source, "pipelines", "--stemmer", "english")) == {"m1", "m2"}
    for option in (["--dependence", "full"], ["--potentials", "bm25"], ["--no-time-feedback"]):
        assert set(found(source, "gas pipeline", *option)) == {"m1", "m2", "m4"}


def test_an_index_is_kept_and_grows(source, tmp_path):
    folder = tmp_path / "index"
    assert found(source, "planned", "--index", folder) == ["m2"]
    with source.open("a") as file:
        file.write(json.dumps({"id": "m5", "time": "2002-01-01", "text": "nothing is planned"}) + "\n")
    assert found(source, "planned", "--index", folder) == ["m5", "m2"]
    assert found(source, "planned", "--index", folder) == ["m5", "m2"]
    refused = run(source, "planned", "--index", folder, "--stemmer", "english")
    assert refused.exit_code == 1
    assert "own stop words" in refused.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["the"], "only stop words"),
        ([""], "has no words"),
        (['"gas'], "not closed"),
        (["gas", "--around", "winter"], "not a period"),
    ],
)
def test_unusable_queries_are_one_message(source, arguments, message):
    result = run(source, *arguments)
    assert result.exit_code == 1
    assert message in result.output
    assert "Traceback" not in result.output


def test_rejected_records_are_counted(source):
    with source.open("a") as file:
        file.write("not json\n")
    assert "1 records could not be read" in run(source, "gas").stderr


def test_nothing_found_is_reported(source):
    result = run(source, "zeppelin")
    assert result.stdout.splitlines() == [
        "0 of 4 documents match.",
        "Note: no document contains: zeppelin.",
    ]

import json

import pytest
from click.testing import CliRunner

from driftline.analysis.serialise import from_json
from driftline.cli.main import cli
from driftline.datasets import simulate_newswire


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=True)


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    """A few stories without labels, among them broken records."""
    folder = tmp_path_factory.mktemp("stories")
    path = simulate_newswire(500, random_state=2).write(folder / "all.jsonl")
    lines = path.read_bytes().replace(b'"label"', b'"desk"')
    path.write_bytes(lines)
    return path


def test_the_report_is_written_and_its_headlines_are_said(stories, tmp_path):
    result = run("report", stories, "-o", tmp_path / "report.html", "--title", "Five hundred stories")
    assert result.exit_code == 0, result.output
    assert "words tested changed" in result.stdout
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Five hundred stories" in page
    assert "rejected" in page


def test_json_goes_to_standard_output_and_no_file_is_written(stories, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("report", stories, "--json", "--every", "3mo", "--bandwidth", "60d")
    findings = from_json(result.stdout)
    assert findings.bandwidth_days == 60
    assert findings.source.n_documents == 500
    assert findings.source.n_rejected > 0
    assert json.loads(result.stdout)["format"] == 1
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_a_clear_error(stories, tmp_path):
    result = run("report", stories, "-o", tmp_path / "nowhere" / "report.html")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr


def test_a_missing_source_is_a_clear_error():
    result = run("report", "nothing-here.csv")
    assert result.exit_code == 1
    assert "nothing-here.csv" in result.stderr


@pytest.fixture(scope="module")
def stray_stories(tmp_path_factory):
    """Three hundred short stories and one dated 1970, one 2099."""
    path = tmp_path_factory.mktemp("stray") / "stories.csv"
    wire = simulate_newswire(300, random_state=4)
    rows = [f"{time}Z,{text.replace(',', '')}" for time, text in zip(wire.times, wire.texts)]
    path.write_text(
        "\n".join(["time,text", "1970-01-01T00:00:00Z,an old story", *rows, "2099-01-01T00:00:00Z,a new one"])
    )
    return path


def test_dates_are_set_aside_kept_and_bounded(stray_stories):
    def dates(*options):
        result = run("report", stray_stories, "--json", *options)
        assert result.exit_code == 0, result.output
        found = from_json(result.stdout)
        return {each.reason: each.n_documents for each in found.dates.aside}, found

    reasons, found = dates()
    assert reasons == {"early": 1, "future": 1}
    assert (found.source.n_documents, found.dates.n_used) == (302, 300)
    assert dates("--keep-dates", "all", "--fewest", "1000")[0] == {}
    reasons, found = dates("--since", "2025-03-01", "--until", "2025-09-30")
    assert set(reasons) == {"since", "until"}
    assert found.small is not None
    assert found.source.first >= "2025-03-01"


def test_a_date_that_is_none_is_a_clear_error(stray_stories):
    result = run("report", stray_stories, "--json", "--since", "soon")
    assert result.exit_code == 1
    assert "'soon', is not a date" in result.stderr

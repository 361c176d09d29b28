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

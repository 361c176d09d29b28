import json

import pytest
from click.testing import CliRunner

from driftline.cli.main import cli


@pytest.fixture
def source(tmp_path):
    lines = ["time,text"]
    for day in range(60):
        text = "storm warning tonight" if 20 <= day < 26 else "calm night tonight"
        lines += [f"2024-{1 + day // 30:02}-{1 + day % 30 % 28:02},{text}"] * 2
    path = tmp_path / "weather.csv"
    path.write_text("\n".join(lines))
    return path


def run(*arguments):
    return CliRunner().invoke(cli, ["bursts", *map(str, arguments)])


def test_the_table_names_the_word_and_its_days(source):
    result = run(source)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0].split() == ["word", "start", "end", "level", "documents", "weight"]
    assert any(line.split()[:2] == ["storm", "2024-01-21T00:00"] for line in result.stdout.splitlines())


def test_json_and_page(source, tmp_path):
    result = run(source, "--json", "--words", "1", "--html", tmp_path / "bursts.html")
    found = json.loads(result.stdout)
    assert {burst["word"] for burst in found} <= {"storm", "warning"}
    assert "storm" in (tmp_path / "bursts.html").read_text() or "warning" in (tmp_path / "bursts.html").read_text()


def test_a_missing_folder_is_refused_before_any_work(source, tmp_path):
    assert run(source, "--html", tmp_path / "absent" / "b.html").exit_code == 1


def test_the_table_ends_with_the_command_that_shows_the_documents(source):
    last = run(source, "--words", "1").stdout.splitlines()[-1]
    assert last.startswith(f"The documents behind a burst: driftline search {source} ")
    assert last.endswith("--around 2024-01")

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from driftline.cli.main import cli
from tests.coding.stories import three_parts


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture(params=["txt", "md", "html"])
def book(request, tmp_path):
    parts = three_parts()
    chapters = [parts[:12], parts[12:24], parts[24:]]
    heading = {"txt": "{}", "md": "## {}", "html": "<h2>{}</h2>"}[request.param]
    wrap = "<p>{}</p>" if request.param == "html" else "{}"
    blocks = [
        block
        for name, paragraphs in zip(("I", "II", "III"), chapters)
        for block in (heading.format(name), *(wrap.format(paragraph) for paragraph in paragraphs))
    ]
    path = tmp_path / f"book.{request.param}"
    path.write_text("\n\n".join(blocks), encoding="utf-8")
    return path


def test_a_book_becomes_a_page(book, tmp_path):
    result = run("flow", book, "-o", tmp_path / "flow.html", "--topics", 3, "--title", "Three parts")
    assert result.exit_code == 0, result.output
    assert "sea" in result.stdout.splitlines()[0]
    page = (tmp_path / "flow.html").read_text(encoding="utf-8")
    assert "Three parts" in page
    assert '"chapters":["I","II","III"]' in page


def test_json_goes_to_standard_output_and_no_file_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book.txt").write_text("\n\n".join(three_parts()), encoding="utf-8")
    result = run("flow", "book.txt", "--json", "--topics", 3, "--bandwidth", 20, "--stop-words", "none", "--seed", 1)
    found = json.loads(result.stdout)
    assert found["flow"]["bandwidth"] == 20
    assert len(found["flow"]["turns"]) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["book.txt"]


def test_what_cannot_be_drawn_is_reported(tmp_path):
    assert "there is no file" in run("flow", tmp_path / "none.txt", "-o", tmp_path / "x.html").output
    (tmp_path / "short.txt").write_text("Only a few words.", encoding="utf-8")
    result = run("flow", tmp_path / "short.txt", "-o", tmp_path / "x.html")
    assert result.exit_code == 1
    assert "too few" in result.output
    assert "does not exist" in run("flow", tmp_path / "short.txt", "-o", tmp_path / "no" / "x.html").output


def test_the_page_is_there_before_the_first_line_is_printed(tmp_path, monkeypatch):
    """Somebody who reads the turns through ``head -1`` closes the pipe after the first."""

    def closed(*_, **__):
        raise BrokenPipeError

    (tmp_path / "book.txt").write_text("\n\n".join(three_parts()), encoding="utf-8")
    monkeypatch.setattr("driftline.cli.flow.say", closed)
    run("flow", tmp_path / "book.txt", "-o", tmp_path / "flow.html", "--topics", 3)
    assert "</html>" in (tmp_path / "flow.html").read_text(encoding="utf-8")

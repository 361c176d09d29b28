from pathlib import Path

import pytest

from driftline.analysis.serialise import from_json
from driftline.cli.findings_output import deliver
from driftline.report.sentences import headlines
from tests.analysis.test_serialise import every_field_filled


def test_json_is_printed_whole(capsys):
    findings = every_field_filled()
    deliver(findings, Path("unused.html"), as_json=True)
    assert from_json(capsys.readouterr().out) == findings


def test_headlines_are_printed_and_the_file_is_named(tmp_path, capsys):
    findings = every_field_filled()
    deliver(findings, tmp_path / "page.html", as_json=False)
    printed = capsys.readouterr().out
    assert headlines(findings)
    for sentence in headlines(findings):
        assert sentence in printed
    assert "page.html" in printed


def test_the_page_is_there_before_the_first_line_is_printed(tmp_path, monkeypatch):
    """Somebody who reads the headlines through ``head -1`` closes the pipe after the first."""

    def closed(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr("click.echo", closed)
    with pytest.raises(BrokenPipeError):
        deliver(every_field_filled(), tmp_path / "page.html", as_json=False)
    assert "</html>" in (tmp_path / "page.html").read_text()

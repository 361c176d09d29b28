from __future__ import annotations

import pytest
from click.testing import CliRunner

from driftline.cli.main import cli
from driftline.cli.output_path import check_output
from driftline.core.errors import InvalidInput
from driftline.datasets import simulate_newswire
from tests.kill.scenarios import model


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidInput, match="absent"):
        check_output(tmp_path / "absent" / "page.html", None)


def test_the_source_is_refused_under_any_name(tmp_path):
    source = tmp_path / "source.jsonl"
    source.write_text("{}")
    (tmp_path / "link").symlink_to(source)
    for name in ("source.jsonl", "link"):
        with pytest.raises(InvalidInput, match=r"is the source itself.*--html"):
            check_output(tmp_path / name, str(source), "--html")
    check_output(tmp_path / "new.html", str(source))
    check_output(source, "-")
    check_output(source, str(tmp_path))


def test_no_command_writes_over_its_source(tmp_path):
    source = simulate_newswire(20, random_state=0).write(tmp_path / "stories.jsonl")
    before = source.read_bytes()
    model(0).save(tmp_path / "model")
    for command in (
        ("report", source, "-o", source),
        ("bursts", source, "--html", source),
        ("topics", source, "--html", source),
        ("flow", source, "-o", source),
        ("label", source, "-o", source),
        ("predict", tmp_path / "model", source, "-o", source),
    ):
        result = CliRunner().invoke(cli, [str(argument) for argument in command])
        assert (result.exit_code, source.read_bytes()) == (1, before), command
        assert "is the source itself" in result.stderr

import json

import click
import pytest
from click.testing import CliRunner

from driftline.cli.text_options import KEEP, SOURCE_KINDS, TextArguments, text_options
from driftline.text import left_out, source_kinds


@click.command()
@text_options
def command(text: TextArguments) -> None:
    click.echo(json.dumps(text.options))


def options(*arguments, code=0):
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == code, result.output
    return json.loads(result.output) if code == 0 else result.output


def test_defaults():
    assert options() == {"source_kind": "auto", "keep": [], "stop_words": "auto"}


def test_choices_are_those_of_the_library():
    assert set(KEEP) == {"all", *left_out.DESCRIPTIONS}
    assert ("auto", *source_kinds.SOURCE_KINDS) == SOURCE_KINDS


def test_things_to_keep_add_up():
    assert options("--keep", "urls", "--keep", "quotes", "--source-kind", "mail")["keep"] == ["urls", "quotes"]


def test_stop_words(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("# mine\nThe\n\nand \n", "utf-8")
    assert options("--stop-words", str(path))["stop_words"] == ["and", "the"]
    assert options("--stop-words", "de")["stop_words"] == "de"
    assert options("--stop-words", "none")["stop_words"] == []


@pytest.mark.parametrize("wrong", [["--stop-words", "klingon"], ["--keep", "uris"], ["--source-kind", "novel"]])
def test_what_is_not_known_is_refused(wrong):
    reported = options(*wrong, code=2)
    assert wrong[1] in reported


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_bytes(b"\xff\xfe\x00")
    result = CliRunner().invoke(command, ["--stop-words", str(path)])
    assert result.exit_code != 0

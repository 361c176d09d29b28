"""Options with defaults, and the types of paths."""

import click
import pytest
from click.testing import CliRunner

from driftline.cli.options import FILE, FOLDER, setting


@click.command()
@setting("--words", "n_words", type=click.IntRange(1), default=60, help="Number of words.")
@click.option("--file", type=FILE)
@click.option("--folder", type=FOLDER)
def command(n_words, file, folder):
    click.echo(f"{n_words} {type(file).__name__} {type(folder).__name__}")


def test_the_default_is_used_and_shown():
    assert CliRunner().invoke(command, []).output == "60 NoneType NoneType\n"
    assert "[default: 60" in CliRunner().invoke(command, ["--help"]).output
    assert CliRunner().invoke(command, ["--words", "0"]).exit_code == 2


@pytest.mark.parametrize(("option", "wrong"), [("--file", "folder"), ("--folder", "file")])
def test_paths_of_the_other_kind_are_refused(tmp_path, option, wrong):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    assert CliRunner().invoke(command, [option, str(tmp_path / wrong)]).exit_code == 2
    assert CliRunner().invoke(command, [option, str(tmp_path / "new")]).exit_code == 0

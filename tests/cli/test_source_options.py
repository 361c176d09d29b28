from __future__ import annotations

import ast
import inspect

import click
import pytest
from click.testing import CliRunner

import driftline
from driftline.cli import source_options as source_options_module
from driftline.cli.commands import COMMANDS
from driftline.cli.main import cli
from driftline.cli.source_options import ReadingOption, SourceArguments, SourceCommand, source_options


@pytest.fixture
def command():
    @click.command()
    @source_options
    @click.option("--more")
    def shown(source, more):
        """Show what arrives."""
        click.echo(repr((source.source, source.options, more)))

    return shown


def test_what_is_not_said_is_not_passed_on(command):
    assert CliRunner().invoke(command, ["mail.mbox"]).output == "('mail.mbox', {}, None)\n"


def test_everything_that_is_reported_is_passed_on(command):
    said = {
        "time": "sent",
        "text": "body",
        "label": "topic",
        "id": "number",
        "format": "csv",
        "on_error": "raise",
        "reorder_within": "2h",
        "time_unit": "ms",
        "timezone": "Europe/Berlin",
        "encoding": "latin-1",
        "file_time": "name",
    }
    arguments = [part for name, value in said.items() for part in (f"--{name.replace('_', '-')}", value)]
    result = CliRunner().invoke(command, ["-", *arguments, "--dayfirst", "--drop-quotes", "--more", "x"])
    source, options, more = ast.literal_eval(result.output)
    assert (source, options, more) == ("-", said | {"dayfirst": True, "drop_quotes": True}, "x")
    assert ast.literal_eval(CliRunner().invoke(command, ["-", "--monthfirst"]).output)[1] == {"dayfirst": False}


@pytest.mark.parametrize("wrong", [["--format", "docx"], ["--on-error", "ignore"], ["--time-unit", "days"]])
def test_wrong_choices_exit_with_2(wrong, command):
    assert CliRunner().invoke(command, ["x", *wrong]).exit_code == 2


def test_the_source_is_opened_with_the_options(monkeypatch):
    monkeypatch.setitem(vars(driftline), "read", lambda source, **options: (source, options))
    assert SourceArguments("x.csv", {"time": "sent"}).read() == ("x.csv", {"time": "sent"})


def test_the_choices_are_those_of_the_readers():
    from driftline.readers.formats import FORMATS
    from driftline.readers.text_files import FILE_TIMES
    from driftline.readers.time_numbers import TIME_UNITS

    assert source_options_module.FORMATS == FORMATS
    assert source_options_module.TIME_UNITS == TIME_UNITS
    assert source_options_module.FILE_TIMES == FILE_TIMES


def test_the_options_are_those_of_read(command):
    names = {param.name for param in command.params} - {"source", "more"}
    parameters = inspect.signature(driftline.read).parameters
    assert names <= parameters.keys()
    assert parameters.keys() - names == {"source", "batch_size", "max_record_bytes", "max_expansion"}


def test_own_options_come_before_those_of_reading(command):
    names = [each.name for each in command.params if isinstance(each, click.Option)]
    assert names[0] == "more"
    assert names[1:] == list(source_options_module._NAMES)


def test_the_help_explains_own_options_and_lists_those_of_reading():
    @click.command(cls=SourceCommand)
    @source_options
    @click.option("--more", help="What else.")
    def shown(source, more):
        """Show."""

    text = CliRunner().invoke(shown, ["--help"]).output
    own, reading = text.split("Options for reading SOURCE, explained by 'driftline read --help':\n")
    assert "--more TEXT  What else." in own
    assert "SOURCE\n" not in own.split("Options:")[1]
    assert "--time" not in own.replace("[OPTIONS]", "")
    given = [option for each in shown.params if isinstance(each, ReadingOption) for option in each.opts]
    assert set(given) | {"--monthfirst"} == set(reading.split())


def commands_that_read() -> list[str]:
    context = click.Context(cli)
    return [
        name
        for name in COMMANDS
        if name != "read" and any(isinstance(each, ReadingOption) for each in cli.get_command(context, name).params)
    ]


@pytest.mark.parametrize("name", commands_that_read())
def test_commands_that_read_a_source_fold_the_options_of_reading(name):
    assert isinstance(cli.get_command(click.Context(cli), name), SourceCommand)


def test_the_help_of_read_explains_the_options_of_reading():
    assert "Column with the time; or several" in CliRunner().invoke(cli, ["read", "--help"]).output

from __future__ import annotations

import datetime
import errno
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import pytest
from click.testing import CliRunner

from driftline.cli.conventions import json_option, print_facts, print_json, run_by_the_rules, with_options
from driftline.core.errors import InvalidInput, SourceNotFound
from tests.naming import shown


@dataclass
class Word:
    text: str
    share: float


class Span(NamedTuple):
    start: datetime.date
    end: object


def test_json_knows_what_results_are_made_of(capsys):
    print_json(
        {
            "word": Word("ü", math.nan),
            "span": Span(datetime.date(2003, 3, 20), np.datetime64("2003-03-20T00:00", "us")),
            "array": np.array([1.5, np.inf]),
            "scalar": np.int32(3),
            "nothing": None,
            "truth": True,
            "path": Path("a/b"),
            "nested": [(1, {2})],
            3: "key",
        }
    )
    assert json.loads(capsys.readouterr().out) == {
        "word": {"text": "ü", "share": None},
        "span": {"start": "2003-03-20", "end": "2003-03-20T00:00:00"},
        "array": [1.5, None],
        "scalar": 3,
        "nothing": None,
        "truth": True,
        "path": "a/b",
        "nested": [[1, [2]]],
        "3": "key",
    }


def test_json_survives_any_terminal(capsys):
    print_json({"text": "\ud800 \u2028"})
    assert capsys.readouterr().out.isascii()


def test_facts_are_lined_up(capsys):
    print_facts({"a": 1, "longer": "x\ny", "empty": ""})
    assert capsys.readouterr().out == "a       1\nlonger  x\n        y\nempty\n"
    print_facts({})
    assert capsys.readouterr().out == ""


def test_json_option_is_called_as_json():
    @click.command()
    @json_option
    def command(as_json):
        click.echo(as_json)

    assert CliRunner().invoke(command, ["--json"]).output == "True\n"
    assert CliRunner().invoke(command, []).output == "False\n"


def outcome(error, capsys, *, debug=False):
    def work():
        raise error

    with pytest.raises(click.exceptions.Exit) as caught:
        run_by_the_rules(work, debug=debug)
    out, err = capsys.readouterr()
    assert out == ""
    return caught.value.exit_code, err


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InvalidInput("line 3 is bad;\nmend it"), 1, "Error: line 3 is bad;\n  mend it\n"),
        (SourceNotFound("nothing at x"), 1, "Error: nothing at x\n"),
        (PermissionError(errno.EACCES, "Permission denied", "secret.csv"), 1, "Error: secret.csv: Permission denied\n"),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "Error: No space left on device\n"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
        (click.Abort(), 130, "Interrupted.\n"),
    ],
    ids=shown,
)
def test_every_error_has_its_code_and_one_message(error, code, message, capsys):
    assert outcome(error, capsys) == (code, message)


@pytest.mark.parametrize(
    ("said", "shown_as"),
    [
        ("say which one is with time=", "say which one is with --time"),
        ("a.csv has no column 'x' for label= (its columns: y)", "a.csv has no column 'x' for --label (its columns: y)"),
        ("choose with id='a' or id='b', or id=False for none", "choose with --id a or --id b"),
        ("did you mean text='my text'?", "did you mean --text 'my text'?"),
        ("pass dayfirst=True or dayfirst=False", "pass --dayfirst or --monthfirst"),
        ("read with on_error='report' to skip it", "read with --on-error report to skip it"),
        ("pass reorder_within='3h2min' or more", "pass --reorder-within 3h2min or more"),
        ("raise max_expansion=200", "raise max_expansion=200"),
        ("the text is 'time=now' and \"id=3\", runtime=5", "the text is 'time=now' and \"id=3\", runtime=5"),
    ],
)
def test_messages_name_options_and_not_keywords(said, shown_as, capsys):
    assert with_options(said) == shown_as
    assert outcome(InvalidInput(said), capsys) == (1, f"Error: {shown_as}\n")


def test_a_truncated_file_is_not_an_interruption(capsys):
    code, message = outcome(EOFError("Compressed file ended"), capsys)
    assert code == 1
    assert "EOFError: Compressed file ended" in message


def test_what_should_not_happen_says_so_without_a_traceback(capsys):
    code, message = outcome(ZeroDivisionError("division by zero"), capsys)
    assert code == 1
    assert "ZeroDivisionError" in message
    assert "--debug" in message
    assert "Traceback" not in message


def test_debug_shows_where(capsys):
    code, message = outcome(InvalidInput("bad"), capsys, debug=True)
    assert code == 1
    assert "Traceback" in message
    assert __file__ in message


def test_clicks_own_errors_pass():
    def work():
        raise click.UsageError("wrong")

    with pytest.raises(click.UsageError):
        run_by_the_rules(work, debug=False)
    assert run_by_the_rules(lambda: 5, debug=False) == 5


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_no_color_is_heeded(no_color, coloured, monkeypatch, capsys):
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)
    assert ("\x1b[" in outcome(InvalidInput("bad"), capsys)[1]) is coloured

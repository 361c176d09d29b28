from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import click
import pytest
from click.testing import CliRunner

import driftline
from driftline.cli.commands import COMMANDS
from driftline.cli.main import cli

HEAVY = ("numpy", "scipy", "pyarrow", "numba", "sklearn", "plotly", "pandas", "rich", "jinja2", "safetensors")


def driftline_command(*arguments, code="", **options):
    """Run the program in a process of its own; `code` runs before it."""
    return subprocess.run(
        program(*arguments, code=code), capture_output=True, text=True, timeout=60, check=False, **options
    )


def program(*arguments, code=""):
    """Return what to run for it."""
    run = f"from driftline.cli.main import main\nsys.argv = ['driftline', *{list(arguments)!r}]\nmain()"
    return [sys.executable, "-c", f"import sys\n{code}\n{run}"]


def test_help_lists_every_command():
    result = CliRunner().invoke(cli, ["--help"])
    assert result.exit_code == 0
    for name, entry in COMMANDS.items():
        assert f"  {name} " in result.output
        assert " ".join(entry.help.split()[:5]) in result.output


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)], ids=" ".join)
def test_help_imports_nothing_heavy(arguments):
    code = f"import atexit; atexit.register(lambda: print('HEAVY', [m for m in {HEAVY} if m in sys.modules]))"
    done = driftline_command(*arguments, code=code)
    assert done.returncode == 0, done.stderr
    assert "Usage: driftline" in done.stdout
    assert "HEAVY []" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_has_the_help_of_each_command(name):
    context = click.Context(cli)
    command = cli.get_command(context, name)
    assert command.name == name
    assert (command.help or "").split("\n\n")[0].replace("\n", " ") == COMMANDS[name].help


def test_commands_are_imported_only_when_they_run():
    code = "import atexit; atexit.register(lambda: print([m for m in sys.modules if m.startswith('driftline.cli.')]))"
    done = driftline_command("--help", code=code)
    loaded = done.stdout.splitlines()[-1]
    assert "driftline.cli.main" in loaded
    assert "driftline.cli.read" not in loaded


def test_version():
    result = CliRunner().invoke(cli, ["--version"])
    assert result.output == f"driftline, version {driftline.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Usage"),
        (["raed"], "Did you mean 'read'?"),
        (["nonsense"], "The commands are: "),
        (["--nonsense"], "No such option"),
        (["describe"], "Missing argument"),
        (["completion", "tcsh"], "tcsh"),
    ],
)
def test_wrong_calls_exit_with_2(arguments, says):
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert says in result.output


def test_a_broken_pipe_is_quiet():
    reading, writing = os.pipe()
    os.close(reading)
    code = (
        "import click, driftline.cli.describe as d\n"
        "d.describe = click.command(name='describe')(lambda: [click.echo('x' * 1000) for _ in range(1000)] and None)"
    )
    done = subprocess.run(
        program("describe", code=code), stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


INTERRUPTIBLE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Beginning of a program that Ctrl-C interrupts, also where the tests run in the background, which ignores it."""


def test_an_interrupt_exits_with_130():
    code = (
        f"{INTERRUPTIBLE}import click, time, driftline.cli.describe as d\n"
        "def sleeps():\n    print('ready', flush=True)\n    time.sleep(60)\n"
        "d.describe = click.command(name='describe')(sleeps)"
    )
    with subprocess.Popen(
        program("describe", code=code), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == "Interrupted."


def test_errors_of_data_exit_with_1_and_one_message(tmp_path):
    result = CliRunner().invoke(cli, ["describe", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == f"Error: {tmp_path} is not a saved model: a model is a folder with a manifest.json\n"


def test_debug_shows_the_traceback(tmp_path):
    result = CliRunner().invoke(cli, ["--debug", "describe", str(tmp_path)])
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert "ModelFileError" in result.stderr


def test_the_program_is_installed():
    done = subprocess.run(
        [os.path.join(os.path.dirname(sys.executable), "driftline"), "--version"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert driftline.__version__ in done.stdout


def test_completion_knows_the_commands(tmp_path):
    done = driftline_command(
        env=os.environ | {"_DRIFTLINE_COMPLETE": "bash_complete", "COMP_WORDS": "driftline ", "COMP_CWORD": "1"}
    )
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == set(COMMANDS)
    done = driftline_command(
        env=os.environ
        | {"_DRIFTLINE_COMPLETE": "bash_complete", "COMP_WORDS": "driftline read --js", "COMP_CWORD": "2"}
    )
    assert "--json" in done.stdout


def test_json_goes_through_the_standard_parser(tmp_path):
    from tests.persistence.holder import TRUSTED, Holder

    Holder().save(tmp_path / "model", trusted=TRUSTED)
    result = CliRunner().invoke(cli, ["describe", str(tmp_path / "model"), "--json"])
    assert json.loads(result.stdout)["class_name"] == "tests.persistence.holder.Holder"


def test_an_interrupt_before_anything_is_imported_exits_with_130():
    code = (
        f"{INTERRUPTIBLE}import os, sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *more):\n"
        "        if name == 'click':\n            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from driftline.__main__ import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")


def test_the_package_is_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "driftline", "--version"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == f"driftline, version {driftline.__version__}\n"

"""No command lets a document, a label, an id, a column or a file name steer the terminal it writes to."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from driftline.cli import conventions

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\x08\r\u202egnp\u2066\u200b\ufeff\u00ad\U000e0041[bold]x[/red]\x7f"
FORBIDDEN = "\x07\x08\x7f\x9b\u202e\u2066\u200b\ufeff\u00ad\U000e0041"
WORDS = ("election", "minister", "budget", "virus", "hospital", "vaccine", "football", "final", "season", "score")
RUN_ALL = """
import json, sys
from driftline.cli.main import cli
for arguments in json.loads(sys.argv[1]):
    print("+++", ascii(arguments[0]), flush=True)
    try:
        cli(arguments, prog_name="driftline")
    except SystemExit as end:
        print("---", end.code, flush=True)
"""


def on_a_pty(commands: list[list[str]], folder: Path, **environment: str) -> str:
    """Run commands one after another in a process whose output is a terminal; return what the terminal received."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", RUN_ALL, json.dumps(commands)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", **environment},
    )
    os.close(theirs)
    received = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        received += piece
    os.close(ours)
    assert process.wait() == 0, received.decode("utf-8", "replace")
    return received.decode("utf-8")


def hostile_corpus(folder: Path, n: int = 90) -> Path:
    """Write documents that are hostile in every place that may be shown."""
    path = folder / "evil\x1b]0;name\x07\u202e[bold].jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for i in range(n):
            words = " ".join(WORDS[(i // 30 * 3 + j) % len(WORDS)] for j in range(6))
            record = {
                "date": f"2024-{1 + i // 30:02d}-{1 + i % 28:02d}",
                "text": f"{HOSTILE} {words} {HOSTILE}",
                "label": f"{'ab'[i % 2]}{HOSTILE}" if i % 3 else None,
                "id": f"{i}{HOSTILE}",
            }
            file.write(json.dumps(record, ensure_ascii=bool(i % 2)) + "\n")
        file.write('{"date": "\x9b", "text": "no time \u202e"}\n')
    return path


def assert_harmless(received: str) -> None:
    """Only escape sequences that style text or move a progress bar may reach the terminal."""
    for character in FORBIDDEN:
        assert character not in received, f"{character!r} after {received[: received.index(character)][-300:]!r}"
    assert "\x1b]" not in received
    assert "\x1b[2J" not in received
    rest = re.sub(r"\x1b\[[0-9;]*m|\x1b\[\??[0-9]*[lhAK]", "", received)
    assert "\x1b" not in rest
    assert "\\x1b]0;" in received, "the hostile text was never shown, so nothing was tested"


def test_reading_and_errors_are_harmless(tmp_path):
    source = str(hostile_corpus(tmp_path))
    commands = [
        ["read", source],
        ["read", source, "--json"],
        ["read", source, "--on-error", "raise"],
        ["read", source, "--text", HOSTILE],
        ["read", f"missing{HOSTILE}"],
        ["--debug", "read", f"missing{HOSTILE}"],
        ["describe", f"missing{HOSTILE}"],
        ["report", source, "-o", f"missing{HOSTILE}/x.html"],
        ["read", source, "--format", HOSTILE],
        [HOSTILE],
    ]
    assert_harmless(on_a_pty(commands, tmp_path))


@pytest.mark.slow
def test_every_command_is_harmless(tmp_path):
    source = str(hostile_corpus(tmp_path))
    book = tmp_path / f"book{HOSTILE.replace('/', '')}.txt"
    parts = (f"# {HOSTILE} {i}\n\n{' '.join((WORDS[i % 2 :: 2]) * 60)}" for i in range(6))
    book.write_text("\n\n".join(parts), encoding="utf-8")
    short = ["--min-df", "2"]
    commands = [
        ["report", source],
        ["report", source, "--json"],
        ["topics", source, "-k", "3", *short],
        ["topics", source, "-k", "3", "--json", *short],
        ["bursts", source],
        ["bursts", source, "--json"],
        ["label", source],
        ["label", source, "--json"],
        ["label", source, "--state", "kept", "--suggestions", "next.csv"],
        ["fit", source, "-m", "local-naive-bayes", "-o", "model", "--bandwidth", "global"],
        ["describe", "model"],
        ["describe", "model", "--json"],
        ["predict", "model", source],
        ["watch", source, "--train", source, "--once", "--state", "watched"],
        ["watch", source, "--train", source, "--once", "--state", "other", "--json"],
        ["flow", str(book), "--topics", "2"],
        ["flow", str(book), "--topics", "2", "--json"],
    ]
    received = on_a_pty(commands, tmp_path)
    assert_harmless(received)
    assert received.count("--- 0") == len(commands), received[-2000:]


@pytest.mark.slow
def test_a_dumb_terminal_gets_no_escape_at_all(tmp_path):
    source = str(hostile_corpus(tmp_path))
    commands = [["topics", source, "-k", "2", "--min-df", "2"], ["read", source], ["read", "nothing\x1bthere"]]
    received = on_a_pty(commands, tmp_path, TERM="dumb", NO_COLOR="1")
    assert_harmless(received)
    assert "\x1b" not in re.sub(r"\x1b\[\?25[lh]", "", received)


def test_commands_print_through_one_function():
    folder = Path(conventions.__file__).parent
    direct = {
        path.name: len(re.findall(r"click\.s?echo\(|\bprint\(", path.read_text(encoding="utf-8")))
        for path in sorted(folder.glob("*.py"))
    }
    # JSON that is already safe, a shell script of click's own, and the error whose label has a colour
    assert {name: n for name, n in direct.items() if n} == {
        "completion.py": 1,
        "conventions.py": 3,
        "findings_output.py": 1,
        "topics_table.py": 1,
    }


def test_a_terminal_shows_the_start_before_the_libraries_are_loaded(tmp_path):
    received = on_a_pty([["report", "missing.jsonl"]], tmp_path)
    assert received.index("Loading ...") < received.index("Error")

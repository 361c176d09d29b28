"""`driftline watch`: nothing lost, nothing repeated."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

from driftline.cli.main import cli

WORDS = {"war": "troops baghdad missile army", "sport": "match goal team coach"}


def records(n, seed, start, busy=None, minutes=None):
    rng = np.random.default_rng(seed)
    moment = np.datetime64(start)
    for _ in range(n):
        label = busy or ("war" if rng.random() < 0.15 else "sport")
        moment += np.timedelta64(minutes or (2 if busy else 60), "m")
        words = rng.choice(WORDS[label].split(), 3)
        yield {"time": str(moment), "text": " ".join(words), "label": label}


def lines(*parts):
    return "".join(json.dumps(record) + "\n" for part in parts for record in part)


@pytest.fixture
def training(tmp_path):
    path = tmp_path / "labelled.jsonl"
    path.write_text(lines(records(300, 0, "2003-01-01T00:00")))
    return path


def run(*arguments, **more):
    return CliRunner().invoke(cli, ["watch", *map(str, arguments)], **more)


def test_topics_bursts_and_bad_lines(tmp_path, training):
    log = tmp_path / "log.jsonl"
    log.write_text(
        lines(records(20, 1, "2003-01-14T00:00"), records(40, 2, "2003-01-15T00:00", busy="war"))
        + "oops\n[1]\n"
        + lines([{"text": "no time at all"}])
        + lines(records(100, 3, "2003-01-15T06:00", busy="sport", minutes=60))
    )
    state = tmp_path / "state"
    result = run(log, "--train", training, "--state", state, "--once", "--json")
    assert result.exit_code == 0, result.output
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["line"] for one in found] == [*range(1, 61), *range(64, 164)]
    assert np.mean([one["topic"] == "war" for one in found[20:60]]) == 1
    kinds = [(event["kind"], event["label"]) for one in found for event in one["bursts"]]
    assert ("begins", "war") in kinds
    assert kinds.index(("begins", "war")) < kinds.index(("ends", "war"))
    for number, reason in ((61, "broken JSON"), (62, "no JSON object"), (63, "looks like a time")):
        assert f"line {number}: " in result.stderr
        assert reason in result.stderr
    again = run(log, "--state", state, "--once")
    assert again.exit_code == 0
    assert again.stdout == "", "nothing new, nothing printed"
    with log.open("a") as file:
        file.write(lines(records(1, 4, "2003-01-20T00:00", busy="war")))
    more = run(log, "--state", state, "--once")
    assert more.stdout.count("\n") >= 1
    assert "war" in more.stdout


def test_standard_input(tmp_path, training):
    state = tmp_path / "state"
    given = lines(records(5, 1, "2003-01-14T00:00"))
    result = run("-", "--train", training, "--state", state, "--json", input=given)
    assert result.exit_code == 0, result.output
    assert [json.loads(line)["line"] for line in result.stdout.splitlines()] == [1, 2, 3, 4, 5]
    more = run("-", "--state", state, "--json", input=given)
    assert [json.loads(line)["line"] for line in more.stdout.splitlines()] == [6, 7, 8, 9, 10]


def test_what_is_missing_is_said(tmp_path, training):
    log = tmp_path / "log.jsonl"
    log.write_text("")
    first = run(log, "--state", tmp_path / "state", "--once")
    assert first.exit_code == 1
    assert "--train" in first.stderr
    assert run(log, "--train", training, "--state", tmp_path / "state", "--once").exit_code == 0
    twice = run(log, "--train", training, "--state", tmp_path / "state", "--once")
    assert twice.exit_code == 1
    assert "already holds a model" in twice.stderr


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_stopped_or_killed_nothing_is_lost_or_repeated(tmp_path, training, how):
    """Killed again and again while the file grows, the output is that of one undisturbed run."""
    log, state, output = tmp_path / "log.jsonl", tmp_path / "state", tmp_path / "out.jsonl"
    log.write_text("")
    assert run(log, "--train", training, "--state", state, "--once").exit_code == 0
    chunks = [
        lines(records(300, seed, f"2003-02-{seed + 1:02d}T00:00", busy="war" if seed == 2 else None))
        for seed in range(4)
    ]
    command = [sys.executable, "-c", "from driftline.cli.main import main; main()", "watch", str(log)]
    command += ["--state", str(state), "--output", str(output), "--json"]
    for chunk in chunks:
        process = subprocess.Popen(command)
        with log.open("a") as file:
            file.write(chunk)
        begin = output.stat().st_size if output.exists() else 0
        waited = time.monotonic() + 60
        while time.monotonic() < waited and (not output.exists() or output.stat().st_size <= begin):
            time.sleep(0.05)
        time.sleep(0.1)
        process.send_signal(how)
        process.wait(30)
    assert run(log, "--state", state, "--once", "--output", output, "--json").exit_code == 0
    found = output.read_text()
    assert [json.loads(line)["line"] for line in found.splitlines()] == list(range(1, 1201))
    straight = tmp_path / "straight.jsonl"
    assert (
        run(log, "--train", training, "--state", tmp_path / "other", "--once", "--output", straight, "--json").exit_code
        == 0
    )
    assert straight.read_text() == found


@pytest.mark.slow
def test_a_new_line_is_answered_within_a_second(tmp_path, training):
    log, state = tmp_path / "log.jsonl", tmp_path / "state"
    log.write_text("")
    assert run(log, "--train", training, "--state", state, "--once").exit_code == 0
    command = [sys.executable, "-c", "from driftline.cli.main import main; main()", "watch", str(log)]
    process = subprocess.Popen([*command, "--state", str(state), "--json"], stdout=subprocess.PIPE, text=True)
    try:
        with log.open("a") as file:
            file.write(lines(records(1, 1, "2003-01-14T00:00")))
        assert json.loads(process.stdout.readline())["line"] == 1, "it has started"
        with log.open("a") as file:
            file.write(lines(records(1, 2, "2003-01-14T02:00")))
        assert json.loads(process.stdout.readline())["line"] == 2
    finally:
        process.terminate()
        process.wait(30)
    assert process.returncode == 0

"""`driftline watch`: nothing lost, nothing repeated."""

from __future__ import annotations

import json
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from click.testing import CliRunner

from driftline.cli.main import cli

COMMAND = [sys.executable, "-c", "from driftline.cli.main import main; main()", "watch"]
PATIENCE = 120
"""Seconds after which a process that says nothing has failed, on however busy a machine."""
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
    for number, reason in ((61, "broken JSON"), (62, "not a JSON object"), (63, "looks like a time")):
        assert f"line {number}: " in result.stderr
        assert reason in result.stderr
    assert "3 lines were rejected" in result.stderr
    again = run(log, "--state", state, "--once")
    assert again.exit_code == 0
    assert again.stdout == "", "nothing new, nothing printed"
    with log.open("a") as file:
        file.write(lines(records(1, 4, "2003-01-20T00:00", busy="war")))
    more = run(log, "--state", state, "--once")
    assert more.stdout.count("\n") >= 1
    assert "war" in more.stdout


def test_topics_are_found_where_there_are_no_labels(tmp_path):
    train, log = tmp_path / "train.jsonl", tmp_path / "log.jsonl"
    unlabelled = [{k: v for k, v in each.items() if k != "label"} for each in records(400, 0, "2003-01-01T00:00")]
    train.write_text(lines(unlabelled))
    log.write_text(
        lines(records(10, 1, "2003-01-20T00:00", busy="war"), records(10, 2, "2003-01-21T00:00", busy="sport"))
    )
    arguments = (log, "--train", train, "--state", tmp_path / "state", "--once", "--json")
    refused = run(*arguments)
    assert refused.exit_code == 1
    assert "--topics" in refused.stderr
    result = run(*arguments, "--topics", 2)
    assert result.exit_code == 0, result.output
    found = [json.loads(line)["topic"] for line in result.stdout.splitlines()]
    war, sport = found[0], found[-1]
    assert set(war.split(", ")) <= set(WORDS["war"].split())
    assert set(sport.split(", ")) <= set(WORDS["sport"].split())
    assert found == [war] * 10 + [sport] * 10


def test_standard_input(tmp_path, training):
    state = tmp_path / "state"
    given = lines(records(5, 1, "2003-01-14T00:00"))
    result = run("-", "--train", training, "--state", state, "--json", input=given)
    assert result.exit_code == 0, result.output
    assert [json.loads(line)["line"] for line in result.stdout.splitlines()] == [1, 2, 3, 4, 5]
    assert run("-", "--state", state, "--once", input=given).exit_code == 2, "it ends when it ends"
    more = run("-", "--state", state, "--json", input=given)
    assert [json.loads(line)["line"] for line in more.stdout.splitlines()] == [6, 7, 8, 9, 10]


def test_a_file_that_is_renamed_between_two_runs_is_read_to_its_end(tmp_path, training):
    log, state = tmp_path / "log.jsonl", tmp_path / "state"
    first, second, third = (list(records(3, seed, f"2003-01-1{seed}T00:00")) for seed in (4, 5, 6))
    log.write_text(lines(first))
    assert run(log, "--train", training, "--state", state, "--once", "--json").stdout.count("\n") == 3
    with log.open("a") as file:
        file.write(lines(second))
    log.rename(tmp_path / "log.jsonl.1")
    log.write_text(lines(third))
    result = run(log, "--state", state, "--once", "--json")
    seen = [json.loads(line)["time"] for line in result.stdout.splitlines()]
    assert [time[:16] for time in seen] == [record["time"].replace("T", " ")[:16] for record in second + third]
    assert "was replaced" in result.stderr


def test_the_last_line_counts_although_it_has_no_end(tmp_path, training):
    """When the file has been replaced, and with --once if it is whole; half a line is reported and left."""
    log, state = tmp_path / "log.jsonl", tmp_path / "state"
    first, second, third = (lines(records(2, seed, f"2003-01-1{seed}T00:00")) for seed in (4, 5, 6))
    log.write_text(first[:-1])
    arguments = ("--state", state, "--once", "--json")
    found = run(log, "--train", training, *arguments)
    assert [json.loads(line)["line"] for line in found.stdout.splitlines()] == [1, 2]
    with log.open("a") as file:
        file.write("\n" + second[:-20])
    half = run(log, *arguments)
    assert [json.loads(line)["line"] for line in half.stdout.splitlines()] == [3]
    assert "line 4" in half.stderr
    assert "no line end yet" in half.stderr
    with log.open("a") as file:
        file.write(second[-20:-1])
    log.rename(tmp_path / "log.jsonl.1")
    log.write_text(third)
    rest = run(log, *arguments)
    assert [json.loads(line)["line"] for line in rest.stdout.splitlines()] == [4, 1, 2]
    assert run(log, *arguments).stdout == ""


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"offset": 5}'])
def test_a_damaged_place_is_a_clear_error(tmp_path, training, content):
    log, state = tmp_path / "log.jsonl", tmp_path / "state"
    log.write_text(lines(records(2, 1, "2003-01-14T00:00")))
    assert run(log, "--train", training, "--state", state, "--once").exit_code == 0
    (state / "place.json").write_text(content)
    result = run(log, "--state", state, "--once")
    assert result.exit_code == 1
    assert "place.json is damaged" in result.stderr
    assert "remove it" in result.stderr
    (state / "place.json").unlink()
    assert run(log, "--state", state, "--once").stdout.count("\n") == 2


def test_hostile_lines_do_no_harm(tmp_path, training):
    log, state = tmp_path / "log.jsonl", tmp_path / "state"
    good = lines(records(1, 1, "2003-01-14T00:00"))
    nested = "[" * 200_000 + "\n"
    log.write_text(nested + "{}\n" + '{"time": 1e999, "text": "x"}\n' + good + "\n" + good)
    with log.open("ab") as file:
        file.write(b"\xff\xfe\n\x00\n" + good.encode())
    result = run(log, "--train", training, "--state", state, "--once", "--json")
    assert result.exit_code == 0, result.output
    assert [json.loads(line)["line"] for line in result.stdout.splitlines()] == [4, 6, 9]
    assert "5 lines were rejected" in result.stderr


def test_on_error_raise_stops_at_the_line_and_keeps_what_was_before(tmp_path, training):
    log, state = tmp_path / "log.jsonl", tmp_path / "state"
    log.write_text(lines(records(2, 1, "2003-01-14T00:00")) + "oops\n")
    result = run(log, "--train", training, "--state", state, "--once", "--json", "--on-error", "raise")
    assert result.exit_code == 1
    assert "line 3: broken JSON" in result.stderr
    assert result.stdout.count("\n") == 2
    assert run(log, "--state", state, "--once", "--json").stdout == "", "the two are not told again"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--reorder-within", "2h"], "--reorder-within does not apply"),
        (["--drop-quotes"], "--drop-quotes does not apply"),
        (["--format", "csv"], "only JSON lines"),
    ],
)
def test_options_that_do_not_apply_are_refused(tmp_path, options, message):
    log = tmp_path / "log.jsonl"
    log.write_text("")
    result = run(log, "--state", tmp_path / "state", "--once", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "state").exists()


def test_a_file_that_is_not_there_is_refused(tmp_path):
    result = run(tmp_path / "nowhere.jsonl", "--state", tmp_path / "state")
    assert result.exit_code == 2
    assert "create it first" in result.stderr


def test_what_is_missing_is_reported(tmp_path, training):
    log = tmp_path / "log.jsonl"
    log.write_text("")
    first = run(log, "--state", tmp_path / "state", "--once")
    assert first.exit_code == 1
    assert "--train" in first.stderr
    assert run(log, "--train", training, "--state", tmp_path / "state", "--once").exit_code == 0
    other = tmp_path / "other.jsonl"
    other.write_text(training.read_text())
    for more in (["--train", other], ["--train", training, "--topics", 2], ["--topics", 2]):
        refused = run(log, *more, "--state", tmp_path / "state", "--once")
        assert refused.exit_code == 1
        assert "already contains a model" in refused.stderr


def test_the_same_command_goes_on_after_a_kill(tmp_path, training):
    log, state = tmp_path / "log.jsonl", tmp_path / "state"
    log.write_text(lines(records(3, 1, "2003-01-14T00:00")))
    command = (log, "--train", training, "--state", state, "--once", "--json")
    first = run(*command)
    assert first.exit_code == 0, first.stderr
    assert "anew" not in first.stderr
    kept = (state / "model" / "model.safetensors").read_bytes()
    with log.open("a") as file:
        file.write(lines(records(2, 2, "2003-01-15T00:00")))
    again = run(*command)
    assert again.exit_code == 0, again.stderr
    assert "an earlier run learned from" in again.stderr
    assert [json.loads(line)["line"] for line in again.stdout.splitlines()] == [4, 5]
    assert (state / "model" / "model.safetensors").read_bytes() == kept
    # As a kill leaves it that comes while the topics are learned
    shutil.rmtree(state / "model")
    (state / "place.json").unlink()
    anew = run(*command)
    assert anew.exit_code == 0, anew.stderr
    assert "stopped before it had learned the topics; they are learned again" in anew.stderr
    assert len(anew.stdout.splitlines()) == 5
    (state / "training.json").write_bytes(b"[" * 100_000)
    assert "already contains a model" in run(*command).stderr


class Watched:
    """`driftline watch` in a process of its own, whose output is collected as it arrives."""

    def __init__(self, *arguments, pipe=False):
        stdin = subprocess.PIPE if pipe else subprocess.DEVNULL
        command = [*COMMAND, *map(str, arguments), "--json"]
        self.process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True)
        self.answers = queue.Queue()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self):
        for line in self.process.stdout:
            self.answers.put(json.loads(line))

    def next(self):
        return self.answers.get(timeout=PATIENCE)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait(PATIENCE)


@pytest.fixture
def followed(tmp_path, training):
    """Return an empty file, and a state that has learned its topics."""
    log, state = tmp_path / "log.jsonl", tmp_path / "state"
    log.write_text("")
    assert run(log, "--train", training, "--state", state, "--once").exit_code == 0
    return log, state


def append(log, *parts):
    with log.open("a") as file:
        file.write(lines(*parts))


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_stopped_or_killed_at_any_moment_nothing_is_lost_or_repeated(tmp_path, training, followed, how):
    """Stopped again and again while the file grows and is renamed, the output is that of one undisturbed run."""
    log, state = followed
    output = tmp_path / "out.jsonl"
    parts = [list(records(25, i, f"2003-02-01T{i:02d}:00", busy="war" if i % 6 == 2 else None)) for i in range(24)]
    append(log, parts[0])
    begun = run(log, "--state", state, "--once", "--output", output, "--json")
    assert begun.exit_code == 0, "the file is known by now, so that it can be found again when it is renamed"
    rng = np.random.default_rng(0)
    done = threading.Event()

    def write():
        for i, part in enumerate(parts):
            if i:
                append(log, part)
            time.sleep(0.7)
            if i == 11:
                log.rename(tmp_path / "log.jsonl.1")
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    n_stopped = 0
    while not done.is_set() or n_stopped < 3:
        process = subprocess.Popen([*COMMAND, str(log), "--state", str(state), "--output", str(output), "--json"])
        time.sleep(rng.uniform(1.0, 6.0))
        process.send_signal(how)
        process.wait(PATIENCE)
        n_stopped += 1
    writer.join()
    assert run(log, "--state", state, "--once", "--output", output, "--json").exit_code == 0
    found = output.read_text()
    assert [json.loads(line)["line"] for line in found.splitlines()] == [*range(1, 301), *range(1, 301)]
    whole = tmp_path / "whole.jsonl"
    whole.write_text(lines(*parts))
    straight = tmp_path / "straight.jsonl"
    other = tmp_path / "other"
    assert run(whole, "--train", training, "--state", other, "--once", "--output", straight, "--json").exit_code == 0
    assert without_numbers(straight.read_text()) == without_numbers(found)


def without_numbers(output):
    """Return the answers less the line numbers, which start again in a new file."""
    return [{**json.loads(line), "line": 0} for line in output.splitlines()]


@pytest.mark.slow
def test_each_line_is_answered_before_the_next_is_written(followed):
    """Nothing waits for a batch to fill; `benchmarks.intensity.watch` says how many milliseconds it takes."""
    log, state = followed
    watched = Watched(log, "--state", state)
    for i in range(5):
        append(log, records(1, i, f"2003-01-14T0{i}:00"))
        assert watched.next()["line"] == i + 1
    assert watched.stop() == 0
    assert watched.answers.empty()


@pytest.mark.slow
def test_renamed_and_cut_short_while_it_is_followed(tmp_path, followed):
    log, state = followed
    watched = Watched(log, "--state", state)
    append(log, records(3, 1, "2003-01-14T00:00"))
    assert [watched.next()["line"] for _ in range(3)] == [1, 2, 3]
    with log.open("a") as writer:
        log.rename(tmp_path / "log.jsonl.1")
        writer.write(lines(records(2, 2, "2003-01-15T00:00")))
        writer.flush()
        assert [watched.next()["line"] for _ in range(2)] == [4, 5]
    append(log, records(2, 3, "2003-01-16T00:00"))
    assert [watched.next()["line"] for _ in range(2)] == [1, 2]
    with log.open("r+") as file:
        file.truncate(0)
    append(log, records(1, 4, "2003-01-17T00:00"))
    assert watched.next()["line"] == 1
    assert watched.stop() == 0
    assert watched.answers.empty()


@pytest.mark.slow
def test_standard_input_answers_line_by_line_and_loses_nothing_when_stopped(followed):
    _, state = followed
    (state / "place.json").unlink(missing_ok=True)
    watched = Watched("-", "--state", state, pipe=True)
    pipe = watched.process.stdin
    for i in range(3):
        pipe.write(lines(records(1, i, f"2003-01-14T0{i}:00")))
        pipe.flush()
        assert watched.next()["line"] == i + 1
    pipe.write(lines(records(500, 7, "2003-01-15T00:00")))
    pipe.flush()
    assert watched.next()["line"] == 4, "it is in the midst of them"
    assert watched.stop() == 0
    rest = [watched.next()["line"] for _ in range(watched.answers.qsize())]
    reached = json.loads((state / "place.json").read_text())["number"]
    assert [4, *rest] == list(range(4, reached + 1)), "all that was taken out of the pipe is answered"


@pytest.mark.slow
def test_two_may_not_use_one_state(followed):
    log, state = followed
    watched = Watched(log, "--state", state)
    append(log, records(1, 1, "2003-01-14T00:00"))
    watched.next()
    second = run(log, "--state", state, "--once")
    assert second.exit_code == 1
    assert "another `driftline watch`" in second.stderr
    assert watched.stop() == 0
    other = log.with_name("other.jsonl")
    other.write_text("")
    assert "follows" in run(other, "--state", state, "--once").stderr

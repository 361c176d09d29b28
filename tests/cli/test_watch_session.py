"""The state that `driftline watch` keeps, without a file to follow."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from driftline.cli.watch_session import WatchSession
from driftline.core.errors import InvalidInput
from driftline.readers.line_follower import Line


class CountingModel:
    """Stands for the model: its state is how many documents it has seen."""

    def __init__(self):
        self.n_seen = 0
        self.estimator_ = self
        self.classifier_ = SimpleNamespace(log_likelihood=lambda rows: np.zeros((len(rows), 2)))

    def transform_texts(self, texts):
        return texts

    def advance(self, evidence, time):
        self.n_seen += 1
        return SimpleNamespace(label=f"topic {self.n_seen}", probability=0.5, events=())

    def live_state(self):
        return {"n_seen": self.n_seen}

    def resume(self, state):
        self.n_seen = state["n_seen"]


def session(folder, **changes):
    settings = {"output": folder / "out", "as_json": True, "options": {}, **changes}
    return WatchSession(folder, CountingModel(), "log", **settings)


def line(number, content=None):
    content = json.dumps({"time": f"2003-01-{number:02d}", "text": "a b"}) if content is None else content
    return Line(number, content.encode(), 100 * number)


def reported(folder):
    return [json.loads(each) for each in (folder / "out").read_text().splitlines()]


def test_place_and_state_go_on_together(tmp_path):
    with session(tmp_path) as first:
        first.take([line(1), line(2)])
    with session(tmp_path) as second:
        assert second.place["offset"] == 200
        second.take([line(3)])
    assert [each["topic"] for each in reported(tmp_path)] == ["topic 1", "topic 2", "topic 3"]


def killed(one):
    """End a session as a killed process does: nothing is kept, the lock is gone."""
    one._lock.close()
    one.output.close()


def test_what_a_killed_process_wrote_after_the_last_saved_state_is_cut_off(tmp_path):
    one = session(tmp_path)
    one.take([line(1)])
    one.output.write('{"line": 2, "topic"')
    killed(one)
    assert (tmp_path / "out").read_text().endswith('"topic"')
    with session(tmp_path) as second:
        second.take([line(2)])
    assert [each["line"] for each in reported(tmp_path)] == [1, 2]


def test_what_the_very_first_batch_wrote_before_it_was_killed_is_cut_off(tmp_path):
    one = session(tmp_path)
    one.output.write('{"line": 1, "topic"')
    killed(one)
    assert (tmp_path / "out").stat().st_size
    with session(tmp_path) as second:
        second.take([line(1)])
    assert [each["line"] for each in reported(tmp_path)] == [1]


def test_what_somebody_added_behind_a_closed_output_stays(tmp_path):
    with session(tmp_path) as first:
        first.take([line(1)])
    with (tmp_path / "out").open("a") as file:
        file.write("my note\n")
    with session(tmp_path) as second:
        second.take([line(2)])
    assert (tmp_path / "out").read_text().splitlines()[1] == "my note"


def test_a_file_that_this_state_did_not_write_is_refused_and_left_alone(tmp_path):
    with session(tmp_path) as first:
        first.take([line(1)])
    mine = "my thesis " * 64
    (tmp_path / "out").write_text(mine)
    (tmp_path / "other").write_text(mine)
    for output in ("out", "other"):
        with pytest.raises(InvalidInput, match="did not write it"):
            session(tmp_path, output=tmp_path / output)
        assert (tmp_path / output).read_text() == mine
    (tmp_path / "out").rename(tmp_path / "out.1")
    with session(tmp_path) as second:
        second.take([line(2)])
    assert [each["line"] for each in reported(tmp_path)] == [2], "an output that was moved away is begun anew"


def test_the_file_that_is_followed_is_not_an_output(tmp_path):
    log = tmp_path / "log"
    log.write_text("")
    with pytest.raises(InvalidInput, match="followed"):
        WatchSession(tmp_path, CountingModel(), str(log), output=log, as_json=True, options={})


def test_interrupted_in_the_middle_of_a_batch_the_batch_is_done_again(tmp_path):
    with session(tmp_path) as first:
        first.take([line(1)])
    one = session(tmp_path)
    advance, seen = one.model.advance, []

    def interrupted(evidence, time):
        seen.append(time)
        if len(seen) == 2:
            raise KeyboardInterrupt
        return advance(evidence, time)

    one.model.advance = interrupted
    with pytest.raises(KeyboardInterrupt), one:
        one.take([line(2), line(3)])
    with session(tmp_path) as again:
        assert again.place["number"] == 1
        again.take([line(2), line(3)])
    assert [each["line"] for each in reported(tmp_path)] == [1, 2, 3]
    assert [each["topic"] for each in reported(tmp_path)] == ["topic 1", "topic 2", "topic 3"]


def test_nothing_in_a_document_steers_the_terminal(tmp_path):
    with session(tmp_path, as_json=False) as one:
        one.take([line(1, json.dumps({"time": "2003-01-01", "text": "red \x1b[31m \u202e alert"}))])
    shown = (tmp_path / "out").read_text()
    assert "alert" in shown
    assert not {"\x1b", "\u202e"} & set(shown)


def test_a_fault_is_counted_with_its_line_and_empty_lines_are_nothing(tmp_path, capsys):
    with session(tmp_path) as one:
        one.take([line(1), line(2, "{"), line(3, "  "), line(4, "7"), Line(5, None, 500), line(6)])
        assert one.place["rejected"] == 3
    assert [each["line"] for each in reported(tmp_path)] == [1, 6]
    faults = capsys.readouterr().err
    for number, reason in ((2, "broken JSON"), (4, "not a JSON object"), (5, "the line is too long")):
        assert f"line {number}: {reason}" in faults


def test_asked_to_raise_it_stops_there_and_keeps_what_was_before(tmp_path):
    with session(tmp_path, options={"on_error": "raise"}) as one, pytest.raises(InvalidInput, match="line 2"):
        one.take([line(1), line(2, "{"), line(3)])
    with session(tmp_path) as again:
        assert again.place["number"] == 1
        again.take([line(2)])
    assert [each["line"] for each in reported(tmp_path)] == [1, 2]


def test_a_state_belongs_to_one_source_and_one_process(tmp_path):
    with session(tmp_path) as one:
        one.take([line(1)])
        with pytest.raises(InvalidInput, match="another"):
            session(tmp_path)
    with pytest.raises(InvalidInput, match="follows log"):
        WatchSession(tmp_path, CountingModel(), "other", output=None, as_json=True, options={})


def test_what_people_read_has_a_line_for_each_burst(tmp_path):
    model = CountingModel()
    event = SimpleNamespace(kind="ends", label="war", since="2003-01-01 00:00:00", rate=3.21, probability=0.4)
    model.advance = lambda evidence, time: SimpleNamespace(label="war", probability=0.913, events=(event,))
    with WatchSession(tmp_path, model, "log", output=tmp_path / "out", as_json=False, options={}) as one:
        one.take([line(2)])
    first, second = (tmp_path / "out").read_text().splitlines()
    assert first.split() == ["2003-01-02", "00:00:00", "war", "91", "%", "a", "b"]
    assert "*** war: a burst ends (3.21 per day, 40 % certain, since 2003-01-01 00:00:00)" in second

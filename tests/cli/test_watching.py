"""The state that `driftline watch` keeps, without a file to follow."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from driftline.cli.following import Line
from driftline.cli.watching import WatchSession
from driftline.core.errors import InvalidInput


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


def told(folder):
    return [json.loads(each) for each in (folder / "out").read_text().splitlines()]


def test_place_and_state_go_on_together(tmp_path):
    with session(tmp_path) as first:
        first.take([line(1), line(2)])
    with session(tmp_path) as second:
        assert second.place["offset"] == 200
        second.take([line(3)])
    assert [each["topic"] for each in told(tmp_path)] == ["topic 1", "topic 2", "topic 3"]


def test_what_was_written_after_the_last_saved_state_is_cut_off(tmp_path):
    with session(tmp_path) as first:
        first.take([line(1)])
    with (tmp_path / "out").open("a") as file:
        file.write('{"line": 2, "topic"')
    with session(tmp_path) as second:
        second.take([line(2)])
    assert [each["line"] for each in told(tmp_path)] == [1, 2]


def test_a_file_that_was_there_before_is_added_to_and_never_cut(tmp_path):
    (tmp_path / "out").write_text("mine\n")
    session(tmp_path).__exit__()
    with (tmp_path / "out").open("a") as file:
        file.write("torn by a crash")
    with session(tmp_path) as one:
        one.take([line(1)])
    first, second = (tmp_path / "out").read_text().splitlines()
    assert first == "mine"
    assert json.loads(second)["line"] == 1
    other = tmp_path / "other"
    other.write_text("yours\n")
    with session(tmp_path, output=other) as one:
        one.take([line(2)])
    assert other.read_text().startswith("yours\n{")
    assert (tmp_path / "out").read_text().startswith("mine\n{")


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
    assert [each["line"] for each in told(tmp_path)] == [1, 6]
    faults = capsys.readouterr().err
    for number, reason in ((2, "broken JSON"), (4, "no JSON object"), (5, "the line is too long")):
        assert f"line {number}: {reason}" in faults


def test_asked_to_raise_it_stops_there_and_keeps_what_was_before(tmp_path):
    with session(tmp_path, options={"on_error": "raise"}) as one, pytest.raises(InvalidInput, match="line 2"):
        one.take([line(1), line(2, "{"), line(3)])
    with session(tmp_path) as again:
        assert again.place["number"] == 1
        again.take([line(2)])
    assert [each["line"] for each in told(tmp_path)] == [1, 2]


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
    assert "*** war: a burst ends (3.21 a day, 40 % sure, since 2003-01-01 00:00:00)" in second

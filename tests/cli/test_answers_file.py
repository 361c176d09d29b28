import csv
import datetime
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import driftline
from driftline.cli.answers_file import (
    SUFFIXES,
    are_suggestions,
    check_suffix,
    without_marks,
    write_answers,
    write_suggestions,
)
from driftline.core.errors import InvalidInput
from driftline.labelling.stream_labeller import ANSWERS, Labelling, StreamLabeller, SuggestedDocument
from driftline.streams.stream import Stream

JANUARY, FEBRUARY = (datetime.datetime(2024, month, 1, tzinfo=datetime.UTC) for month in (1, 2))
SINCE = np.datetime64("2024-02-01T00:00:00", "us")


def rows(*answers):
    return pa.Table.from_pylist([dict(zip(ANSWERS.names, answer)) for answer in answers], schema=ANSWERS)


def run(answers, *, since=None, n_before=0, late_labels=None):
    return Labelling(answers, [], [], [], since, n_before, 0, 0, 0, 0, late_labels or {})


A = ("a", JANUARY, JANUARY, "x", 0.75, False)
B = ("b", FEBRUARY, FEBRUARY, 'he said "é,\n', 0.5, False)
C = ("c", FEBRUARY, FEBRUARY, None, None, False)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_open_frame_is_replaced_and_earlier_ones_stay(tmp_path, suffix):
    path = tmp_path / f"labels{suffix}"
    assert write_answers(path, run(rows(A, B))) == 2
    again = run(rows((*B[:3], "y", 1.0, True), C), since=SINCE, n_before=1)
    assert write_answers(path, again) == 3
    once = tmp_path / f"once{suffix}"
    write_answers(once, run(rows(A, (*B[:3], "y", 1.0, True), C)))
    if suffix == ".parquet":
        assert pq.read_table(path) == pq.read_table(once)
    else:
        assert path.read_bytes() == once.read_bytes()
    assert write_answers(path, again) == 3, "a run that is repeated repeats nothing"
    assert [file.name for file in tmp_path.iterdir() if "partial" in file.name] == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_labels_given_late_are_put_in(tmp_path, suffix):
    path = tmp_path / f"labels{suffix}"
    write_answers(path, run(rows(A, B)))
    write_answers(path, run(rows(B), since=SINCE, n_before=1, late_labels={"a": "z"}))
    write_answers(tmp_path / f"once{suffix}", run(rows((*A[:3], "z", 1.0, True), B)))
    assert path.read_bytes() == (tmp_path / f"once{suffix}").read_bytes()


def test_a_new_file_has_only_what_is_new(tmp_path):
    assert write_answers(tmp_path / "new.csv", run(rows(B), since=SINCE, n_before=1)) == 1
    assert (tmp_path / "new.csv").read_text().splitlines()[0] == "id,time,frame,label,probability,given"


@pytest.mark.parametrize("content", ["something else\n", '{"id": 1}\n', "\x00"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_of_something_else_is_left_alone(tmp_path, suffix, content):
    path = tmp_path / f"labels{suffix}"
    path.write_text(content)
    with pytest.raises(InvalidInput, match="-o"):
        write_answers(path, run(rows(B), since=SINCE, n_before=1))
    assert path.read_text() == content


def test_the_file_of_another_state_is_left_alone(tmp_path):
    write_answers(tmp_path / "labels.jsonl", run(rows(A)))
    with pytest.raises(InvalidInput, match="1 documents of earlier frames, but this state answered 7"):
        write_answers(tmp_path / "labels.jsonl", run(rows(B), since=SINCE, n_before=7))


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "labels.jsonl"
    write_answers(path, run(rows(A)))
    before = path.read_bytes()
    monkeypatch.setattr("driftline.cli.answers_file._write_jsonl", lambda file, _: (file.write("{"), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        write_answers(path, run(rows(A, B)))
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_suggestions_are_a_source_with_room_for_the_label(tmp_path, suffix):
    path = tmp_path / f"todo{suffix}"
    text = 'First line,\n"second" line'
    write_suggestions(
        path, [SuggestedDocument("a", JANUARY, text, "x", 0.5), SuggestedDocument("b", JANUARY, "t", None, None)]
    )
    table = driftline.read(path).table()
    assert table["id"].to_pylist() == ["a", "b"]
    assert table["text"].to_pylist() == [text, "t"]
    assert table["time"].to_pylist() == [JANUARY, JANUARY]
    assert table["label"].null_count == 2


def test_a_suffix_says_what_a_file_holds(tmp_path):
    check_suffix(tmp_path / "a.csv", SUFFIXES, "-o")
    with pytest.raises(InvalidInput, match=r"\.parquet; name another file with -o"):
        check_suffix(tmp_path / "a.xlsx", SUFFIXES, "-o")


def test_json_lines_hold_what_they_should(tmp_path):
    write_answers(tmp_path / "a.jsonl", run(rows(A, C)))
    first, second = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    assert first == {
        "id": "a",
        "time": "2024-01-01T00:00:00Z",
        "frame": "2024-01-01T00:00:00Z",
        "label": "x",
        "probability": 0.75,
        "given": False,
    }
    assert second["label"] is second["probability"] is None


@pytest.mark.parametrize("seed", range(4))
def test_whatever_order_files_come_in_every_document_is_there_once_with_its_label(tmp_path, seed):
    """Files overlap, are out of order, and bring labels late, before a frame closes and after."""
    rng = np.random.default_rng(seed)
    words = np.array(["rain", "wind", "snow", "goal", "match", "team"])
    days = rng.integers(0, 150, 60)
    label = rng.integers(0, 2, 60)
    texts = [" ".join(rng.choice(words[3 * label[i] : 3 * label[i] + 3], 3)) for i in range(60)]
    times = np.datetime64("2024-01-01") + days
    labeller, path = StreamLabeller(every="1mo"), tmp_path / "labels.csv"
    shown, labelled = set(), {}
    for start in (0, 30, 60, 90, 120):
        near = np.flatnonzero((days >= start - 40) & (days < start + 30))
        part = sorted(set(rng.choice(near, len(near) - len(near) // 4, replace=False).tolist()))
        documents = []
        for i in part:
            given = str(label[i]) if rng.random() < 0.2 else None
            documents.append((str(i), times[i], texts[i], given))
            shown.add(str(i))
            if given is not None:
                labelled[str(i)] = given
        answered = labeller.label(Stream.from_documents(documents).table())
        assert write_answers(path, answered) == len(shown)
        labeller.save(tmp_path / f"state{start}")
        labeller = driftline.load(tmp_path / f"state{start}")
    with open(path, newline="") as file:
        reported = {row["id"]: row for row in csv.DictReader(file)}
    assert reported.keys() == shown
    assert {name for name, row in reported.items() if row["given"] == "true"} == labelled.keys()
    assert all(reported[name]["label"] == given for name, given in labelled.items())


FORMULAS = ["=1+1", "+1+1", "-cmd|' /C calc'!A0", "@SUM(A1)", "\tx", "'=1", "plain"]


@pytest.mark.parametrize("raw", [False, True])
def test_no_cell_is_a_formula_unless_asked(tmp_path, raw):
    path = tmp_path / "labels.csv"
    answers = [(text, JANUARY, JANUARY, text, 0.75, False) for text in FORMULAS]
    write_answers(path, run(rows(*answers)), raw_cells=raw)
    with open(path, newline="") as file:
        cells = [row["id"] for row in csv.DictReader(file)]
    if raw:
        assert cells == FORMULAS
    else:
        assert not [cell for cell in cells if cell[0] in "=+-@\t\r"]
        assert cells[-1] == "plain"
    write_answers(path, run(rows(C), since=SINCE, n_before=len(FORMULAS)), raw_cells=raw)
    once = tmp_path / "once.csv"
    write_answers(once, run(rows(*answers, C)), raw_cells=raw)
    assert path.read_bytes() == once.read_bytes(), "earlier answers were not read back as they were"


def test_suggestions_come_back_as_the_documents_they_were(tmp_path):
    path = tmp_path / "todo.csv"
    given = [SuggestedDocument(text, JANUARY, text * 3, None, None) for text in FORMULAS]
    write_suggestions(path, given)
    assert are_suggestions(str(path))
    documents = without_marks(driftline.read(path).table())
    assert documents["id"].to_pylist() == [each.id for each in given]
    assert documents["text"].to_pylist() == [each.text for each in given]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('\ufeff"id";"time";label;guess;probability;text\n', True),
        ("id,time,text\n", False),
        ("", False),
    ],
)
def test_only_files_of_suggestions_are_taken_for_such(tmp_path, content, found):
    path = tmp_path / "some.csv"
    path.write_text(content, encoding="utf-8")
    assert are_suggestions(str(path)) is found
    assert not are_suggestions("-")

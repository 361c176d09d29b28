from __future__ import annotations

import json

import pytest

from driftline.cli.label_state import (
    begin,
    check_answers_may_be_written,
    check_suggestions_may_be_written,
    finish,
    labeller_of,
)
from driftline.core.errors import InvalidInput
from driftline.labelling.stream_labeller import StreamLabeller

ANSWER = {"id": "1", "time": "", "frame": "", "label": "a", "probability": 1.0, "given": True}
SUGGESTION = {"id": "1", "time": "", "label": None, "guess": "a", "probability": 0.5, "text": "x"}


def test_the_answers_of_a_state_that_is_gone_are_not_replaced(tmp_path):
    output = tmp_path / "labels.jsonl"
    check_answers_may_be_written(output, "source", tmp_path)
    begin(tmp_path, output)
    output.write_text("answers")
    check_answers_may_be_written(output, "source", tmp_path)  # the first run was cut off, and is repeated
    (tmp_path / "other.jsonl").write_text("x")
    with pytest.raises(InvalidInput, match="restore the state"):
        check_answers_may_be_written(tmp_path / "other.jsonl", "source", tmp_path)
    StreamLabeller().save(labeller_of(tmp_path))
    finish(tmp_path)
    begin(tmp_path, output)
    check_answers_may_be_written(output, "source", tmp_path)
    labeller_of(tmp_path).rename(tmp_path / "lost")
    with pytest.raises(InvalidInput, match="restore the state"):
        check_answers_may_be_written(output, "source", tmp_path)
    assert output.read_text() == "answers"


@pytest.mark.parametrize(("name", "ours"), [("x.jsonl", json.dumps(ANSWER)), ("x.csv", ",".join(ANSWER))])
def test_without_a_state_only_answers_are_replaced(tmp_path, name, ours):
    output = tmp_path / name
    output.write_text(ours + "\n")
    check_answers_may_be_written(output, "-", None)
    with pytest.raises(InvalidInput, match="the source itself"):
        check_answers_may_be_written(output, str(output), None)
    for other in ("my thesis\n", "{}\n", "[1]\n", "a,b\n", "\xff"):
        output.write_text(other)
        with pytest.raises(InvalidInput, match="was not written by"):
            check_answers_may_be_written(output, "-", None)
        assert output.read_text() == other


def test_labels_that_somebody_gave_are_not_replaced_before_they_are_learned(tmp_path):
    file = tmp_path / "todo.jsonl"
    check_suggestions_may_be_written(file, "-", None)
    file.write_text(json.dumps(SUGGESTION) + "\n")
    check_suggestions_may_be_written(file, "-", None)
    file.write_text(json.dumps({**SUGGESTION, "label": "war"}) + "\n")
    check_suggestions_may_be_written(file, str(file), tmp_path)
    for source, state in ((str(file), None), ("-", tmp_path)):
        with pytest.raises(InvalidInput, match="contains labels"):
            check_suggestions_may_be_written(file, source, state)

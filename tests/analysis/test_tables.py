from __future__ import annotations

import dataclasses
import json
import os

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.report.findings_factory import newswire_findings, quiet_findings

from driftline.analysis.serialise import from_json
from driftline.analysis.tables import findings_tables, write_data
from driftline.core.errors import InvalidInput, NotWritten


@pytest.fixture(scope="module")
def findings():
    return newswire_findings(1500)


def test_words_of_the_stream_and_of_every_label_are_in_the_table(findings):
    words = findings_tables(findings)["words"].to_pylist()
    n_of_labels = sum(len(label.changed_words) for label in findings.labels)
    assert len(words) == len(findings.changed_words) + n_of_labels
    first, change = words[0], findings.changed_words[0].change
    assert first["word"] == findings.changed_words[0].word
    assert (first["ratio"], first["ratio_lower"], first["ratio_upper"]) == (change.ratio, change.lower, change.upper)
    assert first["label"] is None
    assert words[-1]["label"] == findings.labels[-1].label


def test_curves_have_their_bands(findings):
    curves = findings_tables(findings)["curves"]
    assert set(curves["kind"].to_pylist()) == {"volume", "drift", "word", "topic"}
    word = findings.changed_words[0]
    rows = [row for row in curves.to_pylist() if row["name"] == word.word and row["label"] is None]
    assert len(rows) == len(word.curve.times)
    assert [row["upper"] for row in rows] == [None if np.isnan(v) else v for v in word.curve.upper.tolist()]
    assert np.datetime64(rows[0]["time"].replace(tzinfo=None), "s") == word.curve.times[0]


def test_a_stream_with_nothing_to_say_has_empty_tables():
    tables = findings_tables(quiet_findings())
    assert tables["words"].num_rows == 0
    assert "ratio" in tables["words"].column_names


def test_text_that_utf8_cannot_represent_is_replaced(findings):
    hostile = dataclasses.replace(findings.changed_words[0], word="lone \ud800 surrogate")
    tables = findings_tables(dataclasses.replace(findings, changed_words=[hostile]))
    assert tables["words"]["word"][0].as_py() == "lone ? surrogate"
    assert "lone ? surrogate" in tables["curves"]["name"].to_pylist()


def test_files_are_written_and_read_back(findings, tmp_path):
    paths = write_data(findings, tmp_path / "new" / "data")
    assert [path.name for path in paths] == ["findings.json", "words.parquet", "curves.parquet"]
    assert from_json(paths[0].read_text(encoding="utf-8")) == findings
    assert "explorable" not in json.loads(paths[0].read_text(encoding="utf-8"))
    for path in paths[1:]:
        assert pq.read_table(path).equals(findings_tables(findings)[path.stem])


def test_a_file_in_the_place_of_the_folder_is_refused(findings, tmp_path):
    (tmp_path / "data").write_text("mine")
    with pytest.raises(InvalidInput, match="not a folder"):
        write_data(findings, tmp_path / "data")
    with pytest.raises(NotWritten):
        write_data(findings, tmp_path / "data" / "inside")
    assert (tmp_path / "data").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_reported(findings, tmp_path):
    (tmp_path / "data").mkdir(mode=0o500)
    with pytest.raises(NotWritten):
        write_data(findings, tmp_path / "data")

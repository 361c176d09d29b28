"""Names of classes from the description inside a data set."""

from __future__ import annotations

import datetime
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from driftline import read
from driftline.readers.class_names import class_names, with_class_names


def described(names):
    return {"huggingface": json.dumps({"info": {"features": {"label": {"names": names, "_type": "ClassLabel"}}}})}


def table(labels, names):
    day = datetime.datetime(2024, 1, 1)
    columns = {"text": ["a"] * len(labels), "time": [day] * len(labels), "label": pa.array(labels, pa.int64())}
    return pa.table(columns).replace_schema_metadata(described(names))


def labels_of(path):
    return [label for batch in read(path).batches() for label in batch["label"].to_pylist()]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_numbers_of_classes_become_their_names(tmp_path, kind):
    path = tmp_path / f"train.{kind}"
    rows = table([1, 0, -1, None, 9], ["neg", "pos"])
    if kind == "parquet":
        pq.write_table(rows, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, rows.schema) as writer:
            writer.write_table(rows)
    assert labels_of(path) == ["pos", "neg", None, None, "9"]


@pytest.mark.parametrize(
    "metadata",
    [b"", b"{", b"[]", b"null", b'{"info": 3}', b'{"info": {"features": {"label": {"names": [1]}}}}', b"[" * 10**6],
)
def test_a_damaged_description_names_nothing(metadata):
    assert class_names({b"huggingface": metadata}, "label") == []


def test_texts_in_the_column_stay_as_they_are():
    values = {"label": pa.array(["spam"])}
    assert with_class_names(values, "label", ["neg"]) is values

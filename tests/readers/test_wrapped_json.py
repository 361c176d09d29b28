import io
import json

import pytest

import driftline
from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.columns import Choice, find_columns
from driftline.readers.records import Limits
from driftline.readers.wrapped_json import Place, wrapped_place

HITS = [{"created_at": f"2024-01-{day:02}T10:00:00Z", "content": f"snow and rain {day}"} for day in range(1, 29)]


def place(document, **layout):
    data = document if isinstance(document, bytes) else json.dumps(document, **layout).encode()
    return wrapped_place(ByteStream(io.BytesIO(data), "x"), find_columns, Limits())


@pytest.mark.parametrize("layout", [{}, {"indent": 1}, {"indent": "\t", "separators": (",", ":")}])
def test_the_array_with_times_and_texts_is_found(layout):
    assert place({"hits": HITS, "pages": 3}, **layout) == Place(("hits", "*"))
    people = [{"name": "Ann, {the} [first]"}]
    assert place({"people": people, "none": [], "n": [1], "messages": HITS}, **layout) == Place(("messages", "*"))
    nested = {"meta": {"q": "a"}, "response": {"data": {"items": HITS}}}
    assert place(nested, **layout) == Place(("response", "data", "items", "*"))


@pytest.mark.parametrize("layout", [{}, {"indent": 1}])
def test_the_objects_of_elements_are_found(layout):
    features = [{"type": "Feature", "geometry": {"at": [1, {"x": 2}]}, "properties": hit} for hit in HITS]
    assert place({"type": "FeatureCollection", "features": features}, **layout) == Place(
        ("features", "*"), "properties"
    )
    assert place(features, **layout) == Place(("*",), "properties")
    assert place([{"when": "2024-01-01", "text": "snow", "geo": HITS[0]}], **layout) is None


@pytest.mark.parametrize("wrap", [lambda features: features, lambda features: {"features": features}])
def test_elements_without_the_object_are_counted(tmp_path, wrap):
    path = tmp_path / "places.geojson"
    features = [{"id": 1, "properties": hit} for hit in HITS]
    path.write_text(json.dumps(wrap([*features, {"id": 2, "properties": None}, {"id": 3}, 7])))
    stream = driftline.read(path)
    assert stream.table()["text"].to_pylist() == [hit["content"] for hit in HITS]
    assert stream.rejections.count == 3


def test_lines_arrays_and_single_records_are_not_wrapped():
    record = HITS[0] | {"comments": HITS}
    for data in (
        b"\n".join(json.dumps(hit).encode() for hit in HITS),
        json.dumps(HITS).encode(),
        json.dumps(record).encode(),
        b'{"comments": [{"name": "a"}]}',
        b'{"broken": ',
        b"{",
        b"",
        b"{" * 5000,
        b'{"a": [{' + b'"x": {' * 5000,
    ):
        assert place(data) is None


@pytest.mark.parametrize("indent", [None, 2])
def test_the_records_are_read_and_broken_ones_are_counted(tmp_path, indent):
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({"hits": [*HITS, 5, {"content": "no time"}], "pages": 3}, indent=indent))
    stream = driftline.read(path)
    table = stream.table()
    assert table["text"].to_pylist() == [hit["content"] for hit in HITS]
    assert stream.rejections.count == 2
    assert stream.columns["text"] == "content"


def test_an_array_longer_than_what_is_looked_at(tmp_path):
    path = tmp_path / "long.json"
    hits = [hit | {"content": hit["content"] * 3000} for hit in HITS] * 3
    path.write_text(json.dumps({"hits": hits}))
    assert path.stat().st_size > 2**21
    assert len(driftline.read(path).table()) == len(hits)


def test_a_chosen_column_selects_the_array():
    data = json.dumps({"first": HITS, "second": [{"when": "2024-01-01", "said": "snow and rain"}]}).encode()

    def choose(sample):
        return find_columns(sample, Choice(text="said"))

    assert wrapped_place(ByteStream(io.BytesIO(data), "x"), choose, Limits()) == Place(("second", "*"))


def test_without_such_an_array_the_error_names_the_keys(tmp_path):
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"people": [{"name": "Ann"}], "count": 3}))
    with pytest.raises(InvalidInput, match=r"no column of other\.json looks like a time .*people, count"):
        driftline.read(path)

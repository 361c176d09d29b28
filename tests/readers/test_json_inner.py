import json

import pytest

from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers import read

RECORDS = [
    {"id": number, "doc": {"text": f"war day {number}", "meta": {"date": f"2003-03-{number + 10}"}}}
    for number in range(5)
]


def written(path, records, *, lines):
    text = "".join(json.dumps(record) + "\n" for record in records) if lines else json.dumps(records)
    path.write_text(text)
    return path


@pytest.mark.parametrize("lines", [True, False])
def test_times_and_texts_in_objects_within_records(lines, tmp_path):
    path = written(tmp_path / "a.json", RECORDS, lines=lines)
    stream = read(path)
    assert [document.text for document in stream] == [record["doc"]["text"] for record in RECORDS]
    assert (stream.columns["time"], stream.columns["text"]) == ("doc.meta.date", "doc.text")
    assert len(read(path, time="doc.meta.date", text="doc.text", id=False).table()) == 5


def test_times_and_texts_in_objects_within_wrapped_records(tmp_path):
    path = written(tmp_path / "a.json", {"page": 1, "results": RECORDS}, lines=False)
    assert [document.text for document in read(path)] == [record["doc"]["text"] for record in RECORDS]


def test_a_time_that_is_an_object(tmp_path):
    records = [{"createdAt": {"$date": f"2003-03-{day}T00:00:00Z"}, "text": "war goes on"} for day in range(10, 15)]
    broken = written(tmp_path / "a.jsonl", records, lines=True)
    broken.write_text(broken.read_text() + "{oops\n")
    stream = read(broken)
    assert [document.time.day for document in stream] == [10, 11, 12, 13, 14]
    assert dict(stream.rejections.reasons) == {"broken JSON": 1}


def test_records_with_their_own_time_and_text_are_not_searched(tmp_path):
    records = [{"date": "2003-03-20", "text": "war", "user": {"created_at": "1999-01-01", "description": "a soldier"}}]
    stream = read(written(tmp_path / "a.jsonl", records, lines=True))
    assert [(document.time.year, document.text) for document in stream] == [(2003, "war")]


@pytest.mark.parametrize(
    "content",
    [
        {"date": {"0": "2003-03-20", "1": "2003-03-21"}, "text": {"0": "war", "1": "peace"}},
        {"columns": ["date", "text"], "index": [0], "data": [["2003-03-20", "war"]]},
    ],
)
def test_columns_instead_of_records_are_refused_with_what_to_do(content, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InvalidInput, match=r'a.json contains columns instead of records.*orient="records"'):
        read(path).table()


def test_only_some_of_many_candidates_are_listed(tmp_path):
    content = {f"k{number}": {"text": "war", "date": "2003-03-20"} for number in range(50)}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content))
    with pytest.raises(AmbiguousInput, match=r"'k0.date' or .* or 46 more; choose with") as error:
        read(path).table()
    assert len(str(error.value)) < 500

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from driftline import read
from driftline.readers.bundles import find_bundle
from tests.readers.test_arrow_files import written


def found(*names, wanted=None):
    bundle = find_bundle([(name, name) for name in names], wanted)
    return None if bundle is None else (bundle.format, bundle.entries, [one.place for one in bundle.missing])


SLACK = ["channels.json", "users.json", "general/2003-03-20.json", "general/2003-03-21.json", "random/2003-03-20.json"]


def test_slack():
    assert found(*SLACK) == ("slack", SLACK[2:], [])
    assert found(*(f"Export/{name}" for name in SLACK)) == ("slack", [f"Export/{name}" for name in SLACK[2:]], [])
    assert found(*SLACK[2:]) is None
    assert found(*SLACK, wanted="jsonl") is None


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_data_sets(kind):
    first, second = f"data/train-00000-of-00002.{kind}", f"data/train-00001-of-00002.{kind}"
    assert found(first, second, "README.md", "dataset_infos.json") == (kind, [first, second], [])
    assert found(second) == (kind, [second], ["file train-00000-of-00002"])
    assert found(first, second, "more.csv") is None
    assert found(first, second, f"extra.{kind}") == (kind, [first, second, f"extra.{kind}"], [])
    assert found(f"a.{kind}", "state.json", "dataset_info.json", "cache-1.arrow") == (kind, [f"a.{kind}"], [])
    assert found(f"a.{kind}", f"b.{kind}") is None


def test_a_number_of_shards_may_be_a_lie():
    kind, entries, missing = found("a-00000-of-99999.parquet")
    assert (kind, len(entries), len(missing)) == ("parquet", 1, 99_998)


def test_accounts():
    assert found("result.json", "photos/1.jpg") == ("telegram", ["result.json"], [])
    assert found("outbox.json", "actor.json", "avatar.png") == ("mastodon", ["outbox.json"], [])
    assert found("x/outbox.json", "x/likes.json") == ("mastodon", ["x/outbox.json"], [])
    assert found("result.json", "other.json") is None
    assert found("result.json", "other.json", wanted="telegram") == ("telegram", ["result.json"], [])


def test_a_saved_data_set_is_read_with_what_is_missing(tmp_path):
    for split in ("train", "test"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "state.json").write_text(json.dumps({"_data_files": []}))
        (tmp_path / split / "dataset_info.json").write_text("{}")
        written(tmp_path / split / "data-00000-of-00002.arrow", stream=True)
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    stream = read(tmp_path)
    assert len(list(stream)) == 60
    assert dict(stream.rejections.reasons) == {"missing": 2}
    hub = tmp_path / "hub"
    (hub / "data").mkdir(parents=True)
    (hub / "README.md").write_text("about")
    pq.write_table(pa.table({"date": ["2003"], "text": ["war"]}), hub / "data" / "train-00000-of-00001.parquet")
    assert [document.text for document in read(hub)] == ["war"]

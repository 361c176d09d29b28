from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from driftline.core.errors import InvalidInput, ModelFileError
from driftline.graphs.search import SearchIndex, index_folder
from driftline.graphs.search.index_folder import LIST, VERSION, appending, read_index, read_list, write_list
from driftline.persistence.manifest import content_checksum

DOCUMENTS = [("2001-10-02", "gas pipeline burst"), ("2001-10-03", "pipeline of gas")]


@pytest.fixture
def folder(tmp_path):
    SearchIndex(DOCUMENTS, path=tmp_path / "index")
    return tmp_path / "index"


def relist(folder, **changes):
    content = json.loads((folder / LIST).read_text())
    content.update(changes)
    content.pop("checksum")
    (folder / LIST).write_text(json.dumps({"checksum": content_checksum(content), **content}))


def test_an_index_is_read_as_it_was_written(folder):
    tokenizer, segments, names = read_index(folder)
    assert "the" in tokenizer.excluded
    assert [segment.text(i) for segment in segments for i in range(len(segment))] == [text for _, text in DOCUMENTS]
    assert len(names) == 1


@pytest.mark.parametrize("version", [0, VERSION + 1, None, "1"])
def test_another_version_is_refused(folder, version):
    relist(folder, version=version)
    with pytest.raises(ModelFileError, match="version"):
        SearchIndex.open(folder)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": "other"}', "[" * 100_000])
def test_other_files_are_refused(folder, text):
    (folder / LIST).write_text(text)
    with pytest.raises(ModelFileError):
        SearchIndex.open(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"segments": [{"file": "../../etc/passwd"}]},
        {"segments": [{}]},
        {"segments": 7},
        {"tokenizer": {"pattern": 7, "ngram_range": [1, 1]}},
        {"tokenizer": {"other": 1, "ngram_range": [1, 1]}},
    ],
)
def test_crafted_lists_are_refused(folder, changes):
    relist(folder, **changes)
    with pytest.raises((ModelFileError, InvalidInput)):
        SearchIndex.open(folder)


def test_a_changed_byte_is_found(folder):
    (segment,) = folder.glob("segment-*")
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1
    segment.write_bytes(bytes(data))
    with pytest.raises(ModelFileError, match="differs"):
        SearchIndex.open(folder)


def test_a_checksum_protects_the_list(folder):
    text = (folder / LIST).read_text()
    (folder / LIST).write_text(text.replace('"lowercase": true', '"lowercase": false'))
    with pytest.raises(ModelFileError, match="damaged"):
        SearchIndex.open(folder)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("docs", np.array([9, 9, 9, 9, 9], np.int32)),
        ("docs", np.zeros(5)),
        ("text_offsets", np.array([0, 99, 3])),
        ("word_offsets", np.array([0, 99])),
        ("words", np.zeros(3)),
    ],
)
def test_crafted_segments_are_refused_before_they_are_searched(folder, name, array):
    (segment,) = folder.glob("segment-*")
    save_file({**load_file(segment), name: array}, segment)
    entry = {"file": segment.name, "bytes": segment.stat().st_size, "sha256": index_folder._hash_of(segment)}
    write_list(folder, read_list(folder).tokenizer, [entry])
    with pytest.raises(ModelFileError):
        SearchIndex.open(folder)


def test_a_missing_segment_is_reported(folder):
    (segment,) = folder.glob("segment-*")
    segment.unlink()
    with pytest.raises(ModelFileError, match="missing"):
        SearchIndex.open(folder)


def test_only_one_process_appends(folder):
    with appending(folder), pytest.raises(InvalidInput, match="another process"):
        SearchIndex.open(folder).append(DOCUMENTS)


def test_folders_without_an_index_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(ModelFileError, match="not a search index"):
            SearchIndex.open(path)


@pytest.mark.parametrize("step", ["write_segment", "write_list", "remove_unlisted"])
def test_an_append_that_fails_at_any_step_leaves_the_old_or_the_new_index(folder, step, monkeypatch):
    def fail(*arguments):
        raise KeyboardInterrupt

    index = SearchIndex.open(folder)
    with monkeypatch.context() as patched:
        patched.setattr(f"driftline.graphs.search.search_index.{step}", fail)
        with pytest.raises(KeyboardInterrupt):
            index.append([("2001-10-04", "burst")] * 2)
    n = len(SearchIndex.open(folder))
    assert n == (4 if step == "remove_unlisted" else 2)
    assert SearchIndex.open(folder).append([("2001-10-05", "gas")]) == 1
    assert len(SearchIndex.open(folder)) == n + 1
    assert len(list(folder.glob("segment-*"))) == len(read_list(folder).segments)

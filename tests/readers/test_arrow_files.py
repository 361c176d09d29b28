import pyarrow as pa
import pyarrow.ipc
import pytest

from driftline import read
from driftline.core.errors import AmbiguousInput, InvalidInput

TABLE = pa.table({"date": [f"2003-03-{i + 1:02}" for i in range(30)], "text": [f"text {i}" for i in range(30)]})


def written(path, table=TABLE, *, stream=False, rows=10, compression=None):
    options = pa.ipc.IpcWriteOptions(compression=compression)
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as sink, new(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)
    return path


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_files_and_streams(stream, compression, tmp_path):
    found = read(written(tmp_path / "a.arrow", stream=stream, compression=compression), batch_size=7)
    batches = list(found.batches())
    assert max(map(len, batches)) <= 7
    assert [text for batch in batches for text in batch["text"].to_pylist()] == TABLE["text"].to_pylist()
    assert found.n_present == 30


def test_kinds_of_columns(tmp_path):
    table = pa.table(
        {
            "time": pa.array([0, 86_400_000], pa.timestamp("ms")),
            "text": pa.array(["war", "peace"]).dictionary_encode(),
            "label": pa.array([["a", "b"], []]),
        }
    )
    documents = list(read(written(tmp_path / "a.feather", table)))
    assert [(document.time.day, document.text, document.label) for document in documents] == [
        (1, "war", "a|b"),
        (2, "peace", None),
    ]


def test_an_empty_file_has_columns_and_no_rows(tmp_path):
    assert list(read(written(tmp_path / "a.arrow", TABLE[:0]))) == []
    with pytest.raises(InvalidInput, match=r"no column of b\.arrow looks like a time"):
        read(written(tmp_path / "b.arrow", pa.table({"x": [1]})))
    twice = pa.table([pa.array(["2003"]), pa.array(["2004"])], names=["time", "time"])
    with pytest.raises(AmbiguousInput, match=r"several columns called 'time'"):
        read(written(tmp_path / "c.arrow", twice))


@pytest.mark.parametrize("stream", [False, True])
def test_offsets_that_lead_out_of_the_buffers_are_found(stream, tmp_path):
    path = written(tmp_path / "a.arrow", stream=stream)
    data = path.read_bytes()
    offsets = pa.array(TABLE["text"].to_pylist()[10:20]).buffers()[1].to_pybytes()[:44]
    place = data.index(offsets)
    path.write_bytes(data[: place + 20] + (2**30).to_bytes(4, "little") + data[place + 24 :])
    found = read(path)
    texts = [document.text for document in found]
    assert texts == [f"text {i}" for i in range(30) if i < 10 or (not stream and i >= 20)]
    (rejection,) = found.rejections.examples
    assert rejection.reason.startswith("damaged: batch 2: ")


def test_truncated_streams_keep_what_comes_before(tmp_path):
    path = written(tmp_path / "a.arrow", stream=True)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    found = read(path)
    assert 0 < len(list(found)) < 30
    assert dict(found.rejections.reasons) == {"damaged": 1}


@pytest.mark.parametrize("data", [b"", b"ARROW1\0\0", b"no arrow", b"\xff\xff\xff\xff\xff\xff\xff\x7f" * 3])
def test_what_is_no_arrow(data, tmp_path):
    (tmp_path / "a.arrow").write_bytes(data)
    with pytest.raises(InvalidInput, match=r"a\.arrow cannot be read as Arrow"):
        read(tmp_path / "a.arrow")

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from driftline import read
from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers import parquet

N = 1000


@pytest.fixture
def path(tmp_path):
    table = pa.table(
        {
            "time": pa.array([datetime.datetime(2003, 1, 1) + datetime.timedelta(hours=i) for i in range(N)]),
            "text": [f"text {i}" for i in range(N)],
            "topics": [["a", "b"]] * N,
            "heavy": [{"x": i} for i in range(N)],
        }
    )
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=100)
    return tmp_path / "a.parquet"


def test_rows_are_read_in_batches(path):
    stream = read(path, batch_size=64)
    batches = list(stream.batches())
    assert sum(map(len, batches)) == stream.n_read == N
    assert max(map(len, batches)) <= 64
    assert batches[0]["label"][0].as_py() == "a|b"
    assert batches[0]["id"].to_pylist()[:3] == ["1", "2", "3"]
    assert stream.table()["text"].to_pylist() == [f"text {i}" for i in range(N)]


def test_rows_without_time_are_placed(tmp_path):
    pq.write_table(pa.table({"year": [2003, None, 2005], "text": ["a", "b", None]}), tmp_path / "a.parquet")
    stream = read(tmp_path / "a.parquet")
    assert [document.text for document in stream] == ["a"]
    assert [(r.place, r.reason) for r in stream.rejections.examples] == [("row 2", "no time"), ("row 3", "no text")]


def test_a_damaged_group_of_rows_is_reported_and_the_others_read(path):
    data = bytearray(path.read_bytes())
    column = pq.ParquetFile(path).metadata.row_group(3).column(1)
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(data)
    stream = read(path)
    assert len(list(stream)) == N - 100
    assert stream.rejections.reasons == {"damaged": 100}
    assert stream.rejections.examples[0].place == "rows 301 to 400"
    assert stream.n_present == N


def test_a_file_that_is_no_parquet_is_an_error(path):
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(InvalidInput, match=r"a\.parquet cannot be read as Parquet"):
        read(path)


def test_bytes_that_are_no_text_are_rejected_one_by_one(tmp_path):
    texts = pa.array([b"good", b"\xff\xfe", b"fine"]).view(pa.string())
    pq.write_table(pa.table({"year": [2003, 2003, 2003], "text": texts}), tmp_path / "a.parquet")
    stream = read(tmp_path / "a.parquet")
    assert [document.text for document in stream] == ["good", "fine"]
    assert stream.rejections.reasons == {"bad encoding": 1}


def test_a_column_that_grows_beyond_measure_is_a_bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "EXPANSION_FLOOR", 2**20)
    texts = pa.array(["a" * 2000 for _ in range(1000)])
    table = pa.table({"year": [2003] * 1000, "text": texts})
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd", use_dictionary=False)
    stream = read(tmp_path / "a.parquet")
    assert list(stream) == []
    assert stream.rejections.reasons == {"decompression bomb": 1000}
    assert len(read(tmp_path / "a.parquet", max_expansion=10_000).table()) == 1000


def test_wide_rows_come_in_small_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_BATCH_BYTES", 10_000)
    pq.write_table(
        pa.table({"year": [2003] * 100, "text": [f"{i}" * 1000 for i in range(100)]}), tmp_path / "a.parquet"
    )
    assert max(len(batch) for batch in read(tmp_path / "a.parquet").batches()) <= 10


def test_columns_of_the_same_name_are_ambiguous(tmp_path):
    table = pa.table([pa.array([2003]), pa.array(["a"]), pa.array(["b"])], names=["year", "text", "text"])
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(AmbiguousInput, match="several columns called 'text'"):
        read(tmp_path / "a.parquet")


def test_a_file_without_rows(tmp_path):
    pq.write_table(
        pa.table({"year": pa.array([], pa.int64()), "text": pa.array([], pa.string())}), tmp_path / "a.parquet"
    )
    assert len(read(tmp_path / "a.parquet").table()) == 0

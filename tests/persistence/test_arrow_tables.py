from __future__ import annotations

import pyarrow as pa
import pyarrow.feather
import pytest

from driftline.core.errors import ModelFileError
from driftline.persistence.arrow_tables import table_bytes, table_from_bytes

TABLE = pa.table({"word": ["war", "sars", None], "kind": pa.array(["a", "b", "a"]).dictionary_encode()})


def test_a_table_comes_back_for_any_chunks():
    chunked = pa.concat_tables([TABLE, TABLE.slice(1)])
    assert table_from_bytes(table_bytes(chunked), "it").equals(chunked.unify_dictionaries().combine_chunks())
    assert table_bytes(TABLE).equals(table_bytes(TABLE))


def test_other_tools_can_read_it(tmp_path):
    (tmp_path / "table.arrow").write_bytes(table_bytes(TABLE))
    assert pyarrow.feather.read_table(tmp_path / "table.arrow").equals(TABLE)


def test_an_empty_table_comes_back():
    assert table_from_bytes(table_bytes(TABLE.slice(0, 0)), "it").num_rows == 0


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_compressed_tables_are_refused(compression):
    sink = pa.BufferOutputStream()
    table = pa.table({"zeros": [0] * 100_000})
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    with pytest.raises(ModelFileError, match="compressed"):
        table_from_bytes(sink.getvalue(), "it")


def test_damage_is_noticed_or_harmless():
    whole = table_bytes(TABLE).to_pybytes()
    for cut in (0, 4, 8, 40, len(whole) // 2):
        with pytest.raises(ModelFileError, match="it is"):
            table_from_bytes(whole[:cut], "it")
    for place in range(8, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 0x81
        try:
            table = table_from_bytes(bytes(damaged), "it")
        except ModelFileError:
            continue
        assert isinstance(table.to_pydict(), dict)

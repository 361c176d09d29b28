"""Arrow tables as bytes and back, without trusting the bytes.

Tables are written in Arrow's file format, which every Arrow tool reads, and read as the stream inside it: the footer is
only a second way to the same batches, and one less thing to distrust.
"""

from __future__ import annotations

import struct

import pyarrow as pa

from driftline.core.errors import ModelFileError

_MAGIC = b"ARROW1\0\0"


def table_bytes(table: pa.Table) -> pa.Buffer:
    """Return a table as an uncompressed Arrow file; the same table gives the same bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return sink.getvalue()


def table_from_bytes(data: bytes | pa.Buffer, what: str) -> pa.Table:
    """Read an Arrow file and look into every value; compressed ones are refused, for they can be bombs."""
    try:
        buffer = pa.py_buffer(data)
        if buffer[: len(_MAGIC)].to_pybytes() != _MAGIC:
            raise ModelFileError(f"{what} is no Arrow file; restore the model or make it anew")
        buffer = buffer[len(_MAGIC) :]
        if any(_is_compressed(message) for message in pa.ipc.MessageReader.open_stream(buffer)):
            raise ModelFileError(f"{what} is compressed, which driftline never does; the file was tampered with")
        with pa.ipc.open_stream(buffer) as reader:
            table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, struct.error) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{what} is no proper Arrow table: {error}; restore the model or make it anew") from error
    return table


def _is_compressed(message: pa.Message) -> bool:
    """Look into the head of an Arrow message (a FlatBuffer): is its body compressed?

    Arrow itself would say so only by unpacking it. A head holds ``Message.header`` in slot 2, and both a record batch
    and a dictionary batch's record batch hold ``compression`` in slot 3.
    """
    if message.type not in ("record batch", "dictionary"):
        return False
    head = message.metadata.to_pybytes()
    batch = _follow(head, _slot(head, _follow(head, 0), 2))
    if message.type == "dictionary":
        batch = _follow(head, _slot(head, batch, 1))
    return _slot(head, batch, 3) != 0


def _follow(head: bytes, at: int) -> int:
    return int(at + struct.unpack_from("<I", head, at)[0])


def _slot(head: bytes, table: int, number: int) -> int:
    """Return where a field of a FlatBuffer table lies; 0 if it has none."""
    index = table - struct.unpack_from("<i", head, table)[0]
    (size,) = struct.unpack_from("<H", head, index)
    if 4 + 2 * number >= size:
        return 0
    (offset,) = struct.unpack_from("<H", head, index + 4 + 2 * number)
    return table + offset if offset else 0

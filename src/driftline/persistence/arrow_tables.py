"""Arrow tables as bytes and back, without trusting the bytes.

Tables are written in Arrow's file format, which every Arrow tool reads, and read as the stream inside it: the footer is
redundant, and need not be trusted.
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
    """Read an Arrow file and validate every value; compressed files are refused: they may be decompression bombs."""
    try:
        buffer = pa.py_buffer(data)
        if buffer[: len(_MAGIC)].to_pybytes() != _MAGIC:
            raise ModelFileError(f"{what} is not an Arrow file; restore the model or create it again")
        buffer = buffer[len(_MAGIC) :]
        if any(_is_compressed(message) for message in pa.ipc.MessageReader.open_stream(buffer)):
            raise ModelFileError(f"{what} is compressed, which driftline never writes; the file was tampered with")
        with pa.ipc.open_stream(buffer) as reader:
            table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, struct.error) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(
            f"{what} is not a valid Arrow table: {error}; restore the model or create it again"
        ) from error
    return table


def _is_compressed(message: pa.Message) -> bool:
    """Return whether the body of an Arrow message is compressed, from its header (a FlatBuffer).

    Arrow itself would reveal this only by decompressing it. A header has ``Message.header`` in slot 2, and both a
    record batch and a dictionary batch's record batch have ``compression`` in slot 3.
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
    """Return the position of a field of a FlatBuffer table; 0 if it is missing."""
    index = table - struct.unpack_from("<i", head, table)[0]
    (size,) = struct.unpack_from("<H", head, index)
    if 4 + 2 * number >= size:
        return 0
    (offset,) = struct.unpack_from("<H", head, index + 4 + 2 * number)
    return table + offset if offset else 0

"""JSON lines: blocks of lines through Arrow's parser, and line by line if a block has errors.

Both paths give the same records: Arrow's result is used only if its rows are the lines of the block.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json

from driftline.readers.byte_stream import ByteStream
from driftline.readers.json_array import Element, element_records, read_json_array
from driftline.readers.json_inner import needs_inner, refuse_columns
from driftline.readers.line_blocks import BLANK, LineBlock, line_blocks
from driftline.readers.records import Chooser, Columns, Limits, Records, Unusable, Values, bad_encoding, too_long
from driftline.readers.wrapped_json import read_wrapped, wrapped_place

SAMPLE = 1000
_FIRST_LINES = 20
_LARGEST_ARROW_BLOCK = 2**31 - 2**16
_CHUNK_BYTES = 2**16
_STRINGS = pa.list_(pa.string())
_PYTHON_KINDS: dict[pa.DataType, set[type]] = {
    pa.string(): {str},
    pa.bool_(): {bool},
    pa.int64(): {int},
    pa.float64(): {int, float},
    _STRINGS: {list},
}
_ARRAY = re.compile(rb"[ \t\r\n]*\[[ \t\r\n]*(\{|\][ \t\r\n]*\Z)")
_decode = json.JSONDecoder().decode


def read_jsonl(stream: ByteStream, choose: Chooser, limits: Limits) -> Iterator[Records]:
    """Yield the records of JSON lines, or of a file that is one JSON array of objects, or an object with such an array.

    Every line that is not blank is a record; one that is not an object in UTF-8 is unusable.

    >>> import io
    >>> data = b'{"date": "2003-03-20", "body": "war"}\\n{"date": oops}\\n'
    >>> (records,) = read_jsonl(ByteStream(io.BytesIO(data), "x"), lambda sample: Columns("date", ("body",)), Limits())
    >>> records.values["body"].to_pylist(), records.numbers, records.unusable
    (['war'], array([1]), [Unusable(number=2, reason='broken JSON: Expecting value at column 10', ...)])
    """
    refuse_columns(stream)
    if (place := wrapped_place(stream, choose, limits)) is not None:
        yield from read_wrapped(stream, place, choose, limits)
        return
    if _ARRAY.match(stream.peek()):
        yield from read_json_array(stream, choose, limits)
        return
    if _have_inner(stream, choose, limits):
        yield from element_records(stream.name, line_elements(stream, limits), choose, limits)
        return
    columns: Columns | None = None
    schema: pa.Schema | None = None
    for block in line_blocks(stream, limits):
        if columns is None:
            sample = [record for record in _sample(block, limits) if isinstance(record, dict)]
            if sample:
                columns = choose(columns_of(sample))
                schema = _schema_of(sample, columns)
        if columns is None or schema is None:
            yield _read_by_line(block, stream.name, columns, schema, limits)
        else:
            records = _read_by_arrow(block, stream.name, columns, schema, limits)
            yield records or _read_in_parts(block, stream.name, columns, schema, limits)


def line_elements(stream: ByteStream, limits: Limits) -> Iterator[Element]:
    """Yield (the object or the reason why there is none, its length) for every line that is not blank."""
    for block in line_blocks(stream, limits):
        yield from ((unusable.reason, 1) for unusable in block.unusable)
        for line in block.data.split(b"\n"):
            if line.strip(BLANK):
                yield read_line(line, limits), len(line)


def _have_inner(stream: ByteStream, choose: Chooser, limits: Limits) -> bool:
    """Return whether the time or the text of the first lines is in objects within them."""
    first = stream.peek().split(b"\n")[:_FIRST_LINES]
    records = [read_line(line, limits) for line in first if line.strip(BLANK)]
    return needs_inner([record for record in records if isinstance(record, dict)], choose)


def columns_of(sample: Sequence[dict[str, object]]) -> dict[str, list[object]]:
    """Return the values of every key that occurs, from the first records that have it.

    >>> columns_of([{"a": 1}, {"a": 2, "b": None}])
    {'a': [1, 2], 'b': [None]}
    """
    columns: dict[str, list[object]] = {}
    for record in sample:
        for key, value in record.items():
            values = columns.setdefault(key, [])
            if len(values) < SAMPLE:
                values.append(value)
    return columns


def _read_by_arrow(
    block: LineBlock, source: str, columns: Columns, schema: pa.Schema, limits: Limits
) -> Records | None:
    """Read a block at once, or return None if it must be read line by line."""
    data = block.data
    if not data or len(data) > _LARGEST_ARROW_BLOCK:
        return None
    n_lines = data.count(b"\n") + (not data.endswith(b"\n"))
    # Arrow's parser accepts several objects in a line or one over several lines. If every line starts and ends with a
    # brace, no object can extend over two lines, and the rows are the lines if there are as many rows as lines.
    joints = data.count(b"}\n{") + data.count(b"}\r\n{")
    if joints != n_lines - 1 or not data.startswith(b"{") or _longest_line(data, limits) > limits.max_record_bytes:
        return None
    table = _parse(data, schema)
    if table is None or len(table) != n_lines:
        return None
    numbers = np.arange(block.first_line, block.first_line + n_lines, dtype=np.int64)
    values = {name: table[name].combine_chunks() for name in schema.names}
    return Records(source, values, numbers, columns, block.unusable)


def _read_in_parts(block: LineBlock, source: str, columns: Columns, schema: pa.Schema, limits: Limits) -> Records:
    """Read a block with errors: only the part with the error is read line by line."""
    parts: list[Records] = []
    start, line = 0, block.first_line
    while start < len(block.data):
        end = block.data.find(b"\n", start + _CHUNK_BYTES) + 1 or len(block.data)
        chunk = LineBlock(block.data[start:end], line, [])
        read = _read_by_arrow(chunk, source, columns, schema, limits)
        parts.append(read or _read_by_line(chunk, source, columns, schema, limits))
        start, line = end, line + chunk.data.count(b"\n")
    values = {name: _joined([part.values[name] for part in parts], schema.field(name).type) for name in schema.names}
    numbers = np.concatenate([np.empty(0, np.int64), *(part.numbers for part in parts)])
    return Records(source, values, numbers, columns, [*block.unusable, *(u for part in parts for u in part.unusable)])


def _joined(parts: Sequence[Values], kind: pa.DataType) -> Values:
    """Join arrays and lists to an array if all values have the type, otherwise to a list."""
    try:
        arrays = [part if isinstance(part, pa.Array) else _strict_array(part, kind) for part in parts]
        return pa.concat_arrays([pa.array([], kind), *arrays])
    except (pa.ArrowInvalid, TypeError, UnicodeEncodeError, OverflowError):
        return [value for part in parts for value in (part.to_pylist() if isinstance(part, pa.Array) else part)]


def _strict_array(values: Sequence[object], kind: pa.DataType) -> pa.Array:
    """Return values as an array of the type, without the conversions that Arrow would make, such as 1.5 to 1."""
    if not {type(value) for value in values if value is not None} <= _PYTHON_KINDS[kind]:
        raise TypeError(f"not all values are {kind}")
    return pa.array(values, kind)


def _parse(data: bytes, schema: pa.Schema) -> pa.Table | None:
    try:
        data.decode()  # Arrow does not check the encoding
        return pyarrow.json.read_json(
            pa.BufferReader(data),
            read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=len(data) + 16),
            parse_options=pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None


def read_line(line: bytes, limits: Limits) -> dict[str, object] | str:
    """Return the object of a line, or why there is none."""
    return _read_line(line, None, limits)


def _longest_line(data: bytes, limits: Limits) -> int:
    if len(data) <= limits.max_record_bytes:
        return len(data)
    return max(map(len, data.split(b"\n")))


def _read_by_line(
    block: LineBlock, source: str, columns: Columns | None, schema: pa.Schema | None, limits: Limits
) -> Records:
    objects: list[dict[str, object]] = []
    numbers: list[int] = []
    unusable = list(block.unusable)
    for number, line in enumerate(block.data.split(b"\n"), start=block.first_line):
        if not line.strip(BLANK):
            continue
        record = _read_line(line, schema, limits)
        if isinstance(record, dict):
            objects.append(record)
            numbers.append(number)
        else:
            unusable.append(Unusable(number, record))
    names = columns.needed() if columns is not None else []
    values = {name: [record.get(name) for record in objects] for name in names}
    return Records(source, values, np.array(numbers, np.int64), columns, unusable)


def _read_line(line: bytes, schema: pa.Schema | None, limits: Limits) -> dict[str, object] | str:
    """Return the object of a line, or why there is none."""
    if len(line) > limits.max_record_bytes:
        return too_long(limits)
    try:
        record = _decode(line.decode())
    except UnicodeDecodeError as error:
        return bad_encoding(error)
    except json.JSONDecodeError as error:
        reason = f"broken JSON: {error.msg.removesuffix(' at')} at column {error.pos + 1}"
        return _read_line_by_arrow(line, schema, reason) if b"Inf" in line else reason
    except RecursionError:
        return _read_line_by_arrow(line, schema, "broken JSON: nested too deeply")
    except ValueError as error:
        return _read_line_by_arrow(line, schema, f"broken JSON: {error}")
    return record if isinstance(record, dict) else "not an object: a line must contain one JSON object"


def _read_line_by_arrow(line: bytes, schema: pa.Schema | None, reason: str) -> dict[str, object] | str:
    """Read values that Arrow accepts and Python does not (``Inf``, huge numbers, deep nesting) one by one."""
    line = line.strip(b"\r")
    if schema is None or not (line.startswith(b"{") and line.endswith(b"}")):
        return reason
    table = _parse(line, schema)
    return table.to_pylist()[0] if table is not None and len(table) == 1 else reason


def _sample(block: LineBlock, limits: Limits) -> Iterator[dict[str, object] | str]:
    for line in block.data.split(b"\n"):
        if line.strip(BLANK):
            yield read_line(line, limits)


def _schema_of(sample: Sequence[dict[str, Any]], columns: Columns) -> pa.Schema | None:
    """Return the types that Arrow should use, or None if a column contains values that only Python can parse."""
    fields = []
    for name in columns.needed():
        kinds = {type(record[name]) for record in sample if record.get(name) is not None}
        if kinds <= {str}:
            kind: pa.DataType = pa.string()
        elif kinds == {bool}:
            kind = pa.bool_()
        elif kinds == {int}:
            kind = pa.int64()
        elif kinds <= {int, float} and name == columns.time:
            kind = pa.float64()
        elif kinds == {list} and all(isinstance(item, str) for record in sample for item in record.get(name) or ()):
            kind = _STRINGS
        else:
            return None
        fields.append((name, kind))
    return pa.schema(fields)

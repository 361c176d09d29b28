"""CSV, TSV and similar formats: blocks through Arrow's parser, and record by record where the quoting is not clean.

The grammar is that of Python's csv module and of Arrow: a quote counts only at the start of a field, a doubled one
represents itself, and a quoted field may contain line ends. Both paths give the same records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv

from driftline.core.arrays import Ints
from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.delimited_scan import Layout, find_records, scan_record
from driftline.readers.missing_values import MissingValues
from driftline.readers.records import Chooser, Columns, Limits, Records, Unusable, bad_encoding, too_long

DELIMITERS = ",;\t|"
_SAMPLE = 1000
_NAMED_DELIMITER = re.compile(rb'"?sep=([,;\t|])"?[,;\t|]*')
"""First line by which a spreadsheet program says what the delimiter is."""
_NUL = "NUL byte: the record contains a zero byte, which is not text"
_UNCLOSED = "unclosed quote: it is not closed properly within the file or max_record_bytes"


def read_delimited(
    stream: ByteStream, choose: Chooser, limits: Limits, *, delimiter: str | None = None
) -> Iterator[Records]:
    """Yield the records of a delimited file, whose first record names the columns.

    Every record except an empty line counts. A record with the wrong number of fields is unusable. An unclosed quote
    would consume the lines after it; of a malformed record over several lines (or one with text after a closing quote)
    therefore only the first line is unusable, and reading continues at the next line.

    >>> import io
    >>> stream = ByteStream(io.BytesIO(b"date;title\\n2003-03-20;war\\n2003;too;many\\n"), "x")
    >>> (records,) = read_delimited(stream, lambda sample: Columns("date", ("title",)), Limits())
    >>> records.values["title"].to_pylist(), records.unusable
    (['war'], [Unusable(number=3, reason='wrong number of fields: 3 instead of 2', ...)])
    """
    data, line = stream.read(limits.first_block_bytes), 1
    final = len(data) < limits.first_block_bytes
    while True:
        header = _header(data, delimiter, final=final)
        if header is not None or final or len(data) > limits.max_record_bytes:
            break
        more = stream.read(limits.block_bytes)
        data, final = data + more, not more
    if header is None:
        if data.strip():
            raise InvalidInput(f"{stream.name} has no header line with the column names within its limits")
        if stream.damage:
            nothing = np.empty(0, np.int64)
            yield Records(stream.name, {}, nothing, None, [Unusable(1, stream.damage)])
        return
    names, layout, end = header.names, Layout(header.delimiter, len(header.names)), header.end
    line += header.n_lines
    data = data[end:]
    sample = _sample(data, names, layout, final=final)
    missing = MissingValues(sample)
    columns = choose(missing.sample())
    wanted = {name: _position(name, names, stream.name) for name in columns.needed()}
    reader = _BlockReader(stream.name, columns, wanted, layout, limits, missing)
    while True:
        damaged = final and stream.damage is not None
        records, rest, line = reader.read(data, line, final=final and not damaged)
        if damaged:
            # The remaining bytes are the record in which the file is truncated.
            records = records._replace(unusable=[*records.unusable, Unusable(line, stream.damage or "")])
        yield records
        if final:
            return
        chunk = stream.read(limits.block_bytes)
        data, final = rest + chunk, not chunk


class _Header(NamedTuple):
    names: list[str]
    delimiter: bytes
    end: int
    n_lines: int


def _header(data: bytes, delimiter: str | None, *, final: bool) -> _Header | None:
    """Return the column names, and where the first record ends; None if its end has not been read yet."""
    start = len(data) - len(data.lstrip(b"\r\n"))
    first_line = data[start:].splitlines()[0] if data[start:] else b""
    if named := _NAMED_DELIMITER.fullmatch(first_line):
        delimiter, start = delimiter or named[1].decode(), start + len(first_line)
        start += len(data[start:]) - len(data[start:].lstrip(b"\r\n"))
        first_line = data[start:].splitlines()[0] if data[start:] else b""
    chosen = (delimiter or _sniff(first_line)).encode()
    scanned = scan_record(data, start, chosen, final=final)
    if not first_line or scanned is None:
        return None
    fields, end, _ = scanned
    try:
        names = [field.decode().strip() for field in fields]
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the column names cannot be read: {bad_encoding(error)}") from error
    return _Header(names, chosen, end, _count_lines(data[:end]))


def _sniff(line: bytes) -> str:
    """Return the most frequent delimiter of the line, outside quotes."""
    outside = b"".join(line.split(b'"')[::2])
    return max(DELIMITERS, key=lambda delimiter: outside.count(delimiter.encode()))


def _sample(data: bytes, names: list[str], layout: Layout, *, final: bool) -> dict[str, list[str]]:
    rows: list[list[str]] = []
    position = 0
    while position < len(data) and len(rows) < _SAMPLE:
        scanned = scan_record(data, position, layout.delimiter, final=final)
        if scanned is None:
            break
        fields, position, _ = scanned
        if len(fields) == layout.n_fields:
            rows.append([field.decode(errors="replace") for field in fields])
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def _position(name: str, names: Sequence[str], source: str) -> int:
    if names.count(name) > 1:
        raise AmbiguousInput(f"{source} has {names.count(name)} columns called {name!r}; rename all but one of them")
    return names.index(name)


class _BlockReader:
    """Reads blocks that begin at a record and may end within one."""

    def __init__(
        self,
        source: str,
        columns: Columns,
        wanted: dict[str, int],
        layout: Layout,
        limits: Limits,
        missing: MissingValues,
    ) -> None:
        self._source = source
        self._missing = missing
        self._columns = columns
        self._wanted = wanted
        self._layout = layout
        self._limits = limits
        self._skipping = False  # whether the end of a line that is too long has not been read yet

    def read(self, data: bytes, line: int, *, final: bool) -> tuple[Records, bytes, int]:
        """Return the records, the bytes of an incomplete last one, and the number of the line after them."""
        if self._skipping:
            end = _end_of_line(data, 0, final=final)
            if end < 0:
                return self._records({}, [], []), b"", line
            data, line, self._skipping = data[end:], line + 1, False
        found = find_records(data, self._layout, final=final)
        if found is not None and self._is_plain(data, found.end, found.lengths):
            records = self._parse(data[: found.end], line + found.lines)
            if records is not None:
                return records, data[found.end :], line + found.n_lines
        return self._read_one_by_one(data, line, final=final)

    def _is_plain(self, data: bytes, end: int, lengths: Ints) -> bool:
        """Return whether the only possible errors are wrong numbers of fields."""
        longest = int(lengths.max()) if len(lengths) else 0
        if max(longest, len(data) - end) > self._limits.max_record_bytes or data.find(b"\0", 0, end) >= 0:
            return False
        try:
            data[:end].decode()
        except UnicodeDecodeError:
            return False
        return True

    def _parse(self, data: bytes, lines: Ints) -> Records | None:
        """Read a block at once, or return None if its records must be read one by one."""
        if not len(lines):
            return self._records({}, [], [])
        wrong: list[pa.csv.InvalidRow] = []
        n_fields = self._layout.n_fields
        names = [str(position) for position in range(n_fields)]
        wanted = [str(position) for position in self._wanted.values()]

        def keep_out(row: pa.csv.InvalidRow) -> str:
            wrong.append(row)
            return "skip"

        table = pyarrow.csv.read_csv(
            pa.BufferReader(data),
            pyarrow.csv.ReadOptions(use_threads=False, block_size=len(data) + 16, column_names=names),
            pyarrow.csv.ParseOptions(
                delimiter=self._layout.delimiter.decode(),
                newlines_in_values=True,
                invalid_row_handler=keep_out,
            ),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                include_columns=wanted,
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )
        if len(table) + len(wrong) != len(lines) or any("\n" in row.text or "\r" in row.text for row in wrong):
            return None
        rows = [row.number - 1 for row in wrong]
        unusable = [
            Unusable(int(lines[at]), _wrong_number(row.actual_columns, n_fields)) for at, row in zip(rows, wrong)
        ]
        values = {name: table[str(position)].combine_chunks() for name, position in self._wanted.items()}
        return self._records(values, np.delete(lines, rows), unusable)

    def _read_one_by_one(self, data: bytes, line: int, *, final: bool) -> tuple[Records, bytes, int]:
        rows: list[list[str]] = []
        lines: list[int] = []
        unusable: list[Unusable] = []
        position = 0
        while position < len(data):
            scanned = scan_record(data, position, self._layout.delimiter, final=final)
            limit = position + self._limits.max_record_bytes
            if scanned is None and not final and len(data) <= limit:
                break  # the record continues in the next block
            end_of_line = _end_of_line(data, position, final=final)
            if scanned is None or scanned.end > limit or (scanned.is_loose and scanned.end > end_of_line):
                # The quote is not closed, or only beyond the limit, or by a quote that was meant to open another field;
                # or a single line is too long.
                if end_of_line < 0:
                    unusable.append(Unusable(line, too_long(self._limits)))
                    position, self._skipping = len(data), True
                    break
                unusable.append(Unusable(line, too_long(self._limits) if end_of_line > limit else _UNCLOSED))
                position, line = end_of_line, line + 1
                continue
            fields, end, _ = scanned
            raw = data[position:end]
            if not raw.strip(b"\r\n"):
                position, line = end, line + 1
                continue
            n_lines = len(raw.splitlines())
            row = self._judge(fields, raw)
            if isinstance(row, list):
                rows.append(row)
                lines.append(line)
            else:
                unusable.append(Unusable(line, row))
                if len(fields) != self._layout.n_fields:
                    end, n_lines = end_of_line, 1
            position, line = end, line + n_lines
        values = {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(self._wanted)}
        return self._records(values, lines, unusable), data[position:], line

    def _judge(self, fields: list[bytes], raw: bytes) -> list[str] | str:
        """Return the requested fields, or the reason why they are unavailable."""
        if len(fields) != self._layout.n_fields:
            return _wrong_number(len(fields), self._layout.n_fields)
        if b"\0" in raw:
            return _NUL
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            return bad_encoding(error)
        return [fields[position].decode() for position in self._wanted.values()]

    def _records(self, values: dict[str, pa.Array], lines: Sequence[int] | Ints, unusable: list[Unusable]) -> Records:
        if not len(lines):
            values = {name: pa.array([], pa.string()) for name in self._wanted}
        label = self._columns.label
        values = {name: self._missing.as_null(array, is_label=name == label) for name, array in values.items()}
        return Records(self._source, values, np.asarray(lines, np.int64), self._columns, unusable)


def _wrong_number(found: int, expected: int) -> str:
    return f"wrong number of fields: {found} instead of {expected}"


def _end_of_line(data: bytes, position: int, *, final: bool) -> int:
    """Return the start of the next line, or -1 if this one has not ended yet."""
    feed, carriage = data.find(b"\n", position), data.find(b"\r", position)
    if carriage >= 0 and (feed < 0 or carriage < feed - 1):
        return carriage + 1 if carriage + 1 < len(data) or final else -1
    if feed >= 0:
        return feed + 1
    return len(data) if final else -1


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")

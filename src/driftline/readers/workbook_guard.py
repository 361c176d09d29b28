"""What a spreadsheet would expand to, found without expanding it: a few bytes can declare billions of cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from driftline.readers.archive import Member, open_archive
from driftline.readers.compression import Damaged
from driftline.readers.records import UnreadableFile
from driftline.readers.regular_files import open_regular

OLE = b"\xd0\xcf\x11\xe0"
"""First bytes of spreadsheets of before 2007, and of those that are encrypted."""
MOST_CELLS = 2**25
"""Largest number of cells (33 million) between the first and the last one of a sheet, most of which may be empty."""
MOST_BYTES = 2**31
"""Largest size of all parts together, decompressed."""
_CHUNK = 2**20
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_CELLS = re.compile(rb"""<(?:\w{1,20}:)?c\s[^>]{0,300}?\br\s{0,9}=\s{0,9}["']([A-Za-z]{1,12})""")
_ROWS = re.compile(rb"""<(?:\w{1,20}:)?(?:row|c)\s[^>]{0,300}?\br\s{0,9}=\s{0,9}["'][A-Za-z]{0,12}(\d{1,15})""")
_ANY_CELL = re.compile(rb"<(?:\w{1,20}:)?c[\s/>]")
_ANY_ROW = re.compile(rb"<(?:\w{1,20}:)?row[\s/>]")
_FROM_1904 = re.compile(rb"""date1904\s{0,9}=\s{0,9}["'](?:1|true|on)["']""")


def check_workbook(path: Path, name: str, max_expansion: float) -> bool:
    """Raise `UnreadableFile` for what is damaged or would expand too far; return whether days are counted from 1904."""
    with open_regular(path) as file:
        if file.read(len(OLE)) == OLE:
            raise UnreadableFile(
                f"{name} is encrypted or in the format of before 2007; save it as .xlsx without a password"
            )
    members, unread = open_archive(path, max_expansion=max_expansion)
    if unread:
        raise UnreadableFile(f"{name} is not read: {unread[0].name}: {unread[0].reason}")
    if sum(member.info.file_size for member in members) > MOST_BYTES:
        raise UnreadableFile(
            f"{name} is not read: decompression bomb: its parts come to more than {MOST_BYTES:,} bytes"
        )
    from_1904 = False
    try:
        for member in members:
            inside = member.info.filename
            if _SHEET.fullmatch(inside):
                _check_extent(_sheet_extent(member), name, inside)
            elif inside == "content.xml":
                for extent in _table_extents(member):
                    _check_extent(extent, name, inside)
            else:
                start = b"".join(_chunks(member, keep=inside == "xl/workbook.xml"))
                from_1904 |= _FROM_1904.search(start) is not None
    except (Damaged, expat.ExpatError) as error:
        raise UnreadableFile(f"{name} is damaged: {inside}: {error}") from error
    return from_1904


def _check_extent(extent: tuple[int, int], name: str, inside: str) -> None:
    rows, columns = extent
    if rows * columns > MOST_CELLS:
        raise UnreadableFile(
            f"{name} is not read: {inside} has {rows:,} rows by {columns:,} columns, and at most {MOST_CELLS:,} cells "
            f"are read; save the sheet as CSV"
        )


def _chunks(member: Member, *, keep: bool = True) -> Iterator[bytes]:
    """Yield the bytes of a part to its end, where its checksum is compared; only that if they are not to be kept."""
    with member.open() as file:
        while chunk := file.read(_CHUNK):
            if keep:
                yield chunk


def _sheet_extent(member: Member) -> tuple[int, int]:
    """Return bounds of the rows and columns of a sheet of .xlsx: the last that are named, and those without a name."""
    last_row = last_column = n_rows = width = most_unnamed = 0
    held = b""
    for chunk in _chunks(member):
        held += chunk
        cut = held.rfind(b"<")
        text, held = (held[:cut], held[cut:]) if cut > 0 else (held, b"")
        named = _CELLS.findall(text)
        last_row = max([last_row, *map(int, set(_ROWS.findall(text)))])
        last_column = max([last_column, *map(_column_number, set(named))])
        n_rows += len(_ANY_ROW.findall(text))
        if len(_ANY_CELL.findall(text)) > len(named):
            # Cells without a name stand beside the one before them; a row may go on from the chunk before.
            first, *others = [len(_ANY_CELL.findall(row)) for row in _ANY_ROW.split(text)]
            most_unnamed = max(most_unnamed, width + first, *others)
            width = others[-1] if others else width + first
    return last_row + n_rows, last_column + most_unnamed


def _column_number(letters: bytes) -> int:
    """Return the number of a column: A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _table_extents(member: Member) -> list[tuple[int, int]]:
    """Return the rows and columns of every sheet of .ods, repeated cells and rows counted as often as they repeat."""
    counter = _TableCounter()
    for chunk in _chunks(member):
        counter.parser.Parse(chunk, False)
    counter.parser.Parse(b"", True)
    return counter.extents


class _TableCounter:
    """Counts rows and cells; empty ones count only if something follows them, as readers of spreadsheets do."""

    def __init__(self) -> None:
        self.extents: list[tuple[int, int]] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._refuse
        self._rows = self._empty_rows = self._columns = 0
        self._cells = self._empty_cells = self._row_repeats = self._cell_repeats = 0
        self._is_filled = False

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(" ")[2]
        if local == "table":
            self._rows = self._empty_rows = self._columns = 0
        elif local == "table-row":
            self._cells = self._empty_cells = 0
            self._row_repeats = _repeats(attributes, "number-rows-repeated")
        elif local in ("table-cell", "covered-table-cell"):
            self._cell_repeats = _repeats(attributes, "number-columns-repeated")
            self._is_filled = any(key.rpartition(" ")[2] in ("value-type", "formula") for key in attributes)

    def _text(self, text: str) -> None:
        self._is_filled = True

    def _end(self, name: str) -> None:
        local = name.rpartition(" ")[2]
        if local in ("table-cell", "covered-table-cell"):
            if self._is_filled:
                self._cells += self._empty_cells + self._cell_repeats
                self._empty_cells = 0
            else:
                self._empty_cells += self._cell_repeats
            self._is_filled = False
        elif local == "table-row":
            if self._cells:
                self._rows += self._empty_rows + self._row_repeats
                self._empty_rows = 0
                self._columns = max(self._columns, self._cells)
            else:
                self._empty_rows += self._row_repeats
        elif local == "table":
            self.extents.append((self._rows, self._columns))

    def _refuse(self, *declared: object) -> None:
        raise Damaged("it has a document type definition, which is not read")


def _repeats(attributes: dict[str, str], name: str) -> int:
    written = next((value for key, value in attributes.items() if key.rpartition(" ")[2] == name), "1")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 16 else 2**62

"""The expanded size of a spreadsheet, found without expanding it: a few bytes can declare billions of cells.

calamine allocates memory for the declared cells, and a failed allocation ends the process. All parts are therefore
parsed here first by expat, which accepts only well-formed XML.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from driftline.readers.archive import Member, open_archive
from driftline.readers.compression import Damaged
from driftline.readers.records import UnreadableFile
from driftline.readers.regular_files import open_regular

OLE = b"\xd0\xcf\x11\xe0"
"""First bytes of spreadsheets from before 2007, and of encrypted ones."""
MOST_CELLS = 2**25
"""Largest number of cells (33 million) between the first and the last one of a sheet, most of which may be empty."""
MOST_BYTES = 2**31
"""Largest size of all parts together, decompressed."""
MOST_SPACES = 2**24
"""Largest number of spaces that .ods may abbreviate."""
_CHUNK = 2**20
_XML = (".xml", ".rels", ".vml")
_LARGEST = 2**62


def check_workbook(path: Path, name: str, max_expansion: float) -> bool:
    """Raise `UnreadableFile` for damaged or too large files; return whether days are counted from 1904."""
    status = path.stat()
    state = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return _checked(path, state, name, max_expansion)


@functools.lru_cache(maxsize=16)
def _checked(path: Path, state: tuple[int, ...], name: str, max_expansion: float) -> bool:
    """Check a file once per state: it is opened twice, to find the columns and to read the rows."""
    with open_regular(path) as file:
        if file.read(len(OLE)) == OLE:
            raise UnreadableFile(f"{name} is encrypted or older than .xlsx; save it as .xlsx without a password")
    members, unread = open_archive(path, max_expansion=max_expansion)
    if unread:
        raise UnreadableFile(f"{name} is not read: {unread[0].name}: {unread[0].reason}")
    if any(member.info.filename.lower().endswith("workbook.bin") for member in members):
        raise UnreadableFile(f"{name} is a binary workbook, which is not read; save it as .xlsx")
    if sum(member.info.file_size for member in members) > MOST_BYTES:
        raise UnreadableFile(f"{name} is not read: decompression bomb: it expands to more than {MOST_BYTES:,} bytes")
    from_1904 = False
    for member in members:
        inside = member.info.filename
        try:
            counter = _counted(member)
        except (Damaged, expat.ExpatError) as error:
            raise UnreadableFile(f"{name} is damaged: {inside}: {error}") from error
        rows, columns = counter.extent
        if rows * columns > MOST_CELLS:
            raise UnreadableFile(
                f"{name} is not read: {inside} has {rows:,} rows by {columns:,} columns, and at most {MOST_CELLS:,} "
                f"cells are read; save the sheet as CSV"
            )
        from_1904 |= counter.from_1904
    return from_1904


def _counted(member: Member) -> _Counter:
    """Parse a part to its end, where its checksum is compared; a part with another name must not be a sheet."""
    counter = _Counter(member.info.file_size)
    is_xml = member.info.filename.lower().endswith(_XML)
    last = b""
    for chunk in _chunks(member):
        if is_xml:
            counter.parser.Parse(chunk, False)
        elif b"sheetData" in last + chunk:
            raise Damaged("it is a sheet, but its name is not that of a sheet")
        last = chunk[-16:]
    if is_xml and member.info.file_size:
        counter.parser.Parse(b"", True)
    return counter


def _chunks(member: Member) -> Iterator[bytes]:
    with member.open() as file:
        while chunk := file.read(_CHUNK):
            yield chunk


class _Counter:
    """Counts rows and cells of .xlsx, which have names or follow the previous one, and of .ods, which may be repeated.

    Empty cells and rows of .ods count only if others follow them, as in programs that show spreadsheets.
    """

    def __init__(self, size: int) -> None:
        self.extent = (0, 0)
        """Largest numbers of rows and columns of a sheet."""
        self.from_1904 = False
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._refuse
        self._size = size
        self._row = self._column = self._spaces = 0
        self._rows = self._empty_rows = self._cells = self._empty_cells = self._row_repeats = self._cell_repeats = 0
        self._is_filled = False

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if local == "c":
            self._start_cell(attributes.get("r"))
        elif local == "row":
            self._row = max(_number(attributes["r"]), 1) if "r" in attributes else self._row + 1
            self._column = 0
        elif local == "table-cell" or local == "covered-table-cell":
            self._cell_repeats = _number(attributes.get("table:number-columns-repeated", "1"))
            self._is_filled = "office:value-type" in attributes or "table:formula" in attributes
        elif local == "table-row":
            self._cells = self._empty_cells = 0
            self._row_repeats = _number(attributes.get("table:number-rows-repeated", "1"))
        elif local == "table":
            self._rows = self._empty_rows = 0
        elif local == "s":
            self._spaces += _number(attributes.get("text:c", "1"))
            if self._spaces > MOST_SPACES:
                raise Damaged(f"it abbreviates more than {MOST_SPACES:,} spaces")
        elif local == "workbookPr":
            self.from_1904 = attributes.get("date1904") in ("1", "true", "on")
        for key in ("count", "uniqueCount"):
            if key in attributes and _number(attributes[key]) > self._size:
                raise Damaged(f"it declares {attributes[key][:30]} elements in {self._size:,} bytes")

    def _start_cell(self, named: str | None) -> None:
        if named is None:
            self._column += 1
        else:
            letters = named.rstrip("0123456789")
            self._column = _column_number(letters)
            self._row = _number(named[len(letters) :])
        self._enlarge(self._row, self._column)

    def _enlarge(self, rows: int, columns: int) -> None:
        if rows > self.extent[0] or columns > self.extent[1]:
            self.extent = max(rows, self.extent[0]), max(columns, self.extent[1])

    def _text(self, text: str) -> None:
        self._is_filled = True

    def _end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        if local == "table-cell" or local == "covered-table-cell":
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
                self._enlarge(self._rows, self._cells)
            else:
                self._empty_rows += self._row_repeats

    def _refuse(self, *declared: object) -> None:
        raise Damaged("it has a document type definition, which is not read")


def _column_number(letters: str) -> int:
    """Return the number of a column: A is 1, Z is 26, AA is 27; for anything else, a number above the limit."""
    if not letters.isascii() or not letters.isalpha() or len(letters) > 8:
        return _LARGEST
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number


def _number(written: str) -> int:
    """Return a whole number; for anything else, or too many digits, a number above the limit."""
    written = written.strip()
    return int(written) if written.isascii() and written.isdigit() and len(written) < 18 else _LARGEST

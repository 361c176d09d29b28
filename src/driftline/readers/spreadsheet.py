"""Spreadsheets (.xlsx, .ods): one sheet as a table, through calamine; their expanded size is checked before."""

from __future__ import annotations

import contextlib
import datetime
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import python_calamine

from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.archive import SIGNATURES
from driftline.readers.records import FIRST_RECORDS, Columns, Records, UnreadableFile, Unusable
from driftline.readers.regular_files import open_regular
from driftline.readers.settings import Settings
from driftline.readers.workbook_guard import check_workbook

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook


_SAMPLE = 1000
_HEADER_ROWS = 20
_BETWEEN_EPOCHS = 1462
"""Number of days between the two epochs of spreadsheets, 1900 and 1904."""
_SERIALS_1904 = (24_107.0, 53_327.0)
_EMPTY = "empty row: it lies between rows that are not empty"


def is_workbook(path: Path) -> bool:
    """Return whether a file is an archive with a spreadsheet."""
    try:
        with open_regular(path) as file:
            if not file.read(4).startswith(SIGNATURES):
                return False
            with zipfile.ZipFile(file) as archive:
                names = set(archive.namelist())
                if "xl/workbook.xml" in names or not {"content.xml", "mimetype"} <= names:
                    return "xl/workbook.xml" in names
                with archive.open("mimetype") as kind:
                    return b"spreadsheet" in kind.read(100)
    except (OSError, InvalidInput, zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError):
        return False


def read_spreadsheet(path: Path, settings: Settings, *, name: str) -> Iterator[Records]:
    """Yield the rows of a sheet: the one called `settings.sheet`, otherwise the first with a time and a text.

    The first row with at least two cells, among the first twenty, is the header. For formulas, the last computed values
    are read.
    """
    from_1904 = check_workbook(path, name, settings.max_expansion)
    with _calamine_failures(name), open_regular(path) as file:
        workbook = python_calamine.CalamineWorkbook.from_filelike(file)
        sheets = list(workbook.sheet_names)
    problem: InvalidInput | None = None
    for sheet in _wanted(sheets, settings.sheet, name):
        with _calamine_failures(name):
            table = workbook.get_sheet_by_name(sheet)
        source = f"{name}, sheet {sheet}"
        header_row, header = _header(table)
        try:
            columns = settings.chooser(source)(_sample(table, header_row, header))
        except UnreadableFile:
            raise
        except InvalidInput as error:
            problem = problem or error
            continue
        yield from _rows(table, header_row, header, columns, settings, source, from_1904)
        if settings.sheet is None:
            yield _other_sheets(workbook, sheets[sheets.index(sheet) + 1 :], settings, name)
        return
    if len(sheets) > 1 and settings.sheet is None and problem is not None:
        listed = ", ".join(repr(sheet) for sheet in sheets[:20])
        raise InvalidInput(f"{problem}; no other sheet fits either (sheets: {listed}), choose with sheet=") from problem
    raise problem or UnreadableFile(f"{name} has no sheet")


def _other_sheets(workbook: CalamineWorkbook, sheets: Sequence[str], settings: Settings, name: str) -> Records:
    """Return a record that reports the other sheets with a time and a text."""
    unusable: list[Unusable] = []
    for sheet in sheets:
        try:
            with _calamine_failures(name):
                table = workbook.get_sheet_by_name(sheet)
            settings.chooser(f"{name}, sheet {sheet}")(_sample(table, *_header(table)))
        except AmbiguousInput:
            pass
        except InvalidInput:
            continue
        unusable.append(Unusable(len(unusable), _another(sheet), place=f"sheet {sheet}"))
    return Records(name, {}, np.empty(0, np.int64), None, unusable)


def _another(sheet: str) -> str:
    return f"another sheet: it has dated texts, too; read it with sheet={sheet!r}"


def _wanted(sheets: Sequence[str], wanted: str | None, name: str) -> Sequence[str]:
    """Return the sheet with a name or a number from 1, or all sheets if none is requested."""
    if wanted is None:
        return sheets
    if wanted in sheets:
        return [wanted]
    if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(sheets):
        return [sheets[int(wanted) - 1]]
    listed = ", ".join(repr(sheet) for sheet in sheets[:20])
    raise InvalidInput(f"{name} has no sheet {wanted!r} (its sheets: {listed}); choose with sheet=")


def _numbered_rows(table: CalamineSheet) -> Iterator[tuple[int, list[object]]]:
    """Yield the rows from the first to the last that are not empty, numbered as the program shows them."""
    first = table.start[0] + 1 if table.start is not None else 1
    for number, row in enumerate(table.iter_rows(), start=1):
        if number >= first:
            yield number, [_value(cell) for cell in row]


def _header(table: CalamineSheet) -> tuple[int, list[str]]:
    """Return the number of the header's row, and the name of every column."""
    rows = [(number, row) for number, row in islice(_numbered_rows(table), _HEADER_ROWS) if _is_filled(row)]
    number, row = next(
        (one for one in rows if sum(cell is not None for cell in one[1]) > 1), rows[0] if rows else (0, [])
    )
    names: list[str] = []
    for place, cell in enumerate(row, start=1):
        written = str(cell).strip() if cell is not None else ""
        named = written or f"column {place}"
        names.append(named if named not in names else f"{named} (column {place})")
    return number, names


def _sample(table: CalamineSheet, header_row: int, header: Sequence[str]) -> dict[str, list[object]]:
    rows = [row for number, row in islice(_numbered_rows(table), _SAMPLE) if number > header_row]
    return {column: [row[i] for row in rows if i < len(row)] for i, column in enumerate(header)}


def _rows(
    table: CalamineSheet,
    header_row: int,
    header: list[str],
    columns: Columns,
    settings: Settings,
    source: str,
    from_1904: bool,
) -> Iterator[Records]:
    needed = {column: header.index(column) for column in columns.needed()}
    rows: list[list[object]] = []
    numbers: list[int] = []
    unusable: list[Unusable] = []

    def records() -> Records:
        values = {column: [row[place] for row in rows] for column, place in needed.items()}
        if from_1904:
            values[columns.time] = [_since_1900(value) for value in values[columns.time]]
        return Records(source, values, np.array(numbers, np.int64), columns, unusable, word="row")

    last_filled, most = header_row, min(FIRST_RECORDS, settings.limits.batch_size)
    for number, row in _numbered_rows(table):
        if number <= header_row or not _is_filled(row):
            continue
        rows.append(row)
        numbers.append(number)
        unusable += [Unusable(empty, _EMPTY) for empty in range(last_filled + 1, number)]
        last_filled = number
        if len(rows) + len(unusable) >= most:
            yield records()
            rows, numbers, unusable, most = [], [], [], settings.limits.batch_size
    yield records()


def _is_filled(row: Sequence[object]) -> bool:
    return any(cell is not None for cell in row)


def _value(cell: object) -> object:
    if isinstance(cell, str) and not cell.strip():
        return None
    return str(cell) if isinstance(cell, datetime.time | datetime.timedelta) else cell


def _since_1900(value: object) -> object:
    """Convert a day of a workbook that counts from 1904 to a count from 1900."""
    if isinstance(value, float | int) and _SERIALS_1904[0] <= value < _SERIALS_1904[1]:
        return value + _BETWEEN_EPOCHS
    return value


@contextlib.contextmanager
def _calamine_failures(name: str) -> Iterator[None]:
    try:
        yield
    except (python_calamine.CalamineError, OSError, ValueError, OverflowError) as error:
        raise UnreadableFile(f"{name} cannot be read as a spreadsheet: {error}; is it complete?") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise UnreadableFile(f"{name} cannot be read as a spreadsheet: it is damaged") from error

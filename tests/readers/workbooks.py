"""Small spreadsheets, as a program would write them, and as only an attacker would."""

from __future__ import annotations

import datetime
import io
import zipfile
from typing import Any
from xml.sax.saxutils import escape

_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>'
)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22" applyNumberFormat="1"/>'
    "</cellXfs></styleSheet>"
)


class Formula:
    """A cell with a formula and its computed value."""

    def __init__(self, formula: str, value: str) -> None:
        self.formula, self.value = formula, value


def column_letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def zipped(files: dict[str, str | bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return sink.getvalue()


def xlsx(sheets: dict[str, list[list[Any]]], *, from_1904: bool = False, raw: dict[str, str] | None = None) -> bytes:
    """Return a workbook; dates become days with a date's format, None an empty cell, `raw` replaces whole parts."""
    start = datetime.datetime(1904, 1, 1) if from_1904 else datetime.datetime(1899, 12, 30)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, start=1)
    )
    links = "".join(
        f'<Relationship Id="r{i}" Type="{_LINKS}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    links += f'<Relationship Id="s" Type="{_LINKS}/styles" Target="styles.xml"/>'
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="a" Type="{_LINKS}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><workbookPr date1904="{int(from_1904)}"/>'
        f"<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}">{links}</Relationships>',
        "xl/styles.xml": _STYLES,
    }
    for i, rows in enumerate(sheets.values(), start=1):
        body = "".join(
            f'<row r="{r}">'
            + "".join(_cell(value, f"{column_letters(c)}{r}", start) for c, value in enumerate(row, 1))
            + "</row>"
            for r, row in enumerate(rows, start=1)
        )
        files[f"xl/worksheets/sheet{i}.xml"] = f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'
    return zipped({**files, **(raw or {})})


def sheet_of(body: str) -> str:
    """Return a sheet of .xlsx with the given rows, as XML."""
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'


def _cell(value: Any, name: str, start: datetime.datetime) -> str:
    if value is None:
        return ""
    if isinstance(value, Formula):
        return f'<c r="{name}" t="str"><f>{escape(value.formula)}</f><v>{escape(value.value)}</v></c>'
    if isinstance(value, datetime.datetime):
        return f'<c r="{name}" s="1"><v>{(value - start) / datetime.timedelta(days=1)!r}</v></c>'
    if isinstance(value, datetime.time):
        days = datetime.timedelta(hours=value.hour, minutes=value.minute, seconds=value.second) / datetime.timedelta(1)
        return f'<c r="{name}" s="1"><v>{days!r}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{name}"><v>{value!r}</v></c>'
    return f'<c r="{name}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


_ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
)


def ods(sheets: dict[str, list[list[Any]]], *, more: str = "") -> bytes:
    """Return a workbook of OpenDocument; `more` are rows as XML, at the end of every sheet."""
    tables = "".join(
        f'<table:table table:name="{escape(name)}">'
        + "".join("<table:table-row>" + "".join(map(_ods_cell, row)) + "</table:table-row>" for row in rows)
        + more
        + "</table:table>"
        for name, rows in sheets.items()
    )
    content = f"{_ODS}{tables}</office:spreadsheet></office:body></office:document-content>"
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": content,
            "META-INF/manifest.xml": "<manifest/>",
        }
    )


def _ods_cell(value: Any) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, datetime.datetime):
        return f'<table:table-cell office:value-type="date" office:date-value="{value.isoformat()}"/>'
    if isinstance(value, int | float):
        return f'<table:table-cell office:value-type="float" office:value="{value!r}"/>'
    return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'

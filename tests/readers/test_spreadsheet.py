import datetime

import pytest

from driftline import read
from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers import workbook_guard
from driftline.readers.spreadsheet import is_workbook
from tests.readers.workbooks import Formula, ods, sheet_of, xlsx, zipped

NOON = datetime.datetime(2003, 3, 20, 12, 30)
ROWS = [
    ["Date Posted", "Feedback", "Topic"],
    [NOON, "war begins", "w"],
    [datetime.datetime(2003, 3, 21), "peace", None],
]
WRITERS = {"xlsx": xlsx, "ods": ods}


def written(folder, data, name="a.xlsx"):
    (folder / name).write_bytes(data)
    return folder / name


@pytest.mark.parametrize("kind", WRITERS)
def test_a_sheet_is_a_table(kind, tmp_path):
    stream = read(written(tmp_path, WRITERS[kind]({"Sheet 1": ROWS}), f"a.{kind}"))
    assert stream.columns == {"time": "Date Posted", "text": "Feedback", "label": "Topic"}
    assert [(document.time.replace(tzinfo=None), document.text, document.label) for document in stream] == [
        (NOON, "war begins", "w"),
        (datetime.datetime(2003, 3, 21), "peace", None),
    ]


@pytest.mark.parametrize("kind", WRITERS)
def test_empty_rows_are_counted_and_keep_the_numbers_right(kind, tmp_path):
    rows = [
        ["A title above the table"],
        [None],
        ["date", "text"],
        ["2003-03-20", "war"],
        [None, None],
        ["2003-03-22", "peace"],
    ]
    stream = read(written(tmp_path, WRITERS[kind]({"s": rows}), f"a.{kind}"))
    assert [document.id for document in stream] == ["4", "6"]
    (rejection,) = stream.rejections.examples
    assert (rejection.source, rejection.place) == (f"a.{kind}, sheet s", "row 5")
    assert dict(stream.rejections.reasons) == {"empty row": 1}
    assert stream.n_present == 3


@pytest.mark.parametrize("from_1904", [False, True])
@pytest.mark.parametrize("formatted", [False, True])
def test_days_are_counted_from_1900_or_1904(from_1904, formatted, tmp_path):
    day = NOON if formatted else (NOON - datetime.datetime(1904 if from_1904 else 1900, 1, 1)).total_seconds() / 86400
    day = day if formatted or from_1904 else day + 2
    data = xlsx({"s": [["when", "text"], [day, "war"]]}, from_1904=from_1904)
    (document,) = read(written(tmp_path, data))
    assert document.time.replace(tzinfo=None) == NOON


def test_formulas_have_the_value_that_was_computed(tmp_path):
    data = xlsx({"s": [["date", "text"], ["2003-03-20", Formula('CONCAT("w", "ar")', "war")]]})
    assert [document.text for document in read(written(tmp_path, data))] == ["war"]


def test_the_first_sheet_with_a_time_and_a_text_is_read(tmp_path):
    other = [["date", "text"], ["2004-01-01", "other"]]
    path = written(tmp_path, xlsx({"About": [["a note"]], "Data": ROWS, "Other": other}))
    stream = read(path)
    assert [document.text for document in stream] == ["war begins", "peace"]
    (rejection,) = [each for each in stream.rejections.examples if each.reason.startswith("another sheet")]
    assert rejection.place == "sheet Other"
    assert "sheet='Other'" in rejection.reason
    for sheet in ("Other", 3, "3"):
        stream = read(path, sheet=sheet)
        assert [document.text for document in stream] == ["other"]
        assert not stream.rejections.reasons
    with pytest.raises(
        InvalidInput, match=r"no sheet 'Dta' \(its sheets: 'About', 'Data', 'Other'\); choose with sheet="
    ):
        read(path, sheet="Dta")
    with pytest.raises(InvalidInput, match=r"no column of a.xlsx, sheet About looks like a time"):
        read(path, sheet="About")


def test_no_sheet_fits(tmp_path):
    with pytest.raises(InvalidInput, match=r"no other sheet fits either \(sheets: 'a', 'b'\), choose with sheet="):
        read(written(tmp_path, xlsx({"a": [["x", "y"]], "b": []})))
    with pytest.raises(AmbiguousInput, match="title' or 'subject'"):
        read(written(tmp_path, xlsx({"a": [["date", "title", "subject"], ["2003", "a", "b"]]})))


def test_equal_names_of_columns_are_told_apart(tmp_path):
    data = xlsx({"s": [["date", "text", "text", None], ["2003-03-20", "war", "peace", "more"]]})
    assert [document.text for document in read(written(tmp_path, data))] == ["war"]
    assert [document.text for document in read(tmp_path / "a.xlsx", text="text (column 3)")] == ["peace"]
    assert [document.text for document in read(tmp_path / "a.xlsx", text="column 4")] == ["more"]


def test_it_is_recognised_by_its_content(tmp_path):
    assert len(list(read(written(tmp_path, xlsx({"s": ROWS}), "download")))) == 2
    assert len(list(read(written(tmp_path, xlsx({"s": ROWS}), "a.zip")))) == 2
    assert is_workbook(tmp_path / "download")
    assert not is_workbook(written(tmp_path, b"PK\x03\x04", "broken"))
    letter = zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<x/>"})
    assert not is_workbook(written(tmp_path, letter, "letter"))


HUGE = {
    "named cells far apart": sheet_of(
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    ),
    "a row far down": sheet_of('<row r="1"><c r="ZZZ1"><v>1</v></c></row><row r="4000000000"><c><v>1</v></c></row>'),
    "many attributes": sheet_of(f'<row><c a="{"x" * 999}" b=">" r="XFD900000"><v>1</v></c></row>'),
    "no numbers": sheet_of('<row><c r="A1"><v>1</v></c></row><row r="9e9"><c><v>1</v></c></row>'),
    "quotes and spaces": sheet_of(
        "<row r = '900000'><c  s='1' r = 'XFD900000'><v>1</v></c></row><row r='1'><c r='A1'><v>1</v></c></row>"
    ),
}


@pytest.mark.parametrize("how", HUGE)
def test_a_sheet_that_would_fill_memory_is_refused(how, tmp_path):
    data = xlsx({"s": []}, raw={"xl/worksheets/sheet1.xml": HUGE[how]})
    with pytest.raises(
        InvalidInput, match=r"a.xlsx is not read: .*sheet1.xml has .* at most 33,554,432 cells are read"
    ):
        read(written(tmp_path, data))


DECLARED = {
    "xl/sharedStrings.xml": '<sst uniqueCount="4000000000"><si><t>a</t></si></sst>',
    "xl/styles.xml": '<styleSheet><cellXfs count="4000000000"/></styleSheet>',
    "xl/other.xml": "not XML",
    "xl/picture.png": "\x89PNG<worksheet><sheetData><row r='4000000000'/></sheetData>",
    "xl/workbook.bin": "",
}


@pytest.mark.parametrize("part", DECLARED)
def test_parts_that_declare_more_than_they_hold_are_refused(part, tmp_path):
    data = xlsx({"s": ROWS}, raw={part: DECLARED[part]})
    with pytest.raises(InvalidInput, match=rf"a\.xlsx is (damaged: {part}|a binary workbook)"):
        read(written(tmp_path, data))


def test_a_sheet_may_have_any_name(tmp_path):
    names = {"xl/elsewhere.xml": HUGE["named cells far apart"]}
    with pytest.raises(InvalidInput, match=r"xl/elsewhere\.xml has 1,048,576 rows by 16,384 columns"):
        read(written(tmp_path, xlsx({"s": ROWS}, raw=names)))


def test_cells_without_names_are_counted_by_row(tmp_path, monkeypatch):
    rows = "<row>" + "<c><v>1</v></c>" * 100 + "</row>"
    monkeypatch.setattr(workbook_guard, "MOST_CELLS", 100 * 100)
    monkeypatch.setattr(workbook_guard, "_CHUNK", 64)
    for n_rows, refused in ((100, False), (101, True)):
        data = xlsx({"s": []}, raw={"xl/worksheets/sheet1.xml": sheet_of(rows * n_rows)})
        with pytest.raises(InvalidInput, match="at most" if refused else "looks like a time"):
            read(written(tmp_path, data))


REPEATED = (
    '<table:table-row table:number-rows-repeated="{}"><table:table-cell table:number-columns-repeated="{}"{}/>'
    "</table:table-row>"
)


def test_repeated_cells_are_counted_if_they_are_filled(tmp_path):
    empty = REPEATED.format(1_048_000, 16_384, "")
    assert len(list(read(written(tmp_path, ods({"s": ROWS}, more=empty), "a.ods")))) == 2
    for filled in (' office:value-type="float" office:value="1"', ' table:formula="of:=1"'):
        with pytest.raises(InvalidInput, match=r"content.xml has 1,048,003 rows by 16,384 columns"):
            read(written(tmp_path, ods({"s": ROWS}, more=REPEATED.format(1_048_000, 16_384, filled)), "b.ods"))
    with pytest.raises(InvalidInput, match="at most"):
        read(written(tmp_path, ods({"s": ROWS}, more=REPEATED.format(1, "9" * 400, filled)), "b.ods"))
    spaces = '<table:table-row><table:table-cell office:value-type="string"><text:p>a<text:s text:c="{}"/>b</text:p>'
    spaces += "</table:table-cell></table:table-row>"
    assert len(list(read(written(tmp_path, ods({"s": ROWS}, more=spaces.format(3)), "c.ods")))) == 2
    with pytest.raises(InvalidInput, match="it abbreviates more than 16,777,216 spaces"):
        read(written(tmp_path, ods({"s": ROWS}, more=spaces.format(10**9)), "c.ods"))


def test_damaged_and_foreign_files(tmp_path):
    whole = xlsx({"s": ROWS})
    for data in (whole[:-30], whole[: len(whole) // 2], b"", b"PK\x03\x04"):
        with pytest.raises(InvalidInput, match=r"a\.xlsx"):
            read(written(tmp_path, data))
    with pytest.raises(InvalidInput, match=r"encrypted or older than \.xlsx; save it as \.xlsx without"):
        read(written(tmp_path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600))
    evil = zipped({"mimetype": "spreadsheet", "content.xml": '<!DOCTYPE x [<!ENTITY a "b">]><x/>'})
    with pytest.raises(InvalidInput, match="document type definition, which is not read"):
        read(written(tmp_path, evil, "a.ods"))


def test_damage_within_a_part_is_found_before_it_is_parsed(tmp_path):
    data = bytearray(xlsx({"s": ROWS * 50}))
    place = data.index(b"xl/worksheets/sheet1.xml") + 100
    data[place : place + 8] = b"\xff" * 8
    with pytest.raises(InvalidInput, match=r"a.xlsx is damaged: xl/worksheets/sheet1.xml: damaged compression"):
        read(written(tmp_path, bytes(data)))

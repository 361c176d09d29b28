import datetime
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import driftline
from driftline.core.errors import InvalidInput
from tests.readers.workbooks import xlsx

ROWS = ["a first text", "a second text"]


def times(source, **options):
    stream = driftline.read(source, **options)
    return [document.time.strftime("%Y-%m-%dT%H:%M:%S") for document in stream], stream


@pytest.mark.parametrize(
    ("header", "first", "second"),
    [
        ("Date,Time", "2003-04-05,10:11:12", "2003-04-06,"),
        ("Datum;Uhrzeit", "05.04.2003;10:11:12 Uhr", "06.04.2003;"),
        ("date;hora", "05/04/2003;10:11:12", "17/04/2003;0:00"),
        ("date,heure", "5 April 2003,10h11:12", "6 April 2003,0h00"),
        ("Date\tTime", "4/5/2003\t10:11:12 AM", "4/17/2003\t12:00 AM"),
        ("year,month,day,time", "2003,4,5,10:11:12", "2003,April,6,00:00"),
        ("date,start_time,end_time", "20030405,10:11:12,23:59", "20030406,00:00,23:59"),
    ],
)
def test_a_date_and_a_time_of_day_are_joined(tmp_path, header, first, second):
    by = next(mark for mark in ";,\t" if mark in header)
    path = tmp_path / "a.csv"
    path.write_text("\n".join(f"{line}{by}{text}" for line, text in zip((header, first, second), ("text", *ROWS))))
    found, stream = times(path)
    assert found[0] == "2003-04-05T10:11:12"
    assert found[1].endswith("T00:00:00"), "a missing time of day is midnight"
    assert stream.rejections.count == 0
    assert stream.columns["time"].count("+") >= 1


@pytest.mark.parametrize("hour", ["hour", "HH"])
def test_year_month_day_and_hour_are_joined(tmp_path, hour):
    path = tmp_path / "a.jsonl"
    rows = [{"year": 2003, "month": 4, "day": 5, hour: 9, "text": "x y"}, {"year": 2003, "month": 4, "text": "x y"}]
    path.write_text("\n".join(map(json.dumps, rows)))
    found, stream = times(path)
    assert found == ["2003-04-05T09:00:00"]
    assert stream.rejections.examples[0].reason == "no time"


def test_year_and_month_are_joined():
    frame = pd.DataFrame({"Jahr": [2003, 2003], "Monat": ["März", "Juni"], "text": ROWS})
    assert times(frame)[0] == ["2003-03-01T00:00:00", "2003-06-01T00:00:00"]


def test_columns_of_other_meaning_are_not_joined():
    frame = {"date": ["2003-04-05", "2003-04-06"], "running_time": ["90", "120"], "text": ROWS}
    assert times(pd.DataFrame(frame))[1].columns["time"] == "date"
    frame = {"date": ["2003-04-05", "2003-04-06"], "prep_time": ["01:30", "02:30"], "text": ROWS}
    assert times(pd.DataFrame(frame))[1].columns["time"] == "date"
    frame = {"sent_date": ["2003-04-05", "2003-04-06"], "sent_time": ["01:30", "02:30"], "text": ROWS}
    assert times(pd.DataFrame(frame))[1].columns["time"] == "sent_date+sent_time"
    frame = {"date": ["2003-04-05 08:00", "2003-04-06 00:00"], "prep_time": ["01:30", "02:30"], "text": ROWS}
    assert times(pd.DataFrame(frame))[1].columns["time"] == "date", "a time of day is already there"
    frame = {"year": [2003, 2004], "month": ["income", "none"], "text": ROWS}
    assert times(pd.DataFrame(frame))[1].columns["time"] == "year"
    frame = {"date": ["2003-04-05", "2003-04-06"], "start_time": ["10:11", "9:00"], "local_time": ["1:11", "9:00"]}
    assert times(pd.DataFrame(frame | {"text": ROWS}))[1].columns["time"] == "date", "of two none is chosen"


def test_the_columns_can_be_named():
    frame = pd.DataFrame({"d": ["2003-04-05"], "t": ["10:11"], "y": [2003], "m": [4], "n": [5], "text": ["x y"]})
    for chosen in ("d,t", "d+t", ["d", "t"], "y,m,n,t"):
        assert times(frame, time=chosen)[0] == ["2003-04-05T10:11:00"]
    assert times(frame, time="d")[0] == ["2003-04-05T00:00:00"]
    with pytest.raises(InvalidInput, match="one column, or a date and a time of day, or the year, the month and"):
        driftline.read(frame, time="d,m,n,y,t")
    with pytest.raises(InvalidInput, match="no column 'q'"):
        driftline.read(frame, time="d,q")


def test_a_time_zone_applies_to_the_joined_time(tmp_path):
    rows = [("2003-07-01", "00:30"), ("2003-07-01", "00:30Z"), ("2003-07-01", "00:30+05:30")]
    frame = pd.DataFrame([{"date": date, "time": clock, "text": "x y"} for date, clock in rows])
    expected = ["2003-06-30T22:30:00", "2003-07-01T00:30:00", "2003-06-30T19:00:00"]
    assert times(frame, timezone="Europe/Berlin")[0] == expected


def test_parts_that_are_no_time_are_rejected_and_shown():
    rows = [("2003-04-05", "10:11"), ("2003-04-05", "25:00"), ("2003-04-05", "soon"), ("soon", "10:11")]
    rows += [("2003-04-05", f"{hour}:00") for hour in range(20)]
    frame = pd.DataFrame([{"date": date, "time": clock, "text": "x y"} for date, clock in rows])
    found, stream = times(frame)
    assert len(found) == 21
    assert [each.reason for each in stream.rejections.examples] == [
        "unreadable time: '2003-04-05 25:00'",
        "unreadable time: '2003-04-05 soon'",
        "unreadable time: 'soon 10:11'",
    ]
    frame = pd.DataFrame({"year": [2003, 2003], "month": [2, 2], "day": [28, 30], "text": ROWS})
    found, stream = times(frame)
    assert found == ["2003-02-28T00:00:00"]
    assert stream.rejections.examples[0].reason == "unreadable time: '2003 2 30'"


def test_days_at_the_ends_of_the_calendar_are_rejected_rather_than_wrapped():
    frame = pd.DataFrame({"date": ["0001-01-01", "9999-12-31"], "time": ["00:30+01:00", "23:30-01:00"], "text": ROWS})
    found, stream = times(frame)
    assert not found
    assert stream.rejections.count == 2


def test_typed_columns_are_joined(tmp_path):
    clocks = [datetime.time(10, 11, 12, 5), None]
    for kind in (pa.time32("s"), pa.time64("us"), pa.time64("ns")):
        table = pa.table(
            {
                "date": pa.array([datetime.date(2003, 4, 5)] * 2, pa.date32()),
                "time": pa.array(clocks if "64" in str(kind) else [datetime.time(10, 11, 12), None], kind),
                "text": ROWS,
            }
        )
        pq.write_table(table, tmp_path / "a.parquet")
        assert times(tmp_path / "a.parquet")[0] == ["2003-04-05T10:11:12", "2003-04-05T00:00:00"]


def test_cells_of_a_spreadsheet_are_joined(tmp_path):
    cells = [["Date", "Time", "Text"], [datetime.datetime(2003, 4, 5), datetime.time(10, 11, 12), "x y"]]
    (tmp_path / "a.xlsx").write_bytes(xlsx({"one": cells}))
    assert times(tmp_path / "a.xlsx")[0] == ["2003-04-05T10:11:12"]

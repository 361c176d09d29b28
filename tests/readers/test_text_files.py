import datetime
import gzip
import os

import pytest

from driftline import read
from driftline.core.errors import InvalidInput
from driftline.readers.text_files import time_in_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2003-04-05.txt", "2003-04-05"),
        ("20030405.txt", "2003-04-05"),
        ("2003_04_05-war.txt", "2003-04-05"),
        ("report 2003.04.05 final.md", "2003-04-05"),
        ("2003-04.txt", "2003-04"),
        ("sotu-1790.txt", "1790"),
        ("Washington-1790-2.txt", "1790"),
        ("log_20030405T153012.txt", "2003-04-05T15:30:12"),
        ("log-2003-04-05-15-30.txt", "2003-04-05T15:30:00"),
        ("2003/04/05.txt", "2003-04-05"),
        ("2003/war/a.txt", "2003"),
        ("1999/2003-04-05.txt", "2003-04-05"),
        ("20031345.txt", None),
        ("2003-02-30.txt", "2003-02"),
        ("49960", None),
        ("123456789.txt", None),
        ("a3000.txt", None),
        ("notes.txt", None),
    ],
)
def test_dates_in_names(name, expected):
    assert time_in_name(name) == expected


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_txt", ".txt")
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_times_from_names(tmp_path):
    write(tmp_path, **{"war__2003-03-20_txt": "war", "peace__2004_txt": "peace", "undated_txt": "x"})
    stream = read(tmp_path, label="folder")
    assert stream.columns["time"] == "the file's name"
    assert [(document.id, document.time.year, document.text, document.label) for document in stream] == [
        ("peace/2004.txt", 2004, "peace", "peace"),
        ("war/2003-03-20.txt", 2003, "war", "war"),
    ]
    assert [(r.place, r.reason) for r in stream.rejections.examples] == [("file undated.txt", "no time")]
    assert stream.n_present == 3


def test_times_from_headers(tmp_path):
    header = "From: a\nDate: Thu, 20 Mar 2003 03:34:00 +0100\n\n"
    write(tmp_path, a_txt=header + "war", b_txt=header + "peace", c_txt="no header")
    stream = read(tmp_path)
    assert stream.columns["time"] == "the file's header"
    assert [document.time.hour for document in stream] == [2, 2]
    assert stream.rejections.reasons == {"no time": 1}


def test_a_date_far_down_is_no_header(tmp_path):
    write(tmp_path, a_txt="line\n" * 20 + "Date: 2003-03-20\n")
    assert read(tmp_path).columns["time"] == "the file's mtime"


def test_times_from_the_file_system(tmp_path):
    write(tmp_path, a_txt="war")
    os.utime(tmp_path / "a.txt", (0, 1048127640))
    (document,) = read(tmp_path)
    assert document.time == datetime.datetime(2003, 3, 20, 2, 34, tzinfo=datetime.UTC)


def test_the_rule_can_be_chosen(tmp_path):
    write(tmp_path, **{"2003_txt": "Date: 2004-05-06\n\nx"})
    os.utime(tmp_path / "2003.txt", (0, 0))
    years = {
        rule: [d.time.year for d in read(tmp_path, file_time=rule)] for rule in ("auto", "name", "header", "mtime")
    }
    assert years == {"auto": [2003], "name": [2003], "header": [2004], "mtime": [1970]}
    with pytest.raises(InvalidInput, match="file_time must be one of auto, name, header, mtime"):
        read(tmp_path, file_time="birth")


def test_files_that_are_no_text_are_reported(tmp_path):
    write(
        tmp_path,
        **{
            "2001_txt": b"\xff\xfe\xff",
            "2002_txt": b"zero \0 byte",
            "2003_txt": "x" * 200,
            "2004_txt": b"caf\xe9",
            "2005_txt": gzip.compress(b"cut off")[:-9],
            "2006_txt": b"7z\xbc\xaf packed",
            "2007_txt": "good",
            "2008_txt": "",
        },
    )
    stream = read(tmp_path, max_record_bytes=100)
    assert [document.text for document in stream] == ["good", ""]
    assert stream.rejections.reasons == {
        "bad encoding": 2,
        "NUL byte": 1,
        "too long": 1,
        "truncated": 1,
        "not text": 1,
    }
    assert stream.n_present == 8


def test_encodings_and_packings(tmp_path):
    write(tmp_path, **{"2003_txt": "café".encode("latin-1"), "2004_txt.gz": gzip.compress("thé".encode("latin-1"))})
    assert [document.text for document in read(tmp_path, encoding="latin-1")] == ["café", "thé"]


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    folder = tmp_path / "folder"
    write(tmp_path, **{"secret_2003_txt": "secret", "folder__2003_txt": "own", "outside__2004_txt": "x"})
    (tmp_path / "secret_2003.txt").write_text("secret")
    (folder / "2004.txt").symlink_to(tmp_path / "secret_2003.txt")
    (folder / "2005").symlink_to(tmp_path / "outside")
    stream = read(folder)
    assert [document.text for document in stream] == ["own"]
    assert stream.rejections.reasons == {"outside the folder": 2}


def test_one_file_is_one_document(tmp_path):
    write(tmp_path, **{"2003-03-20_txt": "a, b\nc, d"})
    (document,) = read(tmp_path / "2003-03-20.txt")
    assert document[:3] == ("2003-03-20.txt", datetime.datetime(2003, 3, 20, tzinfo=datetime.UTC), "a, b\nc, d")
    assert document[3:] == (None, None, None, None)


def test_many_files_come_in_batches(tmp_path):
    write(tmp_path, **{f"2003-01-{day:02}_txt": "x" for day in range(1, 11)})
    assert [len(batch) for batch in read(tmp_path, batch_size=4).batches()] == [4, 4, 2]

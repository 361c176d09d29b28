import io
import stat
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from driftline import read
from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers import archive
from driftline.readers.archive import open_archive

TABLE = "time,text\n2003,war\n2004,peace\n"


def zipped(path, files, packing=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", packing) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return path


def texts(source, **options):
    stream = read(source, **options)
    return [document.text for document in stream], dict(stream.rejections.reasons)


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_are_read_like_files_of_a_folder(packing, tmp_path):
    sink = io.BytesIO()
    pq.write_table(pa.table({"time": ["2005"], "text": ["from parquet"]}), sink)
    files = {"a.csv": TABLE, "deep/er/b.jsonl": '{"time": 2006, "text": "line"}\n', "deep/c.parquet": sink.getvalue()}
    stream = read(zipped(tmp_path / "a.zip", files, packing))
    documents = {document.id: document.text for document in stream}
    assert documents == {
        "a.csv:2": "war",
        "a.csv:3": "peace",
        "deep/c.parquet:1": "from parquet",
        "deep/er/b.jsonl:1": "line",
    }
    assert stream.n_present == 4
    assert len(list(stream)) == 4  # a second pass reads the same


def test_texts_have_their_times_in_their_names_or_the_archive(tmp_path):
    files = {"2003-03-20.txt": "war", "2003/04-05.txt": "peace", ".hidden": "x", "__MACOSX/2003.txt": "x", "empty/": ""}
    documents = list(read(zipped(tmp_path / "a.zip", files)))
    assert [(document.id, document.time.month) for document in documents] == [
        ("2003-03-20.txt", 3),
        ("2003/04-05.txt", 4),
    ]
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as target:
        target.writestr(zipfile.ZipInfo("speech.txt", (2003, 3, 20, 3, 34, 0)), "war")
    (document,) = read(tmp_path / "b.zip", file_time="mtime")
    assert document.time.isoformat() == "2003-03-20T03:34:00+00:00"


def test_one_member_is_recognised_by_its_content(tmp_path):
    assert texts(zipped(tmp_path / "a.zip", {"dump": TABLE})) == (["war", "peace"], {})
    assert texts(zipped(tmp_path / "noname", {"dump": TABLE})) == (["war", "peace"], {})
    with pytest.raises(InvalidInput, match=r"letter\.docx is compressed with zip; decompress it first"):
        read(zipped(tmp_path / "letter.docx", {"word/document.xml": "<x/>"}))


def test_archives_in_a_folder_and_in_a_list(tmp_path):
    zipped(tmp_path / "one.zip", {"a.csv": TABLE})
    zipped(tmp_path / "two.zip", {"a.csv": TABLE})
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04")
    (tmp_path / "c.csv").write_text(TABLE)
    stream = read(tmp_path)
    ids = [document.id for document in stream]
    assert ids == [f"{name}:{row}" for name in ("c.csv", "one.zip/a.csv", "two.zip/a.csv") for row in (2, 3)]
    assert dict(stream.rejections.reasons) == {"unreadable file": 1}
    assert len(list(read([tmp_path / "one.zip", tmp_path / "c.csv"]))) == 4


def test_several_kinds_are_ambiguous_until_a_format_is_named(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.csv": TABLE, "speech.txt": "about"})
    with pytest.raises(
        AmbiguousInput, match=r"the archive .*a\.zip' contains files of several kinds \(1 csv, 1 text\)"
    ):
        read(path)
    assert texts(path, format="csv") == (["war", "peace"], {})


def test_a_description_beside_tables_is_set_aside_and_reported(tmp_path):
    path = zipped(tmp_path / "a.zip", {"data/a.csv": TABLE, "README.txt": "about", "data/LICENSE": "MIT"})
    found, rejected = texts(path)
    assert found == ["war", "peace"]
    assert rejected == {"not data": 2}


def test_hostile_names_and_links_are_rejections(tmp_path):
    link = zipfile.ZipInfo("link.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    names = ["/etc/a.csv", "../a.csv", "x/../../a.csv", "C:/a.csv", "..\\a.csv", "\\a.csv"]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as target:
        for name in names:
            target.writestr(zipfile.ZipInfo(name), TABLE)
        target.writestr(link, "/etc/passwd")
        target.writestr("good.csv", TABLE)
        with pytest.warns(UserWarning, match="Duplicate name"):
            target.writestr("good.csv", TABLE)
    assert texts(tmp_path / "a.zip") == (["war", "peace"], {"unsafe name": len(names) + 1, "outside the folder": 1})


def test_encrypted_members_are_rejections(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.csv": TABLE, "b.csv": TABLE})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the flag in the directory
    path.write_bytes(bytes(data))
    assert texts(path) == (["war", "peace"], {"encrypted": 1})


@pytest.mark.parametrize("together", [False, True])
def test_bombs_are_rejections(together, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "EXPANSION_FLOOR", 2**20)
    size = 600_000 if together else 2_000_000
    bomb = b"time,text\n2003," + b"a" * size + b"\n"
    path = zipped(tmp_path / "a.zip", {"a.csv": TABLE, "b.csv": bomb, "c.csv": bomb, "d.csv": TABLE})
    found, reasons = texts(path, max_record_bytes=2**22, max_expansion=100)
    assert reasons == {"decompression bomb": 1 if together else 2}
    assert len(found) == (5 if together else 4)
    assert len(texts(path, max_expansion=10_000)[0]) == 6


def test_a_member_that_lies_about_its_size_is_cut_and_damaged(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.csv": TABLE + "2005,long\n" * 5000, "b.csv": TABLE})
    data = bytearray(path.read_bytes())
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (100).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    found, reasons = texts(path)
    assert reasons == {"damaged compression": 1}
    assert len(found) < 20


def test_damage_is_a_rejection_and_what_comes_before_is_kept(tmp_path):
    lines = "".join(f'{{"time": "2003-01-01", "text": "text {i} {i * 7919 % 10007}"}}\n' for i in range(60_000))
    path = zipped(tmp_path / "a.zip", {"a.jsonl": lines, "b.jsonl": lines[:1000]})
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 500] = b"\xff" * 500
    path.write_bytes(bytes(data))
    found, reasons = texts(path)
    assert reasons["damaged compression"] == 1
    assert 1000 < len(found) < 59_000


def test_damaged_members_that_are_not_read_forwards(tmp_path):
    sink = io.BytesIO()
    pq.write_table(pa.table({"time": ["2005"] * 99, "text": [str(i) for i in range(99)]}), sink)
    path = zipped(tmp_path / "a.zip", {"a.parquet": sink.getvalue(), "b.csv": TABLE})
    data = bytearray(path.read_bytes())
    data[100:200] = b"\xff" * 100
    path.write_bytes(bytes(data))
    assert texts(path) == (["war", "peace"], {"unreadable file": 1})


def test_archives_that_cannot_be_read(tmp_path):
    for content in (b"PK\x03\x04 broken", zipped(tmp_path / "x", {}).read_bytes()):
        (tmp_path / "a.zip").write_bytes(content)
        with pytest.raises(InvalidInput, match=r"a\.zip"):
            read(tmp_path / "a.zip")
    nested = zipped(tmp_path / "nested.zip", {"a.zip": b"PK\x03\x04", "b.csv": TABLE}, zipfile.ZIP_STORED)
    assert texts(nested, format="csv")[0] == ["war", "peace"]


def test_the_order_does_not_depend_on_the_archive(tmp_path):
    found = open_archive(zipped(tmp_path / "a.zip", {"b": "", "a": "", "c/d": ""}))
    assert [str(member.path) for member in found.members] == ["a", "b", "c/d"]


def test_a_member_without_a_valid_date_has_no_time(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as target:
        target.writestr(zipfile.ZipInfo("one.txt", (1980, 1, 1, 0, 0, 0)), "war")
        target.writestr(zipfile.ZipInfo("two.txt", (2003, 3, 20, 3, 34, 0)), "peace")
    # Some programs write zeros for the month and the day.
    zero = path.read_bytes().replace(b"\x00\x00\x21\x00", b"\x00\x00\x00\x00")
    path.write_bytes(zero)
    assert [member.changed is None for member in open_archive(path).members] == [True, False]
    assert texts(path, file_time="mtime") == (["peace"], {"no time": 1})

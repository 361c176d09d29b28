"""Text in every accepted encoding is read as it was written, for any bytes; other encodings are refused by name."""

from __future__ import annotations

import encodings.aliases
import io

import numpy as np
import pytest

import driftline
from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.encodings import NOT_READ, check_encoding, suggested_encoding, unmarked_encoding

LINES = "\n".join(f'{{"time": "2003-03-{1 + i:02d}", "text": "word number {i}"}}' for i in range(20))
ALL = sorted({*encodings.aliases.aliases.values(), *NOT_READ, "hex", "rot13", "utf_8_sig", "cp720"})
OTHERS = {
    "cp1252": ["Le café est fermé à cause de la grève", "It’s the company’s “best” year – really", "café"],
    "cp1250": ["Příliš žluťoučký kůň úpěl ďábelské ódy", "Zażółć gęślą jaźń, bardzo dziękuję"],
    "cp1251": ["Сегодня в Москве прошла встреча министров", '{"time": "2003", "text": "Привет"}'],
    "koi8-r": ["Сегодня в Москве прошла встреча министров", '{"time": "2003", "text": "Привет"}'],
    "cp866": ["Сегодня в Москве прошла встреча"],
    "cp1253": ["Η κυβέρνηση ανακοίνωσε σήμερα νέα μέτρα"],
    "cp1255": ["הממשלה הודיעה היום על צעדים חדשים"],
    "cp1256": ["أعلنت الحكومة اليوم عن إجراءات جديدة"],
    "shift-jis": ["政府は今日、新しい対策を発表しました。これは経済のためです"],
    "euc-jp": ["政府は今日、新しい対策を発表しました。これは経済のためです"],
    "euc-kr": ["정부는 오늘 새로운 대책을 발표했다고 밝혔다"],
    "gb18030": ["政府今天宣布了新的措施，这是为了经济的发展，人们都在说"],
    "big5": ["政府今天宣布了新的措施，這是為了經濟的發展，人們都在說"],
}


def read_all(data: bytes, encoding: str | None) -> bytes:
    return ByteStream(io.BytesIO(data), "x", encoding=encoding).read(2**30)


def accepted() -> list[str]:
    names = []
    for name in ALL:
        try:
            names.append(check_encoding(name))
        except InvalidInput:
            continue
    return sorted(set(names))


def test_what_is_refused_is_no_encoding_of_documents():
    refused = set(ALL) - {name for name in ALL if check_or_none(name)}
    assert refused >= {*NOT_READ, "hex", "rot13", "base64_codec", "zlib_codec", "bz2_codec", "quopri_codec", "uu_codec"}
    assert len(accepted()) > 80
    for name in refused:
        with pytest.raises(InvalidInput, match=repr(name)):
            check_encoding(name)


def check_or_none(name: str) -> str | None:
    try:
        return check_encoding(name)
    except InvalidInput:
        return None


@pytest.mark.parametrize("name", ["utf-7", "UTF7", "idna", "punycode", "unicode_escape"])
def test_refusals_say_why(name):
    with pytest.raises(InvalidInput, match="is not read"):
        check_encoding(name)


@pytest.mark.parametrize("name", ["hex", "base64", "rot13", "zlib", "nonsense", "\x00", "é"])
def test_what_is_no_encoding_is_named(name):
    with pytest.raises(InvalidInput, match="not a known text encoding"):
        driftline.read([], encoding=name)


@pytest.mark.parametrize("name", accepted())
def test_what_was_written_is_read(name):
    assert read_all(LINES.encode(name), name).decode() == LINES


@pytest.mark.parametrize("name", accepted())
def test_no_bytes_are_an_accident(name):
    rng = np.random.default_rng(7)
    for size in (1, 2, 3, 64, 1000):
        for data in (rng.bytes(size), b"\xff" * size, b"\x1b$B" + rng.bytes(size), b"\xd8\x00" * size):
            read_all(data, name)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("named", [None, "family"])
def test_wide_encodings_need_no_mark(encoding, named, tmp_path):
    path = tmp_path / "news.jsonl"
    path.write_bytes(LINES.encode(encoding))
    stream = driftline.read(path, encoding=named and encoding[:6])
    assert len(list(stream)) == 20
    assert not stream.rejections.count


def test_without_a_sign_the_order_is_little_endian():
    assert unmarked_encoding("日本語のテキスト".encode("utf-16-le"), "utf-16") == "utf-16-le"
    assert unmarked_encoding(b"", "utf-32") == "utf-32-le"
    assert unmarked_encoding(b"a\x00", None) is None
    assert unmarked_encoding(b"plain text, and more of it", None) is None
    assert unmarked_encoding(b"\x00" * 100, None) is None
    assert unmarked_encoding(b"x", "cp1252") == "cp1252"


@pytest.mark.parametrize(("encoding", "text"), [(name, text) for name, texts in OTHERS.items() for text in texts])
def test_likely_encodings_are_suggested(encoding, text):
    assert suggested_encoding(text.encode(encoding)) == encoding


@pytest.mark.parametrize("data", [b"", b"plain", b"\xff\xfe\xfd\xfc" * 20, bytes(range(128, 256))])
def test_nothing_is_suggested_where_nothing_is_likely(data):
    assert suggested_encoding(data) is None


def test_the_suggestion_works(tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("date,text\n2003-03-20,Le café fermé\n", encoding="cp1252")
    stream = driftline.read(path)
    assert not list(stream)
    assert "encoding='cp1252'" in stream.rejections.examples[0].reason
    assert [document.text for document in driftline.read(path, encoding="cp1252")] == ["Le café fermé"]


@pytest.mark.parametrize("named", ["utf-16", "utf-16-be", "utf-32", "utf-32-le"])
@pytest.mark.parametrize("name", ["stories.jsonl", "stories.csv"])
def test_a_wide_encoding_that_is_none_is_named_with_a_suggestion(named, name, tmp_path):
    row = '{"time": "2003-03-20", "text": "café"}\n' if name.endswith("jsonl") else "2003-03-20,café\n"
    (tmp_path / name).write_text(("" if name.endswith("jsonl") else "time,text\n") + row * 20, encoding="utf-8")
    with pytest.raises(InvalidInput, match=rf"{name} is not in utf.*looks like encoding='utf-8'"):
        list(driftline.read(tmp_path / name, encoding=named))


def test_bytes_within_plain_words_are_latin():
    # As a spreadsheet on a Mac left it: typographic marks that were encoded twice.
    text = b"I\xe4\xf3\xbbm proud of what we\xe4\xf3\xbbve done together, and they\xe4\xf3\xbbre still here."
    assert suggested_encoding(text) in ("cp1252", "cp1250")
    for bad in (b"let\xe4\xf3_s go on with what we do", b"it\xf3\xbbs what they\xf3\xbbre for"):
        assert suggested_encoding(bad) in (None, "cp1252", "cp1250")

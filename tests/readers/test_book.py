from __future__ import annotations

import gzip

import pytest

from driftline.core.errors import InvalidInput, SourceNotFound
from driftline.readers.book import book_of, read_book


def test_plain_text_has_paragraphs_and_chapters():
    book = book_of("CHAPTER I.\n\nThe first\nparagraph.\n\n  \nThe second.\r\n\r\nChapter 2: Rain\n\nThe third.")
    assert book.paragraphs == ["The first paragraph.", "The second.", "The third."]
    assert [tuple(chapter) for chapter in book.chapters] == [(0, "CHAPTER I."), (2, "Chapter 2: Rain")]


@pytest.mark.parametrize("line", ["XIV", "IV.", "12", "PART TWO", "Prologue"])
def test_what_is_a_chapter(line):
    assert [chapter.title for chapter in book_of(f"{line}\n\nText.").chapters] == [line]


@pytest.mark.parametrize(
    "line", ["I saw him.", "Part of me knew it.", "Chapter and verse were quoted, she said,", "MIX", "Yes."]
)
def test_what_is_no_chapter(line):
    book = book_of(f"{line}\n\nText.")
    assert not book.chapters
    assert book.paragraphs[0] == line


def test_headings_that_follow_each_other_are_one_chapter():
    book = book_of("PART ONE\n\nI\n\nText.\n\nII")
    assert [tuple(chapter) for chapter in book.chapters] == [(0, "PART ONE: I")]


def test_markdown_headings_are_chapters_and_code_is_left_out():
    book = book_of("# One\ntext one\n\n```\n# no heading\n```\n\nTwo\n---\n\ntext two\n\n#### small", "markdown")
    assert [chapter.title for chapter in book.chapters] == ["One", "Two"]
    assert book.paragraphs == ["text one", "text two", "#### small"]


def test_html_headings_are_chapters_and_scripts_are_left_out():
    page = (
        "<html><head><title>A  book</title></head><body><h1>One</h1><p>War &amp; peace<script>no()</script>"
        "<p>More.<h2 class=x>Two</h2>Text.</body>"
    )
    book = book_of(page, "html", "file name")
    assert book.title == "A book"
    assert [tuple(chapter) for chapter in book.chapters] == [(0, "One"), (2, "Two")]
    assert book.paragraphs == ["War & peace", "More.", "Text."]


def test_files_are_read_by_their_names(tmp_path):
    for name, content, chapters in (
        ("a.txt", "\ufeffI\n\nText.", ["I"]),
        ("b.md", "# B\n\nText.", ["B"]),
        ("c.HTML", "<h1>C</h1><p>Text.", ["C"]),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8")
        book = read_book(tmp_path / name)
        assert [chapter.title for chapter in book.chapters] == chapters
        assert book.paragraphs == ["Text."]
    (tmp_path / "d.txt").write_bytes(b"caf\xe9")
    assert read_book(tmp_path / "d.txt").paragraphs == ["café"]
    (tmp_path / "e.bin").write_bytes(b"\x00\x01")
    with pytest.raises(InvalidInput, match="not text"):
        read_book(tmp_path / "e.bin")
    with pytest.raises(SourceNotFound, match="there is no file"):
        read_book(tmp_path / "none.txt")


def test_an_empty_text_is_empty():
    assert book_of("") == ("", [], [])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# The *Sea*\n\n## I\n\nWaves.\n\n## II\n\nWind.", "markdown"),
        ("The *Sea*\n===\n\nI\n---\n\nWaves.\n\nII\n---\n\nWind.", "markdown"),
        ("<h1>The *Sea*</h1><h2>I</h2><p>Waves.<h2>II</h2><p>Wind.", "html"),
    ],
)
def test_a_heading_above_all_others_is_the_title(text, kind):
    book = book_of(text, kind, "file name")
    assert book.title == "The *Sea*"
    assert [tuple(chapter) for chapter in book.chapters] == [(0, "I"), (1, "II")]
    assert book.paragraphs == ["Waves.", "Wind."]


def test_the_title_of_a_page_goes_before_its_first_heading():
    book = book_of("<title>Page</title><h1>Sea</h1><h2>I</h2><p>Waves.<h2>II</h2><p>Wind.", "html")
    assert book.title == "Page"
    assert [chapter.title for chapter in book.chapters] == ["I", "II"]


def test_headings_of_one_level_and_empty_ones_are_no_title():
    book = book_of("# One\n\na\n\n# Two\n\nb\n\n## \n\n# Three\n\nc", "markdown", "file name")
    assert book.title == "file name"
    assert [chapter.title for chapter in book.chapters] == ["One", "Two", "Three"]
    assert book.paragraphs == ["a", "b", "c"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_the_encoding_of_a_book_is_found(tmp_path, encoding):
    path = tmp_path / "book.txt"
    path.write_bytes("Der größte Teil des Weges führte über die Höhe.\n\nÜber Täler.".encode(encoding))
    assert read_book(path).paragraphs == ["Der größte Teil des Weges führte über die Höhe.", "Über Täler."]


def test_a_packed_book_is_unpacked_and_a_damaged_one_refused(tmp_path):
    data = gzip.compress(b"It was night. " * 50)
    (tmp_path / "book.txt.gz").write_bytes(data)
    assert len(read_book(tmp_path / "book.txt.gz").paragraphs) == 1
    (tmp_path / "book.txt.gz").write_bytes(data[: len(data) // 2])
    with pytest.raises(InvalidInput, match=r"book\.txt\.gz cannot be read: truncated"):
        read_book(tmp_path / "book.txt.gz")


@pytest.mark.parametrize("name", ["posts.jsonl", "posts.csv.gz", "posts.parquet"])
def test_records_are_not_a_book(tmp_path, name):
    (tmp_path / name).write_text('{"time": "2003", "text": "a b c"}')
    with pytest.raises(InvalidInput, match="has records"):
        read_book(tmp_path / name)

import pytest

from driftline.core.errors import AmbiguousInput, InvalidInput, SourceNotFound
from driftline.readers import read
from driftline.readers.sources import Part, Settings, parts_of, records_of


def write(folder, *names, text="time,text\n2003,a\n"):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def names_of(source, **settings):
    return [part.name for part in parts_of(source, Settings(**settings))]


def test_a_path_a_pattern_and_a_list(tmp_path):
    write(tmp_path, "a.csv", "b.csv", "sub/c.csv", "d.tsv")
    assert names_of(tmp_path / "a.csv") == names_of(str(tmp_path / "a.csv")) == ["a.csv"]
    assert names_of(f"{tmp_path}/*.csv") == ["a.csv", "b.csv"]
    assert names_of(f"{tmp_path}/**/*.csv") == ["a.csv", "b.csv", "sub/c.csv"]
    assert names_of([tmp_path / "d.tsv", f"{tmp_path}/a*"]) == ["d.tsv", "a.csv"]
    assert names_of(tmp_path) == ["a.csv", "b.csv", "d.tsv", "sub/c.csv"]


def test_the_folder_one_is_in_has_a_name(tmp_path, monkeypatch):
    write(tmp_path, "texts/2003.txt", "texts/2004.txt")
    monkeypatch.chdir(tmp_path / "texts")
    assert names_of(".") == ["texts"]
    assert names_of("2003.txt") == ["2003.txt"]
    assert names_of("../texts/*.txt") == ["texts"]


def test_a_name_with_magic_characters_that_exists_is_itself(tmp_path):
    write(tmp_path, "a[1].csv", "a1.csv")
    assert names_of(tmp_path / "a[1].csv") == ["a[1].csv"]


def test_what_is_not_there(tmp_path):
    with pytest.raises(SourceNotFound, match=r"there is no file or folder 'nowhere\.csv'"):
        parts_of("nowhere.csv", Settings())
    with pytest.raises(SourceNotFound, match="nothing matches"):
        parts_of(f"{tmp_path}/*.csv", Settings())
    with pytest.raises(SourceNotFound, match="there is no file in the folder"):
        parts_of(tmp_path, Settings())


@pytest.mark.parametrize("source", [5, None, [], [1, 2], {"a": 1}, ["a.csv", 5]])
def test_what_is_no_source(source):
    with pytest.raises(InvalidInput, match=r"cannot read \w+; pass a path"):
        parts_of(source, Settings())


def test_texts_go_together_and_tables_one_by_one(tmp_path):
    write(tmp_path, "t/1.txt", "t/2.md", "t/3")
    assert names_of(tmp_path / "t") == ["t"]
    write(tmp_path, "d/a.csv", "d/b.jsonl")
    assert names_of(tmp_path / "d") == ["a.csv", "b.jsonl"]


def test_texts_among_tables_are_ambiguous_until_a_format_is_named(tmp_path):
    write(tmp_path, "a.csv", "b.csv", "notes.md")
    with pytest.raises(AmbiguousInput, match=r"several kinds \(2 csv, 1 text\); choose one with format="):
        parts_of(tmp_path, Settings())
    assert names_of(tmp_path, format="csv") == ["a.csv", "b.csv"]
    assert names_of(tmp_path, format="text") == ["notes.md"]
    assert names_of(tmp_path, format="tsv") == ["a.csv", "b.csv", "notes.md"]


def test_a_readme_beside_tables_is_no_document_unless_it_is_asked_for(tmp_path):
    write(tmp_path, "a.csv", "README.md")
    assert names_of(tmp_path)[0] == "a.csv"
    assert names_of(tmp_path, format="text") == ["README.md"]
    (tmp_path / "a.csv").unlink()
    assert parts_of(tmp_path, Settings())[0].columns is not None


def test_the_content_tells_where_the_name_does_not(tmp_path):
    write(tmp_path, "table", "dump.dat")
    assert [part.columns for part in parts_of([tmp_path / "table", tmp_path / "dump.dat"], Settings())] == [None, None]
    write(tmp_path, "2003", text="Once upon a time")
    (part,) = parts_of(tmp_path / "2003", Settings())
    assert part.time_from == "the file's name"


def test_a_folder_format_for_a_file_is_an_error(tmp_path):
    write(tmp_path, "a.csv")
    with pytest.raises(InvalidInput, match=r"format='git' reads a folder, but .* is a file"):
        parts_of(tmp_path / "a.csv", Settings(format="git"))


def failing(error):
    def read():
        raise error
        yield

    return Part("broken.csv", read)


def test_one_of_several_that_cannot_be_read_is_a_rejection_the_only_one_an_error():
    part = failing(PermissionError(13, "Permission denied"))
    (records,) = records_of(part, alone=False)
    assert records.unusable[0].reason == "unreadable file: Permission denied"
    with pytest.raises(InvalidInput, match=r"broken\.csv cannot be read: Permission denied"):
        list(records_of(part, alone=True))
    with pytest.raises(KeyError):
        list(records_of(failing(KeyError("a mistake of ours")), alone=False))


def test_xml_among_files_is_a_feed_or_a_text(tmp_path):
    write(tmp_path, "a.xml", text="<rss><channel/></rss>")
    write(tmp_path, "b.rss", text="<rss><channel/></rss>")
    assert names_of(tmp_path) == ["a.xml", "b.rss"]
    write(tmp_path, "c.xml", text="<speech>Fellow citizens</speech>")
    with pytest.raises(AmbiguousInput, match=r"several kinds \(2 feed, 1 text\)"):
        parts_of(tmp_path, Settings())


@pytest.mark.parametrize("option", ["sheet", "table"])
def test_a_choice_that_applies_to_nothing_is_refused(option, tmp_path):
    write(tmp_path, "a.csv")
    with pytest.raises(InvalidInput, match=f"{option}= applies to an? .* and the source has none"):
        parts_of(tmp_path, Settings(**{option: "x"}))


def test_a_text_file_of_a_spreadsheet_program_is_a_table(tmp_path):
    path = tmp_path / "feedback.txt"
    path.write_bytes("Date Posted\tFeedback\r\n03/20/2003\tslow\r\n03/21/2003\tgood\r\n".encode("utf-16"))
    assert [document.text for document in read(path)] == ["slow", "good"]
    path.write_text("Once upon\ta time\nthere was no table.\n")
    assert len(read(path).table()) == 1

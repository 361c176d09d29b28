import pytest

import driftline
from driftline.core.errors import InvalidInput, SourceNotFound
from driftline.readers.paths import paths_of, root_of


def test_paths_and_patterns(tmp_path, monkeypatch):
    for name in ("a.csv", "b.csv", "c[1].csv"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    assert [path.name for path in paths_of("*.csv")] == ["a.csv", "b.csv", "c[1].csv"]
    assert paths_of("c[1].csv") == [tmp_path / "c[1].csv"]
    assert paths_of([tmp_path / "b.csv", "a*"]) == [tmp_path / "b.csv", tmp_path / "a.csv"]
    assert paths_of(".") == [tmp_path]
    with pytest.raises(SourceNotFound):
        paths_of("d.csv")
    with pytest.raises(InvalidInput):
        paths_of(5)


def test_names_are_relative_to_what_all_have_in_common(tmp_path):
    (tmp_path / "x").mkdir()
    assert root_of([tmp_path]) == tmp_path
    assert root_of([tmp_path / "a.csv"]) == tmp_path
    assert root_of([tmp_path / "x" / "a.csv", tmp_path / "b.csv"]) == tmp_path


@pytest.mark.parametrize("pattern", ["data/2003-04-05.csv", "data/2003-04-05.txt", "data/*.csv"])
def test_a_named_link_is_followed_and_one_found_in_a_folder_is_not(tmp_path, monkeypatch, pattern):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "store").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "store" / "blob").write_text("date,text\n2003-04-05,a b c\n")
    link = tmp_path / "data" / f"2003-04-05{pattern[-4:]}"
    link.symlink_to(tmp_path / "store" / "blob")
    for source in (pattern, [pattern]):
        stream = driftline.read(source)
        assert [document.time.date().isoformat() for document in stream] == ["2003-04-05"]
        assert not stream.rejections
    stream = driftline.read(tmp_path / "data")
    assert not list(stream)
    assert dict(stream.rejections.reasons) == {"outside the folder": 1}

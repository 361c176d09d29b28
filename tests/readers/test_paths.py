import pytest

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

from driftline.readers.walk import files_under, inside, leads_outside


def test_files_come_sorted_and_hidden_ones_not_at_all(tmp_path):
    for name in ("b.txt", "a/2.txt", "a/1.txt", ".hidden", ".git/config", "a/.x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.relative_to(tmp_path).as_posix() for path in files_under(tmp_path)] == ["b.txt", "a/1.txt", "a/2.txt"]


def test_links_are_distinguished_from_what_is_inside(tmp_path):
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (elsewhere / "secret").touch()
    (folder / "own").touch()
    (folder / "link").symlink_to(elsewhere / "secret")
    (folder / "twin").symlink_to(folder / "own")
    (folder / "sub").symlink_to(elsewhere)
    found = {path.name: leads_outside(path, folder) for path in files_under(folder)}
    assert found == {"own": False, "link": True, "twin": False, "sub": True}
    assert inside(folder / "twin", folder)
    assert not inside(folder / "sub" / "secret", folder)

from driftline.compute.code_files import CodeFiles


class Alike:
    """Keys with the same text that are not equal, as two named tuples of one name are."""

    def __init__(self, number):
        self.number = number

    def __repr__(self):
        return "Alike"

    def __eq__(self, other):
        return self.number == other.number

    __hash__ = None


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_every_key_has_a_file_of_its_own_whatever_was_saved_before(tmp_path):
    files = CodeFiles(str(tmp_path), "add-3", b"source")
    files.save("int64", 1)
    alone = names(tmp_path)
    files.flush()
    files.save("float64", 2)
    files.save("int64", 1)
    assert set(alone) < set(names(tmp_path))
    assert (files.load("int64"), files.load("float64"), files.load("int32")) == (1, 2, None)


def test_another_key_of_the_same_name_is_not_loaded(tmp_path):
    files = CodeFiles(str(tmp_path), "add-3", b"source")
    files.save(Alike(1), "one")
    assert files.load(Alike(1)) == "one"
    assert files.load(Alike(2)) is None


def test_another_version_of_the_source_replaces_the_files_of_this_function_only(tmp_path):
    for function in ("add-3", "add-31"):
        CodeFiles(str(tmp_path), function, b"source").save("int64", function)
    changed = CodeFiles(str(tmp_path), "add-3", b"changed source")
    assert changed.load("int64") is None
    changed.save("int64", "new")
    assert changed.load("int64") == "new"
    assert len(names(tmp_path)) == 2
    assert CodeFiles(str(tmp_path), "add-31", b"source").load("int64") == "add-31"


def test_a_failed_save_leaves_nothing(tmp_path):
    files = CodeFiles(str(tmp_path), "add-3", b"source")
    try:
        files.save("int64", (each for each in ()))  # cannot be pickled
    except TypeError:
        pass
    else:
        raise AssertionError
    assert names(tmp_path) == []

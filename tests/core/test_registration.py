import importlib
import sys
import types

from driftline.core.registration import registered


class Thing:
    def __init__(self, name):
        self.name = name


def test_every_module_of_a_folder_is_asked_and_what_it_imports_counts_once(tmp_path, monkeypatch):
    folder = tmp_path / "things_to_find"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "b.py").write_text("from kinds_of_things import Thing\nSECOND = Thing('b')\nOTHER = 'no thing'\n")
    (folder / "a.py").write_text(
        "from kinds_of_things import Thing\nfrom things_to_find.b import SECOND\n"
        "FIRST = [Thing('within')]\nTHIRD = Thing('a')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    kinds = types.ModuleType("kinds_of_things")
    kinds.Thing = Thing
    monkeypatch.setitem(sys.modules, "kinds_of_things", kinds)
    found = registered(importlib.import_module("things_to_find"), Thing)
    assert [thing.name for thing in found] == ["b", "a"], "in the order in which modules hold them"
    assert registered(sys.modules["things_to_find"], bytes) == []

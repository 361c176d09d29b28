from __future__ import annotations

from pathlib import Path

import pytest
from tools.equivalent_mutants import LIST, parsed, split
from tools.mutations import mutations

CODE = "size = 10\nother = 10\n"
ENTRY = "a.py: 10 → 11\n    size = 10\nRows that are read\nat once.\n"


def test_listed_mutants_are_left_out_by_their_line_of_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("a.py")
    path.write_text("\n" + CODE)
    mutants = [(path, mutation) for mutation in mutations(path.read_text())]
    kept, outdated = split(mutants, parsed(f"# A comment.\n\n{ENTRY}"))
    assert [str(mutation) for _, mutation in kept] == ["3: 10 → 11"]
    assert outdated == []


def test_entries_that_fit_nothing_are_returned(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("a.py")
    path.write_text("size = 12\n")
    entries = parsed(ENTRY)
    kept, outdated = split([(path, mutation) for mutation in mutations(path.read_text())], entries)
    assert len(kept) == 1
    assert outdated == entries


def test_an_entry_without_a_reason_is_refused():
    with pytest.raises(SystemExit, match="reason"):
        parsed("a.py: 10 → 11\n    size = 10\n")


def test_every_entry_of_the_list_has_its_reason():
    for entry in parsed(LIST.read_text(encoding="utf-8")):
        assert entry.path.startswith("src/driftline/")
        assert len(entry.reason.split()) > 3

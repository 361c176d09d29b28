from __future__ import annotations

from tools.tree import ROOT, folders, tree


def test_every_package_has_a_line():
    missing = [place for place, line in folders().items() if not line]
    assert not missing, f"no docstring in the __init__.py of {', '.join(missing)}"


def test_every_package_of_the_sources_is_listed():
    packages = {file.parent.relative_to(ROOT).as_posix() for file in (ROOT / "src/driftline").rglob("__init__.py")}
    assert packages <= folders().keys()


def test_the_line_is_the_first_sentence(tmp_path):
    for place in ("src/driftline/a/b", "tests", "benchmarks", "tools"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "__init__.py").write_text('"""One thing,\nin short. And more.\n\nMuch more."""\n')
    (tmp_path / "src/driftline/__init__.py").write_text('"""All."""\n')
    (tmp_path / "src/driftline/a/__init__.py").write_text("")
    assert tree(tmp_path).startswith("- `src/driftline/`: All.\n    - `a/`: \n        - `b/`: One thing, in short.\n")

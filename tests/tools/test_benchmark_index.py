from __future__ import annotations

import subprocess
import sys

from benchmarks.__main__ import QUICK, benchmarks, child_seconds, table
from tools.benchmark_index import ROOT, index


def test_scripts_and_results_stand_in_the_table_of_their_family(tmp_path):
    family, results = tmp_path / "benchmarks/local", tmp_path / "benchmarks/results/local"
    family.mkdir(parents=True)
    results.mkdir(parents=True)
    (family / "__init__.py").write_text('"""Local models."""\n')
    (family / "bands.py").write_text('"""Do bands cover?\n\nMore."""\n\n\ndef main():\n    pass\n')
    (family / "pairs.py").write_text('"""No benchmark."""\n')
    (results / "bands.md").write_text("| a |\n")
    (results / "old_ones.md").write_text("| a |\n")
    text = index(tmp_path)
    assert "## local\n\nLocal models.\n" in text
    assert "| Do bands cover? | `benchmarks.local.bands` | [bands](local/bands.md) |\n" in text
    assert "| old ones | | [old ones](local/old_ones.md) |\n" in text
    assert "No benchmark" not in text


def test_every_family_has_a_quick_row_that_exists():
    families = {path.parent.name for path in (ROOT / "benchmarks").glob("*/__init__.py")}
    assert families == QUICK.keys()
    assert all(f"{family}.{name}" in benchmarks() for family, (name, *_) in QUICK.items())


def test_the_time_of_all_families_is_added_and_failures_are_marked():
    rows = [("topics", "benchmarks.topics.stream", 20.4, 31.0, 0), ("local", "benchmarks.local.peers", 1.4, 2.0, 1)]
    assert table(rows).splitlines()[4:] == [
        "| topics | `benchmarks.topics.stream` | 20 | 31 | |",
        "| local | `benchmarks.local.peers` | 1 | 2 | failed |",
        "| all | | 22 | 33 | |",
    ]


def test_the_time_of_a_process_counts_when_it_has_ended():
    before = child_seconds()
    subprocess.run([sys.executable, "-c", "while __import__('time').process_time() < 0.2: pass"], check=True)
    assert 0.2 <= child_seconds() - before < 30

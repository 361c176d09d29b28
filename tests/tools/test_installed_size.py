from __future__ import annotations

import re

from tools.installed_size import main, sizes


def test_the_files_of_a_package_are_counted_without_bytecode():
    found = sizes("click")
    assert 100_000 < found["click/core.py"] < found.total()
    assert not [name for name in found if "__pycache__" in name]


def test_the_sum_of_the_table_is_its_last_row(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["installed_size"])
    main()
    table = capsys.readouterr().out.split("\n\n")[0]
    rows = [(name, float(size)) for name, size in re.findall(r"\| ([\w .-]+) \| ([\d.]+) \|", table)]
    *packages, (last, total) = rows
    assert last == f"all {len(packages)}"
    assert abs(sum(size for _, size in packages) - total) <= 0.05 * len(packages) + 0.1
    assert {"numpy", "pyarrow", "plotly"} <= {name for name, _ in packages}
    assert "pandas" not in {name for name, _ in packages}

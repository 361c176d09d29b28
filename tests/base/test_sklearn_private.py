from __future__ import annotations

import ast
from pathlib import Path

import driftline

SOURCE = Path(driftline.__file__).parent


def private_imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sklearn":
            parts = [*str(node.module).split("."), *(alias.name for alias in node.names)]
            yield from (part for part in parts if part.startswith("_"))


def test_private_names_of_scikit_learn_are_imported_in_one_file():
    found = {str(path.relative_to(SOURCE)): list(private_imports(path)) for path in SOURCE.rglob("*.py")}
    assert {path: names for path, names in found.items() if names} == {
        "base/sklearn_private.py": ["_fit_context", "_safe_indexing", "_param_validation", "_num_samples"]
    }

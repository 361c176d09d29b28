"""The list of mutants that make no difference to any result, each with the reason: equivalent_mutants.txt.

An entry is a paragraph: the module and the change, the line of code that is changed, and the reason.

>>> entries = parsed("src/a.py: 10 → 11\\n    size = 10\\nOnly the number of rows read at once.\\n")
>>> entries[0].path, entries[0].change, entries[0].code, entries[0].reason
('src/a.py', '10 → 11', 'size = 10', 'Only the number of rows read at once.')
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tools.mutations import Mutation

LIST = Path(__file__).with_suffix(".txt")


class Equivalent(NamedTuple):
    """One mutant that no test can catch, and why."""

    path: str
    change: str
    code: str
    reason: str


def parsed(text: str) -> list[Equivalent]:
    """Return the entries of the list; lines that begin with # are comments."""
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    found = []
    for paragraph in filter(None, (each.strip() for each in kept.split("\n\n"))):
        lines = paragraph.splitlines()
        path, _, change = lines[0].partition(": ")
        if len(lines) < 3 or not change:
            raise SystemExit(f"{LIST.name}: an entry is a mutant, its line of code and a reason, not {paragraph!r}")
        found.append(Equivalent(path, change, lines[1].strip(), " ".join(line.strip() for line in lines[2:])))
    return found


def split(
    mutants: Sequence[tuple[Path, Mutation]], entries: Sequence[Equivalent]
) -> tuple[list[tuple[Path, Mutation]], list[Equivalent]]:
    """Return the mutants that are not on the list, and the entries of the list that fit no mutant any more."""
    unused = {entry[:3]: entry for entry in entries}
    listed = set(unused)
    lines = {path: path.read_text(encoding="utf-8").splitlines() for path in {path for path, _ in mutants}}
    kept = []
    for path, mutation in mutants:
        key = (path.as_posix(), mutation.change, lines[path][mutation.line - 1].strip())
        unused.pop(key, None)
        if key not in listed:
            kept.append((path, mutation))
    return kept, list(unused.values())

"""Findings to one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from driftline.analysis.all_findings import Findings
from driftline.persistence.files import write_text
from driftline.report.page import render


def write_report(findings: Findings, path: str | Path) -> Path:
    """Write the report of `findings` to the file `path` and return the path.

    The file is complete: it works offline, asks nothing of the network, and runs no script but its own. Everything that
    comes from documents is shown as text, whatever it contains.
    """
    path = Path(path)
    write_text(path, render(findings))
    return path

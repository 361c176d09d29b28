"""Findings to one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from driftline.analysis.all_findings import Findings
from driftline.persistence.files import write_text
from driftline.report.page import render


def write_report(findings: Findings, path: str | Path) -> Path:
    """Write the report of `findings` to the file `path` and return the path.

    The file is self-contained: it works offline, makes no network requests, and runs only its own scripts. All content
    from documents is shown as plain text.
    """
    path = Path(path)
    write_text(path, render(findings))
    return path

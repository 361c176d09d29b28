"""Findings to one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path

from driftline.analysis.all_findings import Findings
from driftline.core.errors import InvalidInput
from driftline.persistence.atomic_file import write_text
from driftline.report.page import render
from driftline.report.word_index import PAGE_BYTES


def write_report(findings: Findings, path: str | Path, *, page_size: float = PAGE_BYTES / 1e6) -> Path:
    """Write the report of `findings` to the file `path` and return the path.

    All counted words and documents can be looked up in it, up to a size of `page_size` megabytes; the page
    states what was left out.

    The file is self-contained: it works offline, makes no network requests, and runs only its own scripts. All content
    from documents is shown as plain text.
    """
    if not page_size > 0:
        raise InvalidInput(f"page_size must be a positive number of megabytes, not {page_size}")
    path = Path(path)
    write_text(path, render(findings, page_bytes=round(page_size * 1e6)))
    return path

"""Findings to one self-contained HTML file.

Names are imported on first use: table pages and flow pages do not need the analysis.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftline.report.sentences import headlines as headlines
    from driftline.report.write import write_report as write_report

_HOMES = {"headlines": "driftline.report.sentences", "write_report": "driftline.report.write"}
__all__ = ["headlines", "write_report"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'driftline.report' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)

"""Findings to one self-contained HTML file."""

from driftline.report.sentences import headlines
from driftline.report.write import write_report

__all__ = ["headlines", "write_report"]

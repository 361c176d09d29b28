"""The findings, one per file: its data classes, its step, and the `Finding` that registers it.

A new finding is one file here. `driftline.analysis.all_findings` discovers it, and a section of the report shows it.
"""

"""Findings to one self-contained HTML file."""

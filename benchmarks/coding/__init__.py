"""Sparse codes of local contexts: accuracy, flow of a text, speed."""

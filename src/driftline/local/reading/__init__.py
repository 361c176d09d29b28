"""Curves for display: shares of documents by day, with bands, cycles, and the drift of the whole vocabulary."""

"""Curves for a reader: shares of documents by day, with bands, cycles, and the drift of the language as a whole."""

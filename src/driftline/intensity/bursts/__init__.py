"""Bursts of single series, words, topics, and arriving streams."""

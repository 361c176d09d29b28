"""Bursts of single series, of words, of topics, and of a stream as it arrives."""

"""Tests for words whose use changed over time, in which whole units (days) are exchanged."""

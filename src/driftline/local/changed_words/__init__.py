"""Tests for words whose use changed over time, by permuting whole units (days)."""

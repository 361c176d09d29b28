"""The sentence that pages show beside intervals of shares of topics: what these do not include."""

from __future__ import annotations

GIVEN_TOPICS = (
    "This holds given these topics: they were learned from the same documents, and their own error is not included, so "
    "that the true share of a subject can lie outside."
)
"""Sentence beside bands and intervals that treat the topics as known."""

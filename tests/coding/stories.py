"""A text in three parts, each with its own words among words that all parts share."""

from __future__ import annotations

import numpy as np


def three_parts(seed: int = 0) -> list[str]:
    """Return paragraphs of three equal parts, about the sea, a town and a wood."""
    rng = np.random.default_rng(seed)
    paragraphs = []
    for subject in ("sea", "town", "wood"):
        words = [f"{subject}{letter}" for letter in "abcdefghijkl"]
        for _ in range(12):
            sentences = [" ".join([*rng.choice(words, 6), "everywhere"]) + "." for _ in range(8)]
            paragraphs.append(" ".join(sentences))
    return paragraphs

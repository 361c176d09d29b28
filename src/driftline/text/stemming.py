"""Stemming by Snowball, an optional dependency: each distinct word is stemmed once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import pyarrow as pa

from driftline.core.errors import InvalidInput, MissingDependency


class Stemmer(Protocol):
    """A stemmer of Snowball."""

    def stemWords(self, words: Sequence[str], /) -> list[str]:  # noqa: N802
        """Return the stem of every word."""


@lru_cache(maxsize=8)
def snowball(language: str) -> Stemmer:
    """Return Snowball's stemmer of a language, or raise an error that says what to install or lists the languages."""
    try:
        import snowballstemmer
    except ImportError as error:
        raise MissingDependency(f"stemmer={language!r}", "snowballstemmer", "stem") from error
    if language not in snowballstemmer.algorithms():
        known = ", ".join(sorted(snowballstemmer.algorithms()))
        raise InvalidInput(f"there is no stemmer for {language!r}; the known languages are {known}")
    found: Stemmer = snowballstemmer.stemmer(language)
    return found


def stems(words: pa.LargeStringArray, language: str) -> pa.LargeStringArray:
    """Return the stem of every word.

    >>> stems(pa.array(["drifting", "drifted", "drifts"], pa.large_string()), "english").to_pylist()
    ['drift', 'drift', 'drift']
    """
    return pa.array(snowball(language).stemWords(words.to_pylist()), pa.large_string())

r"""The options of tokenising, and the resulting tokens.

The default is that of scikit-learn's `CountVectorizer`: lower case, Unicode words of at least two characters. With the
same options the tokens are the same, to the last code point.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Literal

import numpy as np
import pyarrow as pa

from driftline.core.errors import InvalidInput
from driftline.text.pattern import Matches, WordRuns, parse_pattern
from driftline.text.rows import batches
from driftline.text.stemming import snowball
from driftline.text.stopwords import stop_words_of


@dataclass(frozen=True)
class Tokenizer:
    r"""Rules for splitting texts into tokens; the same options always give the same tokens.

    Parameters
    ----------
    pattern : str, optional
        Pattern of a word. ``None`` means Unicode words of at least two characters, ``(?u)\b\w\w+\b`` in Python's terms.
        Other patterns run on RE2 only (linear time, no look-around); if one has a group, the group is the word. ``\w``,
        ``\d`` and ``\s`` have their meaning in Python. An empty match is not a token.
    lowercase : bool
        Lower-case first, exactly as `str.lower` does.
    strip_accents : {None, "unicode", "ascii"}
        Remove accents after lower-casing: ``"unicode"`` decomposes (NFKD) and drops combining characters, ``"ascii"``
        decomposes and drops all non-ASCII characters.
    stop_words : None, "english", the code of a language such as "de", or collection of str
        Words to ignore, as spelled after lower-casing; those of a language are the short lists of
        `driftline.text.stop_word_lists`.
    stemmer : str, optional
        Language of a Snowball stemmer for the remaining words (``pip install 'driftline[stem]'``).
    ngram_range : (int, int)
        Shortest and longest run of words that forms a token.

    >>> Tokenizer(stop_words="english", ngram_range=(1, 2)).tokens(["The war in Iraq", "SARS"]).to_pylist()
    [['war', 'iraq', 'war iraq'], ['sars']]
    """

    pattern: str | None = None
    lowercase: bool = True
    strip_accents: Literal["unicode", "ascii"] | None = None
    stop_words: str | Collection[str] | None = None
    stemmer: str | None = None
    ngram_range: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        parse_pattern(self.pattern)
        if not isinstance(self.lowercase, bool | np.bool_):
            raise InvalidInput(f"lowercase must be True or False, not {self.lowercase!r}")
        if self.strip_accents not in (None, "unicode", "ascii"):
            raise InvalidInput(f"strip_accents must be None, 'unicode' or 'ascii', not {self.strip_accents!r}")
        if self.stemmer is not None:
            snowball(self.stemmer)
        if self.stop_words != "english":
            # Store a sorted tuple, so that comparison, hash and saved form are reproducible.
            object.__setattr__(self, "stop_words", stop_words_of(self.stop_words))
        object.__setattr__(self, "ngram_range", _checked_range(self.ngram_range))

    @property
    def word_finder(self) -> WordRuns | Matches:
        """The rule for finding words: runs of word characters, or the matches of a pattern."""
        return parse_pattern(self.pattern)

    @property
    def excluded(self) -> tuple[str, ...]:
        """The stop words themselves, sorted."""
        return stop_words_of(self.stop_words) or ()

    def tokens(self, texts: Iterable[object]) -> pa.LargeListArray:
        """Return the tokens of each text: an Arrow array of lists of strings, one list per text.

        Tokens are in the order of the text; longer n-grams come after all shorter ones.
        """
        from driftline.text.terms import TermNumbering

        chunks = [pa.array([], pa.large_list(pa.large_string()))]
        for batch in batches(texts):
            numbering = TermNumbering(self)
            numbers, offsets = numbering.encode(batch)
            tokens = numbering.terms.words().take(pa.array(numbers))
            chunks.append(pa.LargeListArray.from_arrays(pa.array(offsets), tokens))
        return pa.concat_arrays(chunks)


def _checked_range(ngram_range: tuple[int, int]) -> tuple[int, int]:
    try:
        shortest, longest = ngram_range
    except (TypeError, ValueError):
        shortest = longest = 0
    whole = isinstance(shortest, Integral) and isinstance(longest, Integral)
    if not whole or not 1 <= shortest <= longest:
        raise InvalidInput(f"ngram_range must be (shortest, longest) with 1 ≤ shortest ≤ longest, not {ngram_range!r}")
    return int(shortest), int(longest)

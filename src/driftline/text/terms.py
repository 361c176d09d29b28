"""From texts to numbered terms: words are found, stop words removed, stems and n-grams built.

Operations on letters are done once for each distinct word; the rest uses numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Ints
from driftline.text.characters import character_table
from driftline.text.lexicon import Lexicon
from driftline.text.pattern import MARK, WordRuns
from driftline.text.rows import normalise, value_bytes, value_offsets
from driftline.text.stemming import stems

if TYPE_CHECKING:
    from driftline.text.tokenise import Tokenizer


class TermNumbering:
    """The terms of one tokenizer, numbered as they occur; `known` terms (a vocabulary's) are numbered first.

    >>> from driftline.text.tokenise import Tokenizer
    >>> numbering = TermNumbering(Tokenizer(), known=pa.array(["peace"], pa.large_string()))
    >>> numbering.encode(pa.array(["war and peace", "war"], pa.large_string()))
    (array([1, 2, 0, 1], dtype=int32), array([0, 3, 4]))
    """

    def __init__(self, tokenizer: Tokenizer, known: pa.LargeStringArray | None = None) -> None:
        self._tokenizer = tokenizer
        self._finder = tokenizer.word_finder
        self._excluded = pa.array(tokenizer.excluded, pa.large_string())
        self._words = Lexicon()
        self._stems = self._words if tokenizer.stemmer is None else Lexicon()
        self.terms = self._stems if tokenizer.ngram_range == (1, 1) else Lexicon()
        """The terms and their numbers; without stemming or n-grams, stop words are among them."""
        if known is not None:
            self.terms.number(known)
        self._translation = np.empty(0, dtype=np.int32)

    def encode(self, texts: pa.LargeStringArray) -> tuple[np.ndarray, Ints]:
        """Return the numbers of the terms of all rows (int32), and the rows' offsets into them (int64)."""
        data, starts, ends, offsets = self._find_words(texts)
        numbers = self._words.number_slices(data, starts, ends)
        if len(self._excluded) or self._tokenizer.stemmer is not None:
            self._translate_new_words()
            numbers, offsets = current_kernels().counting.keep_known(numbers, offsets, self._translation)
        shortest, longest = self._tokenizer.ngram_range
        if (shortest, longest) == (1, 1):
            return numbers, offsets
        letters, starts, ends, offsets = current_kernels().counting.spell_ngrams(
            numbers, offsets, shortest, longest, self._stems.table
        )
        return self.terms.number_slices(letters, starts, ends), offsets

    def encode_places(self, texts: pa.LargeStringArray) -> tuple[np.ndarray, Ints, Ints]:
        """Return the result of `encode`, and the position of every term among all words, stop words included.

        The tokenizer must return single words.

        >>> from driftline.text.tokenise import Tokenizer
        >>> numbering = TermNumbering(Tokenizer(stop_words="english"))
        >>> numbering.encode_places(pa.array(["war and peace"], pa.large_string()))[2]
        array([0, 2])
        """
        data, starts, ends, offsets = self._find_words(texts)
        numbers = self._words.number_slices(data, starts, ends)
        places = np.arange(len(numbers)) - np.repeat(offsets[:-1], np.diff(offsets))
        if not len(self._excluded) and self._tokenizer.stemmer is None:
            return numbers, offsets, places
        self._translate_new_words()
        terms = self._translation[numbers]
        kept = terms >= 0
        return terms[kept], np.concatenate([[0], np.cumsum(kept)])[offsets], places[kept]

    def encode_adjacent(self, texts: pa.LargeStringArray) -> tuple[np.ndarray, Ints, Bools]:
        """Return the result of `encode`, and for every word whether the next one follows it directly.

        The tokenizer must return single words, without stop words and stems, so that every word has a number.
        """
        data, starts, ends, offsets = self._find_words(texts)
        return (
            self._words.number_slices(data, starts, ends),
            offsets,
            current_kernels().counting.mark_adjacent(data, starts, ends, offsets),
        )

    def _find_words(self, texts: pa.LargeStringArray) -> tuple[np.ndarray, Ints, Ints, Ints]:
        """Return the bytes of the rows, where words start and end in them, and the number of words before each row."""
        options = self._tokenizer
        texts, beyond_ascii = normalise(texts, lowercase=options.lowercase, strip_accents=options.strip_accents)
        if isinstance(self._finder, WordRuns):
            data = value_bytes(texts)
            word_characters = character_table("w", ascii_only=not beyond_ascii)
            return data, *current_kernels().counting.find_words(
                data, value_offsets(texts), word_characters, self._finder.min_length
            )
        marked = self._finder.mark(texts)
        data = value_bytes(marked)
        return data, *current_kernels().counting.find_marked(data, value_offsets(marked), MARK)

    def _translate_new_words(self) -> None:
        """Store for every new word the term (stem or word) that it maps to; −1 for a stop word."""
        new = self._words.words(len(self._translation))
        if not len(new):
            return
        stopped = pc.is_in(new, value_set=self._excluded).to_numpy(zero_copy_only=False)
        if self._tokenizer.stemmer is None:
            translated = np.arange(len(self._translation), len(self._words), dtype=np.int32)
        else:
            translated = np.empty(len(new), dtype=np.int32)
            translated[~stopped] = self._stems.number(stems(new.filter(pa.array(~stopped)), self._tokenizer.stemmer))
        translated[stopped] = -1
        self._translation = np.concatenate([self._translation, translated])

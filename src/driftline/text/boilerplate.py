"""Boilerplate: lines that occur in many documents, independent of their subject.

A line counts as boilerplate if, with its numerals masked, it is in at least max(10, 0.5 %) of the documents. Texts of a
single line are not considered: a repeated whole text is a duplicate, not boilerplate. Nor are lines of fewer than three
words, which may be headings, except in mail, where they are names and greetings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Ints
from driftline.text.left_out import MOST_EXAMPLES, Tally
from driftline.text.lexicon import Lexicon
from driftline.text.text_lines import Lines

LEAST_DOCUMENTS = 10
LEAST_SHARE = 0.005
LEAST_WORDS = 3


def drop_boilerplate(texts: pa.ChunkedArray, source_kind: str, tally: Tally) -> pa.ChunkedArray:
    """Remove the boilerplate lines of the texts, and count them.

    >>> texts = [f"{letter} in the news\\nmail {ord(letter)}: unsubscribe" for letter in "abcdefghijkl"]
    >>> drop_boilerplate(pa.chunked_array([texts], pa.large_string()), "mail", Tally())[0].as_py()
    'a in the news'
    """
    lexicon = Lexicon()
    least_words = 0 if source_kind == "mail" else LEAST_WORDS
    batches = [_NumberedLines.of(batch, lexicon, least_words) for batch in texts.chunks]
    n_documents = np.zeros(len(lexicon), dtype=np.int64)
    for batch in batches:
        n_documents += np.bincount(batch.distinct(), minlength=len(lexicon))
    frequent = n_documents >= max(LEAST_DOCUMENTS, LEAST_SHARE * len(texts))
    if not frequent.any():
        return texts
    examples = lexicon.words().take(pa.array(np.argsort(-n_documents, kind="stable")[:MOST_EXAMPLES])).to_pylist()
    cleaned = []
    for chunk, batch in zip(texts.chunks, batches):
        gone = (batch.numbers >= 0) & frequent[batch.numbers]
        tally.add("boilerplate", "line", int(gone.sum()), len(np.unique(batch.lines.document()[gone])), examples)
        cleaned.append(batch.lines.joined(~gone) if gone.any() else chunk)
    return pa.chunked_array(cleaned, pa.large_string())


class _NumberedLines(NamedTuple):
    """The lines of a batch, and the number of each in a lexicon: −1 if it is empty or the only line of its text."""

    lines: Lines
    numbers: Ints

    @classmethod
    def of(cls, texts: pa.LargeStringArray, lexicon: Lexicon, least_words: int) -> _NumberedLines:
        lines = Lines.of(texts)
        filled = lines.matching(r"\S")
        n_filled = np.diff(np.concatenate([[0], np.cumsum(filled)])[lines.offsets])
        looked_at = np.flatnonzero(filled & (n_filled >= 2)[lines.document()])
        some = lines.text.take(pa.array(looked_at))
        masked = pc.utf8_trim_whitespace(pc.replace_substring_regex(some, pattern="[0-9]+", replacement="0"))
        if least_words:
            enough = pc.greater_equal(pc.count_substring_regex(masked, r"\pL{2,}"), least_words)
            looked_at, masked = looked_at[enough.to_numpy(zero_copy_only=False)], masked.filter(enough)
        numbers = np.full(len(filled), -1, dtype=np.int64)
        numbers[looked_at] = lexicon.number(masked)
        return cls(lines, numbers)

    def distinct(self) -> Ints:
        """Return the numbers of the lines, each once per text."""
        looked_at = self.numbers >= 0
        key = self.lines.document()[looked_at] * (self.numbers.max(initial=0) + 1) + self.numbers[looked_at]
        found: Ints = np.unique(key) % (self.numbers.max(initial=0) + 1)
        return found

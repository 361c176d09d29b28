r"""The languages of texts, detected by their function words.

A text is assigned the language :math:`l` with the largest sum over its words :math:`w` of :math:`[w \in S_l] / |\{m : w
\in S_m\}|`, where :math:`S_l` are the stop words of the language: a word of many languages is weak evidence. A language
is detected if the texts assigned to it contain at least a tenth of the words, and at least five distinct stop words of
it occur (two in a sample of fewer than 300 words).

Scripts that do not separate words by spaces are recognised by their characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from driftline.text.counts import count_words
from driftline.text.rows import text_array
from driftline.text.stop_word_lists import STOP_WORDS
from driftline.text.tokenise import Tokenizer

LOOKED_AT = 2000
"""Number of documents sampled, spread evenly over the source."""
LONGEST_LOOK = 5000
"""Number of characters examined per sampled document."""
LEAST_STOP_WORDS = 0.05
"""Smallest share of stop words at which a text is assigned a language."""
LEAST_DISTINCT, OF_FEW_WORDS, FEW_WORDS = 5, 2, 300
"""Minimum number of distinct stop words of a language, the same for small samples, and their size in words.

A few occurrences are not enough: in English documents of key words, "war" is also a German stop word.
"""
LEAST_SHARE = 0.1
"""Smallest share of the words of a detected language."""
UNSPACED_SCRIPTS = {
    "Chinese": r"\p{Han}",
    "Japanese": r"\p{Hiragana}|\p{Katakana}",
    "Thai": r"\p{Thai}",
    "Lao": r"\p{Lao}",
    "Khmer": r"\p{Khmer}",
    "Burmese": r"\p{Myanmar}",
}
"""Scripts written without spaces between words, and their characters in RE2's syntax."""


class Language(NamedTuple):
    """The languages found, most frequent first, as ISO 639-1 codes with their shares of the words; empty if unknown.

    `unspaced` names the script if most texts are written without spaces between words, in which case the counted units
    are not words; it is empty otherwise.
    """

    codes: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()
    unspaced: str = ""


def find_language(texts: Iterable[object]) -> Language:
    """Return the languages of texts, from a sample of at most 2,000 of them.

    >>> find_language(["the war in the east is over", "what is to be done about it"]).codes
    ('en',)
    >>> find_language(["der Krieg im Osten ist vorbei", "was ist nun zu tun und von wem"]).codes
    ('de',)
    >>> find_language(["战争结束了"]).unspaced
    'Chinese'
    """
    column = text_array(texts)
    rows = np.unique(np.linspace(0, len(column) - 1, min(LOOKED_AT, len(column))).round().astype(np.int64))
    some = pc.utf8_slice_codeunits(column.take(pa.array(rows)).combine_chunks(), 0, LONGEST_LOOK)
    unspaced = _unspaced_script(some)
    if unspaced or not pc.any(pc.match_substring_regex(some, r"\pL")).as_py():
        return Language(unspaced=unspaced)
    counts, vocabulary = count_words(some, Tokenizer(pattern=r"\w+"))
    codes = list(STOP_WORDS)
    listed = _listed(vocabulary.words, codes)
    hits = counts @ listed.multiply(1 / np.maximum(listed.sum(axis=1), 1)).tocsr()
    best = hits.toarray().argmax(axis=1)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    in_best = (counts @ listed).toarray()[np.arange(len(best)), best]
    shares = np.bincount(best, np.where(in_best >= LEAST_STOP_WORDS * lengths, lengths, 0), minlength=len(codes))
    shares = shares / max(lengths.sum(), 1)
    shares[listed.getnnz(axis=0) < (LEAST_DISTINCT if lengths.sum() >= FEW_WORDS else OF_FEW_WORDS)] = 0
    found = [int(code) for code in np.argsort(-shares, kind="stable") if shares[code] >= LEAST_SHARE]
    return Language(tuple(codes[code] for code in found), tuple(float(shares[code]) for code in found))


def _listed(words: np.ndarray, codes: list[str]) -> sp.csr_matrix:
    """Return words × languages: 1 if a word is a stop word of the language."""
    rows, columns = [], []
    for row, word in enumerate(words):
        for column, code in enumerate(codes):
            if word in STOP_WORDS[code]:
                rows.append(row)
                columns.append(column)
    return sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(words), len(codes)))


def _unspaced_script(texts: pa.LargeStringArray) -> str:
    """Return the script without spaces to which most of the letters belong; empty if there is none.

    Japanese mixes its own characters with Chinese ones, so a tenth of the former is enough.
    """
    letters = max(pc.sum(pc.count_substring_regex(texts, r"\pL")).as_py() or 0, 1)
    shares = {
        script: (pc.sum(pc.count_substring_regex(texts, characters)).as_py() or 0) / letters
        for script, characters in UNSPACED_SCRIPTS.items()
    }
    if shares["Japanese"] > 0.1 and shares["Japanese"] + shares["Chinese"] > 0.5:
        return "Japanese"
    script = max(shares, key=lambda name: shares[name])
    return script if shares[script] > 0.5 else ""

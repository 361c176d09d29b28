"""Words that are counted but never reported as headlines on their own: numbers, days, months, function words, "inc"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Bools
from driftline.text.calendar_words import CALENDAR_WORDS
from driftline.text.stop_word_lists import STOP_WORDS

CONTRACTION_PARTS = {
    "en": frozenset(
        [
            "ain",
            "aren",
            "couldn",
            "didn",
            "doesn",
            "don",
            "hadn",
            "hasn",
            "haven",
            "isn",
            "ll",
            "mightn",
            "mustn",
            "needn",
            "re",
            "shan",
            "shouldn",
            "ve",
            "wasn",
            "weren",
            "wouldn",
        ]
    ),
    "fr": frozenset(["aujourd", "jusqu", "lorsqu", "puisqu", "qu", "quelqu", "quoiqu"]),
}
"""Fragments of contractions that are counted as words, by language."""
LEGAL_FORMS = frozenset(["inc", "incorporated", "corp", "ltd", "llc", "llp", "plc", "gmbh", "sarl", "srl", "pty"])
"""Legal forms of companies, which are part of a name and are meaningless without it."""
_ENDINGS = "st|nd|rd|th|s|k|m|mn|bn|am|pm|h|hrs|min|x|er|re|e|eme|ème|nde|te|ten|ter|tes|de|º|ª"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec"
NUMERAL = rf"^(?:[0-9][0-9_.,:/%-]*(?:{_ENDINGS})?|(?:{_MONTHS})[0-9]{{1,4}}|[0-9]{{1,4}}(?:{_MONTHS})[0-9]{{0,4}})$"
"""Expression for a number with or without an ordinal ending or a unit (2003, 21st, 10pm, 5bn), or a date (may7)."""


def never_headline(words: Sequence[str] | np.ndarray, languages: str | Iterable[str]) -> Bools:
    """Return a mask of the words that are numbers, ordinals, weekdays, months, legal forms, or stop words of the
    languages.

    A phrase is included if all of its words are. `is_stop_word` finds the stop words among them.

    >>> never_headline(["war", "2003", "21st", "monday", "the", "monday night", "last monday"], "en").tolist()
    [False, True, True, True, True, False, False]
    """
    return is_listed_last(words, languages) | is_stop_word(words, languages)


def is_listed_last(words: Sequence[str] | np.ndarray, languages: str | Iterable[str] = ()) -> Bools:
    """Return a mask of the words that are listed after all others, and are never headlines, however much they changed.

    They are numbers, dates, the weekdays and months of the languages, and legal forms.

    >>> is_listed_last(["war", "2003", "monday", "inc"]).tolist(), is_listed_last(["monday"], "en").tolist()
    ([False, True, False, True], [True])
    """
    return is_calendar_word(words, languages) | is_legal_form(words)


def is_stop_word(words: Sequence[str] | np.ndarray, languages: str | Iterable[str]) -> Bools:
    """Return a mask of the stop words of the languages, and of the phrases of which all words are stop words."""
    return _all_words_in(words, _union(STOP_WORDS, languages), numerals=False)


def is_contraction_part(words: Sequence[str] | np.ndarray, languages: str | Iterable[str]) -> Bools:
    """Return a mask of the parts of contractions split at the apostrophe, such as *don* and *ve* in English.

    >>> is_contraction_part(["don", "ve", "done"], "en").tolist()
    [True, True, False]
    """
    return _all_words_in(words, _union(CONTRACTION_PARTS, languages), numerals=False)


def is_legal_form(words: Sequence[str] | np.ndarray) -> Bools:
    """Return a mask of the legal forms of companies, in any language.

    >>> is_legal_form(["inc", "enron inc", "income"]).tolist()
    [True, False, False]
    """
    return _all_words_in(words, LEGAL_FORMS, numerals=False)


def is_calendar_word(words: Sequence[str] | np.ndarray, languages: str | Iterable[str]) -> Bools:
    """Return a mask of the numbers, ordinals, weekdays and months; a phrase may also contain stop words."""
    return _all_words_in(words, _union(CALENDAR_WORDS, languages), numerals=True)


def _union(lists: dict[str, frozenset[str]], languages: str | Iterable[str]) -> frozenset[str]:
    codes = [languages] if isinstance(languages, str) else list(languages)
    return frozenset().union(*(lists.get(code, frozenset()) for code in codes))


def _all_words_in(words: Sequence[str] | np.ndarray, listed: frozenset[str], *, numerals: bool) -> Bools:
    column = pa.array(words, pa.large_string())
    parts = pc.split_pattern(column, " ")
    flat = parts.flatten()
    member = pc.is_in(flat, value_set=pa.array(sorted(listed), pa.large_string()))
    if numerals:
        member = pc.or_(member, pc.match_substring_regex(flat, NUMERAL))
    total = np.concatenate([[0], np.cumsum(member.to_numpy(zero_copy_only=False))])
    offsets = np.asarray(parts.offsets)
    found: Bools = np.diff(total[offsets]) == np.diff(offsets)
    return found

"""The kinds of content recognised from some values of a column: times, dates, text, prose, message ids."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from driftline.core.errors import AmbiguousInput
from driftline.readers.timestamps import TimeReader

_MESSAGE_IDS = re.compile(r"\s*(?:<[^<>\s]+@[^<>\s]+>|[^\s<>@]+@[^\s<>@]+(?:\s|$))")
_NUMBER = re.compile(r"\s*[+-]?(?:\d+(?:[.,]\d*)?|\d{1,3}(?:[.,]\d{3})+)\s*")
_LOOKED_AT = 200
"""Maximum number of values, evenly spaced, whose words are counted."""
_WORDS_OF_PROSE = 3
_WITHOUT_SPACES = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_CHARACTERS_OF_PROSE = 10
"""Minimum mean number of characters of scripts without spaces (Thai, Burmese, Khmer, Japanese, Chinese) in prose."""
_CLEARLY_LONGER, _MUCH_LONGER = 3, 5
_LEAST_SHARE = 0.2
_FEWEST_COMPARED, _LEAST_DISTINCT = 50, 0.1
_FEWEST_WORDS, _FEWEST_CHARACTERS = 1.5, 12
"""Below both means, texts are too short to be documents; languages without spaces have one word and many characters."""


def holds_times(values: Sequence[object], times: TimeReader) -> bool:
    """Return whether some value is a time; a column called time may contain only times of day, or offsets in a film."""
    try:
        read = times.scout().read(values)
    except AmbiguousInput:
        return True  # these are times that need further options; the error is raised when they are read
    return read is None or bool(read.readable.any())


def holds_dates(values: Sequence[object], times: TimeReader) -> bool:
    """Return whether most values are dates, and not numbers, which may count anything."""
    written = [value for value in values if value is not None and not isinstance(value, int | float)]
    written = [value for value in written if not (isinstance(value, str) and _NUMBER.fullmatch(value))]
    try:
        read = times.scout().read(written)
    except AmbiguousInput:
        return False
    return read is not None and 2 * int(read.readable.sum()) > len(values)


def holds_text(values: Sequence[object]) -> bool:
    """Return whether some value is a text with characters other than spaces."""
    return any(_texts([value]) for value in values)


def holds_prose(values: Sequence[object]) -> bool:
    """Return whether the texts have several words on average, or several characters of scripts without spaces.

    >>> holds_prose(["war"]), holds_prose(["war has begun"]), holds_prose(["今日は天気がとてもいいですね"])
    (False, True, True)
    """
    texts = _texts(_some(values))
    if not texts:
        return False
    characters = sum(len(_WITHOUT_SPACES.findall(text)) for text in texts) / len(texts)
    return _mean_words(texts) >= _WORDS_OF_PROSE or characters >= _CHARACTERS_OF_PROSE


def are_tiny(values: Sequence[object]) -> bool:
    """Return whether few of many records have a text, few texts are distinct, or they have hardly a word each.

    >>> are_tiny([".", "", "."]), are_tiny(["war", "peace talks"]), are_tiny(["今日は天気がとてもいいですね"])
    (True, False, False)
    >>> are_tiny(["sent by a telephone", "sent by a browser"] * 50)
    True
    """
    values = _some(values)
    texts = _texts(values)
    if len(texts) < _LEAST_SHARE * len(values):
        return True
    if len(texts) >= _FEWEST_COMPARED and len(set(texts)) < _LEAST_DISTINCT * len(texts):
        return True
    characters = sum(map(len, texts)) / max(1, len(texts))
    return _mean_words(texts) < _FEWEST_WORDS and characters < _FEWEST_CHARACTERS


def clearly_longest(columns: Mapping[str, Sequence[object]]) -> str | None:
    """Return the column whose records have three times as many words as those of every other; None if there is none.

    >>> clearly_longest({"title": ["The crown", "Dark"], "plot": ["A queen learns to rule", "A child is lost in time"]})
    'plot'
    """
    words = _words(columns)
    order = sorted(words, key=lambda name: -words[name])
    if len(order) == 1 or (order and words[order[0]] >= max(1, _CLEARLY_LONGER * words[order[1]])):
        return order[0]
    return None


def much_longer(columns: Mapping[str, Sequence[object]], *, than: Sequence[str]) -> str | None:
    """Return the column whose records have most words, if they have five times as many as some others; None if not.

    >>> facts = ["The defendant copied nine photographs of a building without permission and sold them as postcards"]
    >>> much_longer({"title": ["Doe v. Roe"], "key_facts": facts, "holding": ["It was not fair use"]}, than=["title"])
    'key_facts'
    """
    words = _words(columns)
    best = max(words, key=lambda name: words[name], default=None)
    most = max((words.get(name, 0) for name in than), default=0)
    return best if best is not None and most and words[best] >= _MUCH_LONGER * most else None


def holds_message_ids(values: Sequence[object]) -> bool:
    """Return whether some value contains a message id; a column of references may also be a bibliography."""
    return any(isinstance(value, str) and _MESSAGE_IDS.match(value) for value in values)


def _some(values: Sequence[object]) -> Sequence[object]:
    return values[:: max(1, -(-len(values) // _LOOKED_AT))]


def _texts(values: Sequence[object]) -> list[str]:
    """Return the values that are texts, or lists of words, without blank ones."""
    joined = [" ".join(filter(_is_text, value)) if isinstance(value, list) else value for value in values]
    return [value for value in joined if isinstance(value, str) and value.strip()]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _words(columns: Mapping[str, Sequence[object]]) -> dict[str, int]:
    return {name: sum(len(text.split()) for text in _texts(_some(values))) for name, values in columns.items()}


def _mean_words(texts: Sequence[str]) -> float:
    return sum(len(text.split()) for text in texts) / max(1, len(texts))

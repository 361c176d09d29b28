"""Stop words: the user's choice, or those of the detected language."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TypeAlias

from driftline.core.errors import InvalidInput
from driftline.text.stop_word_lists import STOP_WORDS

StopWordChoice: TypeAlias = str | Collection[str] | None
"""Stop words: the code of a language, ``"auto"`` where a language is detected, the words themselves, or none."""


def stop_words_of(choice: object) -> tuple[str, ...] | None:
    """Return the words that a tokenizer ignores, sorted.

    The choice is None, ``"english"``, the code of a language (``"de"``), or the user's own collection of words.

    >>> "the" in stop_words_of("english"), "und" in stop_words_of("de"), stop_words_of(["b", "a", "b"])
    (True, True, ('a', 'b'))
    """
    if choice is None:
        return None
    if isinstance(choice, str):
        code = "en" if choice == "english" else choice
        if code not in STOP_WORDS:
            raise InvalidInput(
                f"stop_words={choice!r} is unknown; pass None, a collection of words, 'english', or one of "
                f"{', '.join(sorted(STOP_WORDS))}"
            )
        return tuple(sorted(STOP_WORDS[code]))
    if not isinstance(choice, Iterable):
        raise InvalidInput(f"stop_words must be a language, None or a collection of words, not {choice!r}")
    words = list(choice)
    for word in words:
        if not isinstance(word, str):
            raise InvalidInput(f"stop_words must contain words, but {word!r} is of type {type(word).__name__}")
    return tuple(sorted(set(words)))


def stop_words_for(choice: object, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stop words of a choice; ``"auto"`` means those of the detected languages.

    >>> "der" in stop_words_for("auto", ("en", "de")), stop_words_for("auto", ()), stop_words_for(None, ("en",))
    (True, (), ())
    """
    if isinstance(choice, str) and choice == "auto":
        return tuple(sorted(frozenset().union(*(STOP_WORDS[code] for code in languages))))
    return stop_words_of(choice) or ()


def read_stop_words(path: Path) -> tuple[str, ...]:
    """Return the words of a file in UTF-8, one per line; empty lines and those that begin with # are ignored."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read stop words from {path}: {error}; write one word per line, in UTF-8") from error
    words = (line.strip().lower() for line in lines)
    return tuple(sorted({word for word in words if word and not word.startswith("#")}))

"""Texts to sentences of tokens, as in English treebanks: separate punctuation, "do n't" and "dog 's" in two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

LONGEST_SENTENCE = 200
"""Maximum number of tokens of a sentence; longer ones are split."""
_TOKEN = re.compile(r"\w+(?:[.'’@:/_-]\w+)*|[^\w\s]", re.UNICODE)
_CLITIC = re.compile(r"(?i)^(\w+)(n['’]t|['’](?:s|re|ve|ll|d|m))$")
_ENDS = frozenset(".!?…")
_BLANK = re.compile(r"\n\s*\n")
FEW_CAPITALS, MANY_CAPITALS = 0.02, 0.6
"""Shares of capitalised words below and above which capitals do not mark names; 5 to 30 % is usual."""


def sentences_of(text: str) -> list[list[str]]:
    """Return the sentences of a text, each a list of tokens.

    >>> sentences_of("Mr. Smith doesn't know. It's Rome's fault!")
    [['Mr', '.'], ['Smith', 'does', "n't", 'know', '.'], ['It', "'s", 'Rome', "'s", 'fault', '!']]
    """
    found: list[list[str]] = []
    for paragraph in _BLANK.split(text):
        sentence: list[str] = []
        for word in _TOKEN.findall(paragraph):
            parts = _CLITIC.match(word)
            sentence += list(parts.groups()) if parts else [word]
            if word in _ENDS or len(sentence) >= LONGEST_SENTENCE:
                found.append(sentence)
                sentence = []
        if sentence:
            found.append(sentence)
    return found


def capital_share(sentences: Iterable[Sequence[str]]) -> float:
    """Return the share of words that begin with a capital letter, not counting the first of every sentence.

    >>> capital_share([["We", "flew", "to", "New", "York", "."]])
    0.5
    """
    words = [word for sentence in sentences for word in sentence[1:] if word[:1].isalpha()]
    return sum(word[0].isupper() for word in words) / len(words) if words else 0.0


def capitals_warning(share: float) -> str:
    """Return a warning if capitals do not mark names in these texts, otherwise an empty string.

    >>> capitals_warning(0.001)[:62]
    '0.1 % of the words begin with a capital (without the first of '
    >>> capitals_warning(0.999)[:14]
    '100 % of the w'
    """
    if FEW_CAPITALS <= share <= MANY_CAPITALS:
        return ""
    amount = "almost all" if share > MANY_CAPITALS else "few"
    percent = f"{100 * share:.0f}" if share >= 0.01 else f"{100 * share:.1g}"
    return (
        f"{percent} % of the words begin with a capital (without the first of a sentence): {amount}. A tagger "
        f"that was trained on ordinary writing knows new names mainly by their capitals, so that many names are "
        f"{'confused with other words' if share > MANY_CAPITALS else 'missed'}"
    )

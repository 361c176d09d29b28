"""Texts to sentences of tokens, as treebanks of English cut them: punctuation apart, "do n't" and "dog 's" in two."""

from __future__ import annotations

import re

LONGEST_SENTENCE = 200
"""A sentence of more tokens is cut."""
_TOKEN = re.compile(r"\w+(?:[.'’@:/_-]\w+)*|[^\w\s]", re.UNICODE)
_CLITIC = re.compile(r"(?i)^(\w+)(n['’]t|['’](?:s|re|ve|ll|d|m))$")
_ENDS = frozenset(".!?…")
_BLANK = re.compile(r"\n\s*\n")


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

"""The tagger that comes with driftline: parts of speech of English, and the names and noun phrases in tagged sentences.

It was trained by ``tools/train_tagger.py`` on UD English EWT, whose licence (CC BY-SA 4.0) is next to the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from typing import Literal, NamedTuple, TypeAlias

from driftline.core.errors import ModelFileError
from driftline.persistence.model import load
from driftline.sequences.crf import CRF

NAME_TAG, NOUN_TAG = "PROPN", "NOUN"
_IN_PHRASE = frozenset({"ADJ", NOUN_TAG, NAME_TAG})
LONGEST = 6
"""Maximum number of words of a name or phrase; longer ones are usually headings or lists."""
Mentioned: TypeAlias = Literal["name", "phrase"]


class Phrase(NamedTuple):
    """Words of a sentence that form a unit, from `start` to `end` (exclusive)."""

    start: int
    end: int
    text: str


@lru_cache(maxsize=1)
def english_tagger() -> CRF:
    """Return the tagger of English parts of speech (UPOS) that comes with driftline.

    >>> english_tagger().predict([["Paris", "is", "beautiful", "."]])[0].tolist()
    ['PROPN', 'AUX', 'ADJ', 'PUNCT']
    """
    with resources.as_file(resources.files("driftline.sequences").joinpath("english_model")) as folder:
        model = load(folder)
    if not isinstance(model, CRF):
        raise ModelFileError("the tagger that comes with driftline is not a CRF; install driftline again")
    return model


def names_in(tokens: Sequence[str], tags: Sequence[str]) -> list[Phrase]:
    """Return the names of a sentence: sequences of proper nouns that begin with a letter.

    Capitalised adjectives and nouns belong to the sequence, except at the beginning of the sentence: the treebank tags
    "New" of "New York" as an adjective.

    >>> [one.text for one in names_in(["in", "New", "York", "today"], ["ADP", "ADJ", "PROPN", "NOUN"])]
    ['New York']
    """
    may = [
        tag == NAME_TAG or (place > 0 and tag in _IN_PHRASE and token[:1].isupper())
        for place, (token, tag) in enumerate(zip(tokens, tags))
    ]
    return [
        Phrase(start, end, " ".join(tokens[start:end]))
        for start, end in _runs(may)
        if NAME_TAG in tags[start:end]
        and end - start <= LONGEST
        and tokens[start][:1].isalpha()
        and len(tokens[start]) + end - start > 2
    ]


def noun_phrases_in(tokens: Sequence[str], tags: Sequence[str]) -> list[Phrase]:
    """Return the noun phrases of a sentence in lower case: two or more adjectives and nouns, up to the last noun.

    >>> tags = ["DET", "ADJ", "NOUN", "NOUN", "VERB"]
    >>> [one.text for one in noun_phrases_in(["The", "new", "gas", "pipeline", "leaks"], tags)]
    ['new gas pipeline']
    """
    found = []
    for start, end in _runs([tag in _IN_PHRASE for tag in tags]):
        while end > start and tags[end - 1] != NOUN_TAG:
            end -= 1
        if 2 <= end - start <= LONGEST and all(token[:1].isalpha() for token in tokens[start:end]):
            found.append(Phrase(start, end, " ".join(tokens[start:end]).lower()))
    return found


def mentioned_in(
    sentences: Iterable[Sequence[str]], tags: Iterable[Sequence[str]], *, phrases: bool = True
) -> list[list[tuple[Mentioned, str]]]:
    """Return the names, and then the noun phrases, of every sentence, each with its kind.

    >>> mentioned_in([["in", "Rome"]], [["ADP", "PROPN"]])
    [[('name', 'Rome')]]
    """
    found: list[list[tuple[Mentioned, str]]] = []
    for tokens, own in zip(sentences, tags):
        found.append([("name", one.text) for one in names_in(tokens, own)])
        if phrases:
            found[-1] += [("phrase", one.text) for one in noun_phrases_in(tokens, own)]
    return found


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the start and the end of every run of true values."""
    found, start = [], None
    for place, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = place
        elif not flag and start is not None:
            found.append((start, place))
            start = None
    return found

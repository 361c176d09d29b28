"""Tags of tokens, sentence by sentence: known, partly known, or unknown."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from numbers import Integral
from typing import TypeAlias

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.core.labels import classes_of, is_known
from driftline.sequences.spans import span_score
from driftline.text.bio_tags import OUTSIDE

Tag: TypeAlias = str | int | float | None
"""A tag before it is checked; None, -1 and NaN mean unknown."""
Tags: TypeAlias = Sequence[Sequence[Tag] | np.ndarray | None] | np.ndarray
"""The tags of every sentence; None for a sentence without known tags."""
UNKNOWN_TAG = -1


def tag_codes(y: Tags, lengths: Sequence[int] | Ints, classes: np.ndarray | None = None) -> tuple[Ints, np.ndarray]:
    """Return the code of every tag, concatenated, and the tags in the order of their codes.

    A tag of −1, None or NaN is unknown, and None in place of a sentence means that all its tags are. With `classes`,
    other tags are an error.

    >>> tag_codes([["D", "N"], None, ["N", None]], [2, 1, 2])
    (array([ 0,  1, -1,  1, -1]), array(['D', 'N'], dtype='<U1'))
    """
    values = _concatenated(y, lengths)
    distinct = _known_tags(values)
    found = (
        classes if classes is not None else classes_of(np.array([v for v, known in distinct.items() if known], object))
    )
    codes_by_tag = {tag: code for code, tag in enumerate(found.tolist())}
    unknown = {value for value, known in distinct.items() if not known}
    strange = set(distinct) - unknown - set(codes_by_tag)
    if strange:
        first = next(place for place, value in enumerate(values) if value in strange)
        some = ", ".join(map(str, found[:20])) + (", …" if len(found) > 20 else "")
        raise InvalidInput(
            f"{place_of(first, lengths)} has the tag {values[first]!r}, which did not occur in training ({some}); "
            f"train with examples of it, or pass None"
        )
    return np.array([codes_by_tag.get(value, UNKNOWN_TAG) for value in values], dtype=np.int64), found


def _known_tags(values: Sequence[Tag]) -> dict[Tag, bool]:
    """Return whether each distinct tag is known; a known one must be a string or an integer."""
    distinct = list(dict.fromkeys(values))
    array = np.empty(len(distinct), dtype=object)
    array[:] = distinct
    known = dict(zip(distinct, is_known(array).tolist()))
    for value in distinct:
        if known[value] and (not isinstance(value, str | Integral) or isinstance(value, bool)):
            raise InvalidInput(f"a tag is {value!r}; tags are strings or integers, with None or -1 if unknown")
    return known


def tag_accuracy(predicted: Sequence[np.ndarray], y: Tags) -> float:
    """Return the share of known tags that were predicted correctly.

    >>> tag_accuracy([np.array(["D", "N"]), np.array(["N"])], [["D", None], ["V"]])
    0.5
    """
    codes, names = tag_codes(y, [len(path) for path in predicted])
    known = codes >= 0
    if not known.any():
        raise InvalidInput("no tag is known, so there is no accuracy; pass the true tags of some tokens")
    return float((np.concatenate(predicted)[known] == names[codes[known]]).mean())


def tag_score(predicted: Sequence[np.ndarray], y: Tags, classes: np.ndarray) -> float:
    """Return the F1 of spans if the tags of a model are B-X, I-X and O, otherwise the share of correct tags.

    >>> tag_score([np.array(["B-N", "O"])], [["B-N", "B-N"]], np.array(["B-N", "O"]))
    0.666...
    """
    if all(str(tag) == OUTSIDE or str(tag)[:2] in ("B-", "I-") for tag in classes):
        true = tag_strings(y, [len(tags) for tags in predicted])
        return span_score(true, [tags.tolist() for tags in predicted]).f1
    return tag_accuracy(predicted, y)


def tag_strings(y: Tags, lengths: Sequence[int] | Ints) -> list[list[str]]:
    """Return the tags of every sentence as strings; all of them must be known.

    >>> tag_strings([["O"], []], [1, 0])
    [['O'], []]
    """
    codes, names = tag_codes(y, lengths)
    if (codes < 0).any():
        place = place_of(int(np.argmax(codes < 0)), lengths)
        raise InvalidInput(f"{place} has no tag; spans can be compared only if every token has one")
    strings = names[codes].tolist() if len(codes) else []
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(int)
    return [[str(tag) for tag in strings[begin:end]] for begin, end in itertools.pairwise(ends)]


def place_of(token: int, lengths: Sequence[int] | Ints) -> str:
    """Return the sentence and the position of a token of the concatenated sentences.

    >>> place_of(2, [2, 3])
    'position 0 of sentence 1'
    """
    ends = np.cumsum(lengths)
    sentence = int(np.searchsorted(ends, token, side="right"))
    return f"position {token - (int(ends[sentence - 1]) if sentence else 0)} of sentence {sentence}"


def _concatenated(y: Tags, lengths: Sequence[int] | Ints) -> list[Tag]:
    if isinstance(y, str | bytes) or not hasattr(y, "__len__"):
        raise InvalidInput(f"tags must be a list with the tags of each sentence, not {type(y).__name__}")
    if len(y) != len(lengths):
        raise InvalidInput(f"there are {len(lengths)} sentences but tags for {len(y)}; pass one list of tags for each")
    values: list[Tag] = []
    for sentence, (tags, length) in enumerate(zip(y, lengths)):
        if tags is None:
            values += [None] * int(length)
            continue
        if isinstance(tags, str | bytes) or not hasattr(tags, "__len__"):
            raise InvalidInput(f"the tags of sentence {sentence} are {tags!r}; pass a list with one per token")
        if len(tags) != length:
            raise InvalidInput(
                f"sentence {sentence} has {length} tokens but {len(tags)} tags: "
                f"position {min(len(tags), int(length))} has only one of the two"
            )
        values += tags.tolist() if isinstance(tags, np.ndarray) else list(tags)
    try:
        set(values)
    except TypeError as error:
        raise InvalidInput(f"tags are strings or integers, with None or -1 if unknown: {error}") from error
    return values

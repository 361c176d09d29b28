"""Training data of a conditional random field: attributes, codes of tags, and possible transitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.sequences.crf_training import Pairs, Sentences, seen_pairs
from driftline.sequences.tag_input import Tag, Tags, place_of, tag_codes
from driftline.sequences.templates import Encoding, Templates, learn_encoding
from driftline.sequences.token_input import TokenLists, Tokens, as_tokens
from driftline.text.bio_tags import may_follow, tag_parts

Forbidden: TypeAlias = str | Sequence[tuple[Tag, Tag]] | None
"""Transitions that are impossible: none, "bio", or pairs of tags."""


class TaggingProblem(NamedTuple):
    """Sentences and their tags as numbers: the tags, the encoding of attributes, sentences, and pairs with a weight."""

    classes: np.ndarray
    encoding: Encoding
    sentences: Sentences
    pairs: Pairs

    def weighted(self, weights: Floats) -> TaggingProblem:
        """Return the problem with other weights of sentences; those with weight zero are left out."""
        return self._replace(sentences=self.sentences.rows(np.flatnonzero(weights > 0), weights))


def tagging_problem(
    templates: Templates, X: TokenLists, y: Tags, forbidden: Forbidden, sample_weight: npt.ArrayLike | None = None
) -> TaggingProblem:
    """Return the problem of sentences and their tags; errors name unusable ones."""
    tokens = as_tokens(X, templates.n_columns)
    codes, classes = tag_codes(y, tokens.lengths)
    if not len(classes):
        raise InvalidInput("no token has a tag; pass sentences with their tags")
    allowed, starts = possible_tags(classes, forbidden)
    _check_possible(codes, tokens, allowed, starts, classes)
    encoding, attributes = learn_encoding(templates, tokens)
    sentences = Sentences(attributes, tokens.offsets, codes, _sentence_weights(sample_weight, len(tokens)))
    pairs = seen_pairs(sentences, encoding.n_attributes, allowed.astype(np.float64), starts.astype(np.float64))
    return TaggingProblem(classes, encoding, sentences, pairs)


def possible_tags(classes: np.ndarray, forbidden: Forbidden) -> tuple[Bools, Bools]:
    """Return masks of the possible transitions, and of the tags that may be first.

    >>> possible_tags(np.array(["B-X", "I-X", "O"]), "bio")[0].tolist()
    [[True, True, True], [True, True, True], [True, False, True]]
    """
    n = len(classes)
    allowed, starts = np.ones((n, n), dtype=bool), np.ones(n, dtype=bool)
    if forbidden is None:
        return allowed, starts
    tags = [str(name) for name in classes.tolist()]
    if isinstance(forbidden, str):
        if forbidden != "bio":
            raise InvalidInput(f"forbidden is {forbidden!r}; pass None, 'bio' or pairs of tags")
        allowed = np.array([[may_follow(before, after) for after in tags] for before in tags])
        return allowed, np.array([may_follow(None, tag) for tag in tags])
    for pair in forbidden:
        before, after = (str(part) for part in pair)
        if before in tags and after in tags:
            allowed[tags.index(before), tags.index(after)] = False
    return allowed, starts


def _check_possible(codes: Ints, tokens: Tokens, allowed: Bools, starts: Bools, classes: np.ndarray) -> None:
    """Raise an error if training contains a forbidden transition."""
    if allowed.all() and starts.all():
        return
    first = np.zeros(len(codes), dtype=bool)
    first[tokens.offsets[:-1][tokens.lengths > 0]] = True
    before = np.where(first, -1, np.roll(codes, 1))
    bad = (first & (codes >= 0) & ~starts[codes]) | ((before >= 0) & (codes >= 0) & ~allowed[before, codes])
    if bad.any():
        place = int(np.argmax(bad))
        tag = str(classes[codes[place]])
        raise InvalidInput(
            f"{place_of(place, tokens.lengths)} has the tag {tag!r} where it is forbidden; "
            f"repair the tags (B-{tag_parts(tag)[1]} begins a span), or pass forbidden=None"
        )


def _sentence_weights(given: npt.ArrayLike | None, n: int) -> Floats:
    if given is None:
        return np.ones(n)
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise InvalidInput(f"sample_weight must be {n} finite non-negative numbers, one per sentence")
    return weights

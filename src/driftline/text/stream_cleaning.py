"""Removal of addresses, ids and markup from single texts or small batches, as `cleaning` does for whole sources.

Compiling the patterns takes milliseconds in every call, so only texts that may have a match are passed to them. What is
left of a text does not depend on the texts beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from driftline.text.cleaning import without_emphasis
from driftline.text.entities import decode_entities
from driftline.text.inline_patterns import (
    ADDRESSES,
    DOMAINS,
    IDS,
    RETWEETS,
    ROLES,
    TAGS,
    TOP_LEVEL_DOMAINS,
    URLS,
    InlinePattern,
)
from driftline.text.left_out import Tally

_OF_HEXADECIMAL = re.compile(r"[0-9][a-fxA-FX]|[a-fA-F][0-9]|[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_OF_DOMAINS = tuple(f".{ending}" for ending in TOP_LEVEL_DOMAINS)
_Texts: TypeAlias = pa.LargeStringArray


class _Step(NamedTuple):
    """A change of texts, and a quick test that holds for every text that it changes."""

    may_change: Callable[[str], bool]
    change: Callable[[_Texts], _Texts]


def clean_arriving(texts: list[str]) -> list[str]:
    """Return the texts without entities, markup, web and mail addresses, repost markers and hexadecimal ids.

    The kind of a stream is unknown when its first documents arrive, so that account names are kept.

    >>> cleaned = clean_arriving(["RT @joe: storm tonight https://t.co/x1", "caf&eacute; closed"])
    >>> [" ".join(text.split()) for text in cleaned]
    ['storm tonight', 'café closed']
    """
    cleaned = list(texts)
    for step in _STEPS:
        rows = [row for row, text in enumerate(cleaned) if step.may_change(text)]
        if rows:
            changed = step.change(pa.array([cleaned[row] for row in rows], pa.large_string())).to_pylist()
            for row, text in zip(rows, changed):
                cleaned[row] = text
    return cleaned


def _without(pattern: InlinePattern) -> Callable[[_Texts], _Texts]:
    def remove(texts: _Texts) -> _Texts:
        cleaned: _Texts = pc.replace_substring_regex(texts, pattern=pattern.expression, replacement=" ")
        return cleaned

    return remove


def _may_have_url(text: str) -> bool:
    lower = text.lower()
    return "/" in lower or "www" in lower or "htt" in lower


def _may_have_domain(text: str) -> bool:
    lower = text.lower() if "." in text else ""
    return any(ending in lower for ending in _OF_DOMAINS)


_STEPS = (
    _Step(lambda text: "&" in text, lambda texts: decode_entities(texts, Tally())),
    _Step(lambda text: "_" in text, without_emphasis),
    _Step(lambda text: "<" in text, _without(TAGS)),
    _Step(lambda text: ":`" in text, _without(ROLES)),
    _Step(_may_have_url, _without(URLS)),
    _Step(lambda text: "@" in text, _without(ADDRESSES)),
    _Step(lambda text: "@" in text and ("RT" in text or "MT" in text), _without(RETWEETS)),
    _Step(_may_have_domain, _without(DOMAINS)),
    _Step(lambda text: _OF_HEXADECIMAL.search(text) is not None, _without(IDS)),
)
"""The steps of `cleaning.clean_batch` for posts, in the same order, without that of account names."""

"""HTML entities in plain text, decoded first, so that ``caf&eacute;`` is one word and ``&amp;`` is none."""

from __future__ import annotations

import html

import pyarrow as pa
import pyarrow.compute as pc

from driftline.text.left_out import Tally

_ENTITY = r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});"


def decode_entities(texts: pa.LargeStringArray, tally: Tally) -> pa.LargeStringArray:
    """Return the texts with every HTML entity replaced by its character, and tally them.

    >>> decode_entities(pa.array(["caf&eacute; &amp; bar", "R&D"], pa.large_string()), Tally()).to_pylist()
    ['café & bar', 'R&D']
    """
    found = pc.count_substring_regex(texts, _ENTITY)
    rows = pc.greater(found, 0)
    affected = texts.filter(rows)
    if not len(affected):
        return texts
    # Python refuses to read numbers of thousands of digits; no character has such a long number.
    harmless = pc.replace_substring_regex(affected, pattern="&#[0-9]{8,}", replacement=" ")
    decoded = [html.unescape(text) for text in harmless.to_pylist()]
    examples = pc.extract_regex(affected[:20], f"(?P<found>{_ENTITY})").field("found").to_pylist()
    tally.add("entities", "match", pc.sum(found).as_py(), len(affected), examples)
    return pc.replace_with_mask(texts, rows, pa.array(decoded, pa.large_string()))

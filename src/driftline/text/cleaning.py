"""Removal of parts of texts that are not prose, which are not counted."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from driftline.text.entities import decode_entities
from driftline.text.inline_patterns import patterns_of
from driftline.text.left_out import LeftOut, Tally, checked_keep
from driftline.text.mail_lines import SUBJECT_MARK, drop_lines
from driftline.text.rows import batches, text_array
from driftline.text.source_kinds import checked_kind, find_source_kind

_LINES_LEFT_OUT = {
    "mail": frozenset(
        {
            "forwards",
            "diffs",
            "quotes",
            "attributions",
            "signatures",
            "headers",
            "notices",
            "copyrights",
            "encoded",
            "trailers",
            "greetings",
        }
    ),
    "commits": frozenset({"diffs", "trailers", "merges", "encoded"}),
    "prose": frozenset({"copyrights"}),
}
_EMPHASIS = (r"(^|[\s(\[\"'])_([\pL\pN])", r"([\pL\pN.,!?])_($|[\s)\]\"'.,;:!?])")
"""Underscores around _emphasis_, which would count as letters. Names such as __this__ stay unchanged."""


class Cleaned(NamedTuple):
    """The counted part of each text, and the kinds of text that were left out."""

    texts: pa.ChunkedArray
    left_out: tuple[LeftOut, ...]


def clean(texts: Iterable[object], source_kind: str = "auto", *, keep: Collection[str] | str = ()) -> Cleaned:
    """Return the texts without addresses, ids, markup, and other additions of their kind of source.

    Parameters
    ----------
    texts : collection of str
        As for `driftline.text.count_words`.
    source_kind : {"auto", "posts", "mail", "commits", "headlines", "prose", "logs"}
        Kind of texts; ``"auto"`` detects it (`driftline.text.source_kinds`).
    keep : collection of str
        Kinds of text to count that are left out by default (`driftline.text.left_out.DESCRIPTIONS`), or ``"all"``.

    >>> cleaned = clean(["RT @joe: storm tonight http://t.co/x1", "@ann caf&eacute; closed"], "posts")
    >>> [" ".join(text.split()) for text in cleaned.texts.to_pylist()]
    ['storm tonight', 'café closed']
    >>> [(left.kind, left.n) for left in cleaned.left_out]
    [('entities', 1), ('urls', 1), ('retweets', 1), ('accounts', 1)]
    """
    kept = checked_keep(keep)
    tally = Tally()
    if checked_kind(source_kind) == "auto":
        texts = text_array(texts)  # an iterator can be read only once
        source_kind = find_source_kind(texts).kind
    chunks = [clean_batch(batch, source_kind, kept, tally) for batch in batches(texts)]
    return Cleaned(pa.chunked_array(chunks, pa.large_string()), tally.finish())


def clean_batch(
    texts: pa.LargeStringArray, source_kind: str, kept: frozenset[str], tally: Tally
) -> pa.LargeStringArray:
    """Return a batch without the parts that are left out, and tally them."""
    lines_left_out = _LINES_LEFT_OUT.get(source_kind, frozenset()) - kept
    if lines_left_out:
        texts = drop_lines(texts, lines_left_out, tally)
    if source_kind == "mail":
        texts = pc.replace_substring_regex(texts, pattern=SUBJECT_MARK, replacement="")
    if "entities" not in kept:
        texts = decode_entities(texts, tally)
    if source_kind != "commits":
        texts = without_emphasis(texts)
    for pattern in patterns_of(source_kind):
        if pattern.kind not in kept:
            texts = pattern.remove(texts, tally)
    return texts


def without_emphasis(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Return the texts without underscores around words.

    >>> without_emphasis(pa.array(["a _very_ good __init__"], pa.large_string())).to_pylist()
    ['a very good __init__']
    """
    for stress in _EMPHASIS:
        texts = pc.replace_substring_regex(texts, pattern=stress, replacement=r"\1\2")
    return texts

"""Spans of tokens (names, phrases) in tags B-X (begin), I-X (inside) and O (outside), and the score of spans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from driftline.text.bio_tags import OUTSIDE, tag_parts


class Span(NamedTuple):
    """Tokens `start` to `end` (exclusive) of a sentence, and their kind."""

    start: int
    end: int
    kind: str


class SpanScore(NamedTuple):
    """Precision, recall and F1 of predicted spans; a span counts only if both ends and its kind are correct."""

    precision: float
    recall: float
    f1: float


def spans_of(tags: Sequence[str]) -> list[Span]:
    """Return the spans of a sentence; an I that does not continue a span of its kind begins one.

    >>> spans_of(["B-NP", "I-NP", "B-NP", "O", "I-VP"])
    [Span(start=0, end=2, kind='NP'), Span(start=2, end=3, kind='NP'), Span(start=4, end=5, kind='VP')]
    """
    found, start, open_kind = [], 0, None
    for place, tag in enumerate([*tags, OUTSIDE]):
        head, kind = tag_parts(str(tag))
        if open_kind is not None and (head != "I" or kind != open_kind):
            found.append(Span(start, place, open_kind))
            open_kind = None
        if head != OUTSIDE and open_kind is None:
            start, open_kind = place, kind
    return found


def span_score(true: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]]) -> SpanScore:
    """Return the scores of the spans of all sentences, as defined by the CoNLL shared tasks.

    >>> span_score([["B-NP", "I-NP", "O"]], [["B-NP", "I-NP", "B-NP"]])
    SpanScore(precision=0.5, recall=1.0, f1=0.666...)
    """
    right = n_true = n_predicted = 0
    for wanted, given in zip(true, predicted):
        wanted_spans, given_spans = set(spans_of(wanted)), set(spans_of(given))
        right += len(wanted_spans & given_spans)
        n_true += len(wanted_spans)
        n_predicted += len(given_spans)
    precision, recall = right / n_predicted if n_predicted else 0.0, right / n_true if n_true else 0.0
    f1 = 2 * right / (n_true + n_predicted) if n_true + n_predicted else 0.0
    return SpanScore(precision, recall, f1)

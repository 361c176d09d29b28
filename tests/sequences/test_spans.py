from __future__ import annotations

import pytest

from driftline.sequences.spans import span_score, spans_of


@pytest.mark.parametrize(
    "tags, expected",
    [
        ([], []),
        (["O"], []),
        (["B-A", "B-A"], [(0, 1, "A"), (1, 2, "A")]),
        (["I-A", "I-A"], [(0, 2, "A")]),
        (["B-A", "I-B", "I-B"], [(0, 1, "A"), (1, 3, "B")]),
        (["B-A", "I-A", "O", "I-A"], [(0, 2, "A"), (3, 4, "A")]),
        (["PROPN", "PROPN", "NOUN"], [(0, 2, "PROPN"), (2, 3, "NOUN")]),
    ],
)
def test_spans(tags, expected):
    assert [tuple(span) for span in spans_of(tags)] == expected


def test_the_score_needs_both_ends_and_the_kind():
    true = [["B-A", "I-A", "O", "B-B"]]
    assert span_score(true, true) == (1.0, 1.0, 1.0)
    assert span_score(true, [["B-A", "O", "O", "B-A"]]) == (0.0, 0.0, 0.0)
    assert span_score(true, [["B-A", "I-A", "O", "O"]]) == (1.0, 0.5, pytest.approx(2 / 3))
    assert span_score([["O"]], [["O"]]) == (0.0, 0.0, 0.0)

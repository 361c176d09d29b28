from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

from driftline.core.errors import ModelFileError
from driftline.graphs.search.index_segments import Segment, merged, packed, unpacked
from driftline.text.tokenise import Tokenizer

TEXTS = ["the gas pipeline and the gas", "", "pipeline burst", "größe of the gas", "the of"]


def segment_of(texts, first=0):
    ids = pa.array([f"d{first + i}" for i in range(len(texts))], pa.large_string())
    times = np.arange(first, first + len(texts), dtype=np.int64)
    return Segment.of(ids, times, pa.array(texts, pa.large_string()), Tokenizer(stop_words="english"))


def uses(segment):
    """Return the positions of every word in every document of the segment."""
    found = {}
    for number, word in enumerate(segment.words.to_pylist()):
        for p in range(segment.term_offsets[number], segment.term_offsets[number + 1]):
            part = slice(segment.position_offsets[p], segment.position_offsets[p + 1])
            found[word, int(segment.docs[p])] = segment.positions[part].tolist()
    return found


def test_stop_words_keep_their_positions():
    segment = segment_of(TEXTS).check("segment")
    assert uses(segment)["gas", 0] == [1, 5]
    assert uses(segment)["größe", 3] == [0]
    assert segment.lengths.tolist() == [3, 0, 2, 2, 0]
    assert segment.number("the") == -1


def test_merging_equals_building_in_one_pass():
    for cut in range(len(TEXTS) + 1):
        joined = merged(segment_of(TEXTS[:cut]), segment_of(TEXTS[cut:], cut)).check("merged")
        whole = segment_of(TEXTS)
        assert uses(joined) == uses(whole)
        assert joined.lengths.tolist() == whole.lengths.tolist()
        assert joined.ids.to_pylist() == whole.ids.to_pylist()
        assert joined.times.tolist() == whole.times.tolist()
        assert [joined.text(i) for i in range(len(joined))] == TEXTS


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("docs", lambda array: array + 100),
        ("docs", lambda array: array - 100),
        ("docs", lambda array: np.zeros_like(array)),
        ("positions", lambda array: -1 - array),
        ("positions", lambda array: array[:-1]),
        ("positions", lambda array: np.zeros_like(array)),
        ("term_offsets", lambda array: array[::-1]),
        ("position_offsets", lambda array: np.zeros_like(array)),
        ("lengths", lambda array: array + 1),
        ("times", lambda array: array[:-1]),
    ],
)
def test_inconsistent_arrays_are_refused(field, change):
    segment = segment_of(TEXTS)
    broken = dataclasses.replace(segment, **{field: change(getattr(segment, field))})
    with pytest.raises(ModelFileError, match="damaged"):
        broken.check("segment")


def test_strings_are_packed_and_unpacked():
    strings = pa.array(["war", "", "größe"], pa.large_string())
    assert unpacked(*packed(strings[1:]), "here").to_pylist() == ["", "größe"]
    with pytest.raises(ModelFileError, match="UTF-8"):
        unpacked(np.array([0xFF], dtype=np.uint8), np.array([0, 1]), "here")
    with pytest.raises(ModelFileError, match="damaged"):
        unpacked(np.array([65], dtype=np.uint8), np.array([0, 2]), "here")

from __future__ import annotations

from driftline.text.bio_tags import may_follow, tag_parts


def test_a_kind_may_contain_a_hyphen():
    assert tag_parts("B-X-Y") == ("B", "X-Y")
    assert tag_parts("X-Y") == ("I", "X-Y")
    assert may_follow("B-X-Y", "I-X-Y")
    assert not may_follow("B-X", "I-X-Y")

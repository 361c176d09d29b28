import re
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from driftline.text.characters import character_table, class_ranges

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]
SAYABLE = [character for character in EVERY if not "\ud800" <= character <= "\udfff"]
SAYABLE_ARRAY = pa.array(SAYABLE, pa.large_string())


@pytest.mark.parametrize("kind", ["w", "d", "s"])
def test_table_is_what_re_matches_at_every_code_point(kind):
    matches = re.compile(f"\\{kind}").match
    expected = np.fromiter((matches(c) is not None for c in EVERY), dtype=np.bool_, count=len(EVERY))
    np.testing.assert_array_equal(character_table(kind), expected)
    np.testing.assert_array_equal(character_table(kind, ascii_only=True), expected[:128])


@pytest.mark.parametrize(("kind", "negated"), [("w", False), ("w", True), ("d", False), ("s", True)])
def test_ranges_on_re2_are_what_re_matches_at_every_code_point(kind, negated):
    found = pc.match_substring_regex(SAYABLE_ARRAY, f"^[{class_ranges(kind, negated=negated)}]$")
    matches = re.compile(f"\\{kind.upper() if negated else kind}").match
    assert found.to_pylist() == [matches(c) is not None for c in SAYABLE]

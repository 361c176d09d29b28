from __future__ import annotations

import pytest

from driftline.core.errors import InvalidInput
from driftline.graphs.search.date_periods import period_of


def test_periods_are_as_long_as_their_units():
    assert period_of("2001")[1] - period_of("2001")[0] == 365
    assert period_of("2004-02")[1] - period_of("2004-02")[0] == 29
    assert period_of("1970-01-02") == (1.0, 2.0)
    assert period_of(" 1970-01-02 06 ") == (1.25, 1.25 + 1 / 24)


@pytest.mark.parametrize("text", ["", "october", "2001-13", "2001-10-32", "20011", "٢٠٠١", None])
def test_other_texts_are_refused(text):
    with pytest.raises(InvalidInput, match="not a period"):
        period_of(text)

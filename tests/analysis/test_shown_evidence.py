import dataclasses

import pytest

from driftline.analysis.shown_evidence import Example, Series


def test_evidence_cannot_be_changed_by_accident():
    curve = Series(["2003-03-01T00:00:00Z"], [1.0], [0.5], [1.5])
    quoted = Example("7", "2003-03-01T00:00:00Z", "war in iraq")
    assert curve.level == 0.95
    assert quoted.label is None
    for one, name in ((curve, "level"), (quoted, "text")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(one, name, "another")

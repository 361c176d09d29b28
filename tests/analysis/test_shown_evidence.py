import dataclasses

import pytest

from driftline.analysis.shown_evidence import Example


def test_evidence_cannot_be_changed_by_accident():
    quoted = Example("7", "2003-03-01T00:00:00Z", "war in iraq")
    assert quoted.label is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        quoted.text = "another"

import dataclasses

import pytest
from tests.analysis.test_serialise import every_field_filled

from driftline.analysis import findings


def test_every_class_of_the_findings_is_frozen():
    kinds = [kind for kind in vars(findings).values() if dataclasses.is_dataclass(kind)]
    assert len(kinds) > 10
    assert all(kind.__dataclass_params__.frozen for kind in kinds)


def test_findings_cannot_be_changed_by_accident():
    found = every_field_filled()
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.title = "another"

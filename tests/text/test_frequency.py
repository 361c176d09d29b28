import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.text.frequency import check_limits, frequent_enough

DOCUMENTS = np.array([1, 2, 3, 4, 0])
USES = np.array([9, 2, 3, 4, 0])


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({}, [0, 1, 2, 3]),
        ({"min_df": 2}, [1, 2, 3]),
        ({"min_df": 0.5}, [1, 2, 3]),
        ({"min_df": 0.51}, [2, 3]),
        ({"min_df": 0.0}, [0, 1, 2, 3]),
        ({"max_df": 3}, [0, 1, 2]),
        ({"max_df": 0.75}, [0, 1, 2]),
        ({"max_df": 0.74}, [0, 1]),
        ({"max_df": 1}, [0]),
        ({"max_features": 2}, [0, 3]),
        ({"max_features": 2, "min_df": 2}, [2, 3]),
        ({"max_features": 99}, [0, 1, 2, 3]),
    ],
)
def test_limits(limits, kept):
    assert np.flatnonzero(frequent_enough(DOCUMENTS, USES, total_documents=4, **limits)).tolist() == kept


def test_limits_that_exclude_each_other_are_an_error():
    with pytest.raises(InvalidInput, match="lower min_df"):
        frequent_enough(DOCUMENTS, USES, total_documents=4, min_df=3, max_df=0.5)


@pytest.mark.parametrize(
    "limits", [(0, 1.0, None), (1, 1.5, None), (-0.1, 1.0, None), (True, 1.0, None), (1, "x", None), (1, 1.0, 0)]
)
def test_limits_that_are_none_are_an_error(limits):
    with pytest.raises(InvalidInput, match="must be"):
        check_limits(*limits)

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from driftline.core.errors import InvalidInput
from driftline.streams.moments import exact_times

NOON = np.datetime64("1790-01-08T12:00:00.000001", "us")


@pytest.mark.parametrize(
    "times",
    [
        [NOON],
        np.array([NOON]),
        [NOON.item()],
        [NOON.item().replace(tzinfo=datetime.UTC)],
        [NOON.item().replace(tzinfo=datetime.UTC).astimezone(datetime.timezone(datetime.timedelta(hours=5)))],
        ["1790-01-08T12:00:00.000001"],
        pa.array([NOON.item()], pa.timestamp("us")),
        pa.array([NOON.item()], pa.timestamp("us", "UTC")),
        pa.chunked_array([pa.array([NOON.item()], pa.timestamp("us", "UTC"))]),
        pd.Series([NOON.item()]).dt.tz_localize("UTC").dt.tz_convert("Australia/Sydney"),
    ],
    ids=lambda times: type(times).__name__,
)
def test_dates_keep_every_microsecond(times):
    result = exact_times(times)
    assert result.dtype == "datetime64[us]"
    assert result.tolist() == [NOON.item()]


def test_numbers_are_floats():
    assert exact_times([1, 2]).dtype == np.float64
    assert exact_times(pa.array([1.5, 2.5])).tolist() == [1.5, 2.5]


@pytest.mark.parametrize("times", [[np.nan], [np.datetime64("NaT", "us")], [1.0, 2.0], ["yesterday"]])
def test_what_is_not_a_time_is_an_error(times):
    with pytest.raises(InvalidInput, match="time"):
        exact_times(times, n=1)

"""The same cases on a real device; `python -m pytest -m gpu` where there is one."""

from __future__ import annotations

import pytest
from tests.compute.gpu.cases import CASES, outcomes

from driftline.compute.devices import check_device
from driftline.core.errors import DeviceUnavailable, MissingDependency


@pytest.fixture(scope="module")
def device():
    try:
        return check_device("gpu")
    except (DeviceUnavailable, MissingDependency) as error:
        pytest.skip(f"needs a graphics processor: {error}")


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the driver's packages
@pytest.mark.parametrize("case", CASES)
def test_on_the_device(device, case):
    assert outcomes([case])[case] == ""

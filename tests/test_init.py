"""The package itself: its names are imported on first use; tests/docs compares them with those of the packages."""

from __future__ import annotations

import subprocess
import sys

import pytest

import driftline


def test_every_listed_name_exists():
    for name in driftline.__all__:
        assert getattr(driftline, name) is not None


def test_dir_shows_public_names_only():
    import driftline.topics  # which makes it an attribute of the package

    assert dir(driftline) == sorted(driftline.__all__)
    assert {"LDA", "LocalLogisticRegression", "changed_words", "plot_topics"} <= set(dir(driftline))
    assert not [name for name in dir(driftline) if name.startswith("_") and name != "__version__"]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'LDAA'"):
        _ = driftline.LDAA


@pytest.mark.parametrize(
    ("code", "absent"),
    [("import driftline", "numpy scipy sklearn numba pyarrow plotly"), ("from driftline import read", "numba plotly")],
)
def test_importing_is_cheap(code, absent):
    check = f"{code}\nimport sys\nprint(*set({absent.split()!r}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""

from __future__ import annotations

import pytest

from driftline.core import errors
from driftline.core.errors import (
    AmbiguousInput,
    BadRecord,
    DriftlineError,
    InvalidInput,
    MissingDependency,
    ModelFileError,
    SourceNotFound,
    UnorderedTimes,
)
from driftline.core.times import days


def test_every_error_is_ours():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) > 6
    for kind in kinds:
        assert issubclass(kind, DriftlineError | Warning)
        assert kind.__doc__


@pytest.mark.parametrize(
    ("kind", "also"),
    [
        (InvalidInput, ValueError),
        (AmbiguousInput, ValueError),
        (ModelFileError, ValueError),
        (SourceNotFound, FileNotFoundError),
        (MissingDependency, ImportError),
    ],
)
def test_they_are_also_what_python_calls_them(kind, also):
    assert issubclass(kind, also)


def test_they_say_what_where_and_what_to_do():
    late = UnorderedTimes(17, "3 h 2 min")
    assert str(late) == (
        "document 17 is 3 h 2 min older than one before it; sort the stream or pass reorder_within='3h2min' or more"
    )
    assert (late.index, late.lag) == (17, "3 h 2 min")
    assert days("3h2min") == days(late.lag)
    bad = BadRecord("mail.jsonl", "line 5", "no time")
    assert "mail.jsonl, line 5: no time" in str(bad)
    assert "on_error='report'" in str(bad)
    assert (bad.source, bad.place, bad.reason) == ("mail.jsonl", "line 5", "no time")
    assert "pip install 'driftline[stem]'" in str(MissingDependency("stemming", "snowballstemmer", "stem"))

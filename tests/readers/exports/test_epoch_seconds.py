import pytest

from driftline.readers.exports.epoch_seconds import iso_of_seconds


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ("1048131240.000200", "2003-03-20T03:34:00.000200+00:00"),
        (1048131240, "2003-03-20T03:34:00+00:00"),
        (-1.5, "1969-12-31T23:59:58.500000+00:00"),
        (None, None),
        ("", ""),
        ("soon", "soon"),
        ("9" * 5000, "9" * 5000),
        ("1e999999", "1e999999"),
        ("nan", "nan"),
        ("Infinity", "Infinity"),
        ([], "[]"),
    ],
)
def test_seconds_become_moments_and_the_rest_stays(seconds, expected):
    assert iso_of_seconds(seconds) == expected

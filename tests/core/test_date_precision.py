import pytest

from driftline.core.date_precision import dates_given_to, given_precision, hover_format


@pytest.mark.parametrize(
    ("given", "shown"),
    [("year", "%Y"), ("month", "%b %Y"), ("day", "%-d %b %Y"), ("minute", "%-d %b %Y"), ("", "%-d %b %Y")],
)
def test_dates_under_the_pointer_are_no_more_exact_than_given(given, shown):
    with dates_given_to(given):
        assert hover_format() == shown
    assert given_precision() == "minute"


def test_the_precision_ends_with_an_error_too():
    with pytest.raises(ZeroDivisionError), dates_given_to("year"):
        1 / 0  # noqa: B018
    assert given_precision() == "minute"

import pytest

from driftline.core.errors import BadRecord, InvalidInput
from driftline.streams.rejections import EXAMPLES_PER_CATEGORY, MAX_CATEGORIES, OTHER, Rejection, Rejections


def test_counts_by_category_and_keeps_the_first_examples():
    rejections = Rejections()
    for line in range(100):
        rejections.add(Rejection("a", f"line {line}", f"broken JSON: at {line}"))
    rejections.add(Rejection("a", "line 200", "no time"))
    assert rejections.count == 101
    assert rejections.reasons == {"broken JSON": 100, "no time": 1}
    places = [example.place for example in rejections.examples]
    assert places == [f"line {line}" for line in range(EXAMPLES_PER_CATEGORY)] + ["line 200"]


def test_memory_is_bounded_even_when_every_reason_is_new():
    rejections = Rejections()
    for line in range(10_000):
        rejections.add(Rejection("a", f"line {line}", f"reason number {line}"))
    assert rejections.count == sum(rejections.reasons.values()) == 10_000
    assert len(rejections.reasons) == MAX_CATEGORIES + 1
    assert rejections.reasons[OTHER] == 10_000 - MAX_CATEGORIES
    assert len(rejections.examples) <= (MAX_CATEGORIES + 1) * EXAMPLES_PER_CATEGORY


def test_a_damaged_stretch_counts_as_many():
    rejections = Rejections()
    rejections.add(Rejection("a", "rows 11 to 20", "damaged"), count=10)
    assert rejections.count == rejections.reasons["damaged"] == 10
    assert rejections.summary() == "10 records rejected: 10 damaged (a, rows 11 to 20)"


def test_raise_stops_at_the_first():
    with pytest.raises(BadRecord, match=r"^a\.csv, line 3: no time; .*on_error='report'") as caught:
        Rejections("raise").add(Rejection("a.csv", "line 3", "no time"))
    assert (caught.value.source, caught.value.place, caught.value.reason) == ("a.csv", "line 3", "no time")


def test_the_policy_must_be_known():
    with pytest.raises(InvalidInput, match="'report' or 'raise', not 'ignore'"):
        Rejections("ignore")


def test_shown_to_people_and_to_programs():
    rejections = Rejections()
    assert not rejections
    assert rejections.summary() == "no record rejected"
    rejections.add(Rejection("a", "row 4", "no time"))
    assert rejections
    assert repr(rejections) == "<Rejections: 1 record rejected: 1 no time (a, row 4)>"
    assert str(rejections.examples[0]) == "a, row 4: no time"
    assert rejections.as_dict() == {
        "count": 1,
        "reasons": {"no time": 1},
        "examples": [{"source": "a", "place": "row 4", "reason": "no time"}],
    }

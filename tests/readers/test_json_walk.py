import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.readers.byte_stream import ByteStream
from driftline.readers.json_walk import objects_at
from driftline.readers.records import Limits

PLACES = (("a", "*"), ("b", "c", "*", "a", "*"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcx"), inner, max_size=3),
    max_leaves=20,
)


def expected(value, places):
    """Find the objects with the whole document in memory."""
    found = []
    if isinstance(value, dict):
        for key, inner in value.items():
            deeper = tuple(place[1:] for place in places if place[0] == key)
            found += expected(inner, deeper) if deeper and isinstance(inner, dict | list) else []
    elif isinstance(value, list):
        deeper = tuple(place[1:] for place in places if place[0] == "*")
        for inner in value:
            if () in deeper:
                found.append(inner if isinstance(inner, dict) else None)
            elif deeper and isinstance(inner, dict | list):
                found += expected(inner, deeper)
    return found


@settings(max_examples=300, deadline=None)
@given(
    st.lists(values.filter(lambda value: isinstance(value, dict | list)), max_size=3), st.integers(1, 30), st.booleans()
)
def test_the_same_as_with_the_document_in_memory(documents, block, indented):
    data = "\n".join(json.dumps(document, indent=2 if indented else None) for document in documents).encode()
    limits = Limits(block_bytes=block)
    found = [
        one.element if isinstance(one.element, dict) else None
        for one in objects_at(ByteStream(io.BytesIO(data), "x"), PLACES, limits)
    ]
    assert found == [one for document in documents for one in expected(document, PLACES)]


@settings(max_examples=300, deadline=None)
@given(values.filter(lambda value: isinstance(value, dict | list)), st.floats(0, 1), st.integers(1, 30))
def test_a_document_that_breaks_off_is_reported_once(document, where, block):
    data = json.dumps({"z": 1, "b": {"c": [{"a": [{"i": 1}, document]}]}}).encode()
    cut = data[: max(1, int(where * len(data)) - 1)]
    found = list(objects_at(ByteStream(io.BytesIO(cut), "x"), PLACES, Limits(block_bytes=block)))
    reasons = [one.element for one in found if isinstance(one.element, str) and one.element.startswith("broken JSON")]
    assert len(reasons) == 1


def test_long_values_in_between_are_passed_over():
    data = json.dumps({"x": "y" * 10_000, "name": "n", "a": [{"i": 1}], "z": [["]"] * 1000]}).encode()
    (found,) = objects_at(ByteStream(io.BytesIO(data), "x"), PLACES, Limits(block_bytes=100, max_record_bytes=50))
    assert (found.element, dict(found.around)) == ({"i": 1}, {"name": "n"})

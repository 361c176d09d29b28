"""A JSON document that wraps its records: an array of objects within an object, or objects within such elements.

Answers of web services and exports of programs have this form: `{"page": 1, "results": [{…}, {…}]}`, or, in GeoJSON and
others, `{"features": [{"type": "Feature", "properties": {…}}, …]}`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import NamedTuple

from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.json_array import Element, element_records
from driftline.readers.json_inner import values_by_name, with_inner
from driftline.readers.json_text import JsonText
from driftline.readers.json_walk import Path, objects_at
from driftline.readers.records import Chooser, Limits, Records

_PEEK = 2**20
_SAMPLE = 100
_DEEPEST = 4
_MOST_ARRAYS = 20


class Place(NamedTuple):
    """The place of the records: the elements of an array, or the objects that these have under a key."""

    array: Path
    key: str | None = None


def wrapped_place(stream: ByteStream, choose: Chooser, limits: Limits) -> Place | None:
    """Return the place of the records in a JSON document; None if its lines or elements are records, or none are found.

    The records are in the first array, in at most the first mebibyte, whose elements have a time and a text, or have
    objects with both.

    >>> from driftline.readers.columns import find_columns
    >>> data = b'{"people": [{"name": "Ann"}], "messages": [{"date": "2003-03-20", "text": "war"}]}'
    >>> wrapped_place(ByteStream(io.BytesIO(data), "x"), find_columns, Limits())
    Place(array=('messages', '*'), key=None)
    """
    start = stream.peek().lstrip()  # no more is read yet: a pipe may deliver lines or elements slowly
    if start.startswith(b"["):
        place = _place_in(("*",), start, choose, limits)
        return place if place and place.key else None
    if not start.startswith(b"{") or _is_lines(start, choose):
        return None
    start = stream.peek(_PEEK).lstrip()
    if _is_lines(start, choose):
        return None
    places = (_place_in(array, start, choose, limits) for array in _arrays_of_objects(start, limits))
    return next(filter(None, places), None)


def _place_in(array: Path, start: bytes, choose: Chooser, limits: Limits) -> Place | None:
    """Return the place of the records in the elements of an array."""
    found = objects_at(ByteStream(io.BytesIO(start), ""), (array,), limits)
    objects = [one.element for one, _ in zip(found, range(_SAMPLE)) if isinstance(one.element, dict)]
    if _fits(objects, choose):
        return Place(array)
    for key in dict.fromkeys(key for each in objects for key, value in each.items() if isinstance(value, dict)):
        if _fits([value for each in objects if isinstance(value := each.get(key), dict)], choose):
            return Place(array, key)
    return Place(array) if _fits([with_inner(each) for each in objects], choose) else None


def read_wrapped(stream: ByteStream, place: Place, choose: Chooser, limits: Limits) -> Iterator[Records]:
    """Yield the objects at the place as records."""
    found = objects_at(stream, (place.array,), limits)
    elements: Iterator[Element] = ((_record(one.element, place.key), one.length) for one in found)
    return element_records(stream.name, elements, choose, limits)


def _record(element: dict[str, object] | str, key: str | None) -> dict[str, object] | str:
    """Return the object that an element has under the key, or the reason why there is none."""
    if key is None or isinstance(element, str):
        return element
    inner = element.get(key)
    return inner if isinstance(inner, dict) else f"not an object: {key!r} of an element must be a JSON object"


def _is_lines(start: bytes, choose: Chooser) -> bool:
    """Return whether the first line is an object that other lines follow, or that is a record."""
    line, _, rest = start.partition(b"\n")
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return bool(rest.strip()) or _fits([first], choose)


def _fits(objects: list[dict[str, object]], choose: Chooser) -> bool:
    """Return whether objects have a time and a text, even if it is not yet clear in which fields."""
    try:
        choose(values_by_name(objects))
    except AmbiguousInput:
        return True
    except InvalidInput:
        return False
    return True


def _arrays_of_objects(start: bytes, limits: Limits) -> list[Path]:
    """Return the paths of arrays that begin with an object, in the order of the document.

    >>> _arrays_of_objects(b'{"a": {"n": 1, "b": [ {"x": [1]}]}, "c": [1], "d": [{}], "e": [{', Limits())
    [('a', 'b', '*'), ('d', '*'), ('e', '*')]
    """
    found: list[Path] = []
    _collect(JsonText(ByteStream(io.BytesIO(start), ""), limits), (), found)
    return found[:_MOST_ARRAYS]


def _collect(text: JsonText, path: Path, found: list[Path]) -> bool:
    """Collect the arrays within the object that begins here; return whether the text continues after it."""
    text.skip_space()
    text.position += 1  # the brace
    while True:
        text.skip_space()
        if text.next_character() == "}":
            text.position += 1
            return True
        key = text.take_key()
        if key is None:
            return False
        text.skip_space()
        if text.next_character() == "{" and len(path) < _DEEPEST:
            goes_on = _collect(text, (*path, key), found)
        else:
            if text.next_character() == "[" and _next_in_array(text) == "{":
                found.append((*path, key, "*"))
            goes_on = text.skip_value(",}") or not text.broke_off
        text.skip_space()
        if not goes_on or text.next_character() not in (",", "}"):
            return False
        text.position += text.next_character() == ","


def _next_in_array(text: JsonText) -> str:
    """Return the first character of the first element of the array that begins here."""
    place = text.position + 1
    while text.held[place : place + 1] in (" ", "\t", "\r", "\n"):
        place += 1
    return text.held[place : place + 1]

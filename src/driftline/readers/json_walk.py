"""The objects at given paths of a JSON document, found in one sequential pass."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import NamedTuple

from driftline.readers.byte_stream import ByteStream
from driftline.readers.json_text import JsonText
from driftline.readers.records import Limits

Path = tuple[str, ...]
"""A path: keys from the outermost object inwards, and ``*`` for the elements of an array."""


_REPORTED = ""


class Found(NamedTuple):
    """An object at one of the places, or the reason why there is none; its length; values before it in its parent."""

    element: dict[str, object] | str
    length: int
    around: Mapping[str, object]


_Walk = Generator[Found, None, str | None]


def objects_at(stream: ByteStream, places: tuple[Path, ...], limits: Limits) -> Iterator[Found]:
    """Yield the objects at the places of one or several JSON documents, one after another.

    >>> import io
    >>> data = b'{"name": "chat", "messages": [{"id": 1}, 5], "more": [6]}'
    >>> list(objects_at(ByteStream(io.BytesIO(data), "x"), (("messages", "*"),), Limits()))
    [Found(element={'id': 1}, length=9, around={'name': 'chat'}),
     Found(element='not an object: an element must be a JSON object', length=1, around={'name': 'chat'})]
    """
    text = JsonText(stream, limits)
    text.skip_space()
    while text.next_character():
        broken = yield from _value(text, places, {})
        text.skip_space()
        if broken is None and text.next_character() == "":
            broken = stream.damage
        if broken:
            yield Found(stream.damage or broken, 1, {})
        if broken is not None:
            return


def _value(text: JsonText, places: tuple[Path, ...], around: Mapping[str, object]) -> _Walk:
    """Process one value. The generator returns the reason why the document cannot be read further, or None."""
    opening = text.next_character()
    if opening == "{":
        return (yield from _object(text, places))
    if opening == "[":
        return (yield from _array(text, places, around))
    return "broken JSON: neither an object nor an array"


def _object(text: JsonText, places: tuple[Path, ...]) -> _Walk:
    said: dict[str, object] = {}
    text.position += 1
    while True:
        text.skip_space()
        if text.next_character() == "}":
            text.position += 1
            return None
        key = text.take_key()
        if key is None:
            return "broken JSON: a key is missing"
        text.skip_space()
        inner = tuple(place[1:] for place in places if place[:1] == (key,))
        if inner and text.next_character() in ("{", "["):
            broken = yield from _value(text, inner, said)
            if broken is not None:
                return broken
        else:
            value = text.take_small_value()
            if value is not None:
                said[key] = value
        text.skip_space()
        following = text.next_character()
        if following == ",":
            text.position += 1
        elif following != "}":
            return "broken JSON: no comma or brace after a value"


def _array(text: JsonText, places: tuple[Path, ...], around: Mapping[str, object]) -> _Walk:
    inner = tuple(place[1:] for place in places if place[:1] == ("*",))
    text.position += 1
    while True:
        text.skip_space()
        following = text.next_character()
        if following == "]":
            text.position += 1
            return None
        if following == "":
            return "broken JSON: the array is not closed"
        if () in inner:
            yield Found(*text.take_element(), around)
            if text.broke_off:
                return _REPORTED
        elif inner and following in "{[":
            broken = yield from _value(text, inner, around)
            if broken is not None:
                return broken
        else:
            text.skip_value(",]")
        text.skip_space()
        if text.next_character() == ",":
            text.position += 1
        elif text.next_character() != "]":
            return "broken JSON: no comma or bracket after an element"

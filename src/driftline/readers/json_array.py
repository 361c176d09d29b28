"""A file that is one JSON array of objects, read element by element, so that it does not have to fit into memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from driftline.readers.byte_stream import ByteStream
from driftline.readers.json_inner import needs_inner, values_by_name, with_inner
from driftline.readers.json_text import JsonText
from driftline.readers.records import Chooser, Columns, Limits, Records, Unusable

_BEHIND = "broken JSON: the array is followed by other text"


def read_json_array(stream: ByteStream, choose: Chooser, limits: Limits) -> Iterator[Records]:
    """Yield the elements of an array; a broken one is skipped up to the comma or bracket that ends it.

    >>> import io
    >>> data = b'[{"t": 2003, "x": "war"}, {"t": oops}, {"t": 2004, "x": "peace"}]'
    >>> stream = ByteStream(io.BytesIO(data), "x")
    >>> (records,) = read_json_array(stream, lambda sample: Columns("t", ("x",)), Limits())
    >>> records.values["x"], [records.place_of(unusable) for unusable in records.unusable]
    (['war', 'peace'], ['record 2'])
    """
    return element_records(stream.name, _elements(stream, limits), choose, limits)


Element = tuple[dict[str, object] | str, int]
"""Type of an element: the object, or the reason why there is none, and its length in characters."""


def element_records(
    source: str, elements: Iterable[Element], choose: Chooser, limits: Limits, *, first: int | None = None
) -> Iterator[Records]:
    """Yield elements as records, in batches; the first batch, at most `first` elements, decides on the columns.

    If the time or the text is in objects within the elements, columns have names with dots.
    """
    columns: Columns | None = None
    is_inner = False
    objects: list[dict[str, object]] = []
    numbers: list[int] = []
    unusable: list[Unusable] = []
    size = 0

    def records() -> Records:
        names = columns.needed() if columns is not None else []
        values = {name: [record.get(name) for record in objects] for name in names}
        return Records(source, values, np.array(numbers, np.int64), columns, unusable, word="record")

    def decide() -> None:
        nonlocal columns, is_inner, objects
        if columns is None and objects:
            is_inner = needs_inner(objects, choose)
            objects = [with_inner(record) for record in objects] if is_inner else objects
            columns = choose(values_by_name(objects))

    for number, (element, length) in enumerate(elements, start=1):
        if isinstance(element, dict):
            objects.append(with_inner(element) if is_inner else element)
            numbers.append(number)
        elif isinstance(element, str):
            unusable.append(Unusable(number, element))
        size += length
        most = limits.batch_size if first is None or columns is not None else min(first, limits.batch_size)
        if size >= limits.block_bytes or len(objects) >= most:
            decide()
            yield records()
            objects, numbers, unusable, size = [], [], [], 0
    decide()
    yield records()


def _elements(stream: ByteStream, limits: Limits) -> Iterator[Element]:
    """Yield (the object or the reason why there is none, its length in characters) for every element."""
    text = JsonText(stream, limits)
    text.skip_space()
    text.position += 1  # the opening bracket
    first = True
    while not text.broke_off:
        text.skip_space()
        following = text.next_character()
        if following == "]":
            text.position += 1
            yield from ((_BEHIND, 1) for _ in text.lines_left())
            return
        if following == "," and not first:
            text.position += 1
            text.skip_space()
            following = text.next_character()
        if following == "":
            yield stream.damage or "broken JSON: the array is not closed", 1
            return
        if following != "]":
            yield text.take_element()
        first = False

"""A file that is one JSON array of objects, read element by element, so that it does not have to fit into memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from driftline.readers.byte_stream import ByteStream
from driftline.readers.json_text import JsonText
from driftline.readers.records import Chooser, Columns, Limits, Records, Unusable

_BEHIND = "broken JSON: something follows the end of the array"


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
"""Type of an element: the object, or why there is none, and its length in characters."""


def element_records(
    source: str, elements: Iterable[Element], choose: Chooser, limits: Limits, *, first: int | None = None
) -> Iterator[Records]:
    """Yield elements as records, in batches; the first batch, at most `first` elements, decides on the columns."""
    columns: Columns | None = None
    objects: list[dict[str, object]] = []
    numbers: list[int] = []
    unusable: list[Unusable] = []
    size = 0

    def records() -> Records:
        names = columns.needed() if columns is not None else []
        values = {name: [record.get(name) for record in objects] for name in names}
        return Records(source, values, np.array(numbers, np.int64), columns, unusable, word="record")

    for number, (element, length) in enumerate(elements, start=1):
        if isinstance(element, dict):
            objects.append(element)
            numbers.append(number)
        elif isinstance(element, str):
            unusable.append(Unusable(number, element))
        size += length
        most = limits.batch_size if first is None or columns is not None else min(first, limits.batch_size)
        if size >= limits.block_bytes or len(objects) >= most:
            columns = columns or (choose(_columns_of(objects)) if objects else None)
            yield records()
            objects, numbers, unusable, size = [], [], [], 0
    columns = columns or (choose(_columns_of(objects)) if objects else None)
    yield records()


def _columns_of(objects: list[dict[str, object]]) -> dict[str, list[object]]:
    names = dict.fromkeys(key for record in objects for key in record)
    return {name: [record[name] for record in objects[:1000] if name in record] for name in names}


def _elements(stream: ByteStream, limits: Limits) -> Iterator[Element]:
    """Yield (the object or why there is none, its length in characters) for every element."""
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

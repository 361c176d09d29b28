"""Objects within JSON records, reached by names with dots: `doc.meta.date` is a value of an object in an object."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.records import Chooser

_DEEPEST = 6
_BY_COLUMN = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.){0,500}"\s*:\s*\{\s*"0"\s*:|\s*\{\s*"columns"\s*:\s*\[\s*"')


def with_inner(record: Mapping[str, object], deepest: int = _DEEPEST) -> dict[str, object]:
    """Return a record in which the values of inner objects have names with dots.

    >>> with_inner({"id": 1, "doc": {"text": "war", "meta": {"date": "2003-03-20"}}})
    {'id': 1, 'doc.text': 'war', 'doc.meta.date': '2003-03-20'}
    """
    found: dict[str, object] = {}
    for name, value in record.items():
        if isinstance(value, dict) and value and deepest:
            inner = with_inner(value, deepest - 1)
            found |= {f"{name}.{key}": each for key, each in inner.items() if f"{name}.{key}" not in record}
        else:
            found[name] = value
    return found


def needs_inner(objects: Sequence[Mapping[str, object]], choose: Chooser) -> bool:
    """Return whether the time or the text of records is not among their own values, but some are objects.

    >>> from driftline.readers.columns import find_columns
    >>> needs_inner([{"id": 1, "doc": {"text": "war", "date": "2003-03-20"}}], find_columns)
    True
    >>> needs_inner([{"text": "war", "date": "2003-03-20", "user": {"name": "Ann"}}], find_columns)
    False
    """
    if not any(isinstance(value, dict) for record in objects for value in record.values()):
        return False
    sample = values_by_name(objects)
    try:
        columns = choose(sample)
    except AmbiguousInput:
        return False
    except InvalidInput:
        return True
    needed = (*columns.time_names(), *columns.text)
    return any(_are_objects(sample.get(name, ())) for name in needed)


def values_by_name(objects: Sequence[Mapping[str, object]]) -> dict[str, list[object]]:
    """Return the values of every key that occurs, from the first records.

    >>> values_by_name([{"a": 1}, {"a": 2, "b": None}])
    {'a': [1, 2], 'b': [None]}
    """
    names = dict.fromkeys(key for record in objects for key in record)
    return {name: [record[name] for record in objects[:1000] if name in record] for name in names}


def refuse_columns(stream: ByteStream) -> None:
    """Raise `InvalidInput` if a JSON file holds an object per column, or arrays of names and rows, as pandas writes."""
    if _BY_COLUMN.match(stream.peek()):
        raise InvalidInput(
            f"{stream.name} contains columns instead of records, as to_json() of pandas writes them by default; "
            f'write it with orient="records"'
        )


def _are_objects(values: Sequence[object]) -> bool:
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, dict) for value in present)

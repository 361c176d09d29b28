"""Sources in which every file is one document: its bytes, and batches of the records made from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import open_bytes
from driftline.readers.entries import Entry, is_elsewhere
from driftline.readers.records import Columns, Limits, Records, Unusable, too_long
from driftline.readers.regular_files import NotRegular
from driftline.readers.walk import OUTSIDE


def file_bytes(
    file: Entry, root: Path, limits: Limits, kind: str, *, encoding: str | None = None, max_expansion: float = 200.0
) -> bytes | str:
    """Return the content of a file, or the reason why it cannot be read: ``not {kind}``, too long, or damaged."""
    if is_elsewhere(file, root):
        return OUTSIDE
    try:
        with open_bytes(file, encoding=encoding, max_expansion=max_expansion) as stream:
            content = stream.read(limits.max_record_bytes + 1)
            if stream.damage is not None:
                return stream.damage
    except NotRegular as error:
        return str(error)
    except InvalidInput as error:
        return f"not {kind}: {error}"
    except OSError as error:
        return f"unreadable file: {error.strerror or error}"
    return content if len(content) <= limits.max_record_bytes else too_long(limits)


def placed_records(
    source: str,
    found: Iterable[tuple[str, dict[str, str | None] | str]],
    columns: Columns,
    limits: Limits,
    *,
    text: str,
) -> Iterator[Records]:
    """Yield batches of records, each with its place; a string instead of a record is the reason for its rejection.

    `text` names the column whose length counts towards the size of a batch.
    """
    rows: list[dict[str, str | None]] = []
    numbers: list[int] = []
    places: list[str] = []
    unusable: list[Unusable] = []
    size = 0

    def records() -> Records:
        values = {name: pa.array([row[name] for row in rows], pa.large_string()) for name in columns.needed()}
        return Records(source, values, np.array(numbers, np.int64), columns, unusable, places=places)

    for number, (place, row) in enumerate(found, start=1):
        if isinstance(row, str):
            unusable.append(Unusable(number, row, place=place))
        else:
            rows.append(row)
            numbers.append(number)
            places.append(place)
            size += len(row[text] or "")
        if len(rows) + len(unusable) >= limits.batch_size or size >= limits.block_bytes:
            yield records()
            rows, numbers, places, unusable, size = [], [], [], [], 0
    yield records()

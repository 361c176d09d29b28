"""Texts as Arrow rows: input of any kind, checked, divided into batches, and lower-cased as in Python."""

from __future__ import annotations

import contextlib
import itertools
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput

Texts: TypeAlias = Iterable[object]
"""Texts before they are checked: an Arrow array, a series of pandas or polars, a sequence or any iterable of str."""
Part: TypeAlias = pa.Array | Sequence[object] | np.ndarray
"""Some of the texts, small enough for Arrow."""

BATCH_ROWS = 4096
BATCH_BYTES = 1 << 20
"""Batch size in bytes, small enough for the words and their table to stay in the processor's cache."""


def batches(texts: Texts) -> Iterator[pa.LargeStringArray]:
    """Yield the texts as Arrow arrays of at most `BATCH_ROWS` rows and about `BATCH_BYTES` bytes.

    `texts` is an Arrow array, a pandas or polars series, a sequence, or any other iterable of str; an iterable is
    consumed batch by batch. A missing or invalid text is an error that names the document.

    >>> [batch.to_pylist() for batch in batches(["one", "two"])]
    [['one', 'two']]
    """
    first = 0
    for part in _parts(texts):
        array = _as_strings(part, first)
        offsets = value_offsets(array)
        start = 0
        while start < len(array):
            by_bytes = int(np.searchsorted(offsets, offsets[start] + BATCH_BYTES, side="right")) - 1
            stop = min(start + BATCH_ROWS, max(by_bytes, start + 1))
            yield array[start:stop]
            start = stop
        first += len(array)


def text_array(texts: Texts) -> pa.ChunkedArray:
    """Return all texts as one chunked Arrow array of large strings, without copying those that are one already.

    >>> text_array(["one", "two"]).type
    DataType(large_string)
    """
    first = 0
    chunks = []
    for part in _parts(texts):
        chunks.append(_as_strings(part, first))
        first += len(chunks[-1])
    return pa.chunked_array(chunks, type=pa.large_string())


def value_offsets(array: pa.LargeStringArray) -> Ints:
    """Return the start of each row in the array's bytes, and the end of the last one: int64, shape (n + 1,)."""
    if len(array) == 0:
        return np.zeros(1, dtype=np.int64)
    return np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset : array.offset + len(array) + 1]


def value_bytes(array: pa.LargeStringArray) -> np.ndarray:
    """Return the bytes that the offsets of `value_offsets` point into."""
    data = array.buffers()[2]
    return np.frombuffer(data, dtype=np.uint8) if data is not None and data.size else np.empty(0, dtype=np.uint8)


def join_rows(array: pa.LargeStringArray, separator: str) -> np.ndarray:
    """Return the bytes of all rows, with a separator between them: `split_rows` returns the rows again.

    >>> join_rows(pa.array(["one", "two"], pa.large_string()), ";").tobytes()
    b'one;two'
    """
    return np.frombuffer(_joined(array, separator).as_buffer(), dtype=np.uint8)


def _joined(array: pa.LargeStringArray, separator: str) -> pa.LargeStringScalar:
    whole = pa.LargeListArray.from_arrays(pa.array([0, len(array)], pa.int64()), array)
    return pc.binary_join(whole, pa.scalar(separator, pa.large_string()))[0]


def split_rows(data: np.ndarray, separator: str) -> pa.LargeStringArray:
    """Return the rows between separators of one byte, without Python strings.

    >>> split_rows(np.frombuffer(b"one;;two", dtype=np.uint8), ";").to_pylist()
    ['one', '', 'two']
    """
    is_between = data == ord(separator)
    ends = np.flatnonzero(is_between)
    n = len(ends) + 1
    offsets = np.concatenate([[0], ends - np.arange(n - 1), [len(data) - (n - 1)]])
    return pa.LargeStringArray.from_buffers(n, pa.py_buffer(offsets), pa.py_buffer(data[~is_between]))


def normalise(
    texts: pa.LargeStringArray, *, lowercase: bool, strip_accents: str | None
) -> tuple[pa.LargeStringArray, bool]:
    """Lower-case the rows, remove accents if requested, and return whether the result may contain non-ASCII characters.

    ASCII rows are handled by Arrow, all others by Python: its `str.lower` maps İ to two characters and Σ at the end of
    a word to ς, which depends on the context.

    >>> normalise(pa.array(["ΟΔΟΣ", "Road"], pa.large_string()), lowercase=True, strip_accents=None)[0].to_pylist()
    ['οδος', 'road']
    """
    is_ascii = pc.string_is_ascii(texts)
    change = _change(lowercase, strip_accents)
    if pc.all(is_ascii, min_count=0).as_py():
        return (pc.ascii_lower(texts) if lowercase else texts), False
    if change is None:
        return texts, True
    others = pc.invert(is_ascii)
    changed = _changed(texts.filter(others), change)
    if len(changed) == len(texts):
        return changed, True
    return pc.replace_with_mask(pc.ascii_lower(texts) if lowercase else texts, others, changed), True


def _changed(texts: pa.LargeStringArray, change: Callable[[str], str]) -> pa.LargeStringArray:
    """Apply a change to all rows as one long string with NUL between the rows, which is several times faster.

    NUL separates contexts: it has no case, ends a word, and is never moved by normalisation. If a text contains one
    itself, rows are processed one at a time.
    """
    changed = _rows_between_nuls(change(_joined(texts, "\0").as_py()), len(texts))
    return pa.array([change(text) for text in texts.to_pylist()], pa.large_string()) if changed is None else changed


def _rows_between_nuls(joined: str, n: int) -> pa.LargeStringArray | None:
    """Return the `n` rows separated by NUL, or None if the number differs."""
    rows = split_rows(np.frombuffer(joined.encode(), dtype=np.uint8), "\0")
    return rows if len(rows) == n else None


def _change(lowercase: bool, strip_accents: str | None) -> Callable[[str], str] | None:
    if strip_accents is None:
        return str.lower if lowercase else None
    strip = _without_marks if strip_accents == "unicode" else _only_ascii
    return (lambda text: strip(text.lower())) if lowercase else strip


def _without_marks(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _only_ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def _parts(texts: Any) -> Iterator[Part]:
    """Yield parts of the texts that each fit Arrow."""
    if isinstance(texts, str | bytes):
        raise InvalidInput("texts must be a collection of documents, but it is one string; put it into a list")
    if hasattr(texts, "to_arrow"):  # polars
        texts = texts.to_arrow()
    if isinstance(texts, pa.ChunkedArray):
        yield from texts.chunks
    elif isinstance(texts, pa.Array):
        yield texts
    elif isinstance(texts, Sequence | np.ndarray) or hasattr(texts, "iloc"):
        rows = texts.iloc if hasattr(texts, "iloc") else texts
        for start in range(0, len(texts), BATCH_ROWS):
            yield rows[start : start + BATCH_ROWS]
    else:
        try:
            remaining = iter(texts)
        except TypeError as error:
            raise InvalidInput(
                f"texts must be a collection of documents, not a {type(texts).__name__}; pass a list or an Arrow array"
            ) from error
        while part := list(itertools.islice(remaining, BATCH_ROWS)):
            yield part


def _as_strings(part: object, first: int) -> pa.LargeStringArray:
    """Return one part as large strings; an error names the document, counted from `first`."""
    if isinstance(part, list | tuple):
        # One long string again: Arrow would cache a UTF-8 copy inside every non-ASCII str.
        with contextlib.suppress(TypeError, UnicodeEncodeError):
            if (array := _rows_between_nuls("\0".join(part), len(part))) is not None:
                return array
    try:
        if isinstance(part, pa.Array):
            array = _cast(part)
        else:
            array = pa.array(part, pa.large_string(), from_pandas=True)
        if array.null_count == 0:
            array.validate(full=True)  # an external array may contain bytes that are not UTF-8
            return array
    except (pa.ArrowException, UnicodeError, TypeError, ValueError) as error:
        raise _culprit(part, first, error) from error
    where = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
    raise InvalidInput(f"document {first + where} has no text; remove it, or pass the text ''")


def _cast(array: pa.Array) -> pa.LargeStringArray:
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view"):
        raise TypeError(f"their type is {array.type}")
    return array if pa.types.is_large_string(array.type) else array.cast(pa.large_string())


def _culprit(part: Part, first: int, error: Exception) -> InvalidInput:
    if isinstance(part, pa.Array):
        return InvalidInput(
            f"the texts from document {first} on are not UTF-8 strings: {error}; pass a column of strings"
        )
    for where, text in enumerate(part):
        try:
            pa.array([text], pa.large_string(), from_pandas=True).validate(full=True)
        except UnicodeEncodeError:
            return InvalidInput(
                f"the text of document {first + where} contains half of a surrogate pair, which UTF-8 cannot encode; "
                f"repair it with text.encode('utf-8', 'replace').decode()"
            )
        except (pa.ArrowException, UnicodeError, TypeError, ValueError):
            return InvalidInput(
                f"document {first + where} is not text but a {type(text).__name__} ({str(text)[:40]!r}); pass str"
            )
    return InvalidInput(f"the texts from document {first} on cannot be read: {error}")

"""Documents from any kind of argument: a stream, a corpus, or anything that `driftline.read` reads."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping

import pyarrow as pa

from driftline.core.errors import InvalidInput
from driftline.streams.corpus import Corpus
from driftline.streams.preparation import prepare
from driftline.streams.stream import Stream

_READER = "driftline.readers.read"
"""The module of `driftline.read`: named, not imported, because readers are a higher layer."""


def stream_of(source: object) -> Stream:
    """Return a stream unchanged, the documents of a corpus, or what `driftline.read` reads from `source`.

    >>> stream_of([{"date": "2003-03-20", "text": "war begins"}]).table()["text"].to_pylist()
    ['war begins']
    """
    if isinstance(source, Stream):
        return source
    if isinstance(source, Corpus):
        return _stream_of_corpus(source)
    stream: Stream = importlib.import_module(_READER).read(source)
    return stream


def corpus_of(source: object) -> Corpus:
    """Return a corpus unchanged, or count a source: text that is not prose is left out, as in the report.

    >>> corpus_of([{"date": "2003-03-20", "text": "war begins"}]).vocabulary
    Vocabulary(2 words: 'begins', 'war')
    """
    return source if isinstance(source, Corpus) else prepare(stream_of(source)).corpus()


def is_source(given: object) -> bool:
    """Return whether an argument contains documents rather than counts; numbers in any container are counts.

    >>> is_source("news.csv"), is_source([{"date": "2003-03-20", "text": "war"}]), is_source([[0, 1], [2, 0]])
    (True, True, False)
    """
    if isinstance(given, Stream | Corpus | str | os.PathLike | pa.RecordBatchReader):
        return True
    if isinstance(given, pa.Table):
        numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
        return not all(any(is_kind(kind) for is_kind in numbers) for kind in given.schema.types)
    if isinstance(given, list | tuple):
        return bool(given) and isinstance(given[0], Mapping | str | os.PathLike)
    if hasattr(given, "columns") and hasattr(given, "dtypes"):  # pandas, polars
        return _has_text(given)
    return False


def _has_text(frame: object) -> bool:
    import narwhals.stable.v1 as nw

    found = nw.from_native(frame, pass_through=True)
    if not isinstance(found, nw.DataFrame):
        return False
    # narwhals does not know the sparse columns of pandas, whose types have NumPy's kind
    kinds = zip(found.schema.values(), (getattr(dtype, "kind", "O") for dtype in frame.dtypes))  # type: ignore[attr-defined]
    return not all(kind.is_numeric() or kind == nw.Boolean or letter in "biuf" for kind, letter in kinds)


def _stream_of_corpus(corpus: Corpus) -> Stream:
    if corpus.texts is None:
        raise InvalidInput("the texts of this corpus were not kept; create it with keep_texts=True, or pass the source")
    if corpus.times.dtype.kind != "M":
        raise InvalidInput("the times of this corpus are numbers, but dates are needed here; create it with dates")
    columns = {"id": corpus.ids, "time": pa.array(corpus.times), "text": corpus.texts}
    if corpus.labels is not None:
        names = [*corpus.label_names, None]
        columns["label"] = pa.array([names[code] for code in corpus.labels], pa.string())
    return Stream.from_table(pa.table(columns), name="corpus")

"""A corpus: counted documents in time order, with their labels, ids and texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from driftline.core.arrays import Bools, Counts, Ints, Labels, Times
from driftline.core.days_of_dates import unchangeable
from driftline.core.errors import InvalidInput
from driftline.core.labels import LabelCoder, label_codes
from driftline.core.matrices import canonical_rows, check_values
from driftline.core.pictures import moment
from driftline.core.progress import track
from driftline.core.results import PREVIEWED, Columns, Result, counted
from driftline.core.times import Moment, note_missing_times
from driftline.streams.frames import Frames, frame_bounds
from driftline.streams.moments import exact_times
from driftline.streams.splits import row_at, row_of_share, time_folds
from driftline.text.counts import WordCounter
from driftline.text.frequency import frequent_enough
from driftline.text.rows import Texts, text_array
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary, WordList

if TYPE_CHECKING:
    from driftline.streams.stream import Stream

DEFAULT_TOKENIZER = Tokenizer(stop_words="english")


@dataclass(frozen=True, eq=False, repr=False)
class Corpus(Result):
    """Documents in time order, the input of the models. A corpus is immutable; parts of it are corpora, too.

    Create one with `from_stream`, `from_texts`, or from your own counts. Documents are sorted by time once, on
    creation; those with equal times keep their order.

    Parameters
    ----------
    counts : CSR matrix
        Documents × words.
    times : array
        datetime64[us] in UTC, or floats.
    vocabulary : Vocabulary
        The words of the columns.
    ids : Arrow array of str
        One per document; by default its number in the order given.
    labels : array of int or None
        Codes of `label_names`, −1 = unlabelled; None if the documents have no labels at all.
    label_names : tuple of str
        The names of the codes.
    texts : Arrow array of str or None
        The texts, if they were kept.
    tokenizer : Tokenizer
        The tokenizer that was used for counting.

    >>> corpus = Corpus.from_texts(
    ...     ["SARS spreads", "War in Iraq", "Baghdad falls"],
    ...     times=["2003-04-01", "2003-03-20", "2003-04-09"],
    ...     labels=["health", "war", "war"],
    ... )
    >>> corpus
    <Corpus: 3 documents from 2003-03-20 to 2003-04-09, 6 words, 2 labels, texts kept>
    >>> [(str(frame.start)[:7], len(frame)) for frame in corpus.frames("1mo")]
    [('2003-03', 1), ('2003-04', 2)]
    >>> train, test = corpus.split_at("2003-04-01")
    >>> train.texts.to_pylist()
    ['War in Iraq']
    """

    counts: Counts
    times: np.ndarray
    vocabulary: Vocabulary
    ids: pa.ChunkedArray = None
    labels: Ints | None = None
    label_names: tuple[str, ...] = ()
    texts: pa.ChunkedArray | None = None
    tokenizer: Tokenizer = DEFAULT_TOKENIZER

    def __post_init__(self) -> None:
        counts = canonical_rows(self.counts, "the counts")
        check_values(counts.data, "the counts")
        n = counts.shape[0]
        times = exact_times(self.times, n=n)
        vocabulary = Vocabulary.of(self.vocabulary)
        if counts.shape[1] != len(vocabulary):
            raise InvalidInput(f"the counts have {counts.shape[1]} columns, but the vocabulary {len(vocabulary)} words")
        ids = _numbers(n) if self.ids is None else text_array(self.ids)
        texts = None if self.texts is None else text_array(self.texts)
        labels, names = None, tuple(self.label_names)
        if self.labels is not None:
            labels, names = label_codes(self.labels, self.label_names or None)
        for what, column in (("ids", ids), ("texts", texts), ("labels", labels)):
            if column is not None and len(column) != n:
                raise InvalidInput(f"there are {n} documents but {len(column)} {what}; pass one per document")
        if n and (times[1:] < times[:-1]).any():
            order = np.argsort(times, kind="stable")
            counts, times = counts[order], unchangeable(times[order])
            ids, texts = ids.take(pa.array(order)), None if texts is None else texts.take(pa.array(order))
            labels = None if labels is None else labels[order]
        made = {
            "counts": counts,
            "times": times,
            "vocabulary": vocabulary,
            "ids": ids,
            "labels": labels,
            "label_names": names,
            "texts": texts,
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_stream(
        cls,
        stream: Stream,
        *,
        tokenizer: Tokenizer = DEFAULT_TOKENIZER,
        vocabulary: WordList | None = None,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        keep_texts: bool = True,
    ) -> Corpus:
        """Count the documents of a stream, batch by batch; the texts are kept only with ``keep_texts=True``.

        The options of counting are those of `driftline.text.count_words`. Labels are None if no document has one.
        """
        counter = WordCounter(tokenizer, vocabulary=vocabulary, min_df=min_df, max_df=max_df, max_features=max_features)
        coder = LabelCoder()
        times, ids, texts = [], [], []
        for batch in track(stream.batches(), "counting words"):
            counter.add(batch["text"])
            coder.add(batch["label"])
            times.append(batch["time"].cast(pa.timestamp("us", "UTC")).to_numpy(zero_copy_only=False))
            ids.append(batch["id"].cast(pa.large_string()))
            if keep_texts:
                texts.append(batch["text"])
        if not times:
            raise InvalidInput(f"there is no document to count in {stream!r}")
        counts, vocabulary = counter.finish()
        labels, names = coder.finish()
        return cls(
            counts,
            np.concatenate(times),
            vocabulary,
            ids=pa.chunked_array(ids),
            labels=labels if names else None,
            label_names=names,
            texts=pa.chunked_array(texts) if keep_texts else None,
            tokenizer=tokenizer,
        )

    @classmethod
    def from_texts(
        cls,
        texts: Texts,
        times: Times = None,
        labels: Labels | None = None,
        ids: Texts | None = None,
        *,
        label_names: Sequence[str] | None = None,
        tokenizer: Tokenizer = DEFAULT_TOKENIZER,
        vocabulary: WordList | None = None,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        keep_texts: bool = True,
    ) -> Corpus:
        """Count texts in memory. `times` may be in any order; without them, text order is assumed, with a warning.

        `labels` are strings or whole numbers, with None, NaN or −1 if unknown; with `label_names` they are codes.
        """
        note_missing_times(times, "Corpus.from_texts")
        column = text_array(texts)
        if not len(column):
            raise InvalidInput("there is no document to count")
        counter = WordCounter(tokenizer, vocabulary=vocabulary, min_df=min_df, max_df=max_df, max_features=max_features)
        counter.add(column)
        counts, vocabulary = counter.finish()
        codes, names = (None, ()) if labels is None else label_codes(labels, label_names)
        return cls(
            counts,
            np.arange(len(column), dtype=np.float64) if times is None else np.asarray(times),
            vocabulary,
            ids=None if ids is None else _as_ids(ids),
            labels=codes,
            label_names=names,
            texts=column if keep_texts else None,
            tokenizer=tokenizer,
        )

    def __len__(self) -> int:
        return int(self.counts.shape[0])

    def __getitem__(self, rows: slice | Sequence[int] | Ints | Bools | int) -> Corpus:
        """Return some of the documents, by a slice, a mask or row numbers; they remain in time order."""
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            if step == 1:
                return self._part(slice(start, max(start, stop)))
            rows = np.arange(start, stop, step)
        index = np.atleast_1d(np.asarray(rows))
        if index.size == 0:
            index = index.astype(np.int64)
        if index.dtype == np.bool_:
            if index.shape != (len(self),):
                raise InvalidInput(f"the mask has shape {index.shape}, but there are {len(self)} documents")
            index = np.flatnonzero(index)
        if index.dtype.kind not in "iu" or index.ndim != 1:
            raise InvalidInput("documents are chosen by a slice, a mask, or row numbers")
        if index.size and not (-len(self) <= index.min() and index.max() < len(self)):
            raise IndexError(f"there are documents 0 to {len(self) - 1}; {index.min()} to {index.max()} were requested")
        return self._part(index % max(len(self), 1))

    def frames(self, every: object) -> Frames:
        """Divide the corpus into time steps: ``"1mo"``, ``"1w"``, ``"6h"``, …, or a whole number of equal frames.

        Frames without documents are included. Steps are explained at `driftline.streams.frames.frame_bounds`.
        """
        return Frames(self, *frame_bounds(self.times, every))

    def split_at(self, time: Moment) -> tuple[Corpus, Corpus]:
        """Return the documents before a time, and those from that time on."""
        row = row_at(self.times, time)
        return self[:row], self[row:]

    def split(self, test_fraction: float = 0.25) -> tuple[Corpus, Corpus]:
        """Return the older documents and about this share of newer ones; equal times are never separated."""
        row = row_of_share(self.times, test_fraction)
        return self[:row], self[row:]

    def time_folds(self, n: int = 5) -> Iterator[tuple[Corpus, Corpus]]:
        """Yield `n` pairs of training and test documents; the training set grows from fold to fold."""
        return ((self[train], self[test]) for train, test in time_folds(self.times, n))

    def where_label(self, name: str | None) -> Corpus:
        """Return the documents with this label; None selects the unlabelled ones."""
        if name is None:
            return self[np.ones(len(self), dtype=np.bool_) if self.labels is None else self.labels < 0]
        if self.labels is None or name not in self.label_names:
            known = ", ".join(map(repr, self.label_names[:20])) or "none"
            raise InvalidInput(f"there is no label {name!r}; the labels are: {known}")
        return self[self.labels == self.label_names.index(name)]

    def prune(self, *, min_df: int | float = 1, max_df: int | float = 1.0, max_features: int | None = None) -> Corpus:
        """Return the same documents with only the words that are within the limits (`driftline.text.frequency`)."""
        keep = frequent_enough(
            np.bincount(self.counts.indices, minlength=len(self.vocabulary)),
            np.asarray(self.counts.sum(axis=0)).ravel(),
            total_documents=len(self),
            min_df=min_df,
            max_df=max_df,
            max_features=max_features,
        )
        vocabulary, _, kept = self.vocabulary.prune(keep)
        return self._with(counts=self.counts[:, kept], vocabulary=vocabulary)

    def count(self, texts: Iterable[object]) -> Counts:
        """Count other texts in the same way: same tokenizer, same columns."""
        counter = WordCounter(self.tokenizer, vocabulary=self.vocabulary)
        counter.add(texts)
        return counter.finish()[0]

    def _summary(self) -> str:
        parts = [counted(len(self), "document")]
        if len(self):
            parts[0] += f" from {moment(self.times, 0)} to {moment(self.times, -1)}"
        parts.append(counted(len(self.vocabulary), "word"))
        if self.labels is not None:
            unlabelled = int((self.labels < 0).sum())
            missing = f" ({counted(unlabelled, 'document')} unlabelled)" if unlabelled else ""
            parts.append(counted(len(self.label_names), "label") + missing)
        parts.append("texts kept" if self.texts is not None else "texts not kept")
        return ", ".join(parts)

    def _columns(self) -> Columns:
        columns = {"id": self.ids, "time": self.times, "n_words": np.asarray(self.counts.sum(axis=1)).ravel()}
        if self.labels is not None:
            names = np.array([*self.label_names, None], dtype=object)
            columns["label"] = names[self.labels]
        return columns if self.texts is None else {**columns, "text": self.texts}

    def _preview(self) -> Columns:
        return self[: PREVIEWED + 1]._columns()

    def _part(self, rows: slice | Ints) -> Corpus:
        def some(column: pa.ChunkedArray) -> pa.ChunkedArray:
            return column[rows] if isinstance(rows, slice) else column.take(pa.array(rows))

        return self._with(
            counts=self.counts[rows],
            times=self.times[rows],
            ids=some(self.ids),
            labels=None if self.labels is None else self.labels[rows],
            texts=None if self.texts is None else some(self.texts),
        )

    def _with(self, **changes: Any) -> Corpus:
        return replace(self, **changes)


def _numbers(n: int) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(np.arange(n)).cast(pa.large_string())])


def _as_ids(ids: Texts) -> pa.ChunkedArray:
    """Return ids of any plain type as strings."""
    array = ids if isinstance(ids, pa.Array | pa.ChunkedArray) else pa.array(ids, from_pandas=True)
    return text_array(array.cast(pa.large_string()))

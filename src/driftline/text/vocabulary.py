"""Vocabularies: immutable mappings between words and columns, from which larger and smaller ones are derived."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Bools, Ints
from driftline.core.errors import InvalidInput
from driftline.text.frequency import frequent_enough
from driftline.text.rows import text_array, value_bytes, value_offsets

COLUMN = "word"
"""Name of the one column of a vocabulary's Arrow table."""


class Pruned(NamedTuple):
    """A smaller vocabulary, and the mapping of the columns of the larger one."""

    vocabulary: Vocabulary
    columns: Ints
    """For every old column its new one, −1 if the word was removed."""
    kept: Ints
    """The old columns of the remaining words, in order: ``counts[:, kept]`` are the new counts."""


WordList: TypeAlias = "Vocabulary | Sequence[str] | np.ndarray"
"""The words of columns before they are checked."""


class Vocabulary:
    """An ordered set of words; word i belongs to column i of the counts.

    A vocabulary is a value: it compares by its words, can be hashed, and never changes. `add` returns a larger one in
    which every word keeps its column, `prune` a smaller one together with the mapping from old columns to new ones.

    >>> vocabulary = Vocabulary(["iraq", "war"])
    >>> vocabulary.index(["war", "sars"])
    array([ 1, -1])
    >>> grown = vocabulary.add(["sars", "war"])
    >>> grown
    Vocabulary(3 words: 'iraq', 'war', 'sars')
    >>> smaller, columns, kept = grown.prune([True, False, True])
    >>> smaller.words, columns
    (array(['iraq', 'sars'], dtype=object), array([ 0, -1,  1]))
    """

    def __init__(self, words: Iterable[object] = ()) -> None:
        chunked = text_array(words)
        array = chunked.chunk(0) if chunked.num_chunks == 1 else pa.concat_arrays([_NO_WORDS, *chunked.chunks])
        if pc.count_distinct(array).as_py() != len(array):
            raise InvalidInput(
                f"the word {_first_double(array)!r} is in the vocabulary more than once; every word has one column"
            )
        self._array = array

    @classmethod
    def of(cls, words: Iterable[object]) -> Vocabulary:
        """Return a vocabulary unchanged, or create one from any collection of words."""
        return words if isinstance(words, cls) else cls(words)

    @classmethod
    def from_counts(
        cls,
        words: Iterable[object],
        n_documents: Ints,
        n_uses: Ints,
        *,
        total_documents: int,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
    ) -> Vocabulary:
        """Return the words that are frequent enough but not too frequent, in sorted order.

        The limits are scikit-learn's; see `driftline.text.frequency.frequent_enough`.

        >>> Vocabulary.from_counts(["war", "iraq", "a"], np.array([3, 2, 9]), np.array([3, 2, 9]),
        ...                        total_documents=9, max_df=0.5)
        Vocabulary(2 words: 'iraq', 'war')
        """
        ordered, order = _sorted(cls(words)._array)
        keep = frequent_enough(
            np.asarray(n_documents)[order],
            np.asarray(n_uses)[order],
            total_documents=total_documents,
            min_df=min_df,
            max_df=max_df,
            max_features=max_features,
        )
        return cls(ordered.filter(pa.array(keep)))

    @cached_property
    def words(self) -> np.ndarray:
        """All words in the order of their columns, as a NumPy array of str."""
        words: np.ndarray = self._array.to_numpy(zero_copy_only=False)
        words.flags.writeable = False
        return words

    def index(self, words: Iterable[object]) -> Ints:
        """Return the columns of many words; −1 for one that is not in the vocabulary."""
        wanted = text_array(words)
        found = pc.index_in(wanted, value_set=self._array)
        result: Ints = pc.fill_null(found, -1).to_numpy().astype(np.int64)
        return result

    def column(self, word: str | int) -> int:
        """Return the column of one word, or the column itself if it is a valid one; raise an error otherwise."""
        if isinstance(word, str):
            found = pc.index(self._array, pa.scalar(word, pa.large_string())).as_py()
            if found >= 0:
                return int(found)
            near = difflib.get_close_matches(word, self.words.tolist(), n=3)
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "; is it a stop word, or too rare?"
            raise InvalidInput(f"the word {word!r} is not in the vocabulary of {len(self):,} words{hint}")
        if not 0 <= word < len(self):
            raise InvalidInput(f"there is no column {word}; the vocabulary has columns 0 to {len(self) - 1}")
        return int(word)

    def add(self, words: Iterable[object]) -> Vocabulary:
        """Return a vocabulary in which the new words follow the existing ones, in the order given."""
        given = text_array(words)
        new = pc.unique(given.filter(pc.invert(pc.is_in(given, value_set=self._array))))
        return Vocabulary(pa.concat_arrays([self._array, new])) if len(new) else self

    def prune(self, keep: npt.ArrayLike) -> Pruned:
        """Return a vocabulary of some of the words, in the same order, and the mapping of columns.

        `keep` is a mask of the columns (True: keep), or the numbers of the columns to keep.
        """
        mask = self._mask(keep)
        kept = np.flatnonzero(mask)
        columns = np.where(mask, np.cumsum(mask) - 1, -1)
        return Pruned(Vocabulary(self._array.filter(pa.array(mask))), columns, kept)

    def to_arrow(self) -> pa.Table:
        """Return the words as a table of one column, ``word``, in the order of their columns."""
        return pa.table({COLUMN: self._array})

    @classmethod
    def from_arrow(cls, table: pa.Table) -> Vocabulary:
        """Return the vocabulary from a table written by `to_arrow`."""
        if COLUMN not in table.column_names:
            raise InvalidInput(f"a vocabulary's table has a column {COLUMN!r}, this one has {table.column_names}")
        return cls(table[COLUMN])

    def to_array(self) -> pa.LargeStringArray:
        """Return the words as an Arrow array."""
        return self._array

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words.tolist())

    def __getitem__(self, column: int) -> str:
        return str(self._array[column].as_py())

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and pc.index(self._array, pa.scalar(word, pa.large_string())).as_py() >= 0

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.words, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return self._array.equals(other._array) if isinstance(other, Vocabulary) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __copy__(self) -> Vocabulary:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Vocabulary:
        return self

    def __repr__(self) -> str:
        shown = ", ".join(repr(word) for word in self._array[:3].to_pylist())
        return f"Vocabulary({len(self):,} words: {shown}{', …' if len(self) > 3 else ''})".replace(": )", ")")

    @cached_property
    def _hash(self) -> int:
        offsets = value_offsets(self._array)
        data = value_bytes(self._array)[offsets[0] : offsets[-1]]
        return hash((len(self), (offsets - offsets[0]).tobytes(), data.tobytes()))

    def _mask(self, keep: npt.ArrayLike) -> Bools:
        given = np.asarray(keep)
        mask: Bools = np.zeros(len(self), dtype=np.bool_)
        if given.dtype == np.bool_:
            if given.shape != mask.shape:
                raise InvalidInput(f"the mask has shape {given.shape}, but there are {len(self)} columns")
            return given
        columns = given.astype(np.int64)
        if columns.size and (columns.min() < 0 or columns.max() >= len(self)):
            raise InvalidInput(f"columns to keep must be from 0 to {len(self) - 1}")
        mask[columns] = True
        return mask


_NO_WORDS = pa.array([], pa.large_string())


def sorted_words(words: pa.LargeStringArray) -> Ints:
    """Return the order that sorts words by code points, as in Python; UTF-8 preserves that order."""
    found: Ints = pc.sort_indices(words).to_numpy().astype(np.int64)
    return found


def _sorted(words: pa.LargeStringArray) -> tuple[pa.LargeStringArray, Ints]:
    order = sorted_words(words)
    return words.take(pa.array(order)), order


def _first_double(words: pa.LargeStringArray) -> str:
    counted = words.value_counts()
    return str(counted.filter(pc.greater(counted.field("counts"), 1)).field("values")[0].as_py())

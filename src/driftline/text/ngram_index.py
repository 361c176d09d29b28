"""The n-grams of token sequences: one numbering for all orders, and a sparse table of each document's n-grams."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Ints
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.text.sequences import TokenSequences


class NGramIndex(NamedTuple):
    """The distinct n-grams of orders 1 … len(keys) + 1, numbered order by order, and documents × n-grams counts.

    The number of a word is that of its unigram. For every n-gram of order m, ``keys[m - 2]`` contains the number of its
    context within its order × n_words + word, sorted.
    """

    n_words: int
    keys: list[Ints]
    counts: Counts

    @property
    def starts(self) -> Ints:
        """The first number of each order; the last is the number of all n-grams, which is also the root's."""
        return np.cumsum([0, self.n_words, *(len(keys) for keys in self.keys)])

    @property
    def context_of(self) -> Ints:
        """The number of every n-gram's context; the root for single words."""
        starts = self.starts
        parts = [np.full(self.n_words, starts[-1])]
        parts += [keys // self.n_words + starts[m] for m, keys in enumerate(self.keys)]
        return np.concatenate(parts).astype(np.int64)

    @property
    def suffix_of(self) -> Ints:
        """The number of every n-gram without its first word; -1 for single words."""
        starts = self.starts
        within = np.arange(self.n_words)  # number of each n-gram without its first word, within the next lower order
        parts = [np.full(self.n_words, -1)]
        for m, keys in enumerate(self.keys):
            context, word = np.divmod(keys, self.n_words)
            shorter = word if m == 0 else np.searchsorted(self.keys[m - 1], within[context] * self.n_words + word)
            parts.append(shorter + starts[m])
            within = shorter
        return np.concatenate(parts).astype(np.int64)

    def grams(self, sequences: TokenSequences) -> Ints:
        """Return for every token the numbers of the n-grams that end there: (tokens, orders), -1 if unknown."""
        starts = self.starts
        found = [_known_words(sequences, self.n_words)]
        for keys in self.keys:
            wanted = _keys_of(found[-1], found[0], sequences.offsets, self.n_words)
            place = np.searchsorted(keys, wanted)
            hit = (wanted >= 0) & (place < len(keys))
            hit[hit] = keys[place[hit]] == wanted[hit]
            found.append(np.where(hit, place, -1))
        return np.column_stack([np.where(part >= 0, part + starts[m], -1) for m, part in enumerate(found)])

    def children(self, context: int, order: int) -> tuple[Ints, Ints]:
        """Return the numbers of the n-grams of an order with the given context, and their last words."""
        starts = self.starts
        keys = self.keys[order - 2]
        within = context - starts[order - 2]
        first, last = np.searchsorted(keys, [within * self.n_words, (within + 1) * self.n_words])
        return np.arange(first, last) + starts[order - 1], keys[first:last] - within * self.n_words


def check_index(index: NGramIndex, order: int) -> None:
    """Raise `ModelFileError` if the index of a saved model has a number out of range."""
    n_contexts = index.n_words
    whole = len(index.keys) == order - 1
    for keys in index.keys:
        whole = (
            whole
            and bool((keys[1:] > keys[:-1]).all())
            and (not len(keys) or (keys[0] >= 0 and keys[-1] < n_contexts * index.n_words))
        )
        n_contexts = len(keys)
    if not whole or index.starts[-1] != index.counts.shape[1]:
        raise ModelFileError("the n-grams of the model are inconsistent; it is damaged")


def index_ngrams(sequences: TokenSequences, order: int, n_words: int) -> NGramIndex:
    """Find and count the n-grams of the sequences."""
    words = _known_words(sequences, n_words)
    documents = np.repeat(np.arange(len(sequences)), sequences.lengths())
    rows, numbers_ = [documents[words >= 0]], [words[words >= 0]]
    keys: list[Ints] = []
    start, last = n_words, words
    for _ in range(order - 1):
        wanted = _keys_of(last, words, sequences.offsets, n_words)
        present = wanted >= 0
        distinct, inverse = np.unique(wanted[present], return_inverse=True)
        keys.append(distinct)
        last = np.full(len(words), -1, dtype=np.int64)
        last[present] = inverse
        rows.append(documents[present])
        numbers_.append(inverse + start)
        start += len(distinct)
    row, column = np.concatenate(rows), np.concatenate(numbers_)
    counts = sp.csr_matrix((np.ones(len(row)), (row, column)), shape=(len(sequences), start))
    counts.sum_duplicates()
    return NGramIndex(n_words, keys, counts)


def merge(one: NGramIndex, other: NGramIndex) -> NGramIndex:
    """Return the index of the documents of one followed by those of the other."""
    n_words = max(one.n_words, other.n_words)
    keys: list[Ints] = []
    start = n_words
    columns = [[np.arange(index.n_words)] for index in (one, other)]
    places = [np.arange(index.n_words) for index in (one, other)]
    for m in range(len(one.keys)):
        renumbered = []
        for index, place in zip((one, other), places):
            context, word = np.divmod(index.keys[m], index.n_words)
            renumbered.append(place[context] * n_words + word)
        keys.append(np.union1d(*renumbered))
        places = [np.searchsorted(keys[-1], part) for part in renumbered]
        for column, place in zip(columns, places):
            column.append(place + start)
        start += len(keys[-1])
    tables = []
    for index, column in zip((one, other), columns):
        table = index.counts.tocoo()
        new = np.concatenate(column)[table.col]
        tables.append(sp.csr_matrix((table.data, (table.row, new)), shape=(table.shape[0], start)))
    counts = sp.vstack(tables, format="csr")
    counts.sort_indices()
    return NGramIndex(n_words, keys, counts)


def renumbered(index: NGramIndex, columns: Ints, n_words: int) -> NGramIndex:
    """Return an index whose word w has the number ``columns[w]`` among `n_words`; -1 for an unused word.

    The new numbers are in the order of the old ones, so the keys stay sorted.
    """
    keys = []
    for order, old in enumerate(index.keys):
        context, word = np.divmod(old, index.n_words)
        keys.append((columns[context] if order == 0 else context) * n_words + columns[word])
    n_longer = int(index.starts[-1]) - index.n_words
    table = index.counts.tocoo()
    new = np.concatenate([columns, n_words + np.arange(n_longer)])[table.col]
    shape = (table.shape[0], n_words + n_longer)
    counts = sp.csr_matrix((table.data, (table.row, new)), shape=shape)
    counts.sort_indices()
    return NGramIndex(n_words, keys, counts)


def _known_words(sequences: TokenSequences, n_words: int) -> Ints:
    words = sequences.ids.astype(np.int64)
    if len(words) and words.max() >= n_words:
        place = int(np.argmax(words))
        document = int(np.searchsorted(sequences.offsets, place, side="right")) - 1
        raise InvalidInput(
            f"document {document} has the word number {words[place]}, but there are {n_words} words; "
            f"pass n_words= (or the vocabulary) when fitting, or -1 for unknown words"
        )
    return words


def _keys_of(last: Ints, words: Ints, offsets: Ints, n_words: int) -> Ints:
    """Return context × n_words + word for every token; -1 where the context or the word is unknown."""
    context = np.full(len(words), -1, dtype=np.int64)
    context[1:] = last[:-1]
    context[offsets[:-1][offsets[:-1] < len(words)]] = -1
    return np.where((context >= 0) & (words >= 0), context * n_words + words, -1)

"""Known documents: each is used only once, even if several files contain it, and its label whenever it arrives.

Documents of closed frames are stored as a 64-bit hash of their id and one of their label, 16 bytes each; those of open
frames are stored with their texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from driftline.core.arrays import Ints
from driftline.streams.reorder import times_of
from driftline.streams.schema import SCHEMA

_KEPT = ("id", "time", "text", "label")
OPEN_SCHEMA = pa.schema([*map(SCHEMA.field, _KEPT), pa.field("late_answer", pa.bool_())])
"""Schema of documents of open frames, and of those of closed frames whose labels arrived late and are learned now."""


class Gathered(NamedTuple):
    """The documents of the open frames, old and new, and counts of the new ones."""

    table: pa.Table
    n_new: int
    n_repeated: int
    n_late: int
    n_new_labels: int
    """Number of known documents whose label is new or has changed."""

    @property
    def late_labels(self) -> dict[str, str]:
        """The labels of documents whose frames are closed, by id."""
        late = self.table.filter(self.table["late_answer"])
        return dict(zip(late["id"].to_pylist(), late["label"].to_pylist()))


class ClosedDocuments(NamedTuple):
    """The record of documents in closed frames."""

    keys: Ints
    """Hashes of ids, sorted."""
    label_keys: Ints

    @classmethod
    def none(cls) -> ClosedDocuments:
        """Return an empty record."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def labels_of(self, keys: Ints) -> tuple[np.ndarray, Ints]:
        """Return a mask of the known documents, and the hashes of their labels."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.bool_), np.zeros(len(keys), dtype=np.int64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return self.keys[places] == keys, self.label_keys[places]

    def add(self, rows: pa.Table) -> ClosedDocuments:
        """Return a record with more documents; a known document gets the new label."""
        keys = np.concatenate([hashes(rows["id"].to_pylist()), self.keys])
        label_keys = np.concatenate([hashes(rows["label"].to_pylist()), self.label_keys])
        keys, first = np.unique(keys, return_index=True)
        return ClosedDocuments(keys, label_keys[first])


def gather(held: pa.Table, closed: ClosedDocuments, documents: pa.Table, closed_until: int) -> Gathered:
    """Add new documents to those of the open frames; closed frames end at `closed_until` (microseconds).

    Of documents with the same id the first is kept, with the last of their labels.
    """
    ids, labels = documents["id"].to_pylist(), documents["label"].to_pylist()
    is_closed, closed_labels = closed.labels_of(hashes(ids))
    label_keys = hashes(labels)
    held_labels: list[str | None] = held["label"].to_pylist()
    place = {name: number for number, name in enumerate(held["id"].to_pylist())}
    taken: list[int] = []
    n_repeated = n_new_labels = 0
    for row, (name, label) in enumerate(zip(ids, labels)):
        if name in place:
            n_repeated += 1
            if label is not None and held_labels[place[name]] != label:
                held_labels[place[name]] = label
                n_new_labels += 1
            continue
        if is_closed[row]:
            n_repeated += 1
            if label is None or label_keys[row] == closed_labels[row]:
                continue
            n_new_labels += 1
        place[name] = len(held) + len(taken)
        held_labels.append(label)
        taken.append(row)
    new = documents.select(_KEPT).take(pa.array(taken, pa.int64()))
    answers = is_closed[taken]
    table = pa.concat_tables([held, new.append_column("late_answer", pa.array(answers))])
    table = table.set_column(OPEN_SCHEMA.get_field_index("label"), "label", pa.array(held_labels, pa.string()))
    n_late = int(((times_of(new) < closed_until) & ~answers).sum())
    return Gathered(table, len(taken) - int(answers.sum()), n_repeated, n_late, n_new_labels)


def with_ids_of_their_own(documents: pa.Table) -> pa.Table:
    """Give each document an id computed from its time and text, which is the same in every file.

    The second of two documents with the same time and text gets a number as suffix.

    >>> table = pa.table({"id": ["1", "2"], "time": pa.array([0, 0], pa.timestamp("us", "UTC")), "text": ["a", "a"]})
    >>> with_ids_of_their_own(table)["id"].to_pylist()
    ['a9eab5451c3a8c2c', 'a9eab5451c3a8c2c-2']
    """
    seen: dict[str, int] = {}
    ids = []
    for time, text in zip(times_of(documents).tolist(), documents["text"].to_pylist()):
        name = hashlib.blake2b(f"{time} {text}".encode(), digest_size=8).hexdigest()
        seen[name] = seen.get(name, 0) + 1
        ids.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return documents.set_column(0, SCHEMA.field("id"), pa.array(ids, pa.string()))


def hashes(names: Iterable[str | None]) -> Ints:
    """Return 64-bit hashes that are the same on every machine; 0 for None.

    >>> int(hashes(["war", None])[1])
    0
    """
    digests = (b"\0" * 8 if name is None else hashlib.blake2b(name.encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)

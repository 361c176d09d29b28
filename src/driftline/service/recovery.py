"""Recovery of the models: load the last snapshot, then learn the batches stored since, with the same boundaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Ints
from driftline.service.learning.learner import LearnedBatch, Learner
from driftline.service.store.batch_rows import StoredText, batch_texts, hours_of, word_numbers
from driftline.service.store.database import Database, StoreError
from driftline.service.store.keys import hour_of
from driftline.service.store.models import read_model
from driftline.service.store.opened import setting_of
from driftline.service.store.period_aggregates import Increments


class Recovered(NamedTuple):
    """The models, the aggregates since the snapshot, and the permanent number of the word of every slot."""

    learner: Learner
    increments: Increments
    numbers: Ints
    snapshot: int
    n_since: int
    waiting: list[int]
    """Keys of documents that wait for the first topics."""


def recover(
    database: Database,
    n_topics: int,
    *,
    until: int | None = None,
    after: int | None = None,
    version: int | None = None,
) -> Recovered:
    """Load the last snapshot of the current version and replay the batches after it, up to the batch `until`.

    `after` selects the snapshot: the last one at or before that batch; 0 is the empty model. `version` selects another
    version of the models. Aggregates are added for the batches after the last one with stored aggregates.
    """
    limit = 2**62 if after is None else after
    wanted = int(setting_of(database, "version") or 1) if version is None else version
    flushed = 0 if after == 0 else int(setting_of(database, "flushed") or 0)
    saved = database.execute(
        "SELECT batch FROM models WHERE version = ? AND batch <= ? ORDER BY batch DESC LIMIT 1", (wanted, limit)
    )
    snapshot = int(saved[0][0]) if saved else 0
    learner = Learner.of_bytes(read_model(database, wanted, snapshot)) if saved else Learner(n_topics)
    numbers = word_numbers(database, learner.words)
    found = Recovered(learner, Increments(), numbers, snapshot, 0, [])
    last = 2**62 if until is None else until
    for step in replay(database, found, after=snapshot, until=last, flushed=flushed):
        found = step.state
    return found


class Replayed(NamedTuple):
    """A replayed batch: the state after it, the result of learning, and its documents."""

    number: int
    state: Recovered
    learned: LearnedBatch
    texts: list[StoredText]


def replay(database: Database, state: Recovered, *, after: int, until: int, flushed: int) -> Iterator[Replayed]:
    """Learn stored batches in order; the aggregates of batches up to `flushed` are in the store already."""
    rows = database.execute(
        "SELECT number, keys, n, arrived FROM batches WHERE number > ? AND number <= ? AND kind = 'documents' "
        "ORDER BY number",
        (after, until),
    )
    for number, keys, n, arrived in rows:
        texts = batch_texts(database, bytes(keys))
        if len(texts) != n:
            raise StoreError(f"batch {number} of the store has {len(texts)} of its {n} documents; restore a backup")
        times = np.array([text.time for text in texts], dtype=np.int64)
        learned = state.learner.learn([text.text for text in texts], times, int(arrived))
        keys_of = [text.key for text in texts]
        waiting, numbers = aggregate(database, state, learned, times, keys_of, counts=number > flushed)
        state = state._replace(waiting=waiting, numbers=numbers, n_since=state.n_since + len(texts))
        yield Replayed(int(number), state, learned, texts)


def aggregate(
    database: Database, state: Recovered, learned: LearnedBatch, times: Ints, keys: list[int], *, counts: bool = True
) -> tuple[list[int], Ints]:
    """Add a batch to the aggregates; return the keys still waiting for topics, and the word numbers of all slots.

    Without `counts` the aggregates already contain it.
    """
    learner, increments, numbers = state.learner, state.increments, state.numbers
    if learned.new_words:
        numbers = np.concatenate([numbers, word_numbers(database, learned.new_words)])
    hours = hours_of(times)
    if counts:
        increments.add_words(hours, learned.counted.rows, numbers[learned.counted.pairs.words])
    waiting = state.waiting
    if learned.shares is None:
        waiting = [*waiting, *keys]
    elif counts:
        increments.add_topics(hours, learner.ids, learned.shares)
        if learned.earlier is not None:
            hours = hour_of(np.array(waiting, dtype=np.int64))
            increments.add_topics(hours, learner.ids, learned.earlier.shares)
            increments.add_more_words(hours, learned.earlier.rows, numbers[learned.earlier.slots])
            waiting = []
    if learned.kept is not None:
        numbers = numbers[learned.kept]
    return waiting, numbers

"""A refit, in a process of its own at low priority: fit the topics again, match them with the old ones, and catch up.

    python -m driftline.service.refit_child STORE FOLDER fit|back

Writes the new models and their lineage to a folder; the service starts to use them between two batches.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypedDict

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints
from driftline.inference.lineage import Lineage, topic_lineage
from driftline.service.learning.learner import Learner, counts_matrix
from driftline.service.learning.topic_watch import TopicWatch
from driftline.service.recovery import recover
from driftline.service.store.batch_rows import batch_texts, last_batch
from driftline.service.store.database import Database
from driftline.service.store.opened import open_store
from driftline.topics.resident import ResidentLDA

NEWEST, OLDER = 200_000, 20_000
"""Number of newest documents that are fitted, and size of the sample of older ones."""
NEAR = 500
"""Maximum number of documents left for the service to learn with the new models."""
OFTEN = 5.0
"""Minimum number of occurrences of a word that is used to compare topics."""
NICE = 10


def refitted(database: Database, version: int) -> tuple[Learner, Lineage, int]:
    """Fit the topics again; return the models at the last batch, the lineage of the topics, and that batch."""
    batch = last_batch(database)
    learner = recover(database, 2, until=batch, version=version).learner
    return learner, fit_again(learner, _texts(database), version), batch


def fit_again(learner: Learner, texts: Iterable[list[str]], seed: int) -> Lineage:
    """Fit the topics of a learner again to lists of texts, starting from the current topics; return their lineage.

    A topic that still has most of its words keeps its id, and with it name, colour and usual level.
    """
    if learner.topics is None:
        raise SystemExit("there are no topics yet")
    old = learner.topics
    parts = [learner.words.count(part).pairs for part in texts]
    n_words = learner.words.n_slots
    X = sp.vstack([counts_matrix(pairs, n_words) for pairs in parts], format="csr")
    old.grow(n_words)
    learner.topics = old.refitted(X, random_state=seed)
    previous = Lineage(learner.ids, (), np.zeros((0, 0)), int(learner.next_id))
    lineage = topic_lineage(*_compared(old, learner.topics), previous=previous)
    learner.watch = _continued(learner.watch, learner.ids, lineage.ids)
    learner.ids, learner.next_id = lineage.ids, lineage.next_id
    return lineage


class _Topics(NamedTuple):
    """Topics of a model, topics × words."""

    components_: Floats


def _compared(old: ResidentLDA, new: ResidentLDA) -> Iterator[_Topics]:
    """Yield the shares of words in the topics of both models, without words too rare to characterise a topic."""
    weights = np.maximum(old.weights(), new.weights())
    rows = np.flatnonzero(weights >= min(OFTEN, weights.max(initial=0.0)))
    for topics in (old, new):
        shares = topics.word_shares(rows)
        yield _Topics(shares / shares.sum(axis=1, keepdims=True))


def _texts(database: Database) -> Iterator[list[str]]:
    """Yield lists of texts: a sample of older documents, then the newest, in order of time."""
    total = int(database.execute("SELECT count(*) FROM documents")[0][0])
    older = max(0, total - NEWEST)
    edge = database.execute("SELECT key FROM documents ORDER BY key DESC LIMIT 1 OFFSET ?", (min(total, NEWEST) - 1,))
    first = int(edge[0][0])
    if older:
        step = max(1, older // OLDER)
        rows = database.execute(
            "SELECT text FROM documents WHERE key < ? AND key % ? = 0 ORDER BY key LIMIT ?", (first, step, OLDER)
        )
        if rows:
            yield [text for (text,) in rows]
    while True:
        rows = database.execute("SELECT key, text FROM documents WHERE key >= ? ORDER BY key LIMIT 5000", (first,))
        if not rows:
            return
        yield [text for _, text in rows]
        first = int(rows[-1][0]) + 1


def _continued(watch: TopicWatch, old: Ints, new: Ints) -> TopicWatch:
    """Return the watch of the new topics; kept topics continue with their usual level and share, and their burst."""
    found = TopicWatch(len(new))
    place = {int(topic): k for k, topic in enumerate(old.tolist())}
    for k, topic in enumerate(new.tolist()):
        if topic in place:
            found.continue_topic(k, watch, place[topic])
    return found


def catch_up(database: Database, learner: Learner, batch: int) -> int:
    """Learn the batches after `batch` until fewer than 500 documents remain; return the last batch learned."""
    while True:
        rows = database.execute(
            "SELECT number, keys, arrived, n FROM batches WHERE number > ? AND kind = 'documents' "
            "ORDER BY number LIMIT 500",
            (batch,),
        )
        if sum(int(n) for *_, n in rows) < NEAR:
            return batch
        for number, keys, arrived, _ in rows:
            texts = batch_texts(database, bytes(keys))
            times = np.array([text.time for text in texts], dtype=np.int64)
            learner.learn([text.text for text in texts], times, int(arrived))
            batch = int(number)


Event: TypeAlias = list[object]
"""An event of the lineage: its kind, the old and the new topics, and their overlap."""


class Refitted(TypedDict):
    """The last batch that refitted models have learned, and the lineage of their topics."""

    batch: int
    events: list[Event]


def refit(store: str, mode: str, present: int) -> tuple[bytes, Refitted]:
    """Refit (``"fit"``), or update the previous version; return the models, their last batch and lineage."""
    database = open_store(store, writes=False)
    events: list[Event] = []
    if mode == "fit":
        learner, lineage, batch = refitted(database, present)
        events = [[event.kind, event.old, event.new, event.overlap] for event in lineage.events]
    else:
        batch = last_batch(database)
        learner = recover(database, 2, until=batch, version=present - 1).learner
    batch = catch_up(database, learner, batch)
    database.close()
    learner.version = present + 1
    return learner.to_bytes(), {"batch": batch, "events": events}


def main(store: str, folder: str, mode: str, version: str) -> None:
    """Refit in this process and write the result to a folder."""
    os.nice(NICE)
    body, found = refit(store, mode, int(version))
    target = Path(folder)
    (target / "models.part").write_bytes(body)
    (target / "refit.json").write_text(json.dumps(found))
    os.replace(target / "models.part", target / "models.bin")


if __name__ == "__main__":
    main(*sys.argv[1:])

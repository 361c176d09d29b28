"""Checks of a store: its file, its index, and whether models and aggregates can be derived from the batches."""

from __future__ import annotations

from driftline.service.recovery import recover
from driftline.service.store.batch_rows import last_batch
from driftline.service.store.database import StoreError
from driftline.service.store.opened import open_store


def check_store(where: str) -> tuple[dict[str, object], list[str]]:
    """Return facts about a store, and a list of its faults."""
    faults: list[str] = []
    open_store(where, writes=False).close()  # a check must not create a store
    database = open_store(where, writes=True)
    try:
        faults += database.faults()
        rows = database.execute("SELECT count(*), coalesce(sum(n), 0) FROM batches WHERE kind = 'documents'")[0]
        facts: dict[str, object] = {
            "store": where,
            "batches": last_batch(database),
            "documents taken": int(rows[1]),
            "documents stored": int(database.execute("SELECT count(*) FROM documents")[0][0]),
            "snapshots": int(database.execute("SELECT count(*) FROM models")[0][0]),
        }
        try:
            found = recover(database, 20)
            facts["replayed after the last snapshot"] = found.n_since
        except StoreError as error:
            faults.append(str(error))
    finally:
        database.close()
    return facts, faults

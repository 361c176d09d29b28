"""Retention: texts and index entries of old documents are removed in steps; aggregates, labels and digests stay."""

from __future__ import annotations

from driftline.service.changes import remove_documents
from driftline.service.store.keys import first_key
from driftline.service.writer import Writer

AT_A_TIME = 5_000
"""Maximum number of documents per transaction."""


def remove_old(writer: Writer, before: int) -> int:
    """Remove documents older than a time, in the writer's thread; return their number.

    Documents that a replay after a crash would need stay until the next snapshot.
    """
    rows = writer.database.execute(
        "SELECT key, text FROM documents WHERE key < ? AND batch <= ? ORDER BY key LIMIT ?",
        (first_key(before), writer.state.snapshot, AT_A_TIME),
    )
    if rows:
        with writer.database.transaction():
            remove_documents(writer, [(int(key), text) for key, text in rows])
    return len(rows)

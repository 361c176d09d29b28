"""Changes by people, in the writer's thread: deleting documents, renaming topics, acknowledging and muting alarms."""

from __future__ import annotations

from driftline.service.alarms import COLUMNS, AlarmRow
from driftline.service.writer import Writer, microseconds


def delete_document(writer: Writer, key: int) -> bool:
    """Remove text, index entries and id of a document; return False if there is no such document.

    The models are saved first, because a replay from an earlier snapshot would lack the document.
    """
    database = writer.database
    rows = database.execute("SELECT key, text FROM documents WHERE key = ?", (key,))
    if not rows:
        return False
    writer.save()
    with database.transaction():
        remove_documents(writer, [(int(rows[0][0]), rows[0][1])])
        database.execute("DELETE FROM labels WHERE key = ?", (key,))
        writer.append("delete", {"key": key})
        if writer.learner.has_topics:
            writer.write_snapshot(microseconds())
    if writer.learner.has_topics:
        writer.saved()
    else:
        # Before the first topics there is no snapshot, so the batches are learned again without the document
        writer.restore()
    return True


def remove_documents(writer: Writer, rows: list[tuple[int, str]]) -> None:
    """Remove documents (key, text) with their index entries, within the transaction of the caller."""
    writer.database.unindex(rows)
    writer.database.executemany("DELETE FROM documents WHERE key = ?", [(key,) for key, _ in rows])
    writer.keys.forget()


def rename_topic(writer: Writer, topic: int, name: str) -> bool:
    """Rename a topic; an empty name restores its words. Return False if there is no such topic."""
    database = writer.database
    if not database.execute("SELECT id FROM topics WHERE id = ?", (topic,)):
        return False
    with database.transaction():
        database.execute("UPDATE topics SET name = ? WHERE id = ?", (name.strip() or None, topic))
        writer.append("rename", {"topic": topic, "name": name.strip()})
    return True


def change_alarm(writer: Writer, number: int, person: str, acknowledge: bool | None, mute_for: float | None) -> bool:
    """Acknowledge or mute an alarm; return False if there is no such alarm."""
    database = writer.database
    rows = database.execute(f"SELECT {COLUMNS} FROM alarms WHERE id = ?", (number,))
    if not rows:
        return False
    row = AlarmRow(*rows[0])
    if acknowledge is not None:
        row = row._replace(acknowledged=person if acknowledge else None)
    if mute_for is not None:
        row = row._replace(muted=microseconds() + int(mute_for * 1e6) if mute_for else None)
    with database.transaction():
        database.execute(
            "UPDATE alarms SET acknowledged = ?, muted = ? WHERE id = ?", (row.acknowledged, row.muted, number)
        )
        writer.append("alarm", {"alarm": number, "by": person, "acknowledge": acknowledge, "mute_for": mute_for})
    writer.alarms.replaced(row)
    return True

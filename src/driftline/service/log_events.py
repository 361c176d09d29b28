"""Conversion of log entries of a store to events for the pages of a joined process."""

from __future__ import annotations

import json
from typing import Any

from driftline.service.store.database import Database
from driftline.service.store.keys import as_text
from driftline.service.views.document_search import label_event
from driftline.service.views.shown_rows import topic_refs
from driftline.service.views.topic import lineage


def event_of(database: Database, kind: str, body: str) -> tuple[str, object] | None:
    """Return the kind and data of the event for a log entry; None if there is none."""
    found: dict[str, Any] = json.loads(body)
    if kind == "rename":
        refs = topic_refs(database, [found["topic"]])
        return ("renamed", {"topic": refs[found["topic"]]}) if refs else None
    if kind == "delete":
        return "deleted", {"key": as_text(found["key"])}
    if kind == "swap":
        return "swapped", {"version": found["version"], "lineage": lineage(database)}
    if kind == "label":
        rows = database.execute(
            "SELECT number, key, label, person, time FROM labels WHERE key = ? ORDER BY number DESC LIMIT 1",
            (found["key"],),
        )
        return ("label", {"event": label_event(rows[0])}) if rows else None
    return None

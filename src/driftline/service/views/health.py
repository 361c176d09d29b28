"""The health of the service: sources, rejections, models, disk, memory, latency."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from driftline.service.answers import Health, ModelHealth, RefitHealth, SourceHealth
from driftline.service.answers.running import SourceState
from driftline.service.store.database import Database

if TYPE_CHECKING:
    from driftline.service.service import Service

REJECTIONS = 20
PAGE = 4096
NOT_READ: SourceState = {"state": "not read by this process", "lag": None, "unit": ""}
"""State of a source that has a stored place, but is read by another process or was not named at this start."""


def memory() -> int:
    """Return the resident memory of this process in bytes, 0 where it is unknown."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return 0


def health(service: Service, database: Database) -> Health:
    """Return the state of the service."""
    size, log = database.size()
    free = total = 0
    if service.folder is not None:
        usage = shutil.disk_usage(service.folder)
        free, total = usage.free, usage.total
    rejections = database.execute(
        "SELECT time, source, place, reason FROM rejections ORDER BY number DESC LIMIT ?", (REJECTIONS,)
    )
    n_rejected = int(database.execute("SELECT coalesce(sum(rejected), 0) FROM places")[0][0])
    waiting = int(database.execute("SELECT count(*) FROM outbox WHERE sent IS NULL")[0][0])
    return {
        "now": time.time(),
        "started": service.started,
        "version": service.version,
        "store": database.kind,
        "store_bytes": size,
        "wal_bytes": log,
        "disk_free": float(free),
        "disk_total": float(total),
        "memory": memory(),
        "queue_bytes": service.intake.queue.n_bytes,
        "queue_limit": service.intake.queue.limit,
        "per_second": round(service.per_second(), 2),
        "latency": service.hub.latency(),
        "readers": service.hub.n_readers,
        "sources": sources(service, database),
        "rejections": [
            {"time": moment / 1e6, "source": source, "place": place, "reason": reason}
            for moment, source, place, reason in rejections
        ],
        "n_rejected": n_rejected,
        "model": model_health(service, database),
        "refit": refit_health(service),
        "keep": None if service.options.keep is None else f"{service.options.keep:g} days",
        "outbox": waiting,
    }


def sources(service: Service, database: Database) -> list[SourceHealth]:
    """Return every source with its place and counts."""
    running = {source.name: source for source in service.sources}
    rows = database.execute(
        "SELECT source, max(place), sum(taken), sum(rejected), sum(repeated), max(last) FROM places GROUP BY source"
    )
    found: list[SourceHealth] = []
    for name, place, taken, rejected, repeated, last in rows:
        source = running.pop(name, None)
        state = NOT_READ if source is None else source.health()
        kind = name.partition(":")[0] if source is None else source.kind
        found.append(
            {
                "name": name,
                "kind": kind,
                "place": str(place),
                "lag": state["lag"],
                "unit": state["unit"],
                "last": None if last is None else last / 1e6,
                "taken": int(taken),
                "rejected": int(rejected),
                "repeated": int(repeated),
                "state": "open" if kind == "http" else state["state"],
            }
        )
    for source in running.values():
        state = source.health()
        found.append(
            {
                "name": source.name,
                "kind": source.kind,
                "place": "",
                "lag": state["lag"],
                "unit": state["unit"],
                "last": None,
                "taken": 0,
                "rejected": 0,
                "repeated": 0,
                "state": state["state"],
            }
        )
    return found


def model_health(service: Service, database: Database) -> ModelHealth:
    """Return the model in use with its recent scores."""
    writer = service.writer
    learner, state = writer.learner, writer.state
    fitted = database.execute("SELECT min(saved) FROM models WHERE version = ?", (learner.version,))[0][0]
    scores = list(writer.scores)
    recent = scores[-20:]
    n = sum(each[2] for each in recent)
    return {
        "name": "LDA",
        "version": learner.version,
        "fitted": 0.0 if fitted is None else fitted / 1e6,
        "snapshot": state.snapshot,
        "n_documents": learner.n_documents,
        "n_words": learner.words.n_slots,
        "languages": list(learner.languages or ()),
        "score": round(sum(each[0] * each[2] for each in recent) / n, 4) if n else None,
        "band": service.refits.band(),
        "unknown": round(sum(each[1] * each[2] for each in recent) / n, 5) if n else None,
        "scores": [round(each[0], 4) for each in scores[-100:]],
    }


def refit_health(service: Service) -> RefitHealth:
    """Return the state of the refit."""
    refits = service.refits
    return {
        "state": refits.state,
        "reason": refits.reason,
        "started": refits.started,
        "finished": refits.finished,
        "can_go_back": refits.can_go_back,
    }

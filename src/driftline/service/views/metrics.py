"""Metrics for Prometheus, made when they are requested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from driftline.service.store.database import Database
from driftline.service.views.health import health

if TYPE_CHECKING:
    from driftline.service.service import Service


def metrics(service: Service, database: Database) -> bytes:
    """Return all metrics as text."""
    found = health(service, database)
    registry = CollectorRegistry()

    def gauge(name: str, text: str, value: float | None) -> None:
        if value is not None:
            Gauge(f"driftline_{name}", text, registry=registry).set(value)

    gauge("documents_total", "Documents stored since the store was made", service.writer.n_documents)
    gauge("documents_per_second", "Documents stored per second, last ten seconds", found["per_second"])
    gauge("rejected_total", "Rejected records", found["n_rejected"])
    gauge("batch", "Number of the last batch", service.writer.batch)
    gauge("queue_bytes", "Bytes that wait to be stored", found["queue_bytes"])
    gauge("store_bytes", "Bytes of the store", found["store_bytes"])
    gauge("wal_bytes", "Bytes of its log", found["wal_bytes"])
    gauge("disk_free_bytes", "Bytes that are free on its disk", found["disk_free"])
    gauge("memory_bytes", "Resident memory", found["memory"])
    gauge("readers", "Open streams of events", found["readers"])
    gauge("latency_p50_seconds", "Arrival to event, median", found["latency"]["p50"])
    gauge("latency_p95_seconds", "Arrival to event, 95th percentile", found["latency"]["p95"])
    gauge("model_score", "Mean log-likelihood of a word before it is learned", found["model"]["score"])
    gauge("unknown_words", "Share of unknown words", found["model"]["unknown"])
    gauge("model_words", "Words that the models know", found["model"]["n_words"])
    gauge("outbox", "Webhooks that wait to be sent", found["outbox"])
    gauge("ready", "Whether documents can be taken", float(service.is_ready))
    lag = Gauge("driftline_source_lag", "Lag of a source, in its unit", ["source", "unit"], registry=registry)
    taken = Gauge("driftline_source_taken", "Documents taken from a source", ["source"], registry=registry)
    for source in found["sources"]:
        taken.labels(source["name"]).set(source["taken"])
        if source["lag"] is not None:
            lag.labels(source["name"], source["unit"]).set(source["lag"])
    return generate_latest(registry)

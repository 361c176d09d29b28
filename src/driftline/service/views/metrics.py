"""Metrics for Prometheus, computed on request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from driftline.service.store.database import Database
from driftline.service.views.health import health

if TYPE_CHECKING:
    from driftline.service.service import Service


class Counts(Collector):
    """Numbers that only increase: name → (description, number)."""

    def __init__(self, numbers: dict[str, tuple[str, int]]) -> None:
        self._numbers = numbers

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield a counter for each number."""
        for name, (text, value) in self._numbers.items():
            yield CounterMetricFamily(f"driftline_{name}", text, value)


def metrics(service: Service, database: Database) -> bytes:
    """Return all metrics as text."""
    found = health(service, database)
    registry = CollectorRegistry()

    def gauge(name: str, text: str, value: float | None) -> None:
        if value is not None:
            Gauge(f"driftline_{name}", text, registry=registry).set(value)

    registry.register(
        Counts(
            {
                "documents": ("Documents stored since the store was created", service.writer.n_documents),
                "rejected": ("Rejected records", found["n_rejected"]),
            }
        )
    )
    gauge("documents_per_second", "Documents stored per second, last ten seconds", found["per_second"])
    gauge("batch", "Number of the last batch", service.writer.batch)
    gauge("queue_bytes", "Bytes in the queue of the writer", found["queue_bytes"])
    gauge("store_bytes", "Bytes of the store", found["store_bytes"])
    gauge("wal_bytes", "Bytes of its log", found["wal_bytes"])
    gauge("disk_free_bytes", "Free bytes on the disk of the store", found["disk_free"] if found["disk_total"] else None)
    gauge("memory_bytes", "Resident memory", found["memory"])
    gauge("readers", "Open event streams", found["readers"])
    gauge("latency_p50_seconds", "Arrival to event, median", found["latency"]["p50"])
    gauge("latency_p95_seconds", "Arrival to event, 95th percentile", found["latency"]["p95"])
    gauge("model_score", "Mean log-likelihood of a word before it is learned", found["model"]["score"])
    gauge("unknown_words", "Share of unknown words", found["model"]["unknown"])
    gauge("model_words", "Words in the vocabulary of the models", found["model"]["n_words"])
    gauge("outbox", "Webhook messages waiting to be sent", found["outbox"])
    gauge("ready", "Whether the service accepts documents", float(service.is_ready))
    lag = Gauge("driftline_source_lag", "Lag of a source, in its unit", ["source", "unit"], registry=registry)
    taken = Gauge("driftline_source_taken", "Documents taken from a source", ["source"], registry=registry)
    for source in found["sources"]:
        taken.labels(source["name"]).set(source["taken"])
        if source["lag"] is not None:
            lag.labels(source["name"], source["unit"]).set(source["lag"])
    return generate_latest(registry)

"""The Kafka of the tests: librdkafka's mock cluster, or the broker named by `DRIFTLINE_TEST_KAFKA`.

The variable may have settings of the clients after the address, for brokers that need them:

    DRIFTLINE_TEST_KAFKA="127.0.0.1:9092 api.version.request=false broker.version.fallback=0.9.0.1"
"""

from __future__ import annotations

import os
import time

ADDRESS, *_SETTINGS = os.environ.get("DRIFTLINE_TEST_KAFKA", "").split() or [""]
SETTINGS: dict[str, object] = dict(part.partition("=")[::2] for part in _SETTINGS)
"""Settings that every client of the real broker needs."""


def cluster() -> dict[str, object]:
    """Return the settings of a producer: of the real broker, or one that also runs the mock cluster."""
    if ADDRESS:
        return {"bootstrap.servers": ADDRESS, **SETTINGS}
    return {"bootstrap.servers": "mock", "test.mock.num.brokers": 1}


def new_topic() -> str:
    """Return a name that no other test uses: a real broker keeps its topics."""
    return f"news-{os.getpid()}-{time.time_ns()}"

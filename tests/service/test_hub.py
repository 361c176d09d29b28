"""Events are encoded once; a slow reader gets a gap event, and an idle one gets comments."""

import asyncio
import sys
import threading
import time

from driftline.service import hub as module
from driftline.service.hub import MOST_WAITING, Hub


def run(scenario):
    return asyncio.run(asyncio.wait_for(scenario(), 30))


def test_silent_readers_get_comments_and_others_do_not(monkeypatch):
    monkeypatch.setattr(module, "COMMENT_EVERY", 0.01)

    async def scenario():
        hub = Hub()
        silent, busy = hub.events(lambda: [b"hello"]), hub.events(lambda: [b"hello"])
        assert [await anext(silent), await anext(busy)] == [b"hello", b"hello"]
        keeper = asyncio.create_task(hub.keep_open())
        hub.send("delta", {"n": 1}, 1)
        first = await anext(silent)
        assert first.startswith(b"id: 1\nevent: delta")
        assert await anext(silent) == b": open\n\n"
        await asyncio.sleep(0.05)  # nothing is put after what the other one has not read yet
        waiting = [await anext(busy)]
        hub.close()
        keeper.cancel()
        waiting += [message async for message in busy]
        assert waiting[0] == first
        assert waiting.count(b": open\n\n") == 0

    run(scenario)


def test_a_slow_reader_gets_a_gap():
    async def scenario():
        hub = Hub()
        slow = hub.events(lambda: [b"hello"])
        await anext(slow)
        for number in range(MOST_WAITING + 3):
            hub.send("delta", {"n": number}, number)
        assert b"event: gap" in await anext(slow)

    run(scenario)


def test_latencies_are_read_while_others_are_added():
    """Requests are answered in threads of their own; a soak of an hour and a quarter ended with this."""
    hub, ended = Hub(), threading.Event()
    hub.latencies.extend((time.time(), 0.1) for _ in range(5000))

    def arrive():
        while not ended.is_set():
            hub.latencies.append((time.time(), 0.1))

    arrivals, interval = threading.Thread(target=arrive), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        arrivals.start()
        for _ in range(50):
            assert hub.latency()["p95"] == 0.1
    finally:
        ended.set()
        arrivals.join()
        sys.setswitchinterval(interval)

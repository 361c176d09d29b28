"""Alarms on the simulated newswire of the demonstration: planted bursts found, delay, false alarms, calibration.

    python -m benchmarks.service.alarms [--seeds 5]

The settings were chosen on years 0 and 1; the table has later ones, from 2 on.

Every year has 36,500 stories, 100 per day, in batches of a tenth of a day, as `driftline serve --demo` sends them. An
alarm of a word is right if, when it was raised, the true share of stories with the word (which the simulation knows)
was at least 1.5 times its mean since the beginning of the year up to the start of the alarm. The rival compares the
last day of each word with the 28 days before it and raises an alarm at z ≥ 5 (Poisson), with at least 4 stories, once
in three days.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from collections import Counter
from typing import NamedTuple

import numpy as np

from driftline.datasets.newswire import SimulatedNewswire, simulate_newswire
from driftline.service.json_records import Record, digest_of
from driftline.service.store.opened import open_store
from driftline.service.submissions import Submission, WriterQueue
from driftline.service.writer import Writer
from driftline.streams.corpus import DEFAULT_TOKENIZER

PER_YEAR = 36_500
FIRST = 2
"""The first year that the settings were not chosen on."""


class Raised(NamedTuple):
    """An alarm: its words, when it was raised and since when, in microseconds, and its probability."""

    words: tuple[str, ...]
    raised: int
    start: int
    probability: float


def ours(wire: SimulatedNewswire) -> list[Raised]:
    """Return the alarms of the service."""
    times = wire.times.astype("datetime64[us]").astype(np.int64)
    steps = (times - times[0]) // 8_640_000_000
    edges = [*np.flatnonzero(np.diff(steps, prepend=-1)).tolist(), len(times)]
    found: dict[int, Raised] = {}
    with tempfile.TemporaryDirectory() as folder:
        database = open_store(folder, writes=True)
        database.execute("PRAGMA synchronous = OFF")
        writer = Writer(database, WriterQueue(), n_topics=20)

        def note(kind: str, row: object) -> None:
            if kind == "alarm" and row.id not in found:  # type: ignore[attr-defined]
                words = tuple(row.words) if row.kind == "word" else (f"topic {row.topic}",)  # type: ignore[attr-defined]
                found[row.id] = Raised(words, row.raised, row.start, row.highest)  # type: ignore[attr-defined]

        writer.publish = note
        for start, end in itertools.pairwise(edges):
            records = [
                Record(int(times[i]), wire.texts[i], None, None, digest_of(str(i).encode(), b"k"))
                for i in range(start, end)
            ]
            writer.process([submission := Submission("wire", records)])
            submission.done.result()
        joined = {row[0]: json.loads(row[1])["words"] for row in database.execute("SELECT id, evidence FROM alarms")}
        database.close()
    return [alarm._replace(words=(alarm.words[0], *joined[number][1:])) for number, alarm in found.items()]


def rival(wire: SimulatedNewswire) -> list[Raised]:
    """Return the alarms of a z-score of the last day."""
    times = wire.times.astype("datetime64[us]").astype(np.int64)
    days = (times - times[0]) // 86_400_000_000
    tokens = [set(row) for row in DEFAULT_TOKENIZER.tokens(wire.texts).to_pylist()]
    counts = [Counter[str]() for _ in range(int(days[-1]) + 1)]
    n = np.bincount(days, minlength=len(counts))
    for day, words in zip(days.tolist(), tokens):
        counts[day].update(words)
    found, last = [], {}
    for day in range(28, len(counts)):
        before = sum((counts[k] for k in range(day - 28, day)), Counter[str]())
        total = n[day - 28 : day].sum()
        for word, c in counts[day].items():
            expected = (before[word] + 0.5) / (total + 1) * n[day]
            if c >= 4 and (c - expected) / np.sqrt(expected) >= 5 and day - last.get(word, -9) > 3:
                found.append(Raised((word,), int(times[0]) + (day + 1) * 86_400_000_000, 0, 1.0))
                last[word] = day
            elif word in last and (c - expected) / np.sqrt(expected) >= 5:
                last[word] = day
    return [alarm._replace(start=alarm.raised - 86_400_000_000) for alarm in found]


def is_right(wire: SimulatedNewswire, alarm: Raised) -> bool:
    """Return whether the share of the first word of an alarm was really raised."""
    if alarm.words[0].startswith("topic "):
        return False  # topics have constant shares in this simulation
    now = np.datetime64(alarm.raised, "us")
    before = np.arange(wire.start, np.datetime64(alarm.start, "us"), np.timedelta64(1, "D"))
    if not len(before):
        return False
    word = [alarm.words[0]]
    usual = float(wire.document_shares(word, before).mean())
    return float(wire.document_shares(word, [now])[0, 0]) >= 1.5 * usual


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    seeds = parser.parse_args().seeds
    print("| method | planted bursts found | median delay, days | alarms | right | without drift | CPU s per year |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, method in (("driftline serve", ours), ("z-score of the last day", rival)):
        found = planted = right = total = false = 0
        delays: list[float] = []
        begun = time.process_time()
        sure: list[bool] = []
        for seed in range(FIRST, FIRST + seeds):
            wire = simulate_newswire(PER_YEAR, random_state=seed)
            alarms = method(wire)
            for burst in wire.bursts:
                start, end = (int(x.astype("datetime64[us]").astype(np.int64)) for x in (burst.start, burst.end))
                hits = [a.raised for a in alarms if set(a.words) & set(burst.words) and start <= a.raised <= end]
                planted += 1
                found += bool(hits)
                delays += [(min(hits) - start) / 86_400e6] if hits else []
            rightness = [is_right(wire, alarm) for alarm in alarms]
            sure += [fine for fine, alarm in zip(rightness, alarms) if alarm.probability >= 0.9]
            right, total = right + sum(rightness), total + len(alarms)
            false += len(method(simulate_newswire(PER_YEAR, random_state=seed, drift=0.0)))
        cost = (time.process_time() - begun) / (2 * seeds)
        share = f"{right} ({100 * right / max(total, 1):.0f} %)"
        delay = f"{np.median(delays):.1f}" if delays else "–"
        print(f"| {name} | {found} of {planted} | {delay} | {total} | {share} | {false} | {cost:.1f} |", flush=True)
        if method is ours:
            calibrated = (
                f"Of {len(sure)} alarms raised at a probability of 0.9 or more, {100 * np.mean(sure):.0f} % were right."
            )
    years = f"{FIRST} to {FIRST + seeds - 1}"
    print(f"\nYears {years}, each with drift and without; the settings were chosen on others. {calibrated}")


if __name__ == "__main__":
    main()

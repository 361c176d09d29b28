"""Kill the service repeatedly, in every phase, and compare its store with one that was never killed.

    python -m tests.service.kill [--kills 200] [--only file|http|nats|kafka] [--output FILE]

A parent process that has imported and compiled everything forks the service, sends it stories, and kills it (SIGKILL)
in each phase in turn: while it starts, waits for documents, learns, commits, saves a snapshot, refits the topics, or
swaps the models; the next child continues. When all stories are stored, each must be stored exactly once, the search
index must be intact, and documents, aggregates, alarms and the bytes of the models must equal those of a store to which
the same batches, with the same refitted models between them, were written without a kill.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial, partialmethod
from pathlib import Path
from typing import Any

import numpy as np

from driftline.service import submissions as submissions_module
from driftline.service import writer as writer_module
from driftline.service.json_records import Record, digest_of
from driftline.service.learning import learner as learner_module
from driftline.service.learning.learner import Learner
from driftline.service.refits import NewModels
from driftline.service.sources import files as files_module
from driftline.service.sources import kafka as kafka_module
from driftline.service.sources import nats as nats_module
from driftline.service.store import period_words
from driftline.service.store.batch_rows import batch_texts, word_numbers
from driftline.service.store.models import read_model
from driftline.service.store.opened import open_store, setting_of
from driftline.service.submissions import Submission, WriterQueue
from driftline.service.writer import Writer
from driftline.topics.resident import ResidentLDA
from tests.service.kill_feeders import FEEDERS, PART, PHASES, phase
from tests.service.running import story_lines, take

N = 2_000
"""Number of stories per trial."""
KINDS = ("file", "http", "nats", "kafka")
LONGEST = {"file": 4.0, "http": 8.0, "nats": 5.0, "kafka": 12.0}
"""Maximum seconds before a child is killed, by source; the servers of HTTP and Kafka need longer to start."""
REFITTING = 15.0
"""Additional seconds for a child that refits."""
PATIENCE = 20.0
"""Seconds without a new document after which the trial ends and missing documents count as lost."""
STARTING = {"file": 0.15, "http": 1.5, "nats": 0.2, "kafka": 0.15}
"""Seconds of the start-up phase, within which a child is killed, by source."""


def make_small() -> None:
    """Make batches, snapshots and blocks of words small, so that there are many of them."""
    learner_module.FIRST_FIT = 100
    ResidentLDA.fitted = partial(ResidentLDA.fitted, max_epochs=3)  # type: ignore[method-assign]
    ResidentLDA.refitted = partialmethod(ResidentLDA.refitted, max_epochs=3)  # type: ignore[method-assign, assignment]
    writer_module.SNAPSHOT_DOCUMENTS = 250
    period_words.BLOCK = 50
    nats_module.AT_A_TIME = kafka_module.AT_A_TIME = files_module.MOST_DOCUMENTS = PART
    # Otherwise all messages that a broker sends at once would become one batch
    submissions_module.MOST_DOCUMENTS = PART


def watch_phases() -> None:
    """Write the phase of the child to shared memory."""

    def noting(number: int, function: Callable[..., Any], after: int) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **named: Any) -> Any:
            phase[0] = number
            try:
                return function(*arguments, **named)
            finally:
                phase[0] = after

        return wrapped

    def swapping(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any) -> Any:
            phase[1] = PHASES.index("swap")
            return function(*arguments)

        return wrapped

    phase[0] = phase[1] = 0
    NewModels.store = swapping(NewModels.store)  # type: ignore[method-assign]
    NewModels.swap = swapping(NewModels.swap)  # type: ignore[method-assign]
    Writer.process = noting(2, Writer.process, 1)  # type: ignore[method-assign]
    Writer._places = noting(3, Writer._places, 3)  # type: ignore[method-assign]
    Writer.write_snapshot = noting(4, Writer.write_snapshot, 3)  # type: ignore[method-assign]
    Writer._save_step = noting(4, Writer._save_step, 1)  # type: ignore[method-assign]
    Writer.start = noting(0, Writer.start, 1)  # type: ignore[method-assign]


def forked(function: Callable[[], None]) -> int:
    """Run a function in a child; return its process id."""
    child = os.fork()
    if child == 0:
        try:
            watch_phases()
            function()
        finally:
            os._exit(0)
    return child


def phase_of() -> int:
    """Return the phase of the child: that of its writer if it is busy, otherwise that of its refit."""
    doing, refitting = phase[0], phase[1]
    return refitting if refitting and (refitting == PHASES.index("swap") or doing < 2) else doing


def wait_for_phase(number: int) -> bool:
    """Wait briefly until the child reaches a phase; return whether it has."""
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        if number in (phase[0], phase[1]):
            return True
    return False


def n_stored(store: str) -> int:
    """Return the number of stored documents, read by another process."""
    try:
        database = open_store(store, writes=False)
    except Exception:
        return 0
    try:
        return int(database.execute("SELECT count(*) FROM documents")[0][0])
    except Exception:
        return 0
    finally:
        database.close()


def trial(kind: str, lines: list[bytes], random: np.random.Generator, kills: Counter[str], most: int) -> list[str]:
    """Send all stories to children that are killed; return the faults."""
    with tempfile.TemporaryDirectory() as name:
        feeder = FEEDERS[kind](Path(name), lines)
        refitted: dict[int, tuple[int, bytes]] = {}
        try:
            done, looked, stored, grown = False, 0.0, 0, time.monotonic()
            while not done:
                calm = sum(kills.values()) >= most  # no more kills: let the last child finish
                aimed = 1 if calm else min(range(len(PHASES)), key=lambda k: (kills[PHASES[k]], random.random()))
                feeder.refits = PHASES[aimed] in ("refit", "swap")
                child = forked(feeder.child)
                longest = STARTING[kind] * float(random.random()) if aimed == 0 else LONGEST[kind]
                longest += REFITTING if feeder.refits else 0.0
                end = time.monotonic() + (600 if calm else longest)
                met = False
                while time.monotonic() < end and not done:
                    feeder.feed()
                    if aimed and not calm and wait_for_phase(aimed):
                        met = True
                        time.sleep(float(random.uniform(0, 0.3 if PHASES[aimed] == "refit" else 0.01)))
                        break
                    if time.monotonic() - looked > 0.3:
                        looked = time.monotonic()
                        before, stored = stored, n_stored(feeder.store)
                        grown = looked if stored != before else grown
                        done = stored >= len(lines) or (calm and looked - grown > PATIENCE)
                at = PHASES[aimed] if met and aimed in (phase[0], phase[1]) else PHASES[phase_of()]
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                kills[at] += 1
                refitted |= swapped_models(feeder.store)
            return faults_of(feeder.store, lines, Path(name) / "reference", refitted)
        finally:
            feeder.close()


def swapped_models(store: str) -> dict[int, tuple[int, bytes]]:
    """Return the batch and bytes of each refitted version that was swapped in, before later snapshots remove them."""
    if not Path(store).is_dir():
        return {}
    try:
        database = open_store(store, writes=False)
    except Exception:  # killed before the file was made
        return {}
    with contextlib.closing(database):
        try:
            present = int(setting_of(database, "version") or 1)
        except Exception:  # killed before the tables were made
            return {}
        rows = database.execute("SELECT version, batch FROM models WHERE base = 1 AND version <= ?", (present,))
        return {version: (batch, read_model(database, version, batch)) for version, batch in rows}


def faults_of(store: str, lines: list[bytes], reference: Path, refitted: dict[int, tuple[int, bytes]]) -> list[str]:
    """Compare a store with the stories sent, and with a store written without a kill."""
    database = open_store(store, writes=True)
    found = [f"the file: {fault}" for fault in database.faults()]
    texts = Counter(text for (text,) in database.execute("SELECT text FROM documents"))
    sent = Counter(json.loads(line)["text"] for line in lines)
    if texts != sent:
        found.append(f"documents lost: {(sent - texts).total()}, doubled: {(texts - sent).total()}")
    killed = Writer(database, WriterQueue(), n_topics=5)
    killed.save()
    with contextlib.closing(open_store(str(reference), writes=True)) as other:
        whole = Writer(other, WriterQueue(), n_topics=5)
        for kind, keys, body in database.execute("SELECT kind, keys, body FROM batches ORDER BY number"):
            if kind == "swap":
                swap(whole, *refitted[json.loads(body)["version"]])
                continue
            documents = batch_texts(database, keys)
            records = [
                Record(each.time, each.text, None, None, digest_of(f"{each.key}".encode(), b"k")) for each in documents
            ]
            whole.process([submission := Submission("x", records)])
            submission.done.result()
        whole.save()
        if whole.learner.to_bytes() != killed.learner.to_bytes():
            found.append("the models differ")
        for what, sql in (
            ("aggregates", "SELECT level, start, kind, body FROM periods ORDER BY level, start, kind"),
            (
                "counts of words",
                "SELECT level, block, start, most, body FROM period_words ORDER BY level, block, start",
            ),
            ("documents", "SELECT key, time, text, topic, probability, topics FROM documents ORDER BY key"),
            ("alarms", "SELECT kind, topic, word, state, start, raised, ended, probability, evidence FROM alarms"),
            ("batches", "SELECT kind, n, keys, body FROM batches ORDER BY number"),
            ("topics", "SELECT id, words, present FROM topics ORDER BY id"),
            ("words", "SELECT number, word FROM words ORDER BY number"),
        ):
            if other.execute(sql) != database.execute(sql):
                found.append(f"the {what} differ")
        for word in ("rain", "petra", "match"):
            condition, values = database.match([word])
            sql = f"SELECT key FROM documents WHERE {condition} ORDER BY key"
            if database.execute(sql, values) != other.execute(sql, values):
                found.append(f"a search for {word} differs")
    database.close()
    return found


def swap(writer: Writer, batch: int, body: bytes) -> None:
    """Swap in refitted models."""
    learner = Learner.of_bytes(body)
    new = NewModels(learner, body, batch, [], word_numbers(writer.database, learner.words))
    new.store(writer)
    new.swap(writer)


def rows(kinds: list[str], n_kills: int, seed: int) -> Iterator[tuple[str, int, Counter[str], list[str], float]]:
    """Kill the service of every kind of source the requested number of times."""
    for kind in kinds:
        random = np.random.default_rng([seed, KINDS.index(kind)])
        kills: Counter[str] = Counter()
        faults: list[str] = []
        n_trials, begun = 0, time.monotonic()
        while sum(kills.values()) < n_kills:
            lines = story_lines(N, seed=seed + n_trials)
            if kind in ("nats", "kafka", "file"):  # identified by their place, not by an id
                lines = [json.dumps({k: v for k, v in json.loads(x).items() if k != "id"}).encode() for x in lines]
            faults += trial(kind, lines, random, kills, n_kills)
            n_trials += 1
        yield kind, n_trials, kills, faults, time.monotonic() - begun


def warm() -> None:
    """Import and compile in this process, so that children start quickly."""
    with tempfile.TemporaryDirectory() as folder:
        database = open_store(f"{folder}/store", writes=True)
        take(Writer(database, WriterQueue(), n_topics=5), story_lines(600), batch=100)
        database.close()
    import confluent_kafka  # noqa: F401
    import nats  # noqa: F401


def main() -> int:
    """Run the trials, print the table, and return 1 if any document was lost, duplicated or different."""
    parser = argparse.ArgumentParser(prog="python -m tests.service.kill")
    parser.add_argument("--kills", type=int, default=200, help="number of kills per kind of source")
    parser.add_argument("--only", choices=KINDS, action="append", help="kill only these")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--break",
        dest="broken",
        action="store_true",
        help="store places separately from documents: faults must be found",
    )
    parser.add_argument("--output", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    make_small()
    warm()
    if options.broken:
        break_places()
    headings = f"| source | stores | kills | {' | '.join(PHASES)} | faults |\n|---|--:|--:|" + "--:|" * (
        len(PHASES) + 1
    )
    lines = [
        "# Kill tests of the live service",
        "",
        (__doc__ or "").split("\n\n", 2)[2].strip(),
        "",
        *headings.split("\n"),
    ]
    print("\n".join(lines[4:]), flush=True)
    everything: list[str] = []
    for kind, n_trials, kills, faults, seconds in rows(options.only or list(KINDS), options.kills, options.seed):
        counts = " | ".join(str(kills[name]) for name in PHASES)
        row = f"| {kind} | {n_trials} | {sum(kills.values())} | {counts} | {len(faults)} |"
        lines.append(row)
        print(row, f"({seconds:.0f} s)", *sorted(set(faults)), flush=True)
        everything += faults
        if options.output is not None:
            options.output.write_text("\n".join(lines) + "\n")
    return 1 if everything else 0


def break_places() -> None:
    """Advance the place of a source before its documents are stored, to verify that the tests detect it."""
    whole = Writer._store

    def broken(self: Writer, submissions: list[Submission]) -> Any:
        with self.database.transaction():
            self._places(submissions, [[] for _ in submissions], [0] * len(submissions), 0)
        return whole(self, submissions)

    Writer._store = broken  # type: ignore[method-assign]


if __name__ == "__main__":
    sys.exit(main())

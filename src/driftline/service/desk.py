"""The labelling desk: useful documents are leased to people, and a background thread trains the classifier."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from driftline.labelling.stream_labeller import StreamLabeller
from driftline.service.answers import Classifier, Suggestion
from driftline.service.label_events import agreement, tested_guesses
from driftline.service.store.database import Database
from driftline.service.store.keys import as_text
from driftline.service.views.read_connections import Readers
from driftline.service.views.shown_rows import snippet
from driftline.streams.schema import SCHEMA

FRAME = 2_000
"""Number of newest documents among which suggestions are chosen."""
LABELLED = 2_000
"""Number of newest labelled documents that are learned."""
LEASE = 600.0
SECOND_OPINION = 0.05
POOL = 60
MOST_COUNTED = 20_000
"""Maximum number of documents per label that are counted for each answer; more are counted in the background."""
COUNT_SECONDS, COUNT_SHARE = 60.0, 100.0
"""Time limit of counting in the background, in seconds, and the pause after it, as a multiple of its duration."""
log = logging.getLogger("driftline.service")


class Answers(NamedTuple):
    """The answers of the classifier: label and probability by document, labels, and suggested documents in order.

    `chances` contains the probabilities of all labels for the suggested documents.
    """

    guess: dict[int, tuple[str, float]]
    chances: dict[int, dict[str, float]]
    labels: list[str]
    suggested: list[int]
    flipped: list[tuple[int, str | None, str | None]]
    expected: tuple[float, float, float] | None
    n_frame: int
    n_labels: int


NO_ANSWERS = Answers({}, {}, [], [], [], None, 0, 0)


class Desk:
    """Learns labels in the background and leases suggestions.

    Its state is a function of the store: the newest documents, and the labelled ones. After a restart it learns them
    again.
    """

    def __init__(self, readers: Readers, publish: Callable[[str, object], None], seed: int = 0) -> None:
        self.readers, self.publish = readers, publish
        self.answers = NO_ANSWERS
        self.pending = 0
        self._counts: dict[str, int] = {}
        self._count_again = 0.0
        self._learn_due = self._count_due = False
        self._leases: dict[int, tuple[str, str, float]] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stopped = False
        self._random = np.random.default_rng(seed)
        self._thread = threading.Thread(target=self._run, name="desk", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopped = True
        self._wake.set()
        self._thread.join(timeout=1)  # which only reads, so it may be abandoned

    def labelled(self) -> None:
        """Schedule the learning of a new label."""
        self.pending += 1
        self.refresh()

    def refresh(self) -> None:
        """Schedule learning, after which there are new suggestions."""
        self._learn_due = True
        self._wake.set()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._stopped:
                return
            try:
                if self._count_due:
                    self._count()
                if self._learn_due:
                    self._learn_due = False
                    pending = self.pending
                    self._learn()
                    self.pending -= pending
                self.publish("learned", None)
            except Exception:
                log.exception("the labels could not be learned")

    def _learn(self) -> None:
        with self.readers.reading(10.0) as database:
            rows = frame_rows(database)
            n_labels = sum(self._label_counts(database).values())
        before = self.answers
        if all(label is not None for *_, label in rows):  # no document is left to guess
            self.answers = NO_ANSWERS._replace(n_frame=len(rows), n_labels=n_labels)
            return
        after = learned_answers(rows, n_labels)
        flipped: list[tuple[int, str | None, str | None]] = [
            (key, before.guess[key][0], after.guess[key][0])
            for key in after.guess
            if key in before.guess and before.guess[key][0] != after.guess[key][0]
        ]
        self.answers = after._replace(flipped=flipped)

    def suggestions(self, n: int, person: str) -> list[Suggestion]:
        """Return documents for a person, leased for ten minutes."""
        if not self.answers.suggested:
            self._suggest_evenly()
        now = time.time()
        found: list[Suggestion] = []
        with self._lock, self.readers.reading() as database:
            self._leases = {key: lease for key, lease in self._leases.items() if lease[2] > now}
            for key, double in self._candidates(database, person):
                if len(found) >= n:
                    break
                row = database.execute("SELECT id, time, source, text, label FROM documents WHERE key = ?", (key,))
                if not row or (row[0][4] is not None and not double):
                    continue
                lease = (secrets.token_urlsafe(12), person, now + LEASE)
                self._leases[key] = lease
                found.append(self._suggestion(key, row[0], lease, double))
        if len(found) < n and self.answers.suggested:
            self.refresh()
        return found

    def _suggest_evenly(self) -> None:
        """Suggest evenly spaced documents of the frame at once, until the classifier has better ones."""
        with self.readers.reading() as database:
            newest = database.execute("SELECT key, label FROM documents ORDER BY key DESC LIMIT ?", (FRAME,))
        free = [int(key) for key, label in reversed(newest) if label is None]
        if free:
            self.answers = self.answers._replace(suggested=_evenly(free, POOL))
            self.refresh()

    def _candidates(self, database: Database, person: str) -> list[tuple[int, bool]]:
        """Return keys, most useful first, at times one that another person labelled."""
        open_ones = [(key, False) for key in self.answers.suggested if key not in self._leases]
        if self._random.random() < SECOND_OPINION:
            other = database.execute(
                "SELECT key FROM labels WHERE label IS NOT NULL GROUP BY key HAVING count(DISTINCT person) = 1 "
                "AND max(person) <> ? ORDER BY max(number) DESC LIMIT 20",
                (person,),
            )
            keys = [int(key) for (key,) in other if int(key) not in self._leases]
            if keys:
                return [(int(self._random.choice(keys)), True), *open_ones]
        return open_ones

    def _suggestion(self, key: int, row: Sequence[Any], lease: tuple[str, str, float], double: bool) -> Suggestion:
        name, moment, source, text, _ = row
        guess = None if double else self.answers.guess.get(key)
        return {
            "key": as_text(key),
            "id": name,
            "time": moment / 1e6,
            "source": source,
            "text": text,
            "guess": guess[0] if guess else None,
            "probability": guess[1] if guess else None,
            "probabilities": self.answers.chances.get(key, {guess[0]: guess[1]}) if guess else {},
            "lease": lease[0],
            "until": lease[2],
            "second_opinion": double,
        }

    def release(self, key: int, lease: str | None, person: str) -> bool:
        """End a lease; return False if another person has the document now."""
        with self._lock:
            held = self._leases.get(key)
            if held is not None and held[1] != person and held[2] > time.time() and held[0] != lease:
                return False
            self._leases.pop(key, None)
            self.answers.suggested[:] = [each for each in self.answers.suggested if each != key]
        if len(self.answers.suggested) < 5:
            self.refresh()
        return True

    def _label_counts(self, database: Database) -> dict[str, int]:
        """Return the number of documents with each label; large numbers come from the last count in the background."""
        found = label_counts(database, MOST_COUNTED)
        if max(found.values(), default=0) < MOST_COUNTED:
            return found
        if time.monotonic() >= self._count_again:
            self._count_due = True
            self._wake.set()
        return {label: max(n, self._counts.get(label, 0)) for label, n in found.items()}

    def _count(self) -> None:
        """Count all documents with a label, which takes seconds if there are millions."""
        self._count_due = False
        begun = time.monotonic()
        self._count_again = begun + COUNT_SHARE * COUNT_SECONDS
        with self.readers.reading(COUNT_SECONDS) as database:
            self._counts = dict(
                database.execute("SELECT label, count(*) FROM documents WHERE label IS NOT NULL GROUP BY label")
            )
        self._count_again = time.monotonic() + COUNT_SHARE * (time.monotonic() - begun)

    def classifier(self, database: Database) -> Classifier:
        """Return the state of the classifier."""
        answers = self.answers
        counts = self._label_counts(database)
        right, n_tested, calibration = tested_guesses(database)
        kappa, n_double = agreement(database)
        texts: dict[int, list[str]] = {}
        for key, _, _ in answers.flipped[:5]:
            texts[key] = [text for (text,) in database.execute("SELECT text FROM documents WHERE key = ?", (key,))]
        low, middle, high = answers.expected or (None, None, None)
        return {
            "labels": list(counts),
            "counts": list(counts.values()),
            "n_labels": sum(counts.values()),
            "pending": self.pending,
            "n_frame": answers.n_frame,
            "flipped": len(answers.flipped),
            "expected": middle,
            "expected_low": low,
            "expected_high": high,
            "right": right,
            "n_tested": n_tested,
            "calibration": calibration,
            "kappa": kappa,
            "n_double": n_double,
            "examples": [
                {"key": as_text(key), "snippet": "".join(snippet(texts[key][0])), "before": old, "now": new}
                for key, old, new in answers.flipped[:5]
                if texts[key]
            ],
        }


def label_counts(database: Database, most: int) -> dict[str, int]:
    """Return the labels in order, each with its number of documents, counted up to `most`."""
    found: dict[str, int] = {}
    [(label,)] = database.execute("SELECT min(label) FROM documents WHERE label IS NOT NULL")
    while label is not None:
        [(n,)] = database.execute(
            "SELECT count(*) FROM (SELECT 1 FROM documents WHERE label = ? LIMIT ?) AS counted", (label, most)
        )
        found[label] = int(n)
        [(label,)] = database.execute("SELECT min(label) FROM documents WHERE label > ?", (label,))
    return found


def frame_rows(database: Database) -> list[tuple[int, int, str, str | None]]:
    """Return (key, time, text, label) of the newest documents and of the newest labelled ones."""
    newest = database.execute("SELECT key, time, text, label FROM documents ORDER BY key DESC LIMIT ?", (FRAME,))
    labelled = database.execute(
        "SELECT key, time, text, label FROM documents WHERE label IS NOT NULL ORDER BY key DESC LIMIT ?", (LABELLED,)
    )
    rows = {int(row[0]): (int(row[0]), int(row[1]), row[2], row[3]) for row in [*newest, *labelled]}
    return [rows[key] for key in sorted(rows)]


def _evenly(keys: list[int], n: int) -> list[int]:
    """Return `n` evenly spaced keys of a list, or all of them.

    >>> _evenly([1, 2, 3, 4, 5, 6], 3)
    [1, 3, 5]
    """
    return keys[:: max(1, len(keys) // n)][:n]


def learned_answers(rows: list[tuple[int, int, str, str | None]], n_labels: int) -> Answers:
    """Learn the labels of a frame and return the answers for its other documents."""
    columns: dict[str, pa.Array | list[str]] = {
        "id": [as_text(row[0]) for row in rows],
        "time": pa.array([row[1] for row in rows], pa.timestamp("us", tz="UTC")),
        "text": pa.array([row[2] for row in rows], pa.large_string()),
        "label": pa.array([row[3] for row in rows], pa.string()),
        "author": pa.nulls(len(rows), pa.string()),
        "thread": pa.nulls(len(rows), pa.string()),
        "origin": pa.nulls(len(rows), pa.string()),
    }
    table = pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)
    result = StreamLabeller(every="1mo").label(table, n_suggestions=POOL)
    labelled = {row[0] for row in rows if row[3] is not None}
    guess = {
        int(name, 16): (label, float(chance))
        for name, label, chance in zip(
            result.answers["id"].to_pylist(),
            result.answers["label"].to_pylist(),
            result.answers["probability"].to_pylist(),
        )
        if label is not None and int(name, 16) not in labelled
    }
    suggested = [int(each.id, 16) for each in result.suggestions if int(each.id, 16) not in labelled]
    chances_of = {
        int(each.id, 16): dict(zip(result.labels, each.probabilities)) for each in result.suggestions if result.labels
    }
    if len(suggested) < POOL:  # with few labels: evenly spaced documents of the frame
        rest = [row[0] for row in rows if row[0] not in labelled and row[0] not in set(suggested)]
        suggested += _evenly(rest, POOL)[: POOL - len(suggested)]
    if len({row[3] for row in rows if row[3] is not None}) < 2:  # a guess would be certain of the only label
        guess, chances_of = {}, {}
    chances = np.array([chance for _, chance in guess.values()])
    expected = None
    if len(chances):
        half = 1.645 * float(np.sqrt((chances * (1 - chances)).sum())) / len(chances)
        mean = float(chances.mean())
        expected = (round(max(0.0, mean - half), 4), round(mean, 4), round(min(1.0, mean + half), 4))
    return Answers(guess, chances_of, result.labels, suggested, [], expected, len(rows), n_labels)

"""All models of a stream: they learn batches of texts, return topic shares, scores and bursts, and save their state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from safetensors.numpy import load, save

from driftline.core.arrays import Bools, Floats, Ints
from driftline.inference.pairs import Pairs
from driftline.service.learning.hourly_bursts import WordBurstEvent, WordBurstFilter
from driftline.service.learning.stream_languages import OTHERWISE, languages_of, tokenizer_of
from driftline.service.learning.topic_watch import TopicBurstEvent, TopicWatch
from driftline.service.learning.word_counter import CountedBatch, ResidentWords
from driftline.service.store.keys import HOUR
from driftline.topics.resident import ResidentLDA

FIRST_FIT = 500
"""Minimum number of documents for the first fit of the topics."""
MAX_WORDS = 200_000
"""Maximum number of words that the models keep; when it is exceeded by a quarter, the rarest are removed."""
RECENT = 1_000
"""Number of recent documents whose words are kept, to find which bursting words occur together."""


LATE = 24
"""Number of hours behind the newest document above which a document is too old to count for current bursts."""


NEVER, END = -(2**62), 2**62
"""An hour before all others, and a time after all others."""


class ClosedHour(NamedTuple):
    """An hour that has ended, and the bursts of words found in it."""

    hour: int
    n: int
    events: list[WordBurstEvent]


class EarlierDocuments(NamedTuple):
    """The documents before the first topics: their shares, and their words that were not counted when they arrived.

    `rows` and `slots` are pairs of a document and a word: function words of other languages than the stream's.
    """

    shares: np.ndarray
    rows: Ints
    slots: Ints


class LearnedBatch(NamedTuple):
    """The result for a batch; `shares` is None while there are no topics.

    `earlier` are the documents that arrived before the first topics, in the batch that fits them. `kept` are the slots
    that remain if the rarest words were removed after the batch.
    """

    shares: np.ndarray | None
    earlier: EarlierDocuments | None
    score: float | None
    unknown: float
    counted: CountedBatch
    topic_events: list[TopicBurstEvent]
    hours: list[ClosedHour]
    kept: Ints | None
    new_words: list[str]


class Learner:
    """The models of one stream.

    The state depends on the batches alone: after saving, loading and replaying later batches, it has the same bytes.
    """

    def __init__(self, n_topics: int, seed: int = 0) -> None:
        self.n_topics, self.seed = n_topics, seed
        self.languages: tuple[str, ...] | None = None
        """The languages whose function words are not counted; None, for all of them, until the first topics."""
        self.words = ResidentWords(tokenizer_of(None))
        self.topics: ResidentLDA | None = None
        self.watch = TopicWatch(n_topics)
        self.bursts = WordBurstFilter()
        self.ids: Ints = np.arange(n_topics)
        """The permanent id of every topic."""
        self.next_id = n_topics
        """The id of the next topic that a refit finds."""
        self.version = 1
        self.n_documents = 0
        self._waiting: list[tuple[list[str], Ints]] = []
        self._hour = NEVER
        self._hour_n = 0
        self._hour_counts = np.zeros(1024, dtype=np.int64)
        self._recent: list[Ints] = []

    @property
    def has_topics(self) -> bool:
        """Whether the first topics have been fitted."""
        return self.topics is not None

    def learn(self, texts: list[str], times: Ints, now: int = END) -> LearnedBatch:
        """Learn a batch: texts and their times in microseconds, and the time at which it arrived.

        A document that is ahead of its arrival counts in the hour in which it arrived: otherwise a single one, dated 23
        hours ahead, would keep its hour open, and thereby end no burst and find none, for 23 hours.
        """
        times = np.minimum(np.asarray(times), now)
        self._hour = min(self._hour, now // HOUR)
        n_before = self.words.n_slots
        counted = self.words.count(texts)
        self.n_documents += len(texts)
        shares, earlier, score, events = None, None, None, []
        closed: list[ClosedHour] = []
        if self.topics is None:
            self._waiting.append((texts, times))
            if self.n_documents >= FIRST_FIT:
                counted, shares, earlier, closed = self._begin()
        else:
            learned = self.topics.learn(counted.pairs, self.words.n_slots)
            shares = learned.shares
            score = learned.log_likelihood / learned.n_words if learned.n_words else None
            hours = self._reached(times)
            timely = np.flatnonzero(hours != NEVER)
            found = self.watch.update(shares[timely])
            events = [event._replace(place=int(timely[event.place])) for event in found]
            closed = self._watch_words(counted, hours)
        self._remember([counted])
        new_words = self.words.words(n_before)
        kept = self._prune() if self.topics is not None and self.words.n_slots > 1.25 * MAX_WORDS else None
        return LearnedBatch(shares, earlier, score, counted.unknown, counted, events, closed, kept, new_words)

    def _reached(self, times: Ints) -> Ints:
        """Return the hour of every document, `NEVER` if it is too old to count for current bursts."""
        hours: Ints = np.asarray(times) // HOUR
        reached = np.maximum.accumulate(np.maximum(hours, self._hour))
        return np.where(reached - hours > LATE, NEVER, reached)

    def _begin(self) -> tuple[CountedBatch, np.ndarray, EarlierDocuments, list[ClosedHour]]:
        """Find the languages, count all documents so far again, fit the first topics to them, and watch their words.

        Returns counts and shares of the last batch, shares and new words of the earlier ones, and the ended hours.
        """
        self.languages = languages_of([text for texts, _ in self._waiting for text in texts])
        n_counted = self.words.n_slots
        self.words.use(tokenizer_of(self.languages))
        batches = [self.words.count(texts) for texts, _ in self._waiting]
        X = sp.vstack([counts_matrix(batch.pairs, self.words.n_slots) for batch in batches], format="csr")
        self.topics = ResidentLDA.fitted(X, self.n_topics, random_state=self.seed)
        # The documents are learned once more to obtain their shares; the topics stay those of the fit
        shares = ResidentLDA.of_tensors(self.topics.tensors()).learn(Pairs.of(X), self.words.n_slots).shares
        closed = []
        for batch, (_, times) in zip(batches, self._waiting):
            closed += self._watch_words(batch, self._reached(times))
        self._recent = []
        self._remember(batches[:-1])
        last = batches[-1]
        n_earlier = len(shares) - last.pairs.n_documents
        rows, slots = X[:n_earlier].nonzero()
        is_new = slots >= n_counted
        self._waiting = []
        return last, shares[n_earlier:], EarlierDocuments(shares[:n_earlier], rows[is_new], slots[is_new]), closed

    def _watch_words(self, counted: CountedBatch, hours: Ints) -> list[ClosedHour]:
        """Count words in the current hour, and close it when a later one begins; `NEVER` is not counted."""
        if self.words.n_slots > len(self._hour_counts):
            more = np.zeros(2 * self.words.n_slots - len(self._hour_counts), dtype=np.int64)
            self._hour_counts = np.concatenate([self._hour_counts, more])
        closed = []
        for hour in np.unique(hours[hours != NEVER]).tolist():
            if hour > self._hour:
                if self._hour_n:
                    closed.append(self._close_hour())
                self._hour = hour
            inside = hours == hour
            self._hour_n += int(inside.sum())
            slots = counted.pairs.words[inside[counted.rows]]
            np.add.at(self._hour_counts, slots, 1)
        return closed

    def _close_hour(self) -> ClosedHour:
        slots = np.flatnonzero(self._hour_counts)
        counts = self._hour_counts[slots]
        found = ClosedHour(
            self._hour,
            self._hour_n,
            self.bursts.close(self._hour, self._hour_n, slots, counts, self.words.n_slots),
        )
        self._hour_counts[slots] = 0
        self._hour_n = 0
        return found

    def _remember(self, batches: Sequence[CountedBatch]) -> None:
        for pairs, *_ in batches:
            for row in range(max(0, pairs.n_documents - RECENT), pairs.n_documents):
                self._recent.append(pairs.words[pairs.indptr[row] : pairs.indptr[row + 1]])
        del self._recent[:-RECENT]

    def together(self, slot: int, groups: Sequence[Sequence[str]]) -> list[float]:
        """Return for groups of words how often they occur with a word in the recent documents.

        That is the share of the documents with the word that contain one of the group, or of the documents with one of
        the group that contain the word, whichever is larger.
        """
        words = np.concatenate([np.empty(0, np.int64), *self._recent])
        rows = np.repeat(np.arange(len(self._recent)), [len(row) for row in self._recent])

        def containing(chosen: Bools) -> Bools:
            found = np.zeros(len(self._recent), dtype=bool)
            found[rows[chosen]] = True
            return found

        with_it = containing(words == slot)
        slots = self.words.find([word for group in groups for word in group])
        ends = np.cumsum([len(group) for group in groups])
        found = []
        for wanted in np.split(slots, ends[:-1]) if groups else []:
            with_them = containing(np.isin(words, wanted[wanted >= 0]))
            both = int((with_it & with_them).sum())
            found.append(both / min(with_it.sum(), with_them.sum()) if both else 0.0)
        return found

    def top_words(self, n: int = 8) -> list[list[str]]:
        """Return the top words of every topic: frequent in it, and more frequent than in other topics."""
        if self.topics is None:
            return [[] for _ in range(self.n_topics)]
        weights = self.topics.weights()
        frequent = _largest(weights, 5_000)
        shares = self.topics.word_shares(frequent)
        mean = shares.mean(axis=0)
        order = np.argsort(-(shares * np.log(shares / mean)), axis=1, kind="stable")[:, :n]
        return [self.words.words_of(frequent[row]) for row in order]

    def _prune(self) -> Ints:
        """Remove the words with the least weight from all models; return the slots of the others."""
        assert self.topics is not None
        kept: Ints = np.sort(_largest(self.topics.weights(), MAX_WORDS))
        place = np.full(self.words.n_slots, -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        self.words.keep(kept)
        self.topics.keep(kept)
        self.bursts.keep(kept)
        counts = np.zeros(2 * len(kept), dtype=np.int64)
        counts[: len(kept)] = self._hour_counts[kept]
        self._hour_counts = counts
        self._recent = [place[row][place[row] >= 0] for row in self._recent]
        return kept

    def to_bytes(self) -> bytes:
        """Return the whole state as bytes; the first topics must have been fitted."""
        assert self.topics is not None
        n = self.words.n_slots
        lengths = np.array([len(row) for row in self._recent], dtype=np.int64)
        parts = {"topics": self.topics.tensors(), "watch": self.watch.tensors(), "bursts": self.bursts.tensors(n)}
        tensors = {f"{part}.{name}": array for part, held in parts.items() for name, array in held.items()}
        tensors["words"] = self.words.to_bytes()
        tensors["ids"] = np.asarray(self.ids, dtype=np.int64)
        tensors["hour_counts"] = self._hour_counts[:n].copy()
        tensors["recent_lengths"] = lengths
        tensors["recent"] = np.concatenate([np.empty(0, np.int64), *self._recent]).astype(np.int64)
        numbers: dict[str, Any] = {"seed": self.seed, "version": self.version, "n_documents": self.n_documents}
        numbers |= {"languages": list(self.languages or OTHERWISE)}
        numbers |= {"next_id": int(self.next_id), "hour": self._hour, "hour_n": self._hour_n}
        tensors["numbers"] = np.frombuffer(json.dumps(numbers).encode(), dtype=np.uint8)
        return save(tensors)

    @classmethod
    def of_bytes(cls, body: bytes) -> Learner:
        """Continue from a saved state."""
        tensors = load(body)
        numbers: dict[str, Any] = json.loads(tensors["numbers"].tobytes())
        found = cls(len(tensors["ids"]), numbers["seed"])
        found.languages = tuple(numbers.get("languages", OTHERWISE))
        found.words = ResidentWords.of_bytes(tokenizer_of(found.languages), tensors["words"])
        found.topics = ResidentLDA.of_tensors(_part(tensors, "topics"))
        found.watch = TopicWatch.of_tensors(_part(tensors, "watch"))
        found.bursts = WordBurstFilter.of_tensors(_part(tensors, "bursts"))
        found.ids, found.version, found.next_id = tensors["ids"], numbers["version"], numbers["next_id"]
        found.n_documents, found._hour, found._hour_n = (numbers[name] for name in ("n_documents", "hour", "hour_n"))
        found._hour_counts = np.concatenate([tensors["hour_counts"], np.zeros(1024, dtype=np.int64)])
        edges = np.concatenate([[0], np.cumsum(tensors["recent_lengths"])])
        found._recent = [tensors["recent"][a:b] for a, b in zip(edges[:-1].tolist(), edges[1:].tolist())]
        return found


def _part(tensors: dict[str, np.ndarray], part: str) -> dict[str, np.ndarray]:
    return {name.partition(".")[2]: array for name, array in tensors.items() if name.startswith(f"{part}.")}


def _largest(values: Floats, n: int) -> Ints:
    """Return the indices of the largest values, largest first; ties are in order of the indices.

    >>> _largest(np.array([1.0, 3.0, 2.0, 3.0]), 3).tolist()
    [1, 3, 2]
    """
    if len(values) <= n:
        return np.argsort(-values, kind="stable")
    least = np.partition(values, len(values) - n)[len(values) - n]
    found: Ints = np.flatnonzero(values >= least)
    return found[np.argsort(-values[found], kind="stable")][:n]


def counts_matrix(pairs: Pairs, n_words: int) -> sp.csr_matrix:
    """Return pairs as a documents × words matrix."""
    return sp.csr_matrix((pairs.counts, pairs.words, pairs.indptr), shape=(pairs.n_documents, n_words))


def main_topics(shares: Floats | np.ndarray, ids: Ints, most: int = 3) -> list[tuple[int, float, bytes]]:
    """Return for every document its main topic, that topic's share, and its first topics with shares, as bytes."""
    order = np.argsort(-shares, axis=1, kind="stable")[:, :most]
    best = np.take_along_axis(shares, order, axis=1).astype(np.float32)
    named = np.asarray(ids)[order].astype(np.int32)
    rows = zip(named[:, 0].tolist(), best[:, 0].tolist(), named, best)
    return [(topic, float(share), ids_.tobytes() + shares_.tobytes()) for topic, share, ids_, shares_ in rows]


def unpack_main_topics(body: bytes | None) -> list[tuple[int, float]]:
    """Return the topics of a document with their shares."""
    if not body:
        return []
    n = len(body) // 8
    return list(zip(np.frombuffer(body, np.int32, n).tolist(), np.frombuffer(body, np.float32, n, 4 * n).tolist()))

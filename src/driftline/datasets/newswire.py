"""A simulated newswire: a year of dated short stories with known drift, bursts and labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from driftline.core.arrays import Datetimes, Floats, Ints, Times
from driftline.core.errors import InvalidInput
from driftline.core.pictures import moment
from driftline.core.randomness import Seed, spawn
from driftline.core.results import Columns, Result, counted
from driftline.core.times import TimeAxis, isos
from driftline.datasets.broken_records import broken_record
from driftline.datasets.courses import YEAR, Event
from driftline.datasets.document_presence import document_shares
from driftline.datasets.grammar import ExpectedUses, Grammar, Slot
from driftline.datasets.newswire_changes import DRIFTING_SLOTS, EVENTS
from driftline.datasets.newswire_plan import SENTENCES, expected_sentences, plan_sentences, sentence_plans
from driftline.datasets.newswire_sentences import SHARES
from driftline.datasets.newswire_words import STEADY_SLOTS
from driftline.persistence.atomic_file import replaced_file

TOPICS = tuple(SHARES)
_WEEK = np.array([1.1, 1.15, 1.15, 1.1, 1.05, 0.75, 0.7])
"""Relative volume from Monday to Sunday."""
_HOURS = np.array([1, 1, 1, 1, 1, 2, 4, 6, 7, 7, 7, 7, 6, 7, 7, 7, 7, 6, 5, 4, 3, 3, 2, 1], dtype=np.float64)
"""Relative volume per hour from midnight."""
_CLEAR_CHANGE = 0.05


@dataclass(frozen=True)
class Burst:
    """An event of the simulated year: its interval, its topic, and the increase of volume at its peak."""

    name: str
    topic: str
    start: np.datetime64
    end: np.datetime64
    intensity: float
    words: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class SimulatedNewswire(Result):
    """The stories of a simulated year and the truth about them.

    `labels` are the topics assigned by an editor, a few of them wrong; `true_labels` are the true topics. Documents are
    in time order. `start` is the beginning of the year.
    """

    ids: list[str]
    times: Datetimes
    texts: list[str]
    labels: np.ndarray
    true_labels: np.ndarray
    start: np.datetime64
    expected: ExpectedUses
    grammar: Grammar
    n_broken: int

    def __len__(self) -> int:
        return len(self.texts)

    def _columns(self) -> Columns:
        columns = {"id": self.ids, "time": self.times, "text": self.texts}
        return {**columns, "label": self.labels, "true_label": self.true_labels}

    def _summary(self) -> str:
        return f"{counted(len(self), 'story', 'stories')} from {moment(self.times, 0)} to {moment(self.times, -1)}"

    def probabilities(self, words: Sequence[str], times: Times, *, vocabulary: Sequence[str] | None = None) -> Floats:
        """Return the true probability of each word at each time: times × words.

        It is the expected number of uses of the word over the expected number of words, in a story written at that
        time. A model that ignores some words (stop words, rare ones) uses only the rest of the text: pass its
        `vocabulary`, and the probabilities are those among these words. Words the newswire never uses have probability
        0.

        >>> wire = simulate_newswire(100)
        >>> wire.probabilities(["orbit", "nova"], ["2025-01-15", "2025-12-15"]).round(4)
        array([[0.005 , 0.0001],
               [0.    , 0.0063]])
        """
        known = {word: column for column, word in enumerate(self.expected.words)}
        uses = self.expected.at(self._days(times))
        counted = uses if vocabulary is None else uses[:, [known[word] for word in vocabulary if word in known]]
        result = np.zeros((len(uses), len(words)))
        for column, word in enumerate(words):
            if word in known:
                result[:, column] = uses[:, known[word]]
        found: Floats = result / counted.sum(axis=1, keepdims=True)
        return found

    def document_shares(self, words: Sequence[str], times: Times) -> Floats:
        """Return the true share of stories at each time that contain each word: times × words.

        >>> simulate_newswire(100).document_shares(["orbit", "nova"], ["2025-01-15", "2025-12-15"]).round(4)
        array([[0.0766, 0.0017],
               [0.0002, 0.0946]])
        """
        return document_shares(self.grammar, sentence_plans(), words, self._days(times))

    def information(self) -> dict[str, float]:
        """Return the information of one use of each word about its time, in nats: 0 for a word that never changes.

        With r(t) the true probability over its mean of the year, it is the mean of r ln r - r + 1.
        """
        uses = self.expected.at(np.arange(0, YEAR, 0.25))
        ratio = uses / uses.mean(axis=0)
        information = (ratio * np.log(ratio) - ratio + 1).mean(axis=0)
        return dict(zip(self.expected.words, np.maximum(information, 0.0).tolist()))

    @cached_property
    def changed_words(self) -> list[str]:
        """The words that change clearly: one use has at least 0.05 nats about its time; most informative first."""
        information = self.information()
        return sorted(
            (word for word in information if information[word] >= _CLEAR_CHANGE), key=lambda word: -information[word]
        )

    @cached_property
    def steady_words(self) -> list[str]:
        """The words whose true probability is the same all year: reporting one of them as changed is an error.

        A few other words change slightly, because others in their slot change.
        """
        return [word for word, information in self.information().items() if information < 1e-9]

    @property
    def bursts(self) -> list[Burst]:
        """The events of the year, in time order."""
        if self.expected.drift == 0:
            return []
        return [
            Burst(
                name=event.name,
                topic=event.topic,
                start=self._date(event.first_day),
                end=self._date(event.last_day),
                intensity=event.intensity * self.expected.drift,
                words=_lifted_words(event),
            )
            for event in EVENTS
        ]

    def write(self, path: str | Path) -> Path:
        """Write the stories as JSON lines, with the broken records among them, and return the path.

        The file has one line for each story and for each of the `n_broken` records.
        """
        stamps = isos(self.times)
        lines = [
            json.dumps({"id": name, "time": time, "text": text, "label": label}).encode()
            for name, time, text, label in zip(self.ids, stamps, self.texts, self.labels.tolist())
        ]
        for number in range(self.n_broken):
            place = (2 * number + 1) * len(self) // (2 * self.n_broken)
            _, line = broken_record(number, stamps[place], self.texts[place])
            lines.insert(place + number, line)
        with replaced_file(path) as file:
            file.write(b"\n".join(lines) + b"\n")
        return Path(path)

    def _days(self, times: Times) -> Floats:
        axis = TimeAxis("datetime")
        found: Floats = axis.values(times) - axis.values([self.start])[0]
        return found

    def _date(self, day: float) -> np.datetime64:
        return self.start + np.timedelta64(round(day * 86400), "s")


def simulate_newswire(
    n_documents: int = 6000,
    *,
    random_state: Seed = 0,
    start: str = "2025-01-01",
    drift: float = 1.0,
    repetition: float = 0.6,
    label_noise: float = 0.05,
    n_broken: int = 7,
) -> SimulatedNewswire:
    """Simulate a year of short news stories with known drift and known bursts.

    Parameters
    ----------
    n_documents
        Number of stories.
    random_state
        The same seed gives the same stories.
    start
        The first day of the year, as an ISO date.
    drift
        Strength of all changes, between 0 (constant probabilities, no bursts) and 1.
    repetition
        Probability that a story repeats a subject's word; 0 makes all words of a story independent.
    label_noise
        The share of stories with the label of another topic.
    n_broken
        Number of broken records that `SimulatedNewswire.write` adds to the stories.

    >>> wire = simulate_newswire(1000, random_state=1)
    >>> len(wire), len(wire.changed_words) > 30, [burst.name for burst in wire.bursts]
    (1000, True, ['Storm Petra', 'Marlowe fever', 'General election'])
    """
    _check(n_documents, drift, repetition, label_noise, n_broken)
    for_times, for_plan, for_words, for_labels = spawn(random_state, 4)
    origin = _first_moment(start)
    days = _draw_days(n_documents, origin, drift, for_times)
    topics = for_plan.choice(len(TOPICS), size=n_documents, p=list(SHARES.values()))
    documents, sentences = plan_sentences(topics, for_plan)
    slots = {name: Slot.ranked(values) for name, values in STEADY_SLOTS.items()}
    slots |= {name: Slot.drifting(choices) for name, choices in DRIFTING_SLOTS.items()}
    grammar = Grammar(SENTENCES, slots, drift=drift, repetition=repetition)
    names = np.array(TOPICS)
    return SimulatedNewswire(
        ids=[f"story-{number}" for number in range(n_documents)],
        times=origin.astype("datetime64[us]") + (days * 86400).astype("timedelta64[s]"),
        texts=grammar.write(documents, sentences, days, for_words),
        labels=names[_disturb(topics, label_noise, for_labels)],
        true_labels=names[topics],
        start=origin,
        expected=grammar.expected_uses(expected_sentences()),
        grammar=grammar,
        n_broken=n_broken,
    )


def _first_moment(start: str) -> np.datetime64:
    try:
        found: np.datetime64 = np.datetime64(start, "D").astype("datetime64[s]")
        return found
    except ValueError as error:
        raise InvalidInput(f"start={start!r} is not an ISO date; write the first day as '2025-01-01'") from error


def _check(n_documents: int, drift: float, repetition: float, label_noise: float, n_broken: int) -> None:
    if n_documents < 1 or n_broken < 0:
        raise InvalidInput(
            f"a newswire needs at least one document and no negative number of broken records, "
            f"not n_documents={n_documents} and n_broken={n_broken}"
        )
    for name, value in (("drift", drift), ("repetition", repetition), ("label_noise", label_noise)):
        if not 0 <= value <= 1:
            raise InvalidInput(f"{name} must be between 0 and 1, not {value}")


def _draw_days(n: int, start: np.datetime64, drift: float, random: np.random.Generator) -> Floats:
    """Draw the times of the stories in days since the start, ascending: busy weekdays and hours, busier in events."""
    cells = np.arange(int(YEAR) * 24)
    weekday = (cells // 24 + (start.astype("datetime64[D]").astype(np.int64) + 3)) % 7  # 1970-01-01 was a Thursday
    middle = (cells + 0.5) / 24
    busy = _WEEK[weekday] * _HOURS[cells % 24] * (1 + drift * sum(e.intensity * e.shape(middle) for e in EVENTS))
    chosen = random.choice(cells, size=n, p=busy / busy.sum())
    seconds = np.sort(chosen * 3600 + random.integers(0, 3600, size=n))
    return seconds / 86400


def _disturb(topics: Ints, noise: float, random: np.random.Generator) -> Ints:
    """Give a share of the stories one of the other topics."""
    wrong = random.random(len(topics)) < noise
    steps = random.integers(1, len(TOPICS), size=len(topics))
    return np.where(wrong, (topics + steps) % len(TOPICS), topics)


def _lifted_words(event: Event) -> tuple[str, ...]:
    """The words of an event: those whose course follows its shape."""
    probe = np.array([event.first_day - 1, event.first_day + 0.2 * (event.last_day - event.first_day)])
    lifted = [
        word.lower()
        for choices in DRIFTING_SLOTS.values()
        for word, (_, course) in choices.items()
        if course is not None and course(probe)[0] == 0 and course(probe)[1] > 1
    ]
    return tuple(dict.fromkeys(lifted))

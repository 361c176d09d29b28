"""The stories of a stream: live ones with their word counts, ended ones, and their history."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from driftline.base.state_layout import Array, Each, Number, Sparse, Text, Together
from driftline.core.arrays import Floats, Ints
from driftline.nonparametric.stories.story_words import StoryWords
from driftline.nonparametric.stories.window import Window

N_STORY_WORDS = 10
"""Number of words that describe an ended story."""
MOST_PAST, N_COMPARED = 300, 30
"""Number of the newest ended stories with which a new one is compared, and number of the words compared."""
ENDED, MERGED = 0, 1
FACTS = {"ids": "i8", "starts": "f8", "sizes": "i8", "births": "f8", "examples": "i8"}
LIVE_COLUMNS = {**FACTS, "latest": "f8", "compared": "i8"}
ENDED_COLUMNS = {**FACTS, "ends": "f8"}


class StoryBook:
    """Stories by id; rows of live stories are in the order of their ids.

    `live` and `ended` have a column per field: id, time of the first and the latest document, number of documents,
    probability that the first one started a story, its number, and whether the story was compared with ended ones.
    `masses` are decayed sizes at the latest document. `history` counts documents per bin of time and story, where −1
    means all stories that ended small. `events` are tuples: kind, time, story, other story, probability.
    """

    def __init__(self, n_words: int) -> None:
        self.live: dict[str, np.ndarray] = {name: np.empty(0, kind) for name, kind in LIVE_COLUMNS.items()}
        self.ended: dict[str, np.ndarray] = {name: np.empty(0, kind) for name, kind in ENDED_COLUMNS.items()}
        self.ended["states"] = np.empty(0, np.int64)
        self.ended["words"] = np.empty((0, N_STORY_WORDS), np.int64)
        self.masses = np.empty(0)
        self.words = StoryWords.of(sp.csr_matrix((0, n_words)))
        self.past_ids = np.empty(0, np.int64)
        self.past_words = np.empty((0, N_COMPARED), np.int64)
        self.past_weights = np.empty((0, N_COMPARED))
        self.history = {"bins": np.empty(0), "stories": np.empty(0, np.int64), "counts": np.empty(0, np.int64)}
        self.events: list[tuple[str, float, int, int, float]] = []
        self.counters = {"next_id": 0, "n_ended": 0, "n_crowded_out": 0, "n_uncertain": 0}

    def state(self) -> dict[str, Any]:
        """Return the whole state as plain data."""
        return {**vars(self), "words": self.words.matrix()}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> StoryBook:
        """Return the stories of a state, which is never changed in place."""
        book = cls(0)
        vars(book).update(state, words=StoryWords.of(state["words"]))
        for name in ("live", "ended", "history", "counters"):
            setattr(book, name, dict(state[name]))
        book.events = list(state["events"])
        return book

    @property
    def ids(self) -> Ints:
        """The ids of live stories."""
        found: Ints = self.live["ids"]
        return found

    def rows(self, ids: Ints) -> Ints:
        """Return the rows of live stories."""
        return np.searchsorted(self.ids, ids)

    def count(self, window: Window, first: int, last: int, births: Floats, bins: Floats, decay: float) -> None:
        """Count documents `first` to `last` − 1; `births` are their probabilities of starting a story."""
        known = np.flatnonzero(window.stories[first:last] >= 0)
        stories, times = window.stories[first:last][known], window.times[first:last][known]
        is_new = stories >= self.counters["next_id"]
        new, place = np.unique(stories[is_new], return_index=True)
        if len(new):
            began = np.flatnonzero(is_new)[place]
            facts = {"ids": new, "starts": times[began], "latest": times[began], "births": births[known][began]}
            facts |= {"examples": window.numbers[first:last][known][began]}
            facts |= {"sizes": np.zeros(len(new), np.int64), "compared": np.zeros(len(new), np.int64)}
            self.live = {name: np.concatenate([column, facts[name]]) for name, column in self.live.items()}
            self.masses = np.concatenate([self.masses, np.zeros(len(new))])
            self.counters["next_id"] += len(new)
        rows, n = self.rows(stories), len(self.ids)
        self.live["sizes"] = self.live["sizes"] + np.bincount(rows, minlength=n)
        before, latest = self.live["latest"], self.live["latest"].copy()
        np.maximum.at(latest, rows, times)
        self.live["latest"] = latest
        self.masses = self.masses * np.exp((before - latest) / decay)
        self.masses += np.bincount(rows, weights=np.exp((times - latest[rows]) / decay), minlength=n)
        owners = np.full(last - first, -1, np.int64)
        owners[known] = rows
        self.words = self.words.with_documents(n, window, first, owners)
        facts = {"bins": bins[first:last][known], "stories": stories, "counts": np.ones(len(known), np.int64)}
        self.history = {name: np.concatenate([column, facts[name]]) for name, column in self.history.items()}

    def resolved(self, ids: Ints) -> Ints:
        """Return the story into which each has been merged, or its own id."""
        found = ids.copy()
        for kind, _, story, other, _ in self.events:
            if kind == "merged":
                found[found == other] = story
        return found

    def rename(self, old: Ints, new: int, bins: Floats | None = None) -> None:
        """Transfer the history of stories to another; with `bins`, only one document per entry of `bins`."""
        theirs = np.isin(self.history["stories"], old)
        if bins is None:
            self.history["stories"] = np.where(theirs, new, self.history["stories"])
            return
        moved, counts = np.unique(bins, return_counts=True)
        facts = {"bins": np.tile(moved, 2), "stories": np.repeat([int(old[0]), new], len(moved))}
        facts |= {"counts": np.concatenate([-counts, counts])}
        self.history = {name: np.concatenate([column, facts[name]]) for name, column in self.history.items()}

    def compact(self) -> None:
        """Sum the history of every bin and story."""
        bins, stories, counts = self.history.values()
        order = np.lexsort((stories, bins))
        bins, stories, counts = bins[order], stories[order], counts[order]
        first = np.ones(len(bins), np.bool_)
        first[1:] = (bins[1:] != bins[:-1]) | (stories[1:] != stories[:-1])
        sums = np.bincount(np.cumsum(first) - 1, weights=counts, minlength=int(first.sum())).astype(np.int64)
        some = sums > 0
        self.history = {"bins": bins[first][some], "stories": stories[first][some], "counts": sums[some]}

    def end(self, rows: Ints, ends: Floats, state: int, weights: Floats, min_size: int, most: int) -> None:
        """Move live stories to the ended ones, of which `most` are kept; those of one document are only counted."""
        kept = rows[self.live["sizes"][rows] > 1]
        facts = {name: self.live[name][kept] for name in FACTS}
        facts |= {
            "ends": ends[self.live["sizes"][rows] > 1],
            "states": np.full(len(kept), state, np.int64),
            "words": self.top_words(kept, weights),
        }
        self.ended = {name: np.concatenate([self.ended[name], facts[name]])[-most:] for name in self.ended}
        if state == ENDED:
            large = kept[self.live["sizes"][kept] >= min_size]
            self.past_ids = np.concatenate([self.past_ids, self.ids[large]])[-MOST_PAST:]
            words, values = self.outlines(large, weights)
            self.past_words = np.concatenate([self.past_words, words])[-MOST_PAST:]
            self.past_weights = np.concatenate([self.past_weights, values])[-MOST_PAST:]
            small = self.ids[rows[self.live["sizes"][rows] < min_size]]
            self.counters["n_ended"] += len(rows)
            self.rename(small, -1)
        is_left = np.ones(len(self.ids), np.bool_)
        is_left[rows] = False
        left = np.flatnonzero(is_left)
        self.live = {name: column[left] for name, column in self.live.items()}
        self.masses, self.words = self.masses[left], self.words.selected(left)

    def top_words(self, rows: Ints, weights: Floats) -> Ints:
        """Return the columns with the largest weighted counts in stories, −1 where there are fewer."""
        return self.words.heaviest(rows, weights, N_STORY_WORDS)[0]

    def outlines(self, rows: Ints, weights: Floats) -> tuple[Ints, Floats]:
        """Return the columns by which stories are compared, −1 if missing, and their weighted counts as unit rows."""
        return self.words.heaviest(rows, weights, N_COMPARED)


def _columns(kinds: dict[str, str], size: str) -> dict[str, Array]:
    return {name: Array(size, kind=kind, ordered=name == "ids") for name, kind in kinds.items()}


BOOK = Together(
    {
        "live": Together(_columns(LIVE_COLUMNS, "live")),
        "ended": Together(
            {
                **{name: Array("ended", kind=kind) for name, kind in ENDED_COLUMNS.items()},
                "states": Array("ended", kind="i8", least=0, most=1),
                "words": Array("ended", N_STORY_WORDS, kind="i8", least=-1),
            }
        ),
        "masses": Array("live", kind="f8", least=0),
        "words": Sparse("live", "words", least=0),
        "past_ids": Array("past", kind="i8", least=0),
        "past_words": Array("past", N_COMPARED, kind="i8", least=-1, below="words"),
        "past_weights": Array("past", N_COMPARED, kind="f8", least=0),
        "history": Together(
            {
                "bins": Array("history", kind="f8"),
                "stories": Array("history", kind="i8", least=-1),
                "counts": Array("history", kind="i8", least=0),
            }
        ),
        "events": Each(
            Together(
                {
                    "kind": Text(("split", "merged", "revived")),
                    "time": Number(),
                    "story": Number(least=0, whole=True),
                    "other": Number(least=0, whole=True),
                    "probability": Number(least=0, most=1),
                }
            )
        ),
        "counters": Together(
            {name: Number(least=0, whole=True) for name in ("next_id", "n_ended", "n_crowded_out", "n_uncertain")}
        ),
    }
)
"""Layout of saved stories."""

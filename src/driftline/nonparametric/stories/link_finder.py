"""Links of the documents of a stream: to earlier documents by cosine, or to stories by a restaurant process."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Floats, Ints
from driftline.nonparametric.stories.link_models import (
    Candidates,
    cosine_odds,
    learned_odds,
    link_distribution,
    link_features,
    recalibrated,
    seat_distribution,
)
from driftline.nonparametric.stories.story_book import StoryBook
from driftline.nonparametric.stories.window import N_CANDIDATES, Window


class LinkSettings(NamedTuple):
    """The parameters of links, in the units of the time axis."""

    memory: float
    decay: float
    max_documents: int
    threshold: float
    coefficients: Floats | None
    cut: float
    concentration: float
    prior_strength: float


class LinkFinder(Protocol):
    """A way of finding links; `find` fills in stories, targets and links of the window's documents."""

    def find(self, first: int, last: int, *, learn: bool) -> None:
        """Link documents `first` to `last` − 1; unless `learn`, none of them can be linked to."""

    def drop(self, stories: Ints) -> None:
        """Exclude these stories from further links."""


class DocumentLinks:
    """Links to the nearest documents; `odds` are those of the best candidate before recalibration."""

    def __init__(
        self, window: Window, book: StoryBook, settings: LinkSettings, calibration: Floats, n_old: int, n_words: int
    ) -> None:
        self.window, self.book, self.settings, self.calibration = window, book, settings, calibration
        self.lows = window.lows(settings.memory, settings.max_documents)
        self._lengths = window.lengths
        self._cosines, self._scores = np.empty((2, len(window.times), N_CANDIDATES))
        self.usable: Bools = np.ones(len(window.times), np.bool_)
        self.usable[:n_old] = np.isin(window.stories[:n_old], book.ids)
        self.odds = np.full(len(window.times), -np.inf)
        n_uses = np.bincount(window.words, minlength=n_words)
        self._begins = np.cumsum(n_uses) - n_uses
        self._ends = self._begins.copy()
        self._documents, self._values = np.empty(len(window.words), np.int32), np.empty(len(window.words))
        current_kernels().story_links.insert_postings(
            0, n_old, window.offsets, window.words, window.weights, self._ends, self._documents, self._values
        )

    def candidates(self, first: int, last: int, *, learn: bool) -> Candidates:
        """Return the candidates of documents, and write them into the window."""
        window, part = self.window, slice(first, last)
        current_kernels().story_links.nearest_documents(
            first, last, self.lows, window.offsets, window.words, window.weights, window.times, self.usable,
            self._begins, self._ends, self._documents, self._values, self.settings.decay, learn, window.targets,
            self._cosines, self._scores,
        )  # fmt: skip
        targets, lengths = window.targets[part], self._lengths
        ages = window.times[part][:, None] - window.times[targets]
        exist = targets >= 0
        return Candidates(
            self._cosines[part], self._scores[part], np.where(exist, ages, 0.0), exist, lengths[part],
            np.where(exist, lengths[targets], 0),
        )  # fmt: skip

    def find(self, first: int, last: int, *, learn: bool) -> None:
        """Link to the most probable candidate if its odds are at least the cut."""
        window, part, settings = self.window, slice(first, last), self.settings
        found = self.candidates(first, last, learn=learn)
        if settings.coefficients is None:
            odds = cosine_odds(found, settings.threshold)
        else:
            odds = learned_odds(link_features(found, settings.memory), found.exist, settings.coefficients)
        best = odds.argmax(axis=1)
        rows = np.arange(last - first)
        self.odds[part] = odds[rows, best]
        odds = np.where(found.exist, recalibrated(np.where(found.exist, odds, 0.0), self.calibration), -np.inf)
        window.links[part] = link_distribution(odds)
        links = np.where(odds[rows, best] >= self.settings.cut, window.targets[part][rows, best], -1)
        if learn:
            next_id = self.book.counters["next_id"]
            current_kernels().story_links.follow_links(first, links, window.offsets, window.stories, next_id)
        else:
            window.stories[part] = np.where(links >= 0, window.stories[links], -1)

    def drop(self, stories: Ints) -> None:
        """Exclude these stories from further links."""
        self.usable &= ~np.isin(self.window.stories, stories)


class StorySeats:
    """Links to stories, each represented by its newest document."""

    def __init__(
        self, window: Window, book: StoryBook, settings: LinkSettings, uses: Floats, tokens: Floats, n_words: int
    ) -> None:
        self.window, self.book, self.settings = window, book, settings
        self.uses, self.tokens, self.n_words = uses, tokens, n_words
        self.odds = np.full(len(window.times), -np.inf)

    def find(self, first: int, last: int, *, learn: bool) -> None:
        """Assign documents to the most probable story, or to a new one."""
        window, book, settings, part = self.window, self.book, self.settings, slice(first, last)
        n, n_new = len(book.ids), last - first
        n_nodes = len(book.words.amounts)
        entries = n_nodes + int(window.offsets[last] - window.offsets[first])
        heads, nexts = np.full(self.n_words, -1, np.int64), np.full(entries, -1, np.int64)
        owners, amounts = np.zeros(entries, np.int64), np.zeros(entries)
        amounts[:n_nodes] = book.words.amounts
        kernels = current_kernels().story_seating
        kernels.insert_stories(book.words.offsets, book.words.columns, amounts, heads, nexts, owners)
        lengths = np.asarray(book.words.matrix().sum(axis=1)).ravel()
        newest = np.full(n, -1, np.int64)
        held = np.flatnonzero(np.isin(window.stories[:first], book.ids))
        newest[book.rows(window.stories[held])] = held
        more = np.zeros(n_new)
        seats, odds = np.full(last, -1, np.int64), np.full((last, N_CANDIDATES), -np.inf)
        kernels.seat_documents(
            first, last, window.offsets, window.words, window.counts, window.times, self.uses, self.tokens, heads,
            nexts, owners, amounts, n_nodes, np.concatenate([book.masses, more]),
            np.concatenate([book.live["latest"], more]), np.concatenate([lengths, more]),
            np.concatenate([newest, more.astype(np.int64)]), n, settings.concentration, settings.prior_strength,
            settings.decay, settings.memory, learn, seats, window.targets, odds,
        )  # fmt: skip
        self.odds[part] = odds[part, 0]
        window.links[part] = seat_distribution(odds[part])
        ids = np.concatenate([book.ids, book.counters["next_id"] + np.arange(n_new), [-1]])
        window.stories[part] = ids[seats[part]]

    def drop(self, stories: Ints) -> None:
        """Do nothing: stories that have left the book are not considered."""

"""The pass over a stream: documents are linked in segments between reviews, and silent stories are ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Floats, Ints
from driftline.nonparametric.stories.link_finder import DocumentLinks, LinkSettings, StorySeats
from driftline.nonparametric.stories.link_models import FEWEST_PAIRS, MOST_PAIRS, calibrate
from driftline.nonparametric.stories.review import Rules, review
from driftline.nonparametric.stories.story_book import ENDED, StoryBook
from driftline.nonparametric.stories.window import Window, word_weights

REVIEWS_PER_MEMORY = 4


@dataclass
class Learner:
    """The state of a pass: stories, review period, and known links for recalibration."""

    book: StoryBook
    settings: LinkSettings
    rules: Rules
    max_live: int
    seed: int
    period: float
    calibration: Floats
    known_odds: Floats
    known_same: Bools
    n_containing: Ints
    n_weighed: int

    def learn(self, window: Window, n_old: int, finder: DocumentLinks | StorySeats) -> None:
        """Learn the documents of the window after the first `n_old`."""
        step = self.settings.memory / REVIEWS_PER_MEMORY
        periods = np.floor((window.times - self.rules.origin) / step)
        bins, position = self.rules.bins(window.times), n_old
        while position < len(window.times):
            if periods[position] > self.period:
                self.period = float(periods[position])
                self._review(window, position, self.rules.origin + self.period * step, finder)
            end = int(np.searchsorted(periods, self.period, side="right"))
            end = min(end, position + max(1, self.max_live - len(self._live(float(window.times[position])))))
            self._weigh(window, position, end)
            finder.find(position, end, learn=True)
            births = 1.0 - window.links[position:end].sum(axis=1)
            self.book.count(window, position, end, np.clip(births, 0.0, 1.0), bins, self.settings.decay)
            self._end_oldest(float(window.times[end - 1]), finder)
            self._note_known(window, position, end, finder)
            position = end
        self.book.compact()

    def _weigh(self, window: Window, first: int, last: int) -> None:
        """Weight the words of documents by the number of documents so far without them."""
        entries = slice(int(window.offsets[first]), int(window.offsets[last]))
        offsets = window.offsets[first : last + 1] - window.offsets[first]
        rows = (offsets, window.words[entries], window.counts[entries])
        weights = current_kernels().story_links.weigh_rows(*rows, self.n_containing, self.n_weighed, True)
        window.weights[entries] = weights
        self.n_weighed += int((np.diff(offsets) > 0).sum())

    def _live(self, now: float) -> Ints:
        """Return the rows of the stories that are not silent, some of which the next review will end."""
        return np.flatnonzero(self.book.live["latest"] >= now - self.settings.memory)

    def _review(self, window: Window, position: int, now: float, finder: DocumentLinks | StorySeats) -> None:
        weights = word_weights(self.n_containing, self.n_weighed)
        self._end_silent(now, weights)
        first = int(np.searchsorted(window.times[:position], now - self.settings.memory, side="left"))
        first = max(first, position - self.settings.max_documents)
        rng = np.random.default_rng([self.seed, int(self.period) % 2**63])
        review(self.book, window, first, position, now, weights, self.rules, rng)
        if len(self.known_odds) >= FEWEST_PAIRS and isinstance(finder, DocumentLinks):
            self.calibration = calibrate(self.known_odds, self.known_same)
            finder.calibration = self.calibration

    def _end_silent(self, now: float, weights: Floats) -> None:
        """End the stories without a document for the length of the memory, as of their last document."""
        latest = self.book.live["latest"]
        rows = np.flatnonzero(latest + self.settings.memory < now)
        if len(rows):
            rows = rows[np.argsort(latest[rows], kind="stable")]
            self.book.end(rows, latest[rows], ENDED, weights, self.rules.min_size, self.rules.max_ended)

    def _end_oldest(self, now: float, finder: DocumentLinks | StorySeats) -> None:
        """End the story that has been silent the longest if there are more than `max_live`."""
        live = self._live(now)
        if len(live) <= self.max_live:
            return
        row = live[[int(np.argmin(self.book.live["latest"][live]))]]
        finder.drop(self.book.ids[row])
        weights = word_weights(self.n_containing, self.n_weighed)
        self.book.end(row, self.book.live["latest"][row], ENDED, weights, self.rules.min_size, self.rules.max_ended)
        self.book.counters["n_crowded_out"] += 1

    def _note_known(self, window: Window, first: int, last: int, finder: DocumentLinks | StorySeats) -> None:
        """Keep the odds of the best candidate of documents whose group is known, and whether it is in that group."""
        if self.settings.coefficients is None or not (window.groups[first:last] >= 0).any():
            return
        best = window.links[first:last].argmax(axis=1)
        targets = window.targets[first:last][np.arange(last - first), best]
        known = (window.groups[first:last] >= 0) & (targets >= 0) & (window.groups[targets] >= 0)
        same = window.groups[targets] == window.groups[first:last]
        self.known_odds = np.concatenate([self.known_odds, finder.odds[first:last][known]])[-MOST_PAIRS:]
        self.known_same = np.concatenate([self.known_same, same[known]])[-MOST_PAIRS:]

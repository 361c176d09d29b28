r"""Splits, mergers and revivals of stories, based on samples of the links between live documents.

In every sample, each document links to one of its candidates, or to none, with the probabilities at its arrival, given
that it does not link to an expired one. Two sets of documents are joined in a sample if the number of links of recent
documents between the sets is at least half of that expected if links ignored the sets but not the time (1; 3 in the
kernel `story_links`). The probability that they are joined is the share of samples in which they are.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.nonparametric.stories.story_book import MERGED, StoryBook
from driftline.nonparametric.stories.window import Window

LIKENESS, STEEPNESS = 0.4, 12.0
"""Cosine at which a story continues an ended one with probability ½, and the slope of its log odds."""
RECENT = 0.5
"""Share of the time span of live documents, at its end, in which links are counted."""


class Rules(NamedTuple):
    """Conditions for accepting a change of stories, and its parameters."""

    n_particles: int
    min_size: int
    min_probability: float
    decay: float
    max_ended: int
    origin: float
    bin_width: float

    def bins(self, times: Floats) -> Floats:
        """Return the number of the bin of each time."""
        return np.floor((times - self.origin) / self.bin_width)


class Samples:
    """Samples of the links between live documents, those from `first` to `last` − 1 of the window."""

    def __init__(self, window: Window, first: int, last: int, rules: Rules, rng: np.random.Generator) -> None:
        self.first, self.last, self.rules = first, last, rules
        self.times = window.times[first:last]
        newest = float(self.times[-1])
        self.recent = int(np.searchsorted(self.times, newest - RECENT * (newest - float(self.times[0])), side="left"))
        targets, links = window.targets[first:last] - first, window.links[first:last]
        live = targets >= 0
        expired = np.where(live, 0.0, links).sum(axis=1, keepdims=True)
        self.links = np.minimum(np.where(live, links, 0.0) / np.maximum(1.0 - expired, 1e-12), 1.0)
        self.targets, self._rng = np.maximum(targets, 0), rng

    @cached_property
    def sampled(self) -> Ints:
        """The document that each recent document links to in each sample, −1 for none; drawn on first use."""
        uniforms = self._rng.random((self.rules.n_particles, len(self.targets)))[:, self.recent :]
        cumulative = np.cumsum(self.links[self.recent :], axis=1)
        drawn: Ints = current_kernels().story_links.sample_links(self.targets[self.recent :], cumulative, uniforms)
        return drawn

    def joined(self, one: Ints, other: Ints) -> float:
        """Return the probability that two sets of documents are joined (1), by their positions among the live ones."""
        sides = np.full(len(self.targets), -1, np.int64)
        sides[one], sides[other] = 0, 1
        n_joined = current_kernels().story_links.count_joined(
            self.sampled, sides, self.times, self.rules.decay, self.recent, self.rules.min_size
        )
        return float(n_joined) / len(self.sampled)

    def likeliest(self, stories: Ints) -> Ints:
        """Return the root of every document if each has its most probable link within its story."""
        rows = np.arange(len(stories))
        links = np.where(stories[self.targets] == stories[:, None], self.links, 0.0)
        best = links.argmax(axis=1)
        parents = np.where(links[rows, best] > 0, self.targets[rows, best], rows)
        found: Ints = current_kernels().story_links.find_roots(parents)
        return found


def merge_stories(book: StoryBook, window: Window, samples: Samples, now: float, weights: Floats, rules: Rules) -> None:
    """Merge pairs of stories that are joined with high probability; the older one stays."""
    while True:
        stories = window.stories[samples.first : samples.last]
        pair = _likeliest_pair(stories, samples, rules, book)
        if pair is None:
            return
        old, young, probability = pair
        keep, gone = book.rows(np.array([old, young]))
        window.stories[window.stories == young] = old
        book.events.append(("merged", now, old, young, probability))
        for name, take in (("sizes", np.add), ("latest", np.maximum), ("starts", np.minimum)):
            column = book.live[name].copy()
            column[keep] = take(column[keep], column[gone])
            book.live[name] = column
        _recount(book, window, samples, np.array([keep]), rules.decay)
        book.words = book.words.merged(int(keep), int(gone))
        book.rename(np.array([young]), old)
        book.end(np.array([gone]), np.array([now]), MERGED, weights, rules.min_size, rules.max_ended)


def _likeliest_pair(stories: Ints, samples: Samples, rules: Rules, book: StoryBook) -> tuple[int, int, float] | None:
    ids, members, sizes = np.unique(stories, return_inverse=True, return_counts=True)
    members = members.ravel()
    large = (sizes >= rules.min_size) & (ids >= 0)
    if large.sum() < 2:
        return None
    rows = np.flatnonzero(large[members])
    ours, theirs, links = members[rows][:, None], members[samples.targets[rows]], samples.links[rows]
    crossing = (ours != theirs) & (links > 0) & large[theirs]
    ends = (np.minimum(ours, theirs) * len(ids) + np.maximum(ours, theirs))[crossing]
    pairs, place = np.unique(ends, return_inverse=True)
    # only pairs for which at least one link is expected can be joined
    mass = np.bincount(place.ravel(), weights=links[crossing], minlength=len(pairs))
    for pair in pairs[np.argsort(-mass, kind="stable")][: int((mass >= 1.0).sum())]:
        old, young = divmod(int(pair), len(ids))
        probability = samples.joined(np.flatnonzero(members == old), np.flatnonzero(members == young))
        if probability >= rules.min_probability:
            return int(ids[old]), int(ids[young]), probability
        book.counters["n_uncertain"] += probability >= 0.5
    return None


def split_stories(book: StoryBook, window: Window, samples: Samples, now: float, rules: Rules) -> None:
    """Split stories whose parts are no longer joined; the part with more recent weight keeps the id."""
    stories = window.stories[samples.first : samples.last]
    roots = samples.likeliest(stories)
    ids, sizes = np.unique(stories[stories >= 0], return_counts=True)
    for story in ids[sizes >= 2 * rules.min_size].tolist():
        members = np.flatnonzero(stories == story)
        found, counts = np.unique(roots[members], return_counts=True)
        parts = [members[roots[members] == root] for root in found[counts >= rules.min_size]]
        parts = [part for part in parts if (part >= samples.recent).sum() >= rules.min_size]
        if len(parts) < 2:
            continue
        recent = [np.exp((window.times[samples.first + part] - now) / rules.decay).sum() for part in parts]
        keeps = parts[int(np.argmax(recent))]
        for part in parts:
            if part is keeps:
                continue
            probability = 1.0 - samples.joined(keeps, part)
            if probability >= rules.min_probability:
                _split_off(book, window, samples, part, story, now, probability, rules)
            else:
                book.counters["n_uncertain"] += probability >= 0.5


def _split_off(
    book: StoryBook, window: Window, samples: Samples, members: Ints, story: int, now: float, probability: float,
    rules: Rules,
) -> None:  # fmt: skip
    part = samples.first + members
    new, row = book.counters["next_id"], int(book.rows(np.array([story]))[0])
    times = window.times[part]
    window.stories[part] = new
    book.counters["next_id"] += 1
    book.events.append(("split", now, story, new, probability))
    sizes = book.live["sizes"].copy()
    sizes[row] -= len(part)
    fresh = {"ids": new, "starts": times.min(), "latest": times.max(), "sizes": len(part), "births": probability}
    fresh |= {"examples": window.numbers[part[0]], "compared": 1}
    book.live = {name: np.append(column, fresh[name]) for name, column in (book.live | {"sizes": sizes}).items()}
    book.masses = np.append(book.masses, 0.0)
    _recount(book, window, samples, np.array([row, len(book.ids) - 1]), rules.decay)
    book.rename(np.array([story]), new, rules.bins(times))
    counts = sum(window.rows(d, d + 1, book.words.n_words) for d in part.tolist())
    book.words = book.words.parted(row, counts)


def _recount(book: StoryBook, window: Window, samples: Samples, rows: Ints, decay: float) -> None:
    """Recompute latest times and masses from the live documents, which have nearly all the mass."""
    part = slice(samples.first, samples.last)
    times_of, stories = window.times[part], window.stories[part]
    latest, masses = book.live["latest"].copy(), book.masses.copy()
    for row in rows.tolist():
        times = times_of[stories == book.ids[row]]
        latest[row] = times.max()
        masses[row] = np.exp((times - latest[row]) / decay).sum()
    book.live["latest"], book.masses = latest, masses


def revive_stories(book: StoryBook, weights: Floats, rules: Rules) -> None:
    """Link stories that have become large enough to the ended story that they resemble most, if any.

    The similarity is the cosine of the largest weighted counts; the log odds are linear in it.
    """
    rows = np.flatnonzero((book.live["sizes"] >= rules.min_size) & (book.live["compared"] == 0))
    if not len(rows):
        return
    book.live["compared"] = np.where(book.live["sizes"] >= rules.min_size, 1, book.live["compared"])
    if not len(book.past_ids):
        return
    cosines = current_kernels().story_words.outline_cosines(
        *book.outlines(rows, weights), book.past_words, book.past_weights, len(weights)
    )
    for place, row in enumerate(rows.tolist()):
        best = int(cosines[place].argmax())
        probability = float(expit(STEEPNESS * (cosines[place, best] - LIKENESS)))
        event = ("revived", float(book.live["starts"][row]), int(book.past_ids[best]), int(book.ids[row]), probability)
        if probability >= rules.min_probability:
            book.events.append(event)
        else:
            book.counters["n_uncertain"] += probability >= 0.5


def review(
    book: StoryBook, window: Window, first: int, last: int, now: float, weights: Floats, rules: Rules,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Merge, split and revive stories, given the live documents `first` to `last` − 1 of the window."""
    stories = window.stories[first:last]
    sizes = np.unique(stories[stories >= 0], return_counts=True)[1]
    if (sizes >= 2 * rules.min_size).any() or (sizes >= rules.min_size).sum() > 1:
        samples = Samples(window, first, last, rules, rng)
        merge_stories(book, window, samples, now, weights, rules)
        split_stories(book, window, samples, now, rules)
    revive_stories(book, weights, rules)

"""From a guide to plain arrays, for one model and one set of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.results import counted
from driftline.guidance.document_wishes import compile_bounds, compile_documents
from driftline.guidance.guide import Guide
from driftline.guidance.kept_topics import number_of
from driftline.guidance.pseudo_labels import seed_priors
from driftline.guidance.wishes import (
    KeepWish,
    LabelWish,
    LinkWish,
    MergeWish,
    PairWish,
    ProportionWish,
    RuleWish,
    SpreadWish,
    TopicWish,
    Wish,
)
from driftline.guidance.word_wishes import Columns, check_agreement, joined_groups, pairs_apart
from driftline.inference.guide_arrays import (
    NO_PAIRS,
    NO_ROWS,
    TOGETHER,
    DocumentWishes,
    GuideArrays,
    PlacedWish,
    WordGroups,
    WordPrior,
    WordStart,
)
from driftline.text.vocabulary import WordList

W = TypeVar("W", bound=Wish)

DOUBTFUL = 0.5
"""Share of the seeds' uses in one kept topic from which on it is suggested to name that topic instead."""


def compile_guide(
    guide: Guide,
    said: Floats,
    n_topics: int,
    *,
    vocabulary: WordList | None = None,
    X: Counts | None = None,
    present: KeepWish | None = None,
) -> GuideArrays:
    """Return the arrays of a guide.

    Parameters
    ----------
    guide : Guide
        The wishes.
    said : array of shape (n_words,)
        How often every word occurs in the documents.
    n_topics : int
        The number of topics.
    vocabulary : sequence of str or Vocabulary, optional
        The words.
    X : sparse matrix of shape (n_documents, n_words), optional
        The documents; without them, no wish may be about documents.
    present : KeepWish, optional
        The topics that the model has now, for a refit: names keep their numbers, and words start where they are.
    """
    return _Compiler(guide, np.asarray(said, dtype=np.float64), n_topics, vocabulary, X, present).arrays()


class _Compiler:
    def __init__(
        self,
        guide: Guide,
        said: Floats,
        n_topics: int,
        vocabulary: WordList | None,
        X: Counts | None,
        present: KeepWish | None,
    ) -> None:
        self.wishes, self.said, self.n_topics, self.X = guide.wishes, said, n_topics, X
        self.n_documents = 0 if X is None else X.shape[0]
        self.present, self.vocabulary = present, vocabulary
        self.columns = Columns(vocabulary, len(said))
        self.names: list[str] = [str(k) for k in range(n_topics)]
        self.placed: dict[int, PlacedWish] = {}
        self.start = np.zeros((len(said), n_topics))
        self.prior = np.zeros((len(said), n_topics))
        self.open = np.ones(n_topics, dtype=np.bool_)
        self.seeds: dict[int, set[int]] = {}
        self.banned: set[tuple[int, int]] = set()

    def arrays(self) -> GuideArrays:
        """Compile all wishes, in an order in which each finds what it needs."""
        self._name_topics()
        for i, wish in self._of(KeepWish):
            self._keep(i, wish)
        for i, wish in self._of(MergeWish):
            self._merge(i, wish)
        for i, wish in self._of(TopicWish):
            self._topic(i, wish)
        groups = self._groups()
        documents, placed = compile_documents(
            [(i, wish) for i, wish in enumerate(self.wishes) if isinstance(wish, LabelWish | LinkWish)],
            self.names,
            self.n_documents,
        )
        self.placed |= placed
        documents = self._spread(documents)
        bounds, placed = compile_bounds(self._of(ProportionWish), self.names, self.n_documents)
        self.placed |= placed
        nothing = PlacedWish(-1, NO_ROWS, NO_ROWS, ())
        return GuideArrays(
            tuple(self.names),
            self._start(),
            self._prior(),
            groups,
            documents,
            bounds,
            tuple(wish.rule for _, wish in self._of(RuleWish)),
            tuple(self.placed.get(i, nothing) for i in range(len(self.wishes))),
        )

    def _of(self, kind: type[W]) -> list[tuple[int, W]]:
        return [(i, wish) for i, wish in enumerate(self.wishes) if isinstance(wish, kind)]

    def _name_topics(self) -> None:
        """Give every named topic its number: that of the present model, the one wished, or the next free one."""
        taken: dict[int, str] = {}
        if self.present is not None:
            taken = {k: name for name, k in zip(self.present.names, self.present.numbers) if name != str(k)}
            self._place_counts(self.present, list(self.present.numbers))
        merged = self._merged_away(taken)
        for number in merged:
            taken.pop(number, None)
        wanted: list[tuple[str, int | None]] = []
        for wish in self.wishes:
            wanted += [(wish.name, wish.number)] if isinstance(wish, TopicWish) else []
            wanted += [(name, None) for name in wish.names] if isinstance(wish, KeepWish) else []
        for name, number in sorted(dict(reversed(wanted)).items(), key=lambda one: wanted.index(one)):
            known = [k for k, other in taken.items() if other == name]
            if known and number in (None, known[0]):
                continue
            present = set() if self.present is None else set(self.present.numbers) - merged
            if number is None and name in map(str, present - set(taken)):
                number = int(name)  # a topic of the present model that has no name but its number
            if number is None:
                used = set(taken) | {n for _, n in wanted if n is not None}
                number = next((k for k in range(self.n_topics) if k not in used | present), None)
            if number is None or number >= self.n_topics:
                there = counted(self.n_topics, "topic")
                raise InvalidInput(f"there is no free topic for {name!r}: the model has {there}; raise n_topics")
            if number in taken and self.present is None:
                raise InvalidInput(f"the topics {taken[number]!r} and {name!r} both want the number {number}")
            for k in known:
                taken.pop(k)
            taken[number] = name
        for number, name in taken.items():
            self.names[number] = name

    def _merged_away(self, taken: dict[int, str]) -> set[int]:
        """Return the numbers of present topics that are merged into others."""
        if self.present is None:
            return set()
        names = [taken.get(k, str(k)) for k in range(self.n_topics)]
        return {number_of(topic, names) for _, wish in self._of(MergeWish) for topic in wish.topics[1:]}

    def _keep(self, i: int, wish: KeepWish) -> None:
        numbers = [self.names.index(name) for name in wish.names]
        self._place_counts(wish, numbers)
        self.placed[i] = PlacedWish(numbers[0] if numbers else -1, NO_ROWS, NO_ROWS, ())

    def _place_counts(self, wish: KeepWish, numbers: Sequence[int]) -> None:
        """Start topics with the counts of others, scaled to what these documents say, and make them a prior."""
        columns, kept = np.arange(wish.counts.shape[1]), wish.counts
        if wish.words is not None and self.vocabulary is not None:
            columns = np.array([-1 if c is None else c for c in map(self.columns.known, wish.words)], dtype=np.int64)
        known = (columns >= 0) & (columns < len(self.said))
        counts = np.zeros((len(self.said), len(numbers)))
        counts[columns[known]] = kept[:, known].T
        total = counts.sum()
        if total and wish.counts.sum() <= len(numbers) * (1 + 1e-6):  # shares, not counts
            counts *= self.said.sum() / self.n_topics
        self.prior[:, numbers] += wish.weight * counts
        sums = counts.sum(axis=1)
        scale = np.divide(self.said, sums, out=np.zeros_like(sums), where=sums > 0)
        if self.present is None:
            scale = np.minimum(scale, 1.0)
        self.start[:, numbers] = counts * scale[:, None]
        self.open[list(numbers)] = False

    def _merge(self, i: int, wish: MergeWish) -> None:
        present = self.names if self.present is None else list(self.present.names)
        numbers = [number_of(topic, present) for topic in wish.topics]
        first, others = numbers[0], numbers[1:]
        for other in others:
            self.start[:, first] += self.start[:, other]
            self.prior[:, first] += self.prior[:, other]
            self.start[:, other], self.prior[:, other], self.open[other] = 0.0, 0.0, True
        # Without a prior, the topic that has become free would take its words back.
        self.prior[:, first] = np.maximum(self.prior[:, first], self.start[:, first])
        if self.present is None:
            for other in others:
                self.names[other] = str(other)
        self.placed[i] = PlacedWish(first, NO_ROWS, np.array(others, dtype=np.int64), ())

    def _topic(self, i: int, wish: TopicWish) -> None:
        """Start seeds wholly in their topic, with a prior of their own count; note a topic that has them already."""
        k, whose = self.names.index(wish.name), f"topic {wish.name!r}"
        notes: list[str] = []
        known = self.columns.find((word for word, _ in wish.words), whose) if wish.words else []
        notes += self.columns.notes if wish.words else []
        banned = self.columns.find(wish.never, f"never in {whose}", least=0) if wish.never else []
        notes += self.columns.notes if wish.never else []
        self.banned |= {(column, k) for column in banned}
        weights = [weight for word, weight in wish.words if self.columns.known(word) is not None]
        words = np.array(known, dtype=np.int64)
        notes += self._held_elsewhere(k, words)
        for column, weight in zip(known, weights):
            if (column, k) in self.banned:
                raise InvalidInput(f"{self.columns.name(column)!r} is both a word of {whose} and banned from it")
            own = self.said[column] if weight is None else weight
            if not any(column in others for others in self.seeds.values()):
                self.start[column], self.prior[column] = 0.0, 0.0
            self.prior[column, k] += max(own, 1.0)
            self.start[column, k] += self.said[column]
        self.seeds.setdefault(k, set()).update(known)
        self.placed[i] = PlacedWish(k, words, np.array(banned, dtype=np.int64), tuple(notes))

    def _held_elsewhere(self, k: int, words: Ints) -> list[str]:
        """Return a note if another topic already has most uses of the words of a new one."""
        held = self.start[words].sum(axis=0)
        best = int(held.argmax()) if len(words) else k
        if not len(words) or best == k or held[best] < DOUBTFUL * self.said[words].sum():
            return []
        name = self.names[best]
        return [f"topic {name} has {held[best] / held.sum():.0%} of these words: name it instead (number={best})?"]

    def _groups(self) -> WordGroups | None:
        together: list[list[int]] = []
        apart: list[list[int]] = []
        for i, wish in self._of(PairWish):
            found = self.columns.find(wish.words, wish.described(), least=2)
            (apart if wish.apart else together).append(found)
            self.placed[i] = PlacedWish(-1, np.array(found, dtype=np.int64), NO_ROWS, tuple(self.columns.notes))
        if not together and not apart:
            return None
        groups, pairs = joined_groups(together), pairs_apart(apart)
        check_agreement(self.columns, groups, pairs, self.seeds, self.banned, self.names)
        whole = {int(word): group.tolist() for group in groups for word in group}
        pairs = pairs_apart(
            [one, other] for a, b in pairs.tolist() for one in whole.get(a, [a]) for other in whole.get(b, [b])
        )
        return WordGroups(tuple(groups), pairs, TOGETHER, self.said)

    def _spread(self, documents: DocumentWishes) -> DocumentWishes:
        """Add the priors of documents that use the words of a topic."""
        seeds = {k: np.array(sorted(words), dtype=np.int64) for k, words in self.seeds.items() if words}
        for i, wish in self._of(SpreadWish):
            if len(seeds) < 2 or self.X is None:
                raise InvalidInput("spread needs documents, and words of at least two topics")
            found = seed_priors(self.X, seeds, self.n_topics, wish)
            before = (documents.additions, documents.additions if documents.plain is None else documents.plain)
            sharp, plain = (new if old is None else old + new for old, new in zip(before, found))
            documents = documents._replace(additions=sharp, plain=plain)
            self.placed[i] = PlacedWish(-1, NO_ROWS, np.flatnonzero(np.diff(found.sharp.indptr)), ())
        return documents

    def _start(self) -> WordStart | None:
        if not self.start.any():
            return None
        sums = self.start.sum(axis=1, keepdims=True)
        scale = np.divide(self.said[:, None], sums, out=np.zeros_like(sums), where=sums > self.said[:, None])
        counts = np.where(sums > self.said[:, None], self.start * scale, self.start)
        for column, k in self.banned:
            counts[column, k] = 0.0
        return WordStart(sp.csr_array(counts), self.open if self.open.any() else np.ones_like(self.open))

    def _prior(self) -> WordPrior | None:
        for column, k in self.banned:
            self.prior[column, k] = 0.0
        rows = np.flatnonzero(self.prior.any(axis=1))
        if not len(rows) and not self.banned:
            return None
        banned = np.array(sorted(self.banned), dtype=np.int64).reshape(-1, 2) if self.banned else NO_PAIRS
        return WordPrior(rows.astype(np.int64), self.prior[rows], banned)


def topics_of_refit(guide: Guide, present: KeepWish) -> int:
    """Return the number of topics of a refit: new names need new topics, and mergers free some."""
    merged = {topic for wish in guide.wishes if isinstance(wish, MergeWish) for topic in wish.topics[1:]}
    new = {wish.name for wish in guide.wishes if isinstance(wish, TopicWish) and wish.number is None}
    new |= {name for wish in guide.wishes if isinstance(wish, KeepWish) for name in wish.names}
    return len(present.names) + max(0, len(new - set(present.names)) - len(merged))

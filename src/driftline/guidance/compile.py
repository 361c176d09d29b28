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
from driftline.guidance.mergers import declared_names, merged_names, renamed
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
    TopicName,
    TopicWish,
    Wish,
)
from driftline.guidance.word_wishes import Columns, check_agreement, check_bans, joined_groups, pairs_apart
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

LOST = 0.1
"""Minimum share of the uses of a kept topic's words, of words that are unknown here, that the report mentions."""
DOUBTFUL = 0.5
"""Minimum share of the seeds' uses in one current topic at which the report suggests naming that topic instead."""


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
        Number of occurrences of every word in the documents.
    n_topics : int
        The number of topics.
    vocabulary : sequence of str or Vocabulary, optional
        The words.
    X : sparse matrix of shape (n_documents, n_words), optional
        The documents; without them, no wish may be about documents.
    present : KeepWish, optional
        The current topics of the model, for a refit: names keep their numbers, and words start in their current
        topics.
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
        self.said, self.n_topics, self.X = said, n_topics, X
        self.merged, self.declared = merged_names(guide.wishes), declared_names(guide.wishes, present)
        self.wishes = tuple(renamed(wish, self.merged) for wish in guide.wishes)
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
        """Compile all wishes, each after those that it depends on."""
        self._name_topics()
        for i, wish in self._of(KeepWish):
            self._keep(i, wish)
        for i, wish in self._of(MergeWish):
            self._merge(i, wish)
        for i, wish in self._of(TopicWish):
            self._topic(i, wish)
        check_bans(self.columns, self.banned, self.n_topics)
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
        """Assign a number to every named topic: that of the current model, the requested one, or the next free one."""
        taken: dict[int, str] = {}
        if self.present is not None:
            taken = {k: name for name, k in zip(self.present.names, self.present.numbers) if name != str(k)}
            numbers, counts = self._kept_counts(self.present, self.present.counts, list(self.present.numbers))
            sums = counts.sum(axis=1)
            scale = np.divide(self.said, sums, out=np.zeros_like(sums), where=sums > 0)
            self._begin_with(numbers, counts * scale[:, None])
        merged = self._merged_away(taken)
        for number in merged:
            taken.pop(number, None)
        wanted: list[tuple[str, int | None]] = []
        for wish in self.wishes:
            wanted += [(wish.name, wish.number)] if isinstance(wish, TopicWish) else []
            wanted += [(self.merged.get(n, n), None) for n in wish.names] if isinstance(wish, KeepWish) else []
        wanted = self._with_kept_numbers(wanted)
        for name, number in sorted(dict(reversed(wanted)).items(), key=lambda one: wanted.index(one)):
            known = [k for k, other in taken.items() if other == name]
            if known and number in (None, known[0]):
                continue
            present = set() if self.present is None else set(self.present.numbers) - merged
            if number is None and name in map(str, present - set(taken)):
                number = int(name)  # a topic of the current model that is named by its number only
            if number is None:
                used = set(taken) | {n for _, n in wanted if n is not None}
                number = next((k for k in range(self.n_topics) if k not in used | present), None)
            if number is None or number >= self.n_topics:
                there = counted(self.n_topics, "topic")
                raise InvalidInput(f"there is no free topic for {name!r}: the model has {there}; raise n_topics")
            if number in taken and self.present is None:
                raise InvalidInput(f"the topics {taken[number]!r} and {name!r} both request the number {number}")
            for k in known:
                taken.pop(k)
            taken[number] = name
        for number, name in taken.items():
            self.names[number] = name
        self._check_names({name for name, _ in wanted})

    def _with_kept_numbers(self, wanted: list[tuple[str, int | None]]) -> list[tuple[str, int | None]]:
        """Return the names, with the numbers that kept topics without a name had, if the model has these."""
        kept = [n for _, wish in self._of(KeepWish) for n, k in zip(wish.names, wish.numbers) if n == str(k)]
        twice = next((name for name in kept if kept.count(name) > 1), None)
        if twice is not None:
            raise InvalidInput(
                f"two kept topics have no name, and the number {twice}; refit a model with topic(…, number={twice})"
            )
        own = set() if self.present is not None else set(kept) & set(self.names)
        return [(name, int(name) if name in own else number) for name, number in wanted]

    def _check_names(self, wanted: set[str]) -> None:
        """Refuse a name for two topics, and two names for one topic."""
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        if twice is not None:
            raise InvalidInput(f"the name {twice!r} is the number of a topic; choose another name")
        lost = sorted(wanted - set(self.names))
        if lost:
            raise InvalidInput(f"the topic {lost[0]!r} and another name request the same number; leave one out")

    def _merged_away(self, taken: dict[int, str]) -> set[int]:
        """Return the numbers of current topics that are merged into others."""
        if self.present is None:
            return set()
        names = [taken.get(k, str(k)) for k in range(self.n_topics)]
        found = (self._merged_number(topic, names) for _, wish in self._of(MergeWish) for topic in wish.topics[1:])
        return {number for number in found if number is not None}

    def _merged_number(self, topic: TopicName, names: Sequence[str]) -> int | None:
        """Return the number of a topic that is merged away; None if it has none (any more)."""
        if topic in names or topic not in self.declared:
            return number_of(topic, names)
        return None

    def _keep(self, i: int, wish: KeepWish) -> None:
        """Make kept counts a prior, and the start of topics that the model does not have yet."""
        present = () if self.present is None else self.present.names
        more = {name: counts for name, counts in wish.others.items() if name in self.merged and name not in present}
        places = [self.names.index(self.merged.get(name, name)) for name in (*wish.names, *more)]
        numbers, counts = self._kept_counts(wish, np.vstack([wish.counts, *more.values()]), places)
        self.prior[:, numbers] += wish.weight * counts
        new = np.array([self.names[number] not in present for number in numbers], dtype=np.bool_)
        sums = counts.sum(axis=1)
        scale = np.minimum(np.divide(self.said, sums, out=np.zeros_like(sums), where=sums > 0), 1.0)
        self._begin_with(numbers[new], counts[:, new] * scale[:, None])
        first = int(numbers[0]) if len(numbers) else -1
        self.placed[i] = PlacedWish(first, NO_ROWS, numbers, self._notes_on_unknown(wish), counts.T.copy())

    def _notes_on_unknown(self, wish: KeepWish) -> tuple[str, ...]:
        """Return a note if many uses of the words of kept topics are not in the vocabulary."""
        uses = wish.counts.sum(axis=0)
        if wish.words is None or self.vocabulary is None or not uses.any():
            return ()
        lost = float(uses[self.columns.known(wish.words) < 0].sum() / uses.sum())
        return (f"{lost:.0%} of the uses of its words are of words that are not counted here",) if lost > LOST else ()

    def _kept_counts(self, wish: KeepWish, kept: Floats, places: Sequence[int]) -> tuple[Ints, Floats]:
        """Return the topics that rows of kept counts belong to, and their counts in these words: words × topics.

        `places` are the topics of the rows; those of merged topics are added. Shares are scaled to the documents.
        """
        numbers, which = np.unique(np.array(places, dtype=np.int64), return_inverse=True)
        columns = np.arange(kept.shape[1])
        if wish.words is not None and self.vocabulary is not None:
            columns = self.columns.known(wish.words)
        known = (columns >= 0) & (columns < len(self.said))
        counts = np.zeros((len(self.said), len(numbers)))
        for row, place in zip(kept, which):
            counts[columns[known], place] += row[known]
        if counts.any() and kept.sum() <= len(kept) * (1 + 1e-6):  # shares, not counts
            counts *= self.said.sum() / self.n_topics
        return numbers, counts

    def _begin_with(self, numbers: Ints, counts: Floats) -> None:
        """Start topics with counts of words."""
        self.start[:, numbers] = counts
        self.open[numbers] = False

    def _merge(self, i: int, wish: MergeWish) -> None:
        present = self.names if self.present is None else list(self.present.names)
        name = wish.topics[0]
        first = number_of(self.merged.get(name, name) if isinstance(name, str) else name, self.names)
        found = [self._merged_number(topic, present) for topic in wish.topics[1:]]
        others = [number for number in found if number is not None and number != first]
        if self.present is None and others and not self.start[:, [first, *others]].any():
            raise InvalidInput(f"'{wish.described()}': there is no topic to merge; refit a model, or keep its topics")
        for other in others:
            self.start[:, first] += self.start[:, other]
            self.prior[:, first] += self.prior[:, other]
            self.start[:, other], self.prior[:, other], self.open[other] = 0.0, 0.0, True
        # Without a prior, the freed topic would regain its words.
        self.prior[:, first] = np.maximum(self.prior[:, first], self.start[:, first])
        if self.present is None:
            for other in others:
                self.names[other] = str(other)
            self._check_names(set())
        target = self.start[:, first][None].copy()
        self.placed[i] = PlacedWish(first, NO_ROWS, np.array(others, dtype=np.int64), (), target)

    def _topic(self, i: int, wish: TopicWish) -> None:
        """Start seeds entirely in their topic, with a prior of their own count; note a topic that already has them."""
        k, whose = self.names.index(wish.name), f"topic {wish.name!r}"
        notes: list[str] = []
        known = self.columns.find((word for word, _ in wish.words), whose) if wish.words else []
        notes += self.columns.notes if wish.words else []
        banned = self.columns.find(wish.never, f"never in {whose}", least=0) if wish.never else []
        notes += self.columns.notes if wish.never else []
        self.banned |= {(column, k) for column in banned}
        there = self.columns.known([word for word, _ in wish.words]) >= 0
        weights = dict(zip(known, (weight for (_, weight), here in zip(wish.words, there) if here)))
        words = np.array(list(weights), dtype=np.int64)
        said = self.said[words]
        before = np.nan
        if self.present is not None and len(words):
            before = float(np.mean(np.divide(self.start[words, k], said, out=np.zeros(len(words)), where=said > 0)))
        notes += self._held_elsewhere(k, words)
        for column, weight in weights.items():
            if (column, k) in self.banned:
                raise InvalidInput(f"{self.columns.name(column)!r} is both a word of {whose} and banned from it")
            own = max(self.said[column], 1.0) if weight is None else weight
            if not any(column in others for others in self.seeds.values()):
                self.start[column], self.prior[column] = 0.0, 0.0
            self.prior[column, k] += own
            self.start[column, k] += self.said[column]
        self.seeds.setdefault(k, set()).update(known)
        self.placed[i] = PlacedWish(k, words, np.array(banned, dtype=np.int64), tuple(notes), before=before)

    def _held_elsewhere(self, k: int, words: Ints) -> list[str]:
        """Return notes on words of another wish, and on another topic that already has most uses of the others."""
        shared = [
            (word, other) for word in words.tolist() for other, own in self.seeds.items() if word in own and other != k
        ]
        notes = [f"{self.columns.name(word)!r} is also a word of topic {self.names[other]!r}" for word, other in shared]
        words = np.setdiff1d(words, [word for word, _ in shared])
        held, said = self.start[words].sum(axis=0), self.said[words].sum()
        best = int(held.argmax()) if len(words) else k
        if len(words) and best != k and held[best] >= max(DOUBTFUL * said, 1.0):
            name = self.names[best]
            notes.append(f"topic {name} has {held[best] / said:.0%} of these words: name it instead (number={best})?")
        return notes

    def _groups(self) -> WordGroups | None:
        together: list[list[int]] = []
        apart: list[list[int]] = []
        for i, wish in self._of(PairWish):
            found = self.columns.find(wish.words, wish.described())
            if len(found) > 1:
                (apart if wish.apart else together).append(found)
            self.placed[i] = PlacedWish(-1, np.array(found, dtype=np.int64), NO_ROWS, tuple(self.columns.notes))
        if not together and not apart:
            return None
        groups, pairs = joined_groups(together), pairs_apart(apart)
        self._note_divided(groups)
        check_agreement(self.columns, groups, pairs, self.seeds, self.banned, self.names)
        whole = {int(word): group.tolist() for group in groups for word in group}
        pairs = pairs_apart(
            [one, other] for a, b in pairs.tolist() for one in whole.get(a, [a]) for other in whole.get(b, [b])
        )
        return WordGroups(tuple(groups), pairs, TOGETHER, self.said)

    def _note_divided(self, groups: Sequence[Ints]) -> None:
        """Add notes to wishes about words that belong together and are words of different topics."""
        for i, wish in self._of(PairWish):
            found, group = self.placed[i].words, [g for g in groups if np.isin(self.placed[i].words, g).all()]
            if wish.apart or not group or not len(found):
                continue
            own = {k: [int(word) for word in group[0] if word in words] for k, words in self.seeds.items()}
            own = {k: words for k, words in own.items() if words}
            if len(own) > 1 and len({word for words in own.values() for word in words}) > 1:
                listed = ", ".join(
                    f"{self.columns.name(words[0])!r} of topic {self.names[k]!r}" for k, words in own.items()
                )
                self.placed[i] = self.placed[i]._replace(notes=(*self.placed[i].notes, f"at odds with {listed}"))

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
    away, names = merged_names(guide.wishes), set(present.names)
    merged = {topic for wish in guide.wishes if isinstance(wish, MergeWish) for topic in wish.topics[1:]}
    freed = {topic for topic in merged if not isinstance(topic, str) or topic in names}
    new = {wish.name for wish in guide.wishes if isinstance(wish, TopicWish) and wish.number is None}
    new |= {name for wish in guide.wishes if isinstance(wish, KeepWish) for name in wish.names}
    return len(present.names) + max(0, len({away.get(name, name) for name in new} - names) - len(freed))

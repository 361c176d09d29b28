"""Differences between groups of documents: shares of topics, words, and words within topics, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from driftline.base.topic_model import TopicModel
from driftline.core.arrays import Counts
from driftline.local.changed_words.two_sets import SetComparison, compare_sets
from driftline.smoothing.permutable_units import permutable_units
from driftline.streams.document_groups import DocumentGroups
from driftline.streams.units import Units
from driftline.text.headline_words import is_listed_last
from driftline.topics import contrasts, coverage

FEWEST_DOCUMENTS = 30
"""Minimum number of documents of a compared group."""
MOST_GROUPS = 8
"""Maximum number of groups that are compared, the largest ones; the rest are part of "all others"."""
OTHERS = "all others"
SIGNIFICANT = 0.05
"""False discovery rate of all tests."""


@dataclass(frozen=True)
class TopicDifference:
    """A topic whose share of the words of a group differs from that of all others; its interval has 95 % confidence."""

    group: str
    topic: str
    words: list[str]
    share: float
    share_elsewhere: float
    difference: float
    low: float
    high: float
    q_value: float


@dataclass(frozen=True)
class WordDifference:
    """A word that a different share of a group's documents contains: the ratio to all others, with a 95 % interval.

    The ratio and `high` are None if no other document has the word. `topic` names a topic if only its words were
    compared; shares are then those of the topic's words, and the ratio is shrunk towards one.
    """

    group: str
    word: str
    share: float
    share_elsewhere: float
    ratio: float | None
    low: float
    high: float | None
    q_value: float
    topic: str = ""


@dataclass(frozen=True)
class ComparedGroup:
    """A compared group, the number of its documents, and that of its independent units.

    `smallest_p` is the smallest p-value that its comparison with the others can have with so few units.
    """

    name: str
    n_documents: int
    n_units: int = 0
    smallest_p: float = 0.0

    @property
    def has_too_few_units(self) -> bool:
        """Whether the group has too few units for any difference to be significant."""
        return self.smallest_p > SIGNIFICANT


@dataclass(frozen=True)
class GroupDifferences:
    """Differences between groups of one `kind` ("label", "author", "source", "period").

    Of two groups only the first is compared, with the second; of more, each with all others. `unit` is the independent
    unit of the words. `n_left_out` documents have no group. `n_topics` topics and `n_words` words were tested.
    """

    kind: str
    groups: list[ComparedGroup] = field(default_factory=list)
    topics: list[TopicDifference] = field(default_factory=list)
    words: list[WordDifference] = field(default_factory=list)
    within_topics: list[WordDifference] = field(default_factory=list)
    unit: str = ""
    n_left_out: int = 0
    n_topics: int = 0
    n_words: int = 0


class NamedTopics(NamedTuple):
    """A fitted topic model, the counts it was fitted to, and its topics' names and words."""

    model: TopicModel
    counts: Counts
    names: Sequence[str]
    words: Sequence[Sequence[str]]


def comparable_groups(groups: DocumentGroups) -> DocumentGroups | None:
    """Return the groups that have enough documents to be compared, largest first; None if there are fewer than two.

    Documents of other groups are "all others" if more than two groups are compared, and are left out of two.
    """
    known = groups.codes >= 0
    sizes = np.bincount(groups.codes[known], minlength=len(groups.names))
    largest = np.argsort(-sizes, kind="stable")[:MOST_GROUPS]
    chosen = largest[sizes[largest] >= FEWEST_DOCUMENTS]
    if len(chosen) < 2:
        return None
    place = np.full(len(groups.names) + 1, len(chosen) if len(chosen) > 2 else -1, dtype=np.int64)
    place[chosen], place[-1] = np.arange(len(chosen)), -1
    codes = place[groups.codes]
    names = [groups.names[code] for code in chosen.tolist()]
    if (codes == len(chosen)).any():
        names.append(OTHERS)
    return DocumentGroups(codes, tuple(names), groups.column)


def compared_codes(groups: DocumentGroups) -> list[int]:
    """Return the codes of the groups that are compared: the first of two, or all but "all others"."""
    if len(groups.names) == 2:
        return [0]
    return [code for code, name in enumerate(groups.names) if not (code == len(groups.names) - 1 and name == OTHERS)]


def compared_groups(found: GroupDifferences) -> list[ComparedGroup]:
    """Return the groups that are compared with the others."""
    if len(found.groups) == 2:
        return found.groups[:1]
    return [
        each for place, each in enumerate(found.groups) if not (place == len(found.groups) - 1 and each.name == OTHERS)
    ]


def too_few_units(found: GroupDifferences) -> list[ComparedGroup]:
    """Return the compared groups that have too few independent units for any claim."""
    return [each for each in compared_groups(found) if each.has_too_few_units]


def describe_differences(
    counts: Counts,
    words: Sequence[str],
    units: Units,
    groups: DocumentGroups,
    *,
    kind: str,
    topics: NamedTopics | None = None,
    within: bool = False,
    n_words: int = 12,
    languages: Sequence[str] = (),
    random_state: int = 0,
) -> GroupDifferences:
    """Return the differences between groups: at most `n_words` words of each; words `within` topics if requested.

    Topics and words are tested at a false discovery rate of 5 %, topics among all groups, words in each group. Numbers,
    and days and months in the `languages`, come after the other words.
    """
    sizes = np.bincount(groups.codes[groups.codes >= 0], minlength=len(groups.names))
    compared = compared_codes(groups)
    found: list[WordDifference] = []
    unit, n_tested = units.kind, 0
    for code in compared:
        sets = compare_sets(counts, groups.codes == code, (groups.codes >= 0) & (groups.codes != code), unit=units)
        unit, n_tested = sets.unit, n_tested + len(sets.columns)
        found += _word_differences(sets, groups.names[code], words, n_words, languages)
    return GroupDifferences(
        kind=kind,
        groups=[_compared_group(groups, units, code, int(size)) for code, size in enumerate(sizes.tolist())],
        topics=[] if topics is None else _topic_differences(topics, groups, units, compared),
        words=found,
        within_topics=_within(topics, groups, units, compared, n_words, languages, random_state)
        if topics and within
        else [],
        unit=unit,
        n_left_out=int((groups.codes < 0).sum()),
        n_topics=0 if topics is None else len(topics.names),
        n_words=n_tested,
    )


def _compared_group(groups: DocumentGroups, units: Units, code: int, size: int) -> ComparedGroup:
    inside = groups.codes == code
    compared_units = permutable_units(units.index, inside, (groups.codes >= 0) & ~inside)
    return ComparedGroup(groups.names[code], size, compared_units.in_a, _rounded(compared_units.smallest_p))


def _word_differences(
    sets: SetComparison, group: str, words: Sequence[str], n_words: int, languages: Sequence[str]
) -> list[WordDifference]:
    """Return the words that differ, the largest certain ratio first, numbers last."""
    with np.errstate(divide="ignore"):
        certain = np.maximum(np.log(np.maximum(sets.lower, 1e-12)), -np.log(np.maximum(sets.upper, 1e-12)))
    last = is_listed_last([words[column] for column in sets.columns], languages)
    order = np.lexsort((-certain * np.sqrt(sets.in_a + sets.in_b), last))
    return [
        WordDifference(
            group,
            str(words[sets.columns[k]]),
            _rounded(sets.in_a[k] / sets.n_a),
            _rounded(sets.in_b[k] / sets.n_b),
            _finite(sets.ratio[k]),
            _rounded(sets.lower[k]),
            _finite(sets.upper[k]),
            _rounded(sets.q_value[k]),
        )
        for k in order[sets.differs[order]][:n_words].tolist()
    ]


def _topic_differences(
    topics: NamedTopics, groups: DocumentGroups, units: Units, compared: Sequence[int]
) -> list[TopicDifference]:
    """Return the topics whose shares differ, in each group the largest difference first."""
    shares = coverage(topics.model, topics.counts, by=_labels(groups), unit=units)
    order = {name: row for row, name in enumerate(shares.contexts)}
    found: list[TopicDifference] = []
    for code in compared:
        row = order[groups.names[code]]
        differs = np.flatnonzero(shares.differs[row])
        found += [
            TopicDifference(
                groups.names[code],
                topics.names[k],
                list(topics.words[k]),
                _rounded(shares.share[row, k]),
                _rounded(shares.share[row, k] - shares.difference[row, k]),
                _rounded(shares.difference[row, k]),
                _rounded(shares.difference_lower[row, k]),
                _rounded(shares.difference_upper[row, k]),
                _rounded(shares.q_value[row, k]),
            )
            for k in differs[np.argsort(-np.abs(shares.difference[row, differs]), kind="stable")].tolist()
        ]
    return found


def _within(
    topics: NamedTopics,
    groups: DocumentGroups,
    units: Units,
    compared: Sequence[int],
    n_words: int,
    languages: Sequence[str],
    random_state: int,
) -> list[WordDifference]:
    """Return the words that differ within topics, the most certain first, numbers last."""
    found = contrasts(topics.model, topics.counts, between=_labels(groups), unit=units, random_state=random_state)
    wanted = {groups.names[code] for code in compared}
    differing = np.flatnonzero(found.differs)
    last = is_listed_last([str(found.words[i]) for i in differing], languages)
    order = differing[np.lexsort((-np.abs(found.log_ratio / found.error)[differing], last))].tolist()
    turned = len(groups.names) == 2  # of two groups, the first in alphabetical order was compared
    result: list[WordDifference] = []
    for i in order:
        sign = 1.0
        group = found.group[i]
        if turned and group not in wanted:
            group, sign = next(iter(wanted)), -1.0
        if group not in wanted or sum(each.group == group for each in result) >= n_words:
            continue
        low, high = sorted((sign * found.lower[i], sign * found.upper[i]))
        inside, outside = found.share_in_group[i], found.share_elsewhere[i]
        inside, outside = (inside, outside) if sign > 0 else (outside, inside)
        word = found.words[i]
        result.append(
            WordDifference(
                group,
                str(word),
                _rounded(inside),
                _rounded(outside),
                _rounded(np.exp(sign * found.log_ratio[i])),
                _rounded(np.exp(low)),
                _rounded(np.exp(high)),
                _rounded(found.q_value[i]),
                topics.names[int(found.topic[i])],
            )
        )
    return result


def _labels(groups: DocumentGroups) -> np.ndarray:
    names = np.array([*groups.names, None], dtype=object)
    found: np.ndarray = names[groups.codes]
    return found


def _rounded(value: float) -> float:
    return float(f"{float(value):.6g}")


def _finite(value: float) -> float | None:
    return _rounded(value) if np.isfinite(value) else None

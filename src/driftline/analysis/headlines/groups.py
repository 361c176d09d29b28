"""Changes that are explained by groups of documents: the authors changed, not what they write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.analysis.headlines.composition import WithinGroups, within_groups
from driftline.analysis.headlines.measure import Candidates, Changes
from driftline.analysis.headlines.rules import HeadlineRules
from driftline.core.arrays import Floats, Ints

LEAST_COVERAGE = 0.2
"""Share of the stream that groups must span, on average over documents; otherwise they are periods."""
_MORE_THAN_ELSEWHERE = 2.0
"""Minimum ratio of an author's share of a word's documents to that of all documents: some streams have one author."""


class Groups(NamedTuple):
    """The group of every document: codes of `names` (−1 if unknown). `column` is the kind of groups.

    `authors` means that the groups are people or accounts, of which a single one may explain a word.
    """

    codes: Ints
    names: Sequence[str]
    column: str = "label"
    authors: bool = False


class Explained(NamedTuple):
    """A change that a group explains; `share_of_word` is the share of the word's documents that the group wrote."""

    column: str
    group: str
    within: WithinGroups
    share_of_word: float
    one_author: bool = False


def explained_by(
    found: Candidates, changes: Changes, places: Ints, document: Ints, groups: Sequence[Groups], rules: HeadlineRules
) -> dict[int, Explained]:
    """Return the changes at `places` that are changes of composition, in the same order, each with its group."""
    result: dict[int, Explained] = {}
    tables = [
        (each, _Table(found, each, document), coverage(each, found.times, document) >= LEAST_COVERAGE)
        for each in groups
        if len(each.names) > 1
    ]
    for place in places:
        for each, table, comparable in tables:
            counted = table.counts(changes, int(place))
            within = within_groups(*counted, dispersion=float(changes.dispersion[place]))
            shares = (counted.inside + counted.outside) / max(changes.total[place], 1.0)
            one = int(np.argmax(shares))
            alone = each.authors and one < len(each.names) and _one_wrote(shares[one], counted, one, rules)
            if alone or (comparable and _composition(within, float(changes.ratio[place]), rules)):
                group = one if alone else within.group
                within = _with_group(within, counted, group)
                name = each.names[group] if group < len(each.names) else ""
                result[int(place)] = Explained(each.column, name, within, float(shares[group]), bool(alone))
                break
    return result


def _one_wrote(share: float, counted: _Counted, author: int, rules: HeadlineRules) -> bool:
    """Return whether one author wrote most of the documents with a word, and far fewer of all documents."""
    everything = counted.n_inside + counted.n_outside
    return bool(share > max(rules.most_of_one_author, _MORE_THAN_ELSEWHERE * everything[author] / everything.sum()))


def _composition(within: WithinGroups, crude: float, rules: HeadlineRules) -> bool:
    return within.lower < rules.min_within_ratio and within.ratio < np.sqrt(crude)


def coverage(groups: Groups, times: np.ndarray, document: Ints) -> float:
    """Return the share of the stream that the group of a document spans, on average over documents.

    The span of a group is that of the middle nine tenths of its documents. The presidents of a country, for example,
    cover a few percent each: a change cannot be measured within them.

    >>> times = np.arange(1000.0)
    >>> everywhere, in_turn = Groups(np.arange(1000) % 4, "abcd"), Groups(np.arange(1000) // 100, "abcdefghij")
    >>> round(coverage(everywhere, times, np.arange(1000)), 2), round(coverage(in_turn, times, np.arange(1000)), 2)
    (1.0, 0.1)
    """
    codes = np.asarray(groups.codes)[document]
    place = np.empty(len(times))
    place[np.argsort(times, kind="stable")] = np.arange(len(times)) / max(len(times), 1)
    known = np.flatnonzero(codes >= 0)
    known = known[np.argsort(codes[known], kind="stable")]
    covered = 0.0
    for own in np.split(place[known], np.flatnonzero(np.diff(codes[known])) + 1):
        low, high = np.quantile(own, [0.05, 0.95]) if len(own) else (0.0, 0.0)
        covered += len(own) * float(high - low) / 0.9
    return covered / len(known) if len(known) else 0.0


class _Counted(NamedTuple):
    inside: Floats
    outside: Floats
    n_inside: Floats
    n_outside: Floats


def _with_group(within: WithinGroups, counted: _Counted, group: int) -> WithinGroups:
    return within._replace(
        group=group,
        share_inside=float(counted.n_inside[group] / max(counted.n_inside.sum(), 1.0)),
        share_outside=float(counted.n_outside[group] / max(counted.n_outside.sum(), 1.0)),
    )


class _Table:
    """Documents by unit and group; documents without a group form the last group."""

    def __init__(self, found: Candidates, groups: Groups, document: Ints) -> None:
        codes = np.asarray(groups.codes)[document]
        self._found = found
        self._n_groups = len(groups.names) + 1
        self._codes = np.where(codes < 0, len(groups.names), codes)
        index = found.units.index
        by_unit = sp.csr_array(
            (np.ones(len(index)), (index, self._codes)), shape=(found.by_unit.n_units, self._n_groups)
        )
        self._edges = np.concatenate([np.zeros((1, self._n_groups)), np.cumsum(by_unit.toarray(), axis=0)])

    def counts(self, changes: Changes, word: int) -> _Counted:
        """Return documents with the word and all documents, by group, on the more frequent side and the other."""
        by_item, start, end = self._found.by_item, changes.start[word], changes.end[word]
        rows = by_item.indices[by_item.indptr[word] : by_item.indptr[word + 1]]
        within = (self._found.units.index[rows] >= start) & (self._found.units.index[rows] < end)
        inside = np.bincount(self._codes[rows[within]], minlength=self._n_groups).astype(np.float64)
        outside = np.bincount(self._codes[rows[~within]], minlength=self._n_groups).astype(np.float64)
        n_inside = self._edges[end] - self._edges[start]
        n_outside = self._edges[-1] - n_inside
        if changes.sign[word] < 0:
            return _Counted(outside, inside, n_outside, n_inside)
        return _Counted(inside, outside, n_inside, n_outside)

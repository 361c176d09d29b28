"""Differences between the labels, or the authors, of a stream: topics and words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftline.analysis.finding import Finding, nothing
from driftline.analysis.findings.topics import find_both
from driftline.analysis.group_differences import GroupDifferences, comparable_groups, describe_differences
from driftline.streams.document_groups import document_groups

if TYPE_CHECKING:
    from driftline.analysis.context import Context

GROUPS = ("label", "author")
"""Columns whose groups are compared: the first that has two groups of enough documents."""
N_WORDS = 8
"""Number of words per group."""


def find(context: Context) -> GroupDifferences | None:
    """Compare the labels or the authors; None if there are not two with enough documents."""
    for column in GROUPS:
        groups = document_groups(context.part.documents, column)
        groups = None if groups is None else comparable_groups(groups)
        if groups is not None:
            return describe_differences(
                context.reported.counts,
                [str(word) for word in context.corpus.vocabulary.words],
                context.units,
                groups,
                kind=context.stream.columns.get(column) or column,
                topics=context.once(find_both).fitted,
                n_words=N_WORDS,
                languages=context.prepared.language.codes,
                random_state=context.options.random_state,
            )
    return None


DIFFERENCES = Finding("differences", find, empty=nothing, since=17)

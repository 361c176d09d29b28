"""The number of topics that documents support.

By default there is one topic per 100 distinct documents, at most 20: with few documents, the words of fewer topics are
more coherent in other documents (`benchmarks/topics/map_constants.py`). A given number is kept unless there are fewer
than five distinct documents per topic.
"""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Counts
from driftline.core.results import counted
from driftline.topics.map_candidates import row_keys

DISTINCT_PER_TOPIC = 5
"""Minimum number of distinct documents per topic."""
MOST_TOPICS, FEWEST_TOPICS, DOCUMENTS_PER_TOPIC = 20, 2, 100
"""Defaults: the maximum and minimum number of topics, and the number of distinct documents per topic."""


def supported_topics(X: Counts, requested: int | None) -> tuple[int, list[str]]:
    """Return the number of topics, and notes on why it is smaller than requested, or than the default.

    >>> from scipy.sparse import csr_array
    >>> supported_topics(csr_array(np.eye(300)), None)
    (3, ['3 instead of 20 topics: there are 300 distinct documents, and by default a topic needs 100'])
    >>> supported_topics(csr_array(np.eye(300)), 20)
    (20, [])
    """
    distinct = len(np.unique(row_keys(X)[np.diff(X.indptr) > 0]))
    wanted, needed, why = requested or MOST_TOPICS, DISTINCT_PER_TOPIC, "a topic needs"
    possible = max(1, distinct // DISTINCT_PER_TOPIC) if distinct > 1 else 1
    if requested is None and possible > FEWEST_TOPICS:
        possible = min(possible, max(FEWEST_TOPICS, distinct // DOCUMENTS_PER_TOPIC))
        needed, why = DOCUMENTS_PER_TOPIC, "by default a topic needs"
    if possible >= wanted:
        return wanted, []
    there = f"there {'is' if distinct == 1 else 'are'} {counted(distinct, 'distinct document')}"
    return possible, [f"{possible} instead of {wanted} topics: {there}, and {why} {needed}"]


def fewer_found(found: int, n_topics: int) -> list[str]:
    """Return a note if fewer topics were found than the documents could support.

    >>> fewer_found(2, 3), fewer_found(3, 3)
    (['2 instead of 3 topics: the documents form no more clusters'], [])
    """
    return [f"{found} instead of {n_topics} topics: the documents form no more clusters"] if found < n_topics else []

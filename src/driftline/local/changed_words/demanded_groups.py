"""Decision whether a test must also permute whole authors, because days are not independent given the authors.

An author who joins, writes about one subject for weeks and leaves makes every word of that subject seem to change.
Therefore all documents of each author are shifted cyclically in the stream together, by a separate offset per author.
Then only the set of active authors changes, and a test that permutes days should find 5 % of the words at p < 0.05. If
it finds more than `MOST_BELOW`, days are not exchangeable, and a lasting change must also be significant when authors
are permuted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats, Ints, Times
from driftline.core.randomness import Seed, generator
from driftline.streams.exchange import FEWEST_FOR_LASTING

MOST_BELOW = 0.1
"""Share of words at p < 0.05, if only the active authors change, above which days are not exchangeable."""
N_WORDS = 500
"""Number of words examined: the most frequent of those in at most half of the documents."""
N_SHIFTS = 2


def demanded_groups(
    p_values: Callable[[Times], Floats], times: Times, groups: Mapping[str, Ints], *, random_state: Seed = 0
) -> str | None:
    """Return the name of the first groups that a test must permute besides units of time; None if these suffice.

    `p_values` tests words by units of time, with documents at the given times. If there are fewer than
    `FEWEST_FOR_LASTING` groups, they cannot be tested, and only units of time are used.
    """
    for name, codes in groups.items():
        if len(np.unique(codes)) < FEWEST_FOR_LASTING:
            continue
        if share_below(p_values, times, codes, random_state=random_state) > MOST_BELOW:
            return name
    return None


def share_below(
    p_values: Callable[[Times], Floats], times: Times, groups: Ints, *, level: float = 0.05, random_state: Seed = 0
) -> float:
    """Return the share of words with p-values below `level` by units if whole groups are shifted in the stream."""
    rng = generator(random_state)
    found = [p_values(shifted(times, groups, rng)) for _ in range(N_SHIFTS)]
    return float(np.mean([np.mean(each < level) if len(each) else 0.0 for each in found]))


def frequent_columns(counts: sp.csr_array) -> Ints:
    """Return the columns of the `N_WORDS` most frequent words of those in at most half of the documents.

    >>> frequent_columns(sp.csr_array(np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1]])))
    array([1, 2])
    """
    held = np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1])
    order = np.argsort(-held, kind="stable")
    found: Ints = order[held[order] <= counts.shape[0] / 2][:N_WORDS]
    return found


def shifted(times: Times, groups: Ints, rng: np.random.Generator) -> np.ndarray:
    """Return times with the documents of every group shifted cyclically together, by rank; counts per time stay.

    >>> moved = shifted(np.arange(6).astype("datetime64[D]"), np.zeros(6, dtype=np.int64), np.random.default_rng(0))
    >>> np.diff(moved.astype(np.int64)) % 6
    array([1, 1, 1, 1, 1])
    """
    times = np.asarray(times)
    n = len(times)
    rank = np.argsort(np.argsort(times, kind="stable"), kind="stable")
    offset = rng.integers(0, max(n, 1), int(groups.max(initial=-1)) + 1)
    result = np.empty_like(times)
    result[np.argsort((rank + offset[groups]) % max(n, 1), kind="stable")] = np.sort(times)
    return result

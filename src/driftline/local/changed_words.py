"""Which words changed their use over time, with the share of false discoveries under control."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import false_discovery_control
from sklearn.utils.validation import check_array

from driftline.core.arrays import Bools, Counts, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.times import TimeAxis
from driftline.local.day_sharing import day_sharing, typical_excess
from driftline.local.permutation_null import PermutationNull
from driftline.smoothing.grouping import group_sums

_GRID = 256
_CHUNK = 2000
SHARED_DAYS = 1.25
"""Above this ratio of day-to-day variation to what independent documents explain, whole days are permuted."""
_FEWEST_DAYS = 100
_FEW_DAYS = 20


class ChangedWords(NamedTuple):
    """What `changed_words` found: one value per word tested, in the order of the columns.

    `columns` are the columns of the words, `words` the words themselves (None without a vocabulary). `changed` marks
    those called changed at the `false_discovery_rate`; `q_value` is the rate at which a word would still be called so.
    `information`, in nats, says how much is gained by knowing the word's course: it ranks the changed.
    `permuted` is what was permuted, "documents" or "days".
    """

    columns: Ints
    words: Any
    n_uses: Floats
    n_documents: Ints
    p_value: Floats
    q_value: Floats
    changed: Bools
    information: Floats
    false_discovery_rate: float
    permuted: str

    def ranking(self) -> Ints:
        """Return the places (in these arrays) of the changed words, the most informative first."""
        places = np.flatnonzero(self.changed)
        return places[np.argsort(-self.information[places], kind="stable")]


def changed_words(
    X: Counts,
    *,
    times: Any = None,
    vocabulary: Any = None,
    permute: Literal["auto", "documents", "days"] = "auto",
    false_discovery_rate: float = 0.05,
    min_documents: int = 5,
    n_permutations: int = 50,
    random_state: Any = 0,
    verbose: bool = False,
) -> ChangedWords:
    """Test every word of at least `min_documents` documents for a change of its share over time.

    The evidence is in how a word's uses lean towards cosines of time (measured in words written so far), from one slow
    wave to over a hundred quick ones. What it is worth is found by permuting documents, so documents may
    repeat their words as much as they like. Where whole days share an event, permute ``"days"``: then a word must stay
    changed for longer than a day. ``"auto"`` does so when neighbouring days differ by clearly more than
    independent documents would; where they differ by a little more, documents are permuted and what is typical for
    words of like use is taken as noise. (With plain numbers as times, a day is a distinct time.) Significance is
    controlled by the procedure of Benjamini and Hochberg.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> rates = np.column_stack([np.full(500, 30.0), np.full(500, 20.0), np.linspace(0.2, 1.8, 500)])
    >>> found = changed_words(rng.poisson(rates), vocabulary=["the", "of", "war"])
    >>> [found.words[i] for i in found.ranking()]
    ['war']
    """
    if permute not in ("auto", "documents", "days"):
        raise InvalidInput(f"permute must be 'auto', 'documents' or 'days', not {permute!r}")
    if not 0 < false_discovery_rate < 1:
        raise InvalidInput(f"false_discovery_rate must lie between 0 and 1, not {false_discovery_rate!r}")
    X = sp.csr_array(check_array(X, accept_sparse="csr", dtype=np.float64))
    if X.nnz and X.data.min() < 0:
        raise InvalidInput("Negative values in the counts; pass how often each word occurs")
    axis = TimeAxis.of(times)
    t = axis.values(times, n=X.shape[0])
    tokens = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    order = np.argsort(t, kind="stable")
    order = order[tokens[order] > 0]
    X, t, tokens = X[order], t[order], tokens[order]
    n_documents = np.bincount(X.indices[X.data > 0], minlength=X.shape[1])
    columns = np.flatnonzero(n_documents >= max(min_documents, 1))
    counts = sp.csc_array(X)[:, columns]
    days = np.unique(np.floor(t) if axis.kind == "datetime" else t, return_inverse=True)[1]
    excess = np.ones(len(columns))
    if permute == "auto":
        n_days = int(days.max(initial=-1)) + 1
        shared = n_days >= _FEWEST_DAYS and day_sharing(counts, tokens, days) > SHARED_DAYS
        permute = "days" if shared else "documents"
        if not shared and _FEW_DAYS <= n_days < len(tokens):
            excess = typical_excess(counts, tokens, days, random_state)
    if permute == "days":
        gather = sp.csr_array((np.ones(len(days)), (days, np.arange(len(days)))))
        counts = sp.csc_array(gather @ counts)
        tokens = gather @ tokens
        places = np.arange(len(tokens))
    else:
        places = np.unique(t, return_inverse=True)[1]
    p_value, information = _test(counts, tokens, places, excess, n_permutations, random_state, verbose)
    q_value = false_discovery_control(p_value) if len(p_value) else p_value
    return ChangedWords(
        columns=columns,
        words=None if vocabulary is None else np.asarray(list(vocabulary), dtype=object)[columns],
        n_uses=np.asarray(counts.sum(axis=0), dtype=np.float64).ravel(),
        n_documents=n_documents[columns],
        p_value=p_value,
        q_value=q_value,
        changed=q_value <= false_discovery_rate,
        information=information,
        false_discovery_rate=false_discovery_rate,
        permuted=permute,
    )


def _test(
    counts: sp.csc_array,
    tokens: Floats,
    places: Ints,
    excess: Floats,
    n_permutations: int,
    random_state: Any,
    verbose: bool,
) -> tuple[Floats, Floats]:
    n_places = int(places.max(initial=-1)) + 1
    n_words = counts.shape[1]
    if n_places < 2 or len(tokens) < 4 or not n_words:
        return np.ones(n_words), np.zeros(n_words)
    by_place = group_sums(places, tokens, n_places)
    token_share = ((np.cumsum(by_place) - by_place / 2) / by_place.sum())[places]
    null = PermutationNull(counts, tokens, token_share)
    scores = null.scores()
    energies = null.energies(scores) / excess
    p_value = null.p_values(null.evidence(energies), n_permutations, random_state, verbose=verbose)
    return p_value, _information(null, scores, energies * excess)


def _information(null: PermutationNull, scores: Floats, energies: Floats) -> Floats:
    """Return Σ N_t p (r log r - r + 1) with r the word's relative course, a cosine series freed of its noise."""
    result = np.empty(len(scores))
    centre = (np.arange(_GRID) + 0.5) / _GRID
    waves = np.sqrt(2.0) * np.cos(np.pi * np.outer(np.arange(1, scores.shape[1] + 1), centre))
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = np.where(energies > 0, np.maximum(1 - null.mean / energies, 0.0), 0.0)
    for start in range(0, len(scores), _CHUNK):
        part = slice(start, start + _CHUNK)
        coefficients = scores[part] / np.maximum(null.totals[part, None], 1e-300)
        for group, factor in zip(null.groups, kept[:, part]):
            coefficients[:, group] *= factor[:, None]
        course = np.maximum(1 + coefficients @ waves, 1e-9)
        result[part] = null.totals[part] * (course * np.log(course) - course + 1).mean(axis=1)
    return result

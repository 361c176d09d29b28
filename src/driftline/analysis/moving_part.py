"""The part of the language that moves: the words that changed, and all others as one.

Most words never change, and each brings its own noise. Together they hide the few that move: a bandwidth chosen for all
words suits the still ones. Merging every word that did not change into one column keeps all tokens, all movement that
was found, and none of that noise.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Ints
from driftline.streams.corpus import Corpus


def moving_part(corpus: Corpus, columns: Ints) -> Counts:
    """Return documents × (the words `columns`, then all others together); every word if none is named.

    >>> small = Corpus.from_texts(["war and peace", "peace and quiet"], ["1805-01-01", "1820-01-01"], min_df=1)
    >>> [str(word) for word in small.vocabulary.words]
    ['peace', 'quiet', 'war']
    >>> moving_part(small, np.array([2])).toarray()
    array([[1., 1.], [0., 2.]])
    """
    if not len(columns):
        return corpus.counts
    named = sp.csr_array(corpus.counts[:, columns], dtype=np.float64)
    others = np.asarray(corpus.counts.sum(axis=1)).ravel() - np.asarray(named.sum(axis=1)).ravel()
    return sp.csr_array(sp.hstack([named, sp.csr_array(others[:, None])]))

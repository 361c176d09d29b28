from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.streams import near_copies
from driftline.streams.near_copies import FEWEST_WORDS, MOST_COMPARED, distinct_texts
from tests.oracles import near_copies as oracle


def varied(rng, n_documents=300, n_words=40):
    """Documents of which many copy an earlier one with a few words exchanged."""
    documents = []
    for _ in range(n_documents):
        if documents and rng.random() < 0.6:
            words = set(documents[rng.integers(len(documents))])
            words ^= set(rng.integers(0, n_words, rng.integers(0, 4)).tolist())
        else:
            words = set(rng.integers(0, n_words, rng.integers(0, 25)).tolist())
        documents.append(words)
    counts = np.zeros((n_documents, n_words))
    for row, words in enumerate(documents):
        counts[row, list(words)] = rng.integers(1, 4, len(words))
    return documents, counts


@pytest.mark.parametrize("least_similarity", [0.5, 0.7, 0.8, 1.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("block", [1, 1000, near_copies.BLOCK])
def test_texts_are_those_of_comparing_all_pairs(seed, least_similarity, block, monkeypatch):
    monkeypatch.setattr(near_copies, "BLOCK", block)
    rng = np.random.default_rng(seed)
    documents, counts = varied(rng)
    units = rng.integers(0, 5, len(documents))
    found = distinct_texts(sp.csr_array(counts), units, least_similarity=least_similarity)
    assert found.tolist() == oracle.distinct_texts(documents, units, least_similarity, FEWEST_WORDS)
    assert found.max() + 1 < len(documents)


def test_a_flood_is_one_text_and_the_next_day_another():
    rng = np.random.default_rng(0)
    flood = np.zeros((5000, 600))
    flood[:, :10] = 1
    flood[np.arange(5000), rng.integers(10, 600, 5000)] = 1
    assert distinct_texts(sp.csr_array(flood), np.arange(5000) // 2500).tolist() == [0] * 2500 + [1] * 2500


def test_more_texts_of_one_word_than_are_compared_still_end():
    n = 3 * MOST_COMPARED
    counts = np.zeros((n, 1 + 8 * n))
    counts[:, 0] = 1
    for row in range(n):
        counts[row, 1 + 8 * row : 9 + 8 * row] = 1
    assert len(set(distinct_texts(sp.csr_array(counts), np.zeros(n, dtype=int)).tolist())) == n


def test_empty_and_very_short_documents_copy_none():
    counts = sp.csr_array(np.array([[0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1]]))
    assert distinct_texts(counts, np.zeros(4, dtype=int)).tolist() == [0, 1, 2, 3]
    assert len(distinct_texts(counts[:0], np.zeros(0, dtype=int))) == 0


def test_stored_zeros_are_not_words():
    counts = sp.csr_array(np.ones((2, 8)))
    counts.data[8 + 4 :] = 0.0
    assert distinct_texts(counts, np.zeros(2, dtype=int)).tolist() == [0, 1]


@pytest.mark.parametrize("wrong", [0, -1, 1.5, float("nan")])
def test_a_similarity_that_is_none_is_refused(wrong):
    with pytest.raises(InvalidInput, match="least_similarity"):
        distinct_texts(sp.csr_array((2, 2)), np.zeros(2, dtype=int), least_similarity=wrong)

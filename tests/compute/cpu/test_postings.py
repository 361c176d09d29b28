from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.oracles import search as oracle

from driftline.compute.cpu import postings


def random_documents(seed, n=30, n_terms=5):
    rng = np.random.default_rng(seed)
    documents = []
    for length in rng.integers(0, 25, n):
        places = np.flatnonzero(rng.random(length) < 0.8)  # the gaps are stop words
        documents.append({int(place): int(rng.integers(n_terms)) for place in places})
    return documents


def gathered(documents, n_terms=5):
    terms = np.array([term for d in documents for term in d.values()], dtype=np.int64)
    places = np.array([place for d in documents for place in d], dtype=np.int64)
    offsets = np.cumsum([0, *map(len, documents)])
    return postings.gather_postings(terms, offsets, places, n_terms)


def test_postings_list_every_position_of_every_term():
    documents = random_documents(0)
    term_offsets, docs, position_offsets, positions = gathered(documents)
    for term in range(5):
        found = {}
        for p in range(term_offsets[term], term_offsets[term + 1]):
            found[int(docs[p])] = positions[position_offsets[p] : position_offsets[p + 1]].tolist()
        wanted = {i: [place for place, t in d.items() if t == term] for i, d in enumerate(documents)}
        assert found == {i: places for i, places in wanted.items() if places}


def test_no_documents_have_no_postings():
    term_offsets, docs, position_offsets, positions = gathered([], 0)
    assert (term_offsets.tolist(), len(docs), position_offsets.tolist(), len(positions)) == ([0], 0, [0], 0)


@pytest.mark.parametrize("seed", range(4))
def test_phrases_and_windows_are_counted_as_by_looking_everywhere(seed):
    documents = random_documents(seed)
    arrays = gathered(documents)
    shifts = {2: [(0, 1), (0, 2)], 3: [(0, 1, 2), (0, 2, 3)]}
    for size in (2, 3):
        for terms in itertools.product(range(5), repeat=size):
            for shift in shifts[size]:
                found = postings.count_together(np.array(terms), np.array(shift), 0, *arrays)
                wanted = {i: oracle.phrase_count(d, terms, shift) for i, d in enumerate(documents)}
                assert dict(zip(*map(np.ndarray.tolist, found))) == {i: n for i, n in wanted.items() if n}
            if len(set(terms)) < size:
                continue
            for width in (2, 4, 8):
                found = postings.count_together(np.array(terms), np.zeros(1, np.int64), width, *arrays)
                wanted = {i: oracle.window_count(d, terms, width) for i, d in enumerate(documents)}
                assert dict(zip(*map(np.ndarray.tolist, found))) == {i: n for i, n in wanted.items() if n}


def test_a_rare_term_is_found_far_down_a_long_list():
    documents = [{0: 0, 1: 1} if i in (3, 700, 999) else {0: 0} for i in range(1000)]
    found, counts = postings.count_together(np.array([0, 1]), np.array([0, 1]), 0, *gathered(documents, 2))
    assert found.tolist() == [3, 700, 999]
    assert counts.tolist() == [1, 1, 1]

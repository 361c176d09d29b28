"""Counted words of stories: the kernels against plain dictionaries."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.compute.cpu.story_words import add_documents, heaviest_words, outline_cosines, select_rows


def parts(X):
    X = sp.csr_matrix(X, dtype=np.float64)
    return X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data


def dense(offsets, columns, amounts, n_words):
    return sp.csr_matrix((amounts, columns, offsets), shape=(len(offsets) - 1, n_words)).toarray()


@pytest.fixture
def counts():
    return np.random.default_rng(0).poisson(0.6, (9, 7)).astype(float)


@pytest.mark.parametrize("first", [0, 2])
def test_documents_are_added_to_their_rows_and_new_rows_come_last(counts, first):
    held, documents = counts[:3], counts[3:]
    owners = np.array([4, 1, -1, 1, 3, 4])[first:]
    offsets, columns, amounts = add_documents(*parts(held), 5, owners, first, *parts(documents), 7)
    expected = [Counter(dict(enumerate(row))) for row in [*held, np.zeros(7), np.zeros(7)]]
    for owner, row in zip(owners, documents[first:]):
        if owner >= 0:
            expected[owner].update(dict(enumerate(row)))
    assert np.array_equal(dense(offsets, columns, amounts, 7), [[row[v] for v in range(7)] for row in expected])
    assert all((np.diff(columns[a:b]) > 0).all() for a, b in itertools.pairwise(offsets))


def test_rows_are_selected_in_the_given_order(counts):
    rows = np.array([5, 0, 3])
    assert np.array_equal(dense(*select_rows(*parts(counts), rows), 7), counts[rows])


@pytest.mark.parametrize("n", [1, 3, 10])
def test_heaviest_words_are_those_of_a_stable_sort(counts, n):
    weights = np.array([1.0, 2.0, 1.0, 0.5, 1.0, 2.0, 1.0])
    rows = np.array([8, 2, 4])
    found, values = heaviest_words(*parts(counts), rows, weights, n)
    for place, row in enumerate(rows):
        words = [v for v in range(7) if counts[row, v] > 0]
        words = sorted(words, key=lambda v: (-counts[row, v] * weights[v], v))[:n]
        expected = np.array([counts[row, v] * weights[v] for v in words])
        assert found[place].tolist() == words + [-1] * (n - len(words))
        assert np.allclose(values[place, : len(words)], expected / np.linalg.norm(expected))
        assert (values[place, len(words) :] == 0).all()


def test_cosines_of_outlines_are_those_of_dense_rows(counts):
    found = heaviest_words(*parts(counts), np.arange(9), np.ones(7), 4)
    full = np.zeros((9, 7))
    for row, (columns, values) in enumerate(zip(*found)):
        full[row, columns[columns >= 0]] = values[columns >= 0]
    some, others = (found[0][:4], found[1][:4]), (found[0][4:], found[1][4:])
    assert np.allclose(outline_cosines(*some, *others, 7), full[:4] @ full[4:].T)

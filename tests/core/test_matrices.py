from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.core.matrices import LARGEST_VALUE, canonical_rows, check_structure, check_values, index_arrays
from tests.contracts.layouts import DENSE, LAYOUTS, MALFORMED
from tests.contracts.samples import counts


@pytest.mark.parametrize("layout", [*LAYOUTS, *DENSE])
def test_equal_matrices_become_equal_arrays(layout):
    X = counts().X
    found = canonical_rows({**LAYOUTS, **DENSE}[layout](X))
    assert type(found) is sp.csr_matrix
    for name in ("data", "indices", "indptr"):
        part, plain = getattr(found, name), getattr(X, name)
        np.testing.assert_array_equal(part, plain)
        assert part.flags.carray, f"{name} is not what compiled code knows"
        assert part.dtype.isnative


def test_a_canonical_matrix_is_not_copied():
    X = counts().X
    found = canonical_rows(X)
    assert all(np.shares_memory(getattr(found, name), getattr(X, name)) for name in ("data", "indices", "indptr"))


def test_the_given_matrix_is_not_changed():
    X = LAYOUTS["explicit zeros"](counts().X)
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    canonical_rows(X)
    for old, new in zip(before, (X.data, X.indices, X.indptr)):
        np.testing.assert_array_equal(old, new)


def test_values_that_cancel_are_dropped():
    X = sp.csr_matrix(([1.0, -1.0, 2.0], [0, 0, 1], [0, 3]), shape=(1, 2))
    assert canonical_rows(X).indices.tolist() == [1]


@pytest.mark.parametrize("how", MALFORMED)
def test_damage_is_found_before_anything_runs(how):
    with pytest.raises(InvalidInput, match="X is a damaged sparse matrix"):
        check_structure(MALFORMED[how](counts().X))


def test_damage_in_rare_formats():
    X = counts().X
    blocks, lists, diagonals = X.tobsr((2, 3)), X.tolil(), sp.dia_matrix(np.eye(4))
    blocks.indices = blocks.indices + 4
    lists.rows[3].append(2)
    diagonals.offsets = np.array([0, 1])
    for damaged in (blocks, lists, diagonals):
        with pytest.raises(InvalidInput, match="damaged"):
            check_structure(damaged)
    outside = X.tolil()
    outside.rows[3][0] = 10**6
    with pytest.raises(InvalidInput, match="damaged"):
        canonical_rows(outside)


@pytest.mark.parametrize("X", [counts().X, counts().X.tocsc(), counts().X.tolil(), sp.dia_matrix(np.eye(4)), [[1]]])
def test_sound_matrices_pass(X):
    check_structure(X)


@pytest.mark.parametrize("X", [["a b", "c"], ("a b",), np.array(["a b", "c"]), np.array(["a b"], dtype=object)])
def test_texts_are_refused_with_what_to_do(X):
    with pytest.raises(InvalidInput, match=r"X contains texts, but numbers are needed.*from_texts.*TextClassifier"):
        check_structure(X)


def test_one_dimension_is_refused():
    with pytest.raises(InvalidInput, match="1 dimensions"):
        check_structure(sp.coo_array(np.arange(3)))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2 * LARGEST_VALUE, -2 * LARGEST_VALUE])
def test_values_have_a_limit(value):
    check_values(np.array([0.0, LARGEST_VALUE, -LARGEST_VALUE]))
    check_values(np.array([]))
    with pytest.raises(InvalidInput, match=r"NaN or infinity|scale the data down"):
        check_values(np.array([0.0, value]))


def test_index_arrays_have_one_type_whatever_scipy_chose():
    X = counts().X
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    for given in (X, wide, sp.csc_array(X)):
        pointers, indices = index_arrays(given)
        assert (pointers.dtype, indices.dtype) == (np.int64, np.int32)
        np.testing.assert_array_equal(pointers, given.indptr)
        np.testing.assert_array_equal(indices, given.indices)


def test_indices_that_do_not_fit_stay_wide():
    X = sp.csr_array((1, 2**31 + 1), dtype=np.float64)
    assert index_arrays(X)[1].dtype == np.int64

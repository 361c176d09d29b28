from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.coding import SparseTopicalCoding
from driftline.core.errors import InvalidInput
from tests.oracles import topical_coding as oracle


def two_subjects(n=30, seed=0):
    rng = np.random.default_rng(seed)
    shares = np.zeros((n, 10))
    shares[: n // 2, :5], shares[n // 2 :, 5:] = (
        rng.dirichlet(np.ones(5), n // 2),
        rng.dirichlet(np.ones(5), n - n // 2),
    )
    return np.array([rng.multinomial(25, row) for row in shares])


def test_subjects_are_found_and_documents_coded_by_them():
    X = two_subjects()
    model = SparseTopicalCoding(2, random_state=0).fit(X)
    codes = model.transform(X)
    first = codes[:15].sum(axis=0).argmax()
    assert (codes[:15].argmax(axis=1) == first).mean() > 0.9
    assert (codes[15:].argmax(axis=1) == 1 - first).mean() > 0.9
    np.testing.assert_allclose(model.topics_.sum(axis=1), 1)
    assert {len(set(top) & set(range(5))) for top in model.top_words(5)} == {0, 5}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("code_tol", [1e-10, 1e-5, 1e-2])
def test_the_objective_falls_however_exact_the_codes_are(seed, code_tol):
    X = two_subjects(seed=seed)
    model = SparseTopicalCoding(3, random_state=seed, tol=0, max_iter=15, code_tol=code_tol).fit(X)
    assert len(model.objectives_) > 3
    assert np.diff(model.objectives_).max() <= 1e-9 * abs(model.objectives_[0])
    assert model.objectives_[-1] < model.objectives_[0]


def test_a_price_makes_codes_sparse():
    X = two_subjects()
    free = SparseTopicalCoding(4, alpha=0.0, word_alpha=0.0, random_state=0).fit_transform(X)
    priced = SparseTopicalCoding(4, alpha=2.0, random_state=0).fit_transform(X)
    assert (priced == 0).mean() > (free == 0).mean()


def test_empty_documents_and_new_words():
    X = sp.csr_matrix(np.hstack([two_subjects(), np.zeros((30, 1), dtype=int)]))
    model = SparseTopicalCoding(2, random_state=0).fit(X)
    asked = np.zeros((2, 11))
    asked[1, 10] = 5
    assert not model.transform(asked).any()


def test_order_and_names():
    model = SparseTopicalCoding(2, random_state=0, vocabulary=list("abcdefghij")).fit(two_subjects())
    assert set(model.top_words(1)[0][0]) <= set("abcdefghij")
    assert model.get_feature_names_out()[0] == "sparsetopicalcoding0"


def test_all_zero_is_refused():
    with pytest.raises(InvalidInput, match="no document has a word"):
        SparseTopicalCoding(2).fit(np.zeros((3, 4)))


def test_transform_is_the_minimiser_of_a_documents_objective():
    model = SparseTopicalCoding(2, random_state=0, code_tol=1e-13).fit(two_subjects())
    asked = np.array([[2, 0, 1, 0, 0, 3, 0, 0, 0, 1]], dtype=float)
    theta = model.transform(asked)[0]
    best = oracle.best_objective(asked[0], model.topics_, 0.1, 0.1, 0.01)
    codes = np.array([_word_code(w, model.topics_[:, v], theta) for v, w in enumerate(asked[0]) if w])
    value = oracle.objective(asked[0], codes, theta, model.topics_, 0.1, 0.1, 0.01)
    assert value == pytest.approx(best, rel=1e-3)


def _word_code(w, beta, theta):
    """The best code of a word given the document's, by bisection on s·β."""
    code = lambda mixed: np.maximum(0, theta - 0.05 + (w / mixed - 1) * beta / 0.2)
    low, high = 1e-9, 1e3
    for _ in range(200):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if code(middle) @ beta > middle else (low, middle)
    return code(high)


def test_one_word_codes_to_the_topic_that_has_it():
    model = SparseTopicalCoding(2, random_state=0).fit(two_subjects())
    first = int(model.topics_[:, :5].sum(axis=1).argmax())
    codes = model.transform(np.eye(10)[[1, 7]] * 4)
    assert codes.argmax(axis=1).tolist() == [first, 1 - first]


def test_the_number_of_threads_and_the_company_do_not_matter():
    X = two_subjects()
    one = SparseTopicalCoding(2, random_state=0, n_jobs=1).fit(X)
    two = SparseTopicalCoding(2, random_state=0, n_jobs=2).fit(X)
    np.testing.assert_array_equal(one.topics_, two.topics_)
    np.testing.assert_array_equal(one.transform(X)[3:5], one.transform(X[3:5]))

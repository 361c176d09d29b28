from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.base.checked_matrices import checked_counts, checked_features, safe_rows
from driftline.core.errors import InvalidInput
from driftline.evaluation.coherence import coherence
from driftline.evaluation.perplexity import document_completion
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.corpus import Corpus
from tests.contracts.layouts import LAYOUTS, MALFORMED
from tests.contracts.samples import counts

WORDS = [f"w{i}" for i in range(12)]
FUNCTIONS = {
    "checked_counts": checked_counts,
    "changed_words": lambda X: changed_words(X, times=range(X.shape[0]), n_permutations=20, random_state=1).p_value,
    "coherence": lambda X: coherence(np.eye(2, 12), X, n_words=3),
    "document_completion": lambda X: document_completion(np.ones((1, 12)), X),
    "Corpus": lambda X: Corpus(X, np.arange(24), WORDS).counts,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_check_as_estimators_do(name):
    X = counts().X
    plain, messy = FUNCTIONS[name](X), FUNCTIONS[name](LAYOUTS["all at once"](X))
    if sp.issparse(plain):
        plain, messy = plain.toarray(), messy.toarray()
    np.testing.assert_allclose(messy, plain)
    for damaged in MALFORMED.values():
        with pytest.raises(InvalidInput, match="damaged"):
            FUNCTIONS[name](damaged(X))
    with pytest.raises(InvalidInput, match="scale the data down"):
        FUNCTIONS[name](X * 1e200)


def test_negative_counts_name_the_document():
    with pytest.raises(InvalidInput, match="document 1 counts a word -2 times"):
        checked_counts([[1, 0], [0, -2]])


def test_other_people_s_input_passes():
    assert checked_features(["a text", "another"]) == ["a text", "another"]
    assert checked_features(np.array([1, 2])).dtype == np.float64
    assert np.isnan(checked_features(np.array([np.nan, 2.0]))[0])
    assert checked_features(sp.csr_matrix(np.eye(2, dtype=np.float32))).dtype == np.float64
    with pytest.raises(InvalidInput, match="scale"):
        checked_features(np.array([1e300]))


def test_complex_values_are_left_to_scikit_learn():
    assert safe_rows(sp.csr_matrix(np.eye(2) * 1j)).dtype.kind == "c"

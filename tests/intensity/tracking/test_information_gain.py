"""Expected information gain against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from tests.intensity.streams import small_model, stream_model
from tests.oracles.intensity import level_matrix, posterior_by_enumeration

from driftline.intensity.tracking.exact import infer_exact
from driftline.intensity.tracking.information_gain import expected_gain, most_informative


def entropy(topics):
    return -(topics * np.log(np.maximum(topics, 1e-300))).sum()


@pytest.mark.parametrize("document", [0, 2])
def test_gain_equals_enumeration(document):
    model = small_model(0, n=4)
    matrices = [level_matrix(model.theta, 2)] * 4

    def enumerated(text):
        return posterior_by_enumeration(text, model.gaps, model.rates, matrices, model.prior)[1]

    plain = enumerated(model.text)
    gain = entropy(plain)
    for k in range(2):
        reported = model.text.copy()
        reported[document] = np.eye(2)[k]
        gain -= plain[document, k] * entropy(enumerated(reported))
    assert expected_gain(model, infer_exact, document, window=10) == pytest.approx(gain, abs=1e-9)
    assert gain > 0


def test_a_document_that_others_depend_on_is_asked_first():
    """Two documents in equal doubt: one alone in time, one in the midst of others in doubt."""
    model, _, _ = stream_model(1, n=60, n_topics=2)
    text = np.tile([1.0, 0.05], (60, 1))
    text[30:60:2] = [0.05, 1.0]
    text[10] = [1.0, 1.0]
    text[40:46] = [1.0, 1.0]
    model = model._replace(text=text, gaps=np.ones(60))
    topic_proba = infer_exact(model).topic_proba
    found = most_informative(model, infer_exact, topic_proba, np.full(60, -1), n=2, window=60, n_candidates=10)
    assert set(found.documents) <= set(range(40, 46))
    assert (np.diff(found.gains) <= 0).all()


def test_what_is_known_is_not_asked():
    model, _, _ = stream_model(2, n=30, n_topics=2)
    known = np.zeros(30, dtype=int)
    known[7] = -1
    found = most_informative(model, infer_exact, infer_exact(model).topic_proba, known, n=5, window=5, n_candidates=9)
    assert found.documents.tolist() == [7]

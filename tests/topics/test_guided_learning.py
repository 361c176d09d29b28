"""Priors of documents under a guide: the sum of labels and of the shares of linked documents."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.inference.guide_arrays import DocumentWishes
from driftline.topics.guided_learning import guided_priors

LABELS = sp.csr_array(np.array([[0.0, 50.0], [0.0, 0.0]]))
LINKS = sp.csr_array(np.array([[0.0, 20.0], [0.0, 0.0]]))
SHARES = np.array([[0.9, 0.1], [0.25, 0.75]])


def test_labels_and_links_are_added():
    found = guided_priors(DocumentWishes(LABELS, None, LINKS), SHARES)
    np.testing.assert_allclose(found.toarray(), [[5.0, 65.0], [0.0, 0.0]])


def test_probabilities_of_a_classifier_are_not_sharpened_for_shares():
    plain = sp.csr_array(np.array([[10.0, 40.0], [0.0, 0.0]]))
    np.testing.assert_allclose(
        guided_priors(DocumentWishes(LABELS, None, None, plain), SHARES).toarray(), plain.toarray()
    )


def test_without_wishes_there_is_nothing_to_add():
    assert guided_priors(DocumentWishes(None, None, None), SHARES) is None

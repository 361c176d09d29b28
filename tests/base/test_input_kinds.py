from __future__ import annotations

import pytest
from sklearn.utils import get_tags

from driftline.coding import LocalContextSparseCoding, LocallyWeightedBagOfWords
from driftline.intensity import WordBursts
from driftline.local import LocalMultinomial, LocalNaiveBayes, LocalNGram
from driftline.topics import LDA, PLSA


@pytest.mark.parametrize("model", [LDA(), PLSA(), LocalMultinomial(), LocalNaiveBayes(), WordBursts()])
def test_counts_may_be_sparse_and_are_not_negative(model):
    tags = get_tags(model).input_tags
    assert tags.sparse
    assert tags.positive_only
    assert tags.two_d_array


@pytest.mark.parametrize("model", [LocalNGram(), LocalContextSparseCoding(), LocallyWeightedBagOfWords()])
def test_sequences_are_no_table(model):
    tags = get_tags(model)
    assert not tags.input_tags.two_d_array
    assert tags.no_validation

from __future__ import annotations

import pytest
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.utils import get_tags

from driftline.coding import LocalContextSparseCoding, LocallyWeightedBagOfWords
from driftline.graphs import LinkedClassifier
from driftline.intensity import IntensityClassifier, TopicDriftTracker, WordBursts
from driftline.local import ForwardClassifier, LocalLogisticRegression, LocalMultinomial, LocalNaiveBayes, LocalNGram
from driftline.nonparametric import CluStream, IndianBuffet
from driftline.topics import LDA, PLSA


@pytest.mark.parametrize("model", [LDA(), PLSA(), LocalMultinomial(), LocalNaiveBayes(), WordBursts()])
def test_counts_may_be_sparse_and_are_not_negative(model):
    tags = get_tags(model).input_tags
    assert tags.sparse
    assert tags.positive_only
    assert tags.two_d_array


@pytest.mark.parametrize(
    "model", [LocalLogisticRegression(), ForwardClassifier(), TopicDriftTracker(), IndianBuffet(), CluStream()]
)
def test_rows_may_be_sparse_and_negative(model):
    tags = get_tags(model).input_tags
    assert tags.sparse
    assert not tags.positive_only


@pytest.mark.parametrize("kind", [LinkedClassifier, IntensityClassifier])
def test_input_is_that_of_the_estimator_inside(kind):
    assert get_tags(kind()).input_tags.sparse
    assert not get_tags(kind(GaussianProcessClassifier())).input_tags.sparse
    assert get_tags(kind(LDA())).input_tags.sparse


@pytest.mark.parametrize("model", [LocalNGram(), LocalContextSparseCoding(), LocallyWeightedBagOfWords()])
def test_sequences_are_no_table(model):
    tags = get_tags(model)
    assert not tags.input_tags.two_d_array
    assert tags.no_validation

import numpy as np
import pytest

from driftline.analysis.items import items_of
from driftline.core.errors import InvalidInput
from driftline.streams.corpus import Corpus


def texts(lengths):
    return [" ".join(f"word{i % 7}" for i in range(length)) for length in lengths]


def test_short_documents_are_counted_whole(corpus):
    items = items_of(corpus)
    assert items.noun == "documents"
    assert items.counts is corpus.counts
    np.testing.assert_array_equal(items.times, corpus.times)


def test_long_documents_are_cut_and_no_word_is_lost():
    corpus = Corpus.from_texts(texts([1000, 99, 450, 510]), ["2001-01-01", "2001-01-02", "2001-01-03", "2001-01-04"])
    items = items_of(corpus)
    assert items.noun == "passages"
    assert items.document.tolist() == [0] * 5 + [1] + [2] * 2 + [3] * 3
    np.testing.assert_array_equal(items.times, corpus.times[items.document])
    for row in range(4):
        np.testing.assert_array_equal(items.counts[items.document == row].sum(axis=0), corpus.counts[[row]].sum(axis=0))


def test_the_measure_can_be_chosen():
    corpus = Corpus.from_texts(texts([900, 900]), ["2001-01-01", "2001-01-02"])
    assert items_of(corpus, measure="documents").noun == "documents"
    assert items_of(corpus[:0]).noun == "documents"


def test_without_texts_documents_are_counted():
    corpus = Corpus.from_texts(texts([900, 900]), ["2001-01-01", "2001-01-02"], keep_texts=False)
    assert items_of(corpus).noun == "documents"
    with pytest.raises(InvalidInput, match="keep_texts"):
        items_of(corpus, measure="passages")
    with pytest.raises(InvalidInput, match="measure must be"):
        items_of(corpus, measure="lines")


def test_the_items_of_some_documents():
    corpus = Corpus.from_texts(texts([1000, 99, 450]), ["2001-01-01", "2001-01-02", "2001-01-03"])
    items = items_of(corpus, measure="passages")
    some = items.of_documents(np.array([0, 2]))
    assert some.document.tolist() == [0] * 5 + [1] * 2
    assert some.counts.sum() == corpus.counts[[0, 2]].sum()

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import driftline
from driftline.core.errors import InvalidInput, TimesAssumedWarning
from driftline.streams.any_source import corpus_of, is_source, stream_of
from tests.naming import shown

ROWS = [{"date": "2003-03-20", "text": "war begins"}, {"date": "2003-03-19", "text": "last hours of peace"}]
TEXTS = ["last hours of peace", "war begins"]


@pytest.mark.parametrize("make", [list, pd.DataFrame, pl.DataFrame, pa.Table.from_pylist, driftline.read])
def test_whatever_can_be_read_becomes_a_stream(make):
    assert is_source(make(ROWS))
    assert stream_of(make(ROWS)).table()["text"].to_pylist() == TEXTS


def test_a_stream_and_a_corpus_pass_unchanged():
    stream = driftline.read(ROWS)
    assert stream_of(stream) is stream
    corpus = driftline.Corpus.from_stream(stream)
    assert corpus_of(corpus) is corpus
    assert is_source(stream)
    assert is_source(corpus)


def test_a_corpus_becomes_the_stream_that_it_was_counted_from():
    corpus = driftline.Corpus.from_texts(TEXTS, ["2003-03-19", "2003-03-20"], ["a", None], ids=["x", "y"])
    table = stream_of(corpus).table()
    assert table["text"].to_pylist() == TEXTS
    assert table["id"].to_pylist() == ["x", "y"]
    assert table["label"].to_pylist() == ["a", None]
    assert [str(time.date()) for time in table["time"].to_pylist()] == ["2003-03-19", "2003-03-20"]


def test_a_corpus_without_texts_or_dates_cannot_be_analysed():
    with pytest.raises(InvalidInput, match="keep_texts=True"):
        stream_of(driftline.Corpus.from_texts(TEXTS, ["2003-03-19", "2003-03-20"], keep_texts=False))
    with pytest.raises(InvalidInput, match="dates are needed"):
        stream_of(driftline.Corpus.from_texts(TEXTS, [0.0, 1.0]))


def test_a_source_is_cleaned_before_it_is_counted():
    words = corpus_of([{"date": "2003-03-20", "text": "war begins http://example.org/x"}]).vocabulary
    assert list(words) == ["begins", "war"]


@pytest.mark.parametrize(
    "counts",
    [
        np.ones((2, 2)),
        sp.csr_array(np.ones((2, 2))),
        [[1, 2], [3, 4]],
        [],
        pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(np.eye(2)), columns=["rain", "war"]),
        pd.DataFrame({"rain": [True, False]}),
        pl.DataFrame({"rain": [True, False]}),
        pa.table({"rain": [True, False]}),
        pd.DataFrame({"war": [1, 2], "tax": [0.5, 1.0]}),
        pl.DataFrame({"war": [1, 2]}),
        pa.table({"war": [1, 2]}),
    ],
    ids=shown,
)
def test_numbers_are_counts(counts):
    assert not is_source(counts)


def test_a_corpus_without_times_is_in_order_with_a_warning():
    with pytest.warns(TimesAssumedWarning, match=r"Corpus\.from_texts was given no times"):
        corpus = driftline.Corpus.from_texts(TEXTS)
    assert corpus.times.tolist() == [0.0, 1.0]


def test_the_warning_points_to_the_call():
    with pytest.warns(TimesAssumedWarning) as caught:
        driftline.Corpus.from_texts(TEXTS)
    assert caught[0].filename == __file__


def test_analyse_takes_the_same_sources(tmp_path):
    path = tmp_path / "two.csv"
    pd.DataFrame(ROWS).to_csv(path, index=False)
    for source in (path, str(path), ROWS, pd.DataFrame(ROWS), driftline.Corpus.from_stream(driftline.read(ROWS))):
        assert driftline.analyse(source).source.n_documents == 2

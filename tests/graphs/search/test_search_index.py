from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.graphs.search import SearchIndex, TermDependenceRanker, search_index
from driftline.streams.stream import Stream
from driftline.text.tokenise import Tokenizer

WORDS = ["gas", "pipeline", "burst", "football", "results", "the"]


def documents(n, seed=0):
    rng = np.random.default_rng(seed)
    return [(f"2001-{1 + i % 12:02d}-05", " ".join(rng.choice(WORDS, 8))) for i in range(n)]


def found(index, query="gas pipeline", **options):
    return [(hit.document, round(hit.score, 9), hit.snippet) for hit in index.search(query, n=100, **options).hits]


def test_an_index_that_grew_equals_one_built_in_one_pass(tmp_path):
    given = documents(60)
    whole, grown, kept = SearchIndex(given), SearchIndex(), SearchIndex(path=tmp_path / "index")
    for start in range(0, 60, 7):
        grown.append(given[start : start + 7])
        assert kept.append(given[start : start + 7]) == len(given[start : start + 7])
    assert found(grown) == found(whole)
    assert found(kept) == found(whole)
    assert found(SearchIndex.open(tmp_path / "index")) == found(whole)
    assert len(grown.segments) <= 6


def test_streams_are_indexed_in_batches(monkeypatch):
    monkeypatch.setattr(search_index, "BATCH_CHARACTERS", 100)
    stream = Stream.from_documents(documents(40), batch_size=3)
    assert found(SearchIndex(stream)) == found(SearchIndex(documents(40)))


def test_an_open_index_survives_the_growth_of_its_folder(tmp_path):
    SearchIndex(documents(20), path=tmp_path / "index")
    reader, writer = SearchIndex.open(tmp_path / "index"), SearchIndex.open(tmp_path / "index")
    before = found(reader)
    writer.append(documents(40, seed=1))
    assert found(reader) == before
    assert len(SearchIndex.open(tmp_path / "index")) == 60


def test_quoted_phrases_must_occur():
    index = SearchIndex([("2001-10-02", "gas pipeline"), ("2001-10-02", "pipeline gas")])
    assert [hit.document for hit in index.search('"pipeline gas"').hits] == [1]
    assert index.search('"gas gas"').hits == ()


def test_unknown_words_are_named():
    result = SearchIndex(documents(5)).search("gas zeppelin")
    assert result.notes == ("no document contains: zeppelin",)
    nothing = SearchIndex(documents(5)).search("zeppelin")
    assert (nothing.hits, nothing.n_matching) == ((), 0)


def test_an_empty_index_finds_nothing():
    for given in ([], [("2001-10-02", ""), ("2001-10-02", "the of")]):
        index = SearchIndex(given)
        for ranker in (TermDependenceRanker(), TermDependenceRanker(potentials="bm25")):
            assert index.search("gas", ranker=ranker).hits == ()


def test_hits_have_id_time_and_text():
    index = SearchIndex([("m1", "2001-10-02T03:04:05", "gas"), ("m2", "2001-10-02", "other")])
    (hit,) = index.search("gas").hits
    assert (hit.id, hit.time) == ("m1", np.datetime64("2001-10-02T03:04:05"))
    assert index.text(1) == "other"
    assert list(index.ids()) == ["m1", "m2"]
    for absent in (-1, 2):
        with pytest.raises(InvalidInput, match="no document"):
            index.text(absent)


def test_around_prefers_the_period():
    index = SearchIndex([("2001-10-02", "gas"), ("2001-01-02", "gas")])
    assert index.search("gas", around="2001-01").hits[0].document == 1
    with pytest.raises(InvalidInput, match="not a period"):
        index.search("gas", around="winter")


def test_bad_options_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="n-grams"):
        SearchIndex(tokenizer=Tokenizer(ngram_range=(1, 2)))
    with pytest.raises(InvalidInput, match="at least 1"):
        SearchIndex(documents(3)).search("gas", n=0)
    SearchIndex(path=tmp_path / "index")
    with pytest.raises(InvalidInput, match="already"):
        SearchIndex(path=tmp_path / "index")


def test_a_document_of_a_million_words_is_found():
    long = "word " * 999_998 + "gas pipeline"
    index = SearchIndex([("2001-10-02", long), ("2001-10-02", "gas")])
    result = index.search('"gas pipeline"')
    assert result.hits[0].document == 0
    assert result.hits[0].snippet.endswith("gas pipeline")
    assert index.lengths.tolist() == [1_000_000, 1]


def test_documents_without_text_are_kept_and_merged(tmp_path):
    index = SearchIndex([("a", "2001-10-03", "")], path=tmp_path / "index")
    index.append([("b", "2001-10-04", ""), ("c", "2001-10-05", "gas")])
    assert [index.text(document) for document in range(3)] == ["", "", "gas"]
    assert [hit.id for hit in SearchIndex.open(tmp_path / "index").search("gas").hits] == ["c"]

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import search as oracle

from driftline.core.errors import InvalidInput
from driftline.graphs.search import SearchIndex, TermDependenceRanker
from driftline.text.tokenise import Tokenizer

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon"]


def collection(seed=0, n=40):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice([*WORDS, "the"], rng.integers(1, 30))) for _ in range(n)]


def index_of(texts, parts=1):
    index = SearchIndex(tokenizer=Tokenizer(stop_words=["the"]))
    for part in np.array_split(texts, parts):
        index.append([("2001-10-02", str(text)) for text in part])
    return index


def places_of(texts):
    return [{i: word for i, word in enumerate(text.split()) if word != "the"} for text in texts]


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("query", ["alpha", "alpha beta gamma", "beta beta delta alpha"])
def test_sequential_scores_are_those_of_the_equation(query, parts):
    texts = collection()
    documents = places_of(texts)
    ranker = TermDependenceRanker(weights=(0.6, 0.3, 0.1), smoothing=20.0, time=None)
    index = index_of(texts, parts)
    ranking = ranker.rank(index, index.parse(query))
    wanted = oracle.sequential_scores(documents, list(map(len, documents)), query.split(), (0.6, 0.3, 0.1), 20.0)
    wanted = np.array([wanted[doc] for doc in ranking.docs])
    # equal up to a constant of the query, which no ranking depends on
    np.testing.assert_allclose(ranking.scores - ranking.scores[0], wanted - wanted[0], atol=1e-9)
    assert sorted(ranking.docs) == [i for i, d in enumerate(documents) if set(query.split()) & set(d.values())]


def test_bm25_scores_are_those_of_the_equation():
    texts = collection(1)
    documents = places_of(texts)
    lengths = [len(d) for d in documents]
    index = index_of(texts, 2)
    ranking = TermDependenceRanker("independent", "bm25", None).rank(index, index.parse("alpha gamma"))
    for doc, score in zip(ranking.docs, ranking.scores):
        wanted = 0.0
        for word in ("alpha", "gamma"):
            counts = [list(d.values()).count(word) for d in documents]
            n_with = sum(count > 0 for count in counts)
            wanted += oracle.bm25(counts[doc], lengths[doc], n_with, len(texts), np.mean(lengths), 1.2, 0.75)
        assert score == pytest.approx(wanted)


def test_a_pair_found_nowhere_changes_nothing():
    index = index_of(["alpha gamma beta", "alpha", "beta gamma gamma gamma"])
    for kind in ("dirichlet", "bm25"):
        with_pairs = TermDependenceRanker("sequential", kind, None, weights=(1, 1, 0))
        terms = TermDependenceRanker("independent", kind, None)
        query = index.parse("beta alpha")
        assert with_pairs.rank(index, query).scores.tolist() == terms.rank(index, query).scores.tolist()


def test_words_separated_by_a_stop_word_are_not_a_phrase():
    index = index_of(["alpha the beta", "alpha beta the"])
    ranking = TermDependenceRanker(time=None).rank(index, index.parse("alpha beta"))
    assert ranking.docs[0] == 1
    assert ranking.scores[0] > ranking.scores[1]
    apart = TermDependenceRanker(time=None).rank(index, index.parse("alpha the beta"))
    assert apart.scores[0] == apart.scores[1]


def test_full_dependence_reports_when_it_is_not_used():
    index = index_of(collection())
    ranker = TermDependenceRanker("full", time=None)
    assert ranker.rank(index, index.parse("alpha beta gamma")).notes == ()
    assert "9 terms" in ranker.rank(index, index.parse("alpha " * 9)).notes[0]


def clustered_index():
    rng = np.random.default_rng(3)
    documents = [(f"{2000 + i // 12}-{i % 12 + 1:02d}-01", "delta epsilon") for i in range(120)]
    documents += [("2003-05-04", f"alpha word{i}") for i in range(20)]
    documents += [(f"{2000 + i % 10}-07-{i + 1:02d}", f"alpha {rng.integers(1000)}") for i in range(10)]
    return SearchIndex(documents)


def test_time_is_used_where_the_best_documents_cluster():
    index = clustered_index()
    on, off = TermDependenceRanker(n_best=20), TermDependenceRanker(time=None)
    assert on.rank(index, index.parse("alpha")).used_time
    assert (on.rank(index, index.parse("alpha")).docs[:20] // 10 == np.repeat([12, 13], 10)).all()
    assert not off.rank(index, index.parse("alpha")).used_time
    assert not on.rank(index, index.parse("delta")).used_time
    assert TermDependenceRanker(time="always").rank(index, index.parse("delta")).used_time


def test_documents_near_a_period_rank_higher():
    index = SearchIndex([(f"2001-{month:02d}-15", "alpha") for month in range(1, 13)])
    ranking = TermDependenceRanker(time=None).rank(index, index.parse("alpha"), (11596.0, 11627.0))  # October 2001
    assert ranking.docs[0] == 9
    assert set(ranking.docs[1:3]) == {8, 10}


def test_weights_are_chosen_by_coordinate_ascent():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, 12)) for _ in range(60)]
    index = index_of(texts)
    queries = ["alpha beta", "gamma delta", "epsilon alpha"]
    relevant = [[i for i, text in enumerate(texts) if query in text] for query in queries]
    chosen = TermDependenceRanker(time=None).fit(index, queries, relevant)
    assert chosen.weights[1] > 0.3
    assert TermDependenceRanker("independent").fit(index, queries, relevant).weights == (0.8, 0.2, 0.0)
    with pytest.raises(InvalidInput, match="3 queries"):
        chosen.fit(index, queries, relevant[:1])
    with pytest.raises(InvalidInput, match="no queries"):
        chosen.fit(index, [], [])


@pytest.mark.parametrize(
    "options",
    [
        {"dependence": "none"},
        {"potentials": "tfidf"},
        {"time": "later"},
        {"weights": (1, 0)},
        {"weights": (0, 0, 0)},
        {"weights": (-1, 1, 1)},
        {"smoothing": 0},
        {"length_weight": 2},
        {"n_best": 1},
        {"span": float("nan")},
    ],
)
def test_options_are_checked(options):
    with pytest.raises(InvalidInput):
        TermDependenceRanker(**options)

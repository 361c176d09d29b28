from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.engines.threads import Threads
from driftline.topics import map_candidates
from driftline.topics.map_candidates import (
    CANDIDATES,
    Documents,
    TopicFit,
    Validation,
    choose_model,
    fit_all,
    idf_weighted,
    largest_share,
    row_keys,
    split_documents,
    starts,
)
from driftline.topics.view_mixture import Views, ViewTopics


@pytest.fixture(scope="module")
def short_documents():
    """Documents of three to nine words, each from one of six topics."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(120, 0.08), 6)
    which = rng.integers(0, 6, 900)
    X = np.array([rng.multinomial(n, topics[k]) for k, n in zip(which, rng.integers(3, 10, 900))], dtype=np.float64)
    return sp.csr_matrix(X), which


def agreement(found, which):
    """Return the share of documents in the majority class of their topic."""
    return sum(np.bincount(which[found == k]).max() for k in np.unique(found)) / len(which)


@pytest.mark.parametrize("name", list(CANDIDATES))
def test_every_candidate_finds_the_topics(short_documents, name):
    X, which = short_documents
    with Threads(1) as engine:
        documents = Documents(Views.of(X), 6, np.random.default_rng(1), engine)
        fit = CANDIDATES[name](documents, starts(documents))
        again = fit_all(name, fit, documents, documents.views)
        shares = again.shares(documents.views, engine)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(fit.topics.components.sum(axis=1), 1.0)
    assert agreement(shares.argmax(axis=1), which) > 0.9


def test_completion_equals_the_sum_over_words():
    components = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    fit = TopicFit(ViewTopics(components, np.array([0.6, 0.4]), np.zeros((2, 0)), 1.0), 0.0)
    X = sp.csr_matrix(np.array([[3.0, 1, 0], [0, 2, 6], [1, 1, 1]]))
    validation = Validation.of(Views.of(X))
    total, words = 0.0, 0.0
    for given, asked in zip(validation.given.X.toarray(), validation.asked.toarray()):
        belief = np.array([0.6, 0.4]) * np.prod(components**given, axis=1)
        belief /= belief.sum()
        for word, count in enumerate(asked):
            total += count * np.log(belief @ components[:, word])
            words += count
    with Threads(1) as engine:
        assert validation.nats(fit, engine) == pytest.approx(total / words)
    assert ((validation.given.X + validation.asked) != X).nnz == 0


def test_validation_texts_equal_to_fitted_ones_are_dropped(short_documents):
    X, _ = short_documents
    repeated = sp.vstack([X[:100]] * 4).tocsr()
    fitted, validates = split_documents(repeated, np.random.default_rng(0))
    assert not (fitted & validates).any()
    known = {row.tobytes() for row in repeated[fitted].toarray()}
    assert all(row.tobytes() not in known for row in repeated[validates].toarray())
    fitted, validates = split_documents(X, np.random.default_rng(0))
    assert (~fitted).sum() == X.shape[0] // 8
    assert np.flatnonzero(~fitted).std() > 200, "drawn from everywhere"


def test_keys_are_equal_for_equal_rows_only(short_documents):
    X, _ = short_documents
    keys, rows = row_keys(X), [row.tobytes() for row in X.toarray()]
    assert len(set(keys.tolist())) == len(set(rows))
    assert (row_keys(sp.vstack([X, X]).tocsr()) == np.tile(keys, 2)).all()


def test_idf_weights_have_a_mean_of_one():
    X = sp.csr_matrix(np.array([[1.0, 2, 0], [1, 0, 1], [1, 0, 0], [1, 1, 0]]))
    weighted = idf_weighted(X)
    assert weighted.sum() == pytest.approx(X.sum())
    ratio = weighted[1, 2] / weighted[0, 1] * 2
    assert ratio == pytest.approx(np.log(4 / 1) / np.log(4 / 2))
    assert weighted[:, [0]].nnz == 0, "a word in every document says nothing"


class Known:
    """Candidates with known scores: nats, coherence and largest share."""

    def __init__(self, monkeypatch, **scores):
        self.scores = scores
        names = list(scores)
        monkeypatch.setattr(
            map_candidates, "CANDIDATES", {name: lambda *_, name=name: self.fit(name) for name in names}
        )
        monkeypatch.setattr(map_candidates, "starts", lambda documents: {})
        monkeypatch.setattr(map_candidates, "shown_columns", lambda components, X, n: components)
        monkeypatch.setattr(map_candidates, "largest_share", lambda shares: shares)
        self.nats = lambda fit, engine: scores[fit.name][0]
        self.coherence = lambda name: scores[name][1]
        self.word_nats = lambda X: -8.0

    def fit(self, name):
        topics = type("Topics", (), {"components": name})
        shares = self.scores[name][2]
        return type("Fit", (), {"topics": topics, "name": name, "shares": lambda fit, views, engine: shares})()

    def chosen(self, dimensions=0):
        documents = Documents(Views(sp.csr_matrix((1, 1)), np.ones((1, dimensions))), 20, None, None)
        trials = choose_model(documents, self, list(self.scores))[1]
        return next(trial.name for trial in trials if trial.outcome == "chosen"), {t.name: t.outcome for t in trials}


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"lda": (-6.0, 0.1, 0.1), "merged": (-6.09, 0.0, 0.2)}, "merged"),
        ({"lda": (-6.0, 0.1, 0.1), "merged": (-6.11, 0.9, 0.2)}, "lda"),
        ({"lda": (-6.0, 0.1, 0.1), "lda, idf": (-6.03, 0.2, 0.1), "merged": (-6.2, 0.9, 0.2)}, "lda, idf"),
        ({"lda": (-6.0, 0.1, 0.1), "lda, idf": (-6.05, 0.2, 0.1), "merged": (-6.2, 0.9, 0.2)}, "lda"),
        ({"lda": (-6.0, 0.1, 0.1), "merged": (-5.0, 0.9, 0.4)}, "lda"),
        ({"lda": (-6.0, 0.1, 0.5), "merged": (-5.0, 0.9, 0.6)}, "lda"),
        ({"mixture": (-6.0, 0.9, 0.1), "lda": (-6.03, 0.1, 0.1), "merged": (-6.2, 0.9, 0.2)}, "lda"),
        ({"mixture": (-6.0, 0.9, 0.1), "lda": (-6.05, 0.1, 0.1), "merged": (-6.2, 0.9, 0.2)}, "mixture"),
    ],
    ids=[
        *["merged is near", "merged is far", "coherent and near", "coherent and far", "too large", "all too large"],
        *["mixture with another near", "mixture alone"],
    ],
)
def test_rule_of_choice(monkeypatch, scores, expected):
    assert Known(monkeypatch, **scores).chosen()[0] == expected


def test_with_embeddings_the_merged_mixture_must_be_nearer(monkeypatch):
    known = Known(monkeypatch, mixture=(-6.0, 0.1, 0.1), merged=(-6.05, 0.9, 0.1))
    assert known.chosen()[0] == "merged"
    assert known.chosen(dimensions=2)[0] == "mixture"
    near = Known(monkeypatch, mixture=(-6.0, 0.9, 0.1), merged=(-6.03, 0.1, 0.1))
    assert near.chosen(dimensions=2)[0] == "merged"
    too_large = Known(monkeypatch, mixture=(-6.0, 0.1, 0.5), merged=(-6.5, 0.9, 0.1))
    assert too_large.chosen(dimensions=2)[0] == "merged"


def test_clusters_are_drawn_again_if_every_model_has_too_large_a_topic(monkeypatch):
    known = Known(monkeypatch, lda=(-6.0, 0.1, 0.5), merged=(-6.2, 0.1, 0.6))
    draws = []
    shares = iter([0.5, 0.6, 0.45, 0.3])
    monkeypatch.setattr(map_candidates, "starts", draws.append)
    monkeypatch.setattr(map_candidates, "largest_share", lambda _: next(shares))
    assert known.chosen()[0] == "merged", "the only one that is allowed, of the second draw"
    assert len(draws) == 2
    monkeypatch.setattr(map_candidates, "largest_share", lambda share: share)
    assert known.chosen()[0] == "lda", "the smallest, if no draw helps"
    assert len(draws) == 2 + map_candidates.ATTEMPTS


@pytest.mark.parametrize("few", [0, 2000])
def test_last_fit_is_discarded_if_it_makes_a_topic_too_large(short_documents, monkeypatch, few):
    X, _ = short_documents
    monkeypatch.setattr(map_candidates, "FEW_DOCUMENTS", few)
    with Threads(1) as engine:
        documents = Documents(Views.of(X), 6, np.random.default_rng(1), engine)
        fit = CANDIDATES["merged"](documents, starts(documents))
        for largest, kept in (([0.3], False), ([0.5, 0.3], True), ([0.5, 0.4], False)):
            shares = iter(largest)
            monkeypatch.setattr(map_candidates, "largest_share", lambda _, shares=shares: next(shares))
            assert (fit_all("merged", fit, documents, documents.views) is fit) == kept


@pytest.mark.parametrize(("few", "draws"), [(899, 1), (900, 8)])
def test_of_few_documents_the_most_typical_of_several_clusterings_is_used(short_documents, monkeypatch, few, draws):
    X, _ = short_documents
    monkeypatch.setattr(map_candidates, "FEW_DOCUMENTS", few)
    drawn = []

    def merged(views, labels, n_topics, *, largest):
        drawn.append(np.random.default_rng(100 if len(drawn) in (2, 5) else len(drawn)).integers(0, 6, len(labels)))
        return drawn[-1]

    monkeypatch.setattr(map_candidates, "merged_labels", merged)
    with Threads(1) as engine:
        found = starts(Documents(Views.of(X), 6, np.random.default_rng(1), engine))["merged"]
    assert len(drawn) == draws
    assert (found == drawn[2 if draws > 1 else 0]).all(), "the third and the sixth are equal"


def test_few_documents_are_fitted_again_and_many_are_continued(short_documents, monkeypatch):
    """A fit to other topics is far from the last one if that starts from clusters, and near if it continues."""
    X, _ = short_documents
    with Threads(1) as engine:
        documents = Documents(Views.of(X), 6, np.random.default_rng(1), engine)
        fit = CANDIDATES["merged"](documents, starts(documents))
        monkeypatch.setattr(map_candidates, "starts", lambda documents: {"merged": np.arange(900) % 6})
        for few, new in ((899, False), (900, True)):
            monkeypatch.setattr(map_candidates, "FEW_DOCUMENTS", few)
            last = fit_all("merged", fit, documents, documents.views)
            assert np.allclose(last.topics.components, fit.topics.components, atol=0.01) != new


def test_refusals_are_recorded(monkeypatch):
    known = Known(monkeypatch, **{"lda": (-6.0, 0.1, 0.1), "mixture": (-5.0, 0.9, 0.4), "merged": (-7.0, 0.9, 0.1)})
    assert known.chosen()[1] == {
        "lda": "chosen",
        "mixture": "refused: a topic is too large",
        "merged": "predicts worse",
        "no topics": "for comparison",
    }


def test_largest_share():
    assert largest_share(np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])) == pytest.approx(2 / 3)

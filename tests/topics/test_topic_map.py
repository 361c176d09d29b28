from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import driftline
from driftline.core.errors import InvalidInput
from driftline.topics import TopicMap, topic_lineage, topic_map
from driftline.topics.map_candidates import CANDIDATES
from tests.topics.test_map_candidates import agreement

WORDS = [f"word{i}" for i in range(120)]


def documents(n=600, seed=0, n_topics=6):
    """Short documents of a few topics, their texts, embeddings and topics."""
    rng = np.random.default_rng(seed)
    topics = np.random.default_rng(9).dirichlet(np.full(120, 0.08), n_topics)
    which = rng.integers(0, n_topics, n)
    X = sp.csr_matrix(
        np.array([rng.multinomial(m, topics[k]) for k, m in zip(which, rng.integers(4, 10, n))], dtype=np.float64)
    )
    texts = [" ".join(np.repeat(WORDS, row.astype(int))) for row in X.toarray()]
    centres = np.random.default_rng(8).standard_normal((n_topics, 20))
    return X, texts, centres[which] + 0.3 * rng.standard_normal((n, 20)), which


@pytest.fixture(scope="module")
def fitted():
    X, texts, _, _ = documents()
    days = np.datetime64("2003-01-01") + np.arange(600) // 6
    return TopicMap(6, random_state=0, vocabulary=WORDS).fit(X, texts=texts, times=days)


def test_topics_are_found_and_described(fitted):
    which = documents()[3]
    assert agreement(fitted.labels_, which) > 0.9
    cards = fitted.topics_
    assert [card.share for card in cards] == sorted((card.share for card in cards), reverse=True)
    assert all(card.lower < card.share < card.upper for card in cards)
    assert sum(card.share for card in cards) == pytest.approx(1.0)
    assert {card.state for card in cards} == {"clear"}
    assert all(len(card.words) == 10 and len(card.examples) == 3 and card.name for card in cards)
    assert all((fitted.labels_[card.examples] == k).all() for k, card in enumerate(cards))
    assert len({card.name for card in cards}) == 6
    assert fitted.model_ in {trial.name for trial in fitted.trial_ if trial.outcome == "chosen"}
    assert [trial.name for trial in fitted.trial_] == [*CANDIDATES, "no topics"]
    assert fitted.notes_ == []
    assert fitted.rest_ is None


def test_shares_of_new_documents(fitted):
    X, _, _, which = documents(seed=1)
    shares = fitted.transform(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert agreement(shares.argmax(axis=1), which) > 0.9
    assert fitted.score(X) > fitted.score(sp.csr_matrix(np.roll(X.toarray(), 60, axis=1)))


def test_map_tree_and_cuts(fitted):
    assert fitted.xy_.shape == (6, 2)
    assert fitted.hierarchy_.merges.shape == (5, 2)
    groups = fitted.cut(3)
    assert sorted(topic for group in groups for topic in group.topics) == list(range(6))
    assert sum(group.share for group in groups) == pytest.approx(1.0)
    largest = groups[0]
    assert largest.name == fitted.topics_[min(largest.topics)].name, "topics are in the order of their shares"
    assert set(largest.words) <= {word for k in largest.topics for word in fitted.topics_[k].words}
    assert len(fitted.cut(6)) == 6
    with pytest.raises(InvalidInput, match="1 to 6 groups"):
        fitted.cut(7)
    assert len(topic_lineage(fitted, fitted).of_kind("kept")) == 6


def test_a_saved_map_predicts_the_same(fitted, tmp_path):
    fitted.save(tmp_path / "map")
    again = driftline.load(tmp_path / "map")
    assert again.topics_ == fitted.topics_
    assert again.trial_ == fitted.trial_
    X = documents(seed=1)[0]
    assert again.transform(X).tobytes() == fitted.transform(X).tobytes()
    assert again.cut(2) == fitted.cut(2)


@pytest.mark.parametrize("model", ["auto", "lda"])
def test_same_seed_same_bytes_for_any_number_of_threads(model):
    X, texts, embeddings, _ = documents(2000)
    found = []
    for n_jobs in (1, 2, 4):
        one = TopicMap(6, model=model, random_state=5, n_jobs=n_jobs).fit(X, texts=texts)
        found.append((one.components_.tobytes(), one.transform(X).tobytes(), one.topics_))
    assert found[0] == found[1] == found[2]
    pair = [TopicMap(6, random_state=5, n_jobs=n).fit(X, embeddings=embeddings).components_.tobytes() for n in (1, 3)]
    assert pair[0] == pair[1]


def test_embeddings_decide_where_words_do_not():
    X, _, embeddings, which = documents()
    X = sp.csr_matrix(np.random.default_rng(0).multinomial(4, np.full(120, 1 / 120), 600).astype(float))
    words = TopicMap(6, random_state=0).fit(X)
    both = TopicMap(6, random_state=0).fit(X, embeddings=embeddings)
    assert agreement(both.labels_, which) > 0.95
    assert agreement(words.labels_, which) < 0.5
    assert agreement(both.transform(X, embeddings=embeddings).argmax(axis=1), which) > 0.95
    assert both.transform(X).shape == (600, 6), "without embeddings words alone decide"
    assert all(not trial.name.startswith("lda") for trial in both.trial_)


@pytest.mark.parametrize("model", ["lda", "mixture", "merged"])
def test_one_kind_of_model_can_be_requested(model):
    X, _, _, which = documents()
    found = TopicMap(6, model=model, random_state=0).fit(X)
    assert found.model_.startswith(model)
    assert agreement(found.labels_, which) > 0.85


def test_chosen_on_a_sample_of_many_documents(monkeypatch):
    monkeypatch.setattr(topic_map, "CHOSEN_ON", 300)
    X, texts, _, which = documents(1500)
    found = TopicMap(6, random_state=0).fit(X, texts=texts)
    assert agreement(found.labels_, which) > 0.85
    assert len(found.labels_) == 1500


def test_empty_and_unsure_documents_are_kept_and_marked():
    X, _, _, _ = documents()
    X = sp.vstack([X, sp.csr_matrix((2, 120))]).tocsr()
    found = TopicMap(6, random_state=0, model="lda").fit(X)
    assert found.empty_.tolist() == [600, 601]
    shares = found.transform(X)
    np.testing.assert_allclose(shares[600], found.weights_, atol=1e-12)
    assert len(found.labels_) == 602
    expected = np.flatnonzero((shares.max(axis=1) < 0.5) & (np.arange(602) < 600))
    assert found.unsure_.tolist() == expected.tolist()


def test_few_distinct_documents_give_fewer_topics_and_a_note():
    X, _, _, _ = documents(25)
    found = TopicMap(20, random_state=0).fit(X)
    assert len(found.topics_) == 5
    assert "5 instead of 20 topics" in found.notes_[0]


def test_identical_documents_are_one_topic():
    found = TopicMap(5, random_state=0).fit(np.repeat([[2, 1, 0]], 40, axis=0))
    assert found.model_ == "one topic"
    assert len(found.topics_) == 1
    assert "there is 1 distinct document," in found.notes_[0]
    assert found.topics_[0].state == "clear"
    assert found.transform([[1, 0, 0]]).tolist() == [[1.0]]
    assert len(found.cut(1)) == 1


def test_equal_embeddings_leave_the_words_to_decide():
    X, _, _, _ = documents()
    found = TopicMap(6, random_state=0).fit(X, embeddings=np.ones((600, 4)))
    assert found.notes_ == ["the embeddings were not used, as all are equal"]
    assert not found.uses_embeddings_
    assert found.topics_ == TopicMap(6, random_state=0).fit(X).topics_


def test_fewer_clusters_than_topics_are_reported():
    """All documents have different words in common proportions, but only two embeddings."""
    X = sp.csr_matrix(np.random.default_rng(0).multinomial(4, np.full(120, 1 / 120), 200).astype(float))
    found = TopicMap(5, random_state=0, model="mixture").fit(X, embeddings=np.eye(2)[np.arange(200) % 2])
    assert len(found.topics_) == 2
    assert "2 instead of 5 topics: the documents form no more clusters" in found.notes_


def test_documents_of_one_word_each_are_a_mixture():
    rows = np.random.default_rng(0).integers(0, 30, 400)
    found = TopicMap(4, random_state=0).fit(np.eye(30)[rows])
    assert found.model_ == "mixture"
    assert "no document has two words" in found.notes_[0]


def test_no_words_at_all():
    found = TopicMap(4, random_state=0).fit(np.zeros((10, 3)))
    assert found.model_ == "one topic"
    assert found.empty_.tolist() == list(range(10))


@pytest.mark.parametrize(
    ("fit", "match"),
    [
        ({"embeddings": np.ones((3, 4))}, "3 embeddings for 600 documents"),
        ({"embeddings": np.full((600, 4), np.nan)}, "NaN"),
        ({"embeddings": np.zeros((600, 4))}, "all zeros"),
        ({"texts": ["one"]}, "1 texts for 600 documents"),
    ],
)
def test_bad_input_is_named(fit, match):
    with pytest.raises(InvalidInput, match=match):
        TopicMap(6).fit(documents()[0], **fit)


def test_embeddings_are_refused_where_they_cannot_be_used(fitted):
    X, _, embeddings, _ = documents()
    with pytest.raises(InvalidInput, match="LDA cannot use embeddings"):
        TopicMap(6, model="lda").fit(X, embeddings=embeddings)
    with pytest.raises(InvalidInput, match="fitted without embeddings"):
        fitted.transform(X, embeddings=embeddings)


def test_no_topic_is_too_large():
    rng = np.random.default_rng(1)
    topics = rng.dirichlet(np.full(200, 0.05), 30)
    which = rng.integers(0, 30, 1500)
    X = np.array([rng.multinomial(3, topics[k]) for k in which])
    found = TopicMap(10, random_state=0).fit(X)
    assert np.bincount(found.labels_).max() / 1500 <= 0.36

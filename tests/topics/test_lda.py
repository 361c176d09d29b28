from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import driftline
import driftline.evaluation.perplexity
from driftline.core.errors import InvalidInput
from driftline.topics import LDA
from tests.topics.corpora import drawn, matched


@pytest.fixture(scope="module")
def corpus():
    return drawn(600, 300, 5, 80)


@pytest.mark.parametrize("inference", ["online", "gibbs", "vb"])
def test_true_topics_are_found(corpus, inference):
    X, truth = corpus
    lda = LDA(5, inference=inference, doc_topic_prior=0.2, topic_word_prior=0.05, random_state=1).fit(X)
    assert matched(lda.components_, truth) < 0.15
    np.testing.assert_allclose(lda.components_.sum(axis=1), 1)
    np.testing.assert_allclose(lda.transform(X[:20]).sum(axis=1), 1)


@pytest.mark.parametrize("piece", [100, 1_000])
@pytest.mark.parametrize("inference", ["online", "gibbs"])
def test_same_bytes_for_any_number_of_threads(corpus, inference, piece, monkeypatch):
    X = sp.vstack([corpus[0]] * 2).tocsr()
    assert X.nnz > 20_000, "large enough for a grid"
    monkeypatch.setattr("driftline.inference.lda_online.TASK_SIZE", piece)
    handed_out = []
    submit = ThreadPoolExecutor.submit
    monkeypatch.setattr(
        ThreadPoolExecutor,
        "submit",
        lambda pool, call, device, function, *task: (
            handed_out.append(function.__name__) or submit(pool, call, device, function, *task)
        ),
    )
    fits = [
        LDA(7, inference=inference, max_epochs=4, burn_in=2, n_samples=2, random_state=3, n_jobs=n).fit(X)
        for n in (1, 2, 4)
    ]
    for other in fits[1:]:
        assert other._word_topic_.tobytes() == fits[0]._word_topic_.tobytes()
        assert other.transform(X[:50]).tobytes() == fits[0].transform(X[:50]).tobytes()
        assert other.score(X) == fits[0].score(X)
    assert {"learn_pairs", "add_up"} <= set(handed_out), "threads had something to do"


def test_seeds_differ(corpus):
    first, second = (LDA(3, max_epochs=1, random_state=seed).fit(corpus[0]) for seed in (0, 1))
    assert (first._word_topic_ != second._word_topic_).any()


def test_held_out_score_is_near_that_of_the_truth(corpus):
    X, truth = drawn(800, 300, 5, 80)
    lda = LDA(5, doc_topic_prior=0.2, random_state=0).fit(X[:600])
    ideal = driftline.evaluation.perplexity.document_completion(truth + 1e-9, X[600:], doc_topic_prior=0.2)
    assert -lda.score(X[600:]) < ideal.nats_per_word + 0.08
    assert lda.perplexity(X[600:]) == pytest.approx(np.exp(-lda.score(X[600:])))


def test_a_stream_learns_nearly_as_well(corpus):
    X, truth = drawn(4000, 300, 5, 80)
    lda = LDA(5, doc_topic_prior=0.2, random_state=0)
    for start in range(0, 4000, 100):
        lda.partial_fit(X[start : start + 100])
    assert matched(lda.components_, truth) < 0.2
    assert lda.words_seen_ == X.sum()


def test_the_vocabulary_may_grow(corpus):
    X, _ = corpus
    lda = LDA(4, random_state=0).partial_fit(X[:200, :150])
    assert lda.components_.shape == (4, 150)
    lda.partial_fit(X[200:400])
    assert lda.components_.shape == (4, 300)
    assert lda.n_features_in_ == 300
    late = lda.components_[:, 150:].sum()
    assert late > 0.5, "the new words have their place"
    with pytest.raises(ValueError, match="features"):
        lda.partial_fit(X[:10, :20])
    assert lda.transform(X[:3]).shape == (3, 4)


def test_bad_documents_change_nothing(corpus):
    X, _ = corpus
    lda = LDA(4, random_state=0).partial_fit(X[:200, :150])
    before = lda.components_
    with pytest.raises(InvalidInput, match="Negative"):
        lda.partial_fit(-X[:5].toarray())
    assert lda.n_features_in_ == 150
    assert (lda.components_ == before).all()


def test_the_rarest_words_lose_their_slots(corpus):
    X, _ = corpus
    lda = LDA(3, max_words=50, random_state=0)
    for start in range(0, 600, 100):
        lda.partial_fit(X[start : start + 100])
        assert len(lda._word_topic_) <= 50
    kept = np.flatnonzero(lda._slots_ >= 0)
    totals = np.asarray(X.sum(axis=0)).ravel()
    assert len(kept) == 50
    assert totals[kept].sum() > 0.8 * np.sort(totals)[-50:].sum()
    assert np.isfinite(lda.score(X))
    fitted = LDA(3, max_words=50, max_epochs=3, random_state=0).fit(X)
    assert len(fitted._word_topic_) == 50


def test_old_words_fade_with_a_short_memory(corpus):
    X, _ = corpus
    early, late = X[:300], X[300:].copy()
    swapped = sp.hstack([sp.csr_matrix(late.shape), late]).tocsr()
    early = sp.hstack([early, sp.csr_matrix(early.shape)]).tocsr()
    lasting, fading = (
        LDA(3, memory=memory, random_state=0).partial_fit(early) for memory in (None, float(early[:30].sum()))
    )
    for model in (lasting, fading):
        for start in range(0, 300, 30):
            model.partial_fit(swapped[start : start + 30])
    # Both are bold while the stream is young; only one has no room for what is old.
    assert fading.components_[:, :300].sum() < 0.1
    assert fading.components_[:, :300].sum() < 0.5 * lasting.components_[:, :300].sum()


def test_seed_words_attract_their_topic(corpus):
    X, truth = corpus
    words = [f"w{i}" for i in range(300)]
    wanted = [words[i] for i in np.argsort(-truth[2])[:5]]
    for inference in ("online", "gibbs", "vb"):
        lda = LDA(
            5,
            inference=inference,
            seed_words={4: wanted},
            vocabulary=words,
            doc_topic_prior=0.2,
            max_epochs=10,
            random_state=0,
        ).fit(X)
        assert set(wanted) <= set(lda.top_words(10)[4])
    with pytest.raises(InvalidInput, match="topic 9"):
        LDA(5, seed_words={9: [0]}).fit(X)
    with pytest.raises(InvalidInput, match="no vocabulary"):
        LDA(5, seed_words={0: ["w1"]}).fit(X)


@pytest.mark.parametrize(
    "plan",
    [
        {"inference": "online"},
        {"inference": "gibbs"},
        {"inference": "vb"},
        {"inference": "online", "n_partitions": 2},
        {"inference": "gibbs", "n_partitions": 2},
        {"inference": "gibbs", "n_partitions": 2, "synchronisation": "hierarchical"},
        {"inference": "vb", "n_partitions": 2},
    ],
    ids=lambda plan: "-".join(str(value) for value in plan.values()),
)
def test_learned_priors_follow_the_documents(plan):
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(200, 0.05), 3)
    shares = rng.dirichlet([0.6, 0.3, 0.1], 500)
    X = np.array([rng.multinomial(60, row / row.sum()) for row in shares @ topics])
    lda = LDA(
        3,
        doc_topic_prior="learned",
        topic_word_prior="learned",
        max_epochs=25,
        random_state=1,
        **plan,
    ).fit(X)
    prior = np.sort(lda.doc_topic_prior_ / lda.doc_topic_prior_.sum())[::-1]
    np.testing.assert_allclose(prior, np.array([0.6, 0.3, 0.1]) / 1.0, atol=0.1)
    assert 0.005 < lda.topic_word_prior_ < 0.3


@pytest.fixture(scope="module")
def short_documents():
    """6,000 documents of about four words, each from one of 20 topics."""
    rng = np.random.default_rng(5)
    topics = rng.dirichlet(np.full(600, 0.05), 20)
    which = rng.integers(0, 20, 6000)
    return sp.csr_matrix(
        np.array([rng.multinomial(n, topics[k]) for k, n in zip(which, 2 + rng.poisson(2.0, 6000))], dtype=np.float64)
    )


@pytest.mark.parametrize("priors", [("learned", 0.01), ("learned", "learned")], ids=["document", "both"])
@pytest.mark.parametrize("way", ["online", "gibbs", "vb", "parts", "stream"])
def test_learned_priors_do_not_collapse_on_short_documents(short_documents, way, priors):
    settings = {"n_partitions": 2} if way == "parts" else {} if way == "stream" else {"inference": way}
    lda = LDA(20, doc_topic_prior=priors[0], topic_word_prior=priors[1], random_state=0, **settings)
    lda = lda.partial_fit(short_documents) if way == "stream" else lda.fit(short_documents)
    assert lda.doc_topic_prior_.sum() < 3.0
    assert lda.topic_word_prior_ < 0.3
    sizes = np.bincount(lda.transform(short_documents).argmax(axis=1), minlength=20) / short_documents.shape[0]
    assert sizes.max() < 0.35


def test_gibbs_reports_its_chain(corpus):
    lda = LDA(5, inference="gibbs", burn_in=5, n_samples=6, random_state=0).fit(corpus[0])
    assert lda.trace_.shape == (11,)
    assert (lda.trace_ < 0).all()
    assert 0.5 < lda.split_r_ < 20


def test_partitions_reach_the_same_quality(corpus):
    X, truth = corpus
    for inference in ("online", "gibbs", "vb"):
        lda = LDA(5, inference=inference, n_partitions=2, doc_topic_prior=0.2, random_state=1).fit(X)
        assert matched(lda.components_, truth) < 0.25, inference
    hierarchical = LDA(
        5, inference="gibbs", n_partitions=2, synchronisation="hierarchical", doc_topic_prior=0.2, random_state=1
    ).fit(X)
    assert matched(hierarchical.components_, truth) < 0.25


def test_blank_and_unseen():
    X = np.array([[0, 0, 0], [1, 2, 0]])
    lda = LDA(2, random_state=0).fit(X)
    np.testing.assert_allclose(lda.transform([[0, 0, 0]]), [[0.5, 0.5]])
    assert np.isfinite(lda.score([[0, 0, 5]]))
    assert LDA(2, random_state=0).fit(np.zeros((3, 4))).score(np.zeros((2, 4))) == 0.0


def test_a_loaded_model_continues_identically(corpus, tmp_path):
    X, _ = corpus
    lda = LDA(4, random_state=0, max_words=100).partial_fit(X[:300])
    lda.save(tmp_path / "model")
    loaded = driftline.load(tmp_path / "model")
    for one in (lda, loaded):
        one.partial_fit(X[300:])
    assert (lda.components_ == loaded.components_).all()

from __future__ import annotations

import numpy as np
import pytest

from driftline import load
from driftline.core.errors import InvalidInput
from driftline.guidance import Guide, TagRule
from driftline.nonparametric import HDP
from driftline.topics import LDA

WORDS = [f"{name}{i}" for name in ("war", "health", "court", "sport") for i in range(8)]
OPTIONS = {"start": 4, "burn_in": 20, "n_samples": 3, "random_state": 0, "vocabulary": WORDS}


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    topics = np.kron(np.eye(4), np.ones(8) / 8)
    shares = rng.dirichlet(np.full(4, 0.2), 200)
    return np.array([rng.multinomial(30, share @ topics) for share in shares])


def test_topics_have_their_names_and_words_and_the_report_says_so(X, tmp_path):
    guide = Guide().topic("health", words=["health0", "health1"], never=["war0"]).topic("war", words=["war0", "war1"])
    model = HDP(**OPTIONS, guide=guide).fit(X)
    assert model.topic_names_[:2] == ["health", "war"]
    assert {"health0", "health1"} <= set(model.top_words(4)[0])
    assert all(word.startswith("health") for word in model.top_words(6)[0])
    assert model.components_[0, WORDS.index("war0")] < 0.001
    assert [wish.heeded for wish in model.guide_report_] == [True, True]
    assert (
        len(model.topic_names_) == len(model.components_) == len(model.topic_ids_) == len(np.unique(model.topic_ids_))
    )
    np.testing.assert_allclose(model.transform(X[:5]).sum(axis=1), 1.0)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.topic_names_ == model.topic_names_
    np.testing.assert_array_equal(loaded.components_, model.components_)
    assert not hasattr(model.set_params(guide=None).fit(X), "topic_names_")


def test_an_empty_guide_changes_nothing(X):
    one, other = HDP(**OPTIONS).fit(X), HDP(**OPTIONS, guide=Guide()).fit(X)
    np.testing.assert_array_equal(one.components_, other.components_)
    assert len(other.guide_report_) == 0


def test_partial_fit_takes_no_guide(X):
    with pytest.raises(InvalidInput, match="takes no guide"):
        HDP(guide=Guide().topic("war", words=["war0"])).partial_fit(X)


@pytest.mark.filterwarnings("ignore::driftline.guidance.heeded.UnheededWishWarning")
def test_the_topics_of_a_process_can_be_corrected_as_lda(X):
    """A new topic of a refit has the mean of the priors, where these are given one by one."""
    lda = HDP(**OPTIONS).fit(X).to_lda()
    n, prior = len(lda.components_), lda.doc_topic_prior_
    lda.refit(X, guide=Guide().topic("health", words=["health0", "health1"]))
    assert isinstance(lda, LDA)
    assert lda.topic_names_[n] == "health"
    assert lda.doc_topic_prior_[n] == pytest.approx(prior.mean())


@pytest.mark.parametrize(
    "guide, message",
    [
        (Guide().rule(TagRule.bio()), "HDP does not take them"),
        (Guide().together("war0", "war1").apart("war1", "war0"), "both together and apart"),
        (Guide().topic("a").proportion("a", at_least=0.6).proportion("a", at_most=0.5), "cannot all hold"),
        (Guide().topic("a").label([0], "b"), "there is no topic 'b'"),
    ],
)
def test_wishes_that_cannot_hold_are_refused_before_sampling(X, guide, message, monkeypatch):
    monkeypatch.setattr(HDP, "_priors", lambda self: pytest.fail("sampling began"))
    with pytest.raises(InvalidInput, match=message):
        HDP(**OPTIONS, guide=guide).fit(X)

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline import LDA, Guide
from driftline.core.errors import InvalidInput
from driftline.inference.dirichlet_forest import forest_of
from driftline.inference.guide_arrays import WordGroups
from driftline.inference.word_maps import profile_overlap
from driftline.topics.forest_gibbs import FOREST_GIBBS, ForestProblem
from tests.oracles.forest import posterior, tree_of

SAID, BETA, ETA, ALPHA = np.array([2.0, 1.0, 2.0, 1.0, 3.0]), 0.4, 12.0, 0.6
TOKENS = [(0, 0), (0, 3), (0, 4), (1, 1), (1, 2), (1, 3)]
NO_BANS = (np.zeros(6, dtype=np.int64), np.empty(0, dtype=np.int64))
WORDS = ["war", "iraq", "troops", "sars", "virus", "hospital", "tax", "budget"]


def problem(apart):
    groups = WordGroups((np.array([0, 1]),), np.array(apart, dtype=np.int64).reshape(-1, 2), ETA, SAID)
    documents, words = (np.array(part, dtype=np.int64) for part in zip(*TOKENS))
    start = np.full((5, 2), 0.2)
    forest = forest_of(groups, 5, BETA)
    weights = np.ones(len(TOKENS))
    return ForestProblem(words, documents, weights, np.full((2, 2), ALPHA), np.zeros((5, 2)), start, forest, *NO_BANS)


@pytest.mark.parametrize("apart", [[], [(0, 3), (1, 3)]])
def test_the_chain_has_the_posterior_of_enumeration(apart):
    task, rng = problem(apart), np.random.default_rng(0)
    sets = [[(0, 1)], [(3,)]] if apart else []
    trees = [tree_of(range(5), [(0, 1)], sets, q, BETA, ETA, SAID) for q in range(max(1, len(sets)))]
    priors = [2 * BETA, BETA] if apart else [1.0]
    exact = posterior(TOKENS, 2, ALPHA, trees, priors)
    same, first = np.zeros((6, 6)), np.zeros(len(priors))
    for (z, choices), weight in exact.items():
        same += weight * np.equal.outer(z, z)
        first[choices[0]] += weight
    state = FOREST_GIBBS.init(task, rng)
    found, picked = np.zeros((6, 6)), np.zeros(len(priors))
    n = 8000
    for _ in range(n):
        state, _ = FOREST_GIBBS.step(state, task, rng)
        found += np.equal.outer(state.topics, state.topics) / n
        picked[0 if not apart or state.chosen[0, 0] else 1] += 1 / n
    np.testing.assert_allclose(found, same, atol=0.025)
    np.testing.assert_allclose(picked, first, atol=0.025)


def documents(seed=0):
    rng = np.random.default_rng(seed)
    themes = np.array([[4, 3, 3, 0, 0, 0, 1, 1], [0, 0, 1, 4, 3, 3, 0, 1], [1, 0, 0, 0, 1, 1, 4, 5]]) / 12.0
    themes /= themes.sum(axis=1, keepdims=True)
    return sp.csr_matrix(np.vstack([rng.multinomial(12, theme, 40) for theme in themes]))


def overlap(model, *words):
    return profile_overlap(model.components_[:, [WORDS.index(word) for word in words]].T)


def test_words_together_and_apart_are_sampled():
    X, options = documents(), {"vocabulary": WORDS, "random_state": 0, "inference": "gibbs", "doc_topic_prior": 0.2}
    plain = LDA(3, **options).fit(X)
    guide = Guide().together("war", "tax").apart("sars", "virus")
    model = LDA(3, guide=guide, **options).fit(X)
    assert overlap(plain, "war", "tax") < 0.6
    assert overlap(model, "war", "tax") > 0.95
    assert overlap(plain, "sars", "virus") > 0.5
    assert overlap(model, "sars", "virus") < 0.1
    assert [wish.heeded for wish in model.guide_report_] == [True, True]
    np.testing.assert_array_equal(LDA(3, guide=guide, **options).fit(X).components_, model.components_)


def test_seeds_bans_labels_and_fractions_are_also_heeded():
    X = documents().astype(float) * 0.75
    guide = Guide().topic("money", ["tax"], never=["war"]).together("sars", "virus").label(np.arange(5), "money")
    model = LDA(3, guide=guide, vocabulary=WORDS, random_state=0, inference="gibbs", doc_topic_prior=0.2).fit(X)
    assert model.components_[0, WORDS.index("war")] < 1e-6
    assert model.components_[0, WORDS.index("tax")] > 0.2
    assert np.isfinite(model.components_).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n_partitions": 2}, "in one part"), ({"doc_topic_prior": "learned"}, "with given priors")],
)
def test_what_the_sampler_cannot_do_is_an_error(options, message):
    model = LDA(3, guide=Guide().together("war", "tax"), vocabulary=WORDS, inference="gibbs", **options)
    with pytest.raises(InvalidInput, match=message):
        model.fit(documents())

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.stories import nearest_stories, seats

from driftline import StoryStream

NEVER = 10**6
"""Documents on each side of a split or merger: none happens."""


def sparse_stream(seed, n=150, n_words=40):
    """Short documents around a few centres that come and go, some of them empty or repeated."""
    rng = np.random.default_rng(seed)
    centres = rng.dirichlet(np.full(n_words, 0.1), 6)
    which = (np.arange(n) // 40 + rng.integers(0, 3, n)) % 6
    X = np.array([rng.multinomial(rng.integers(0, 8), centres[k]) for k in which]).astype(float)
    X[rng.integers(0, n, 5)] = X[3]
    return X, np.cumsum(rng.exponential(1.0, n) * (rng.random(n) > 0.2))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("memory", [5.0, 30.0])
def test_nearest_documents_are_those_of_plain_loops(seed, memory):
    X, times = sparse_stream(seed)
    model = StoryStream(memory=memory, threshold=0.3, min_size=NEVER).fit(X, times=times)
    assert model.labels_.tolist() == nearest_stories(X, times, memory, memory / 3, 0.3)
    assert len(set(model.labels_.tolist())) > 5


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("concentration", "strength"), [(0.5, 5.0), (20.0, 40.0)])
def test_seats_are_those_of_plain_loops(seed, concentration, strength):
    X, times = sparse_stream(seed)
    model = StoryStream(memory=12.0, link="crp", concentration=concentration, prior_strength=strength, min_size=NEVER)
    found = model.fit(X, times=times).labels_.tolist()
    assert found == seats(X, times, 12.0, 4.0, concentration, strength)
    assert 3 < len(set(found)) < 140


def test_the_oldest_documents_cannot_be_continued_beyond_the_limit():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert StoryStream(memory=10.0, max_documents=3).fit(X, times=range(4)).labels_.tolist() == [0, 1, 1, 0]
    assert StoryStream(memory=10.0, max_documents=2).fit(X, times=range(4)).labels_.tolist() == [0, 1, 1, 2]

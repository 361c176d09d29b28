from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.integrate import quad
from sklearn.metrics import adjusted_rand_score

import driftline
from driftline.core.errors import InvalidInput, ModelFileError, NoWords
from driftline.inference.document_completion import halves
from driftline.nonparametric import HierarchicalLDA

QUICK = {"burn_in": 60, "n_samples": 10, "n_chains": 1, "random_state": 0}


def simulated(n=160, seed=0):
    """Return documents with words of the root, of one of two branches, and of one of two leaves of each."""
    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, 4, n)
    X = np.zeros((n, 7 * 4))
    for d, leaf in enumerate(leaves):
        lengths = rng.multinomial(36, rng.dirichlet(np.ones(3)))
        for topic, length in zip((0, 1 + leaf // 2, 3 + leaf), lengths):
            X[d, 4 * topic : 4 * topic + 4] = rng.multinomial(length, [0.25] * 4)
    return X, leaves


def says_its_leaf(X):
    """Return which documents have at least five words of their leaf; that of the others is not determined."""
    return X[:, 12:].sum(axis=1) >= 5


def test_a_tree_is_found():
    X, leaves = simulated()
    model = HierarchicalLDA(depth=3, **QUICK).fit(X)
    clear = says_its_leaf(X)
    assert adjusted_rand_score(leaves[clear], model.paths_[clear, 2]) > 0.9
    assert 4 <= model.n_leaves_.median <= 6
    assert set(np.argsort(-model.components_[0])[:4]) == {0, 1, 2, 3}, "common words are at the root"
    new, their = simulated(n=40, seed=9)
    clear = says_its_leaf(new)
    assert adjusted_rand_score(their[clear], model.predict(new)[clear]) > 0.9
    shares = model.transform(new)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(shares[:, 0], new[:, :4].sum(axis=1) / 36, atol=0.15)


def test_the_drawing_and_the_table_have_every_node():
    X, _ = simulated(n=80)
    words = [f"w{i}" for i in range(28)]
    model = HierarchicalLDA(depth=3, vocabulary=words, **QUICK).fit(X)
    tree = model.tree_
    assert len(tree.drawing().splitlines()) == len(model.node_parents_) == tree.to_frame("arrow").num_rows
    assert tree.drawing().splitlines()[0].endswith("(80)")
    assert len(tree.drawing(min_documents=81).splitlines()) == 1
    assert (model.node_parents_[1:] < np.arange(1, len(model.node_parents_))).all(), "each node after its parent"
    inner = np.unique(model.node_parents_[1:])
    for node in inner:
        assert model.node_sizes_[model.node_parents_ == node].sum() == model.node_sizes_[node]


def test_completion_is_close_to_the_exact_mixture_over_paths():
    """With two levels the shares of levels can be integrated out."""
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (40, 6)).astype(float)
    model = HierarchicalLDA(depth=2, level_prior=1.0, **QUICK).fit(X)
    phi, sizes, leaves = model.components_, model.node_sizes_, np.flatnonzero(model.node_levels_ == 1)
    document = sp.csr_matrix(rng.poisson(4.0, (1, 6)).astype(float))
    given, asked = (part.toarray().ravel() for part in halves(document))

    def on_path(leaf, counts):
        return quad(lambda t: np.prod((t * phi[0] + (1 - t) * phi[leaf]) ** counts), 0, 1)[0]

    def evidence(counts):
        return sum(sizes[leaf] / sizes[0] * on_path(leaf, counts) for leaf in leaves)

    exact = np.log(evidence(given + asked) / evidence(given))
    assert model.score_samples(document)[0] == pytest.approx(exact, rel=0.02)


def test_threads_and_repetition_do_not_matter():
    X, _ = simulated(n=40)
    one, two = (
        HierarchicalLDA(burn_in=3, n_samples=2, n_chains=2, n_jobs=jobs, random_state=1).fit(X) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one._counts_, two._counts_)
    np.testing.assert_array_equal(one.n_nodes_samples_, two.n_nodes_samples_)


def test_bad_input():
    X, _ = simulated(n=20)
    X[3] = 0
    model = HierarchicalLDA(burn_in=2, n_samples=1, random_state=0).fit(X)
    assert model.paths_[3].tolist() == [-1, -1, -1]
    assert model.n_empty_ == 1
    assert model.predict(X)[3] == -1
    with pytest.raises(InvalidInput, match=r"row 0 has a count of 0\.5"):
        HierarchicalLDA().fit([[0.5, 1.0]])
    with pytest.raises(NoWords):
        HierarchicalLDA().fit(np.zeros((2, 2)))
    with pytest.raises(InvalidInput, match="each of 3 levels"):
        HierarchicalLDA(topic_word_prior=[0.1, 0.2]).fit(X)
    one = HierarchicalLDA(burn_in=20, n_samples=5, concentration=0.01, random_state=0).fit(np.tile([3, 2, 0], (20, 1)))
    assert one.n_leaves_.median == 1, "identical documents have one path"


def test_a_damaged_tree_is_refused(tmp_path):
    X, _ = simulated(n=20)
    model = HierarchicalLDA(topic_word_prior=[0.5, 0.2, 0.1], burn_in=2, n_samples=1, random_state=0).fit(X)
    loaded = driftline.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
    model.node_parents_ = np.roll(model.node_parents_, 1)
    with pytest.raises(ModelFileError, match="damaged"):
        driftline.load(model.save(tmp_path / "damaged"))

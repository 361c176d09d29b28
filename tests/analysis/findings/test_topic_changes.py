import numpy as np
import pytest
import scipy.sparse as sp

from driftline.analysis.findings.topic_changes import _uses, describe_topic_changes

NAMES = [["old"], ["new"], ["steady"]]
WORDS = np.array([[0.5, 0.5, 0, 0, 0, 0], [0, 0, 0.5, 0.5, 0, 0], [0, 0, 0, 0, 0.5, 0.5]])


def drawn(shares, rng, length=20):
    return sp.csr_matrix([rng.multinomial(length, share @ WORDS) for share in shares])


def test_uses_are_shared_out_and_none_is_lost():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(3), 40)
    counts = drawn(shares, rng)
    components = 0.9 * WORDS + 0.1 / 6
    uses = _uses(counts, components, shares)
    assert uses.sum(axis=0) == pytest.approx(np.asarray(counts.sum(axis=0)).ravel())
    one = _uses(counts[:1], components, shares[:1])
    by_hand = np.array([[shares[0, k] * components[k, w] for w in range(6)] for k in range(3)])
    assert one == pytest.approx(by_hand / by_hand.sum(axis=0) * counts[0].toarray())


def test_topics_that_come_and_go_are_reported_and_steady_ones_not():
    rng = np.random.default_rng(1)
    shares = np.repeat([[0.6, 0.0, 0.4], [0.0, 0.6, 0.4]], 50, axis=0)
    found = describe_topic_changes(drawn(shares, rng), WORDS, shares, NAMES, when="2024-01-01T00:00:00Z")
    assert [(change.kind, change.earlier, change.later) for change in found] == [
        ("died", [["old"]], []),
        ("born", [], [["new"]]),
    ]
    assert {change.when for change in found} == {"2024-01-01T00:00:00Z"}


def test_nothing_changes_in_a_steady_stream_and_rare_topics_are_not_judged():
    rng = np.random.default_rng(2)
    shares = np.repeat([[0.3, 0.3, 0.4]], 100, axis=0)
    assert describe_topic_changes(drawn(shares, rng), WORDS, shares, NAMES, when="") == []
    rare = np.repeat([[0.0, 0.0, 1.0], [0.0, 0.02, 0.98]], 50, axis=0)
    assert describe_topic_changes(drawn(rare, rng), WORDS, rare, NAMES, when="") == []


def test_a_topic_that_only_changes_its_words_neither_comes_nor_goes():
    rng = np.random.default_rng(4)
    components = np.array([[0.25, 0.25, 0.25, 0.25, 0, 0], [0, 0, 0, 0, 0.5, 0.5]])
    halves = np.array([[0.5, 0.5, 0, 0, 0, 0], [0, 0, 0.5, 0.5, 0, 0]])
    counts = sp.csr_matrix([rng.multinomial(20, 0.5 * halves[i // 50] + 0.5 * components[1]) for i in range(100)])
    shares = np.full((100, 2), 0.5)
    assert describe_topic_changes(counts, components, shares, [["moving"], ["steady"]], when="") == []


def test_a_topic_whose_words_part_has_split():
    rng = np.random.default_rng(3)
    components = np.array([[0.25, 0.25, 0.25, 0.25, 0, 0], [0.5, 0.5, 0, 0, 0, 0], [0, 0, 0.5, 0.5, 0, 0]])
    shares = np.repeat([[1.0, 0, 0], [0, 0.5, 0.5]], 50, axis=0)
    counts = sp.csr_matrix([rng.multinomial(20, share @ components) for share in shares])
    found = describe_topic_changes(counts, components, shares, [["whole"], ["part"], ["rest"]], when="")
    kinds = {change.kind for change in found}
    assert kinds & {"split", "born"}
    assert all("whole" in change.earlier[0] for change in found if change.kind == "split")

import numpy as np
import pytest

from driftline.analysis.timeline import grid
from driftline.analysis.words import describe_changed_words, pattern_of
from driftline.local.changed_words import changed_words


@pytest.mark.parametrize(
    ("curve", "name"),
    [
        (np.linspace(1, 3, 100), "rose"),
        (np.linspace(3, 1, 100), "fell"),
        (1 + 9 * np.exp(-(((np.arange(100) - 50) / 5) ** 2)), "peaked"),
        (5 - 4.5 * np.exp(-(((np.arange(100) - 50) / 5) ** 2)), "dipped"),
        (2 + 0.1 * np.sin(np.arange(100)), "varied"),
        (np.where(np.arange(100) < 60, 0.0, 5.0), "rose"),
        (np.array([1.0]), "varied"),
    ],
)
def test_shapes_are_named(curve, name):
    assert pattern_of(curve) == name


def test_counts_and_rates_are_those_of_the_corpus(corpus):
    tests = changed_words(corpus.counts, times=corpus.times)
    shown = describe_changed_words(corpus, tests, grid(corpus.times, 30), bandwidth="30d", n_words=3, n_examples=2)
    words = [str(word) for word in corpus.vocabulary.words]
    for finding in shown:
        column = corpus.counts[:, [words.index(finding.word)]]
        assert finding.n_uses == column.sum()
        assert finding.n_documents == column.nnz
        assert finding.mean_rate == pytest.approx(10_000 * column.sum() / corpus.counts.sum())
        assert len(finding.examples) == 2
        assert max(finding.curve.value) == pytest.approx(finding.peak_rate, rel=1e-4)


def test_no_changed_word_no_finding(corpus):
    tests = changed_words(corpus.counts, times=corpus.times)
    none = tests._replace(changed=np.zeros_like(tests.changed))
    assert describe_changed_words(corpus, none, grid(corpus.times, 5), bandwidth="9d", n_words=9, n_examples=1) == []

import numpy as np
import pytest

from driftline.analysis.timeline import grid
from driftline.analysis.words import describe_changed_words, pattern_of
from driftline.local.changed_words import changed_words
from driftline.streams.corpus import Corpus


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
    none = tests._replace(lasting=np.zeros_like(tests.lasting), event=np.zeros_like(tests.event))
    assert describe_changed_words(corpus, none, grid(corpus.times, 5), bandwidth="9d", n_words=9, n_examples=1) == []


def test_a_silence_widens_the_band_to_all_that_the_word_has_been():
    texts = ["old and steady word"] * 40 + ["new and steady word"] * 40
    times = [f"2024-01-{1 + i % 20:02}" for i in range(40)] + [f"2024-12-{1 + i % 20:02}" for i in range(40)]
    corpus = Corpus.from_texts(texts, times)
    tests = changed_words(corpus.counts, times=corpus.times, unit="document")
    when = np.array(["2024-01-10", "2024-06-15", "2024-12-10"], dtype="datetime64[us]")
    for finding in describe_changed_words(corpus, tests, when, bandwidth="9d", n_words=2, n_examples=1):
        assert finding.curve.lower[1] == 0
        assert finding.curve.upper[1] == pytest.approx(max(finding.curve.upper[0], finding.curve.upper[2]), rel=1e-5)

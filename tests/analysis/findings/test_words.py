import numpy as np
import pytest

from driftline.analysis.curve_times import grid
from driftline.analysis.findings.headlines import WordChange
from driftline.analysis.findings.words import describe_changed_words, pattern_of, pattern_of_change
from driftline.analysis.items import items_of
from driftline.local.changed_words.discovery import changed_words
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


@pytest.mark.parametrize(
    ("kind", "direction", "lower", "from_start", "to_end", "name"),
    [
        ("lasting", "more", 2.0, True, False, "fell"),
        ("lasting", "more", 2.0, False, True, "rose"),
        ("lasting", "less", 2.0, False, True, "fell"),
        ("lasting", "less", 2.0, True, False, "rose"),
        ("lasting", "more", 2.0, False, False, "peaked"),
        ("lasting", "less", 2.0, False, False, "dipped"),
        ("event", "more", 2.0, False, True, "peaked"),
        ("lasting", "more", 0.9, False, True, None),
    ],
)
def test_shapes_agree_with_measured_changes(kind, direction, lower, from_start, to_end, name):
    change = WordChange(
        "war", kind, direction, 3.0, lower, 9.0, "2003-03-14", "2003-04-03", from_start, to_end, 30, 40, True
    )
    assert pattern_of_change(change) == name
    assert pattern_of_change(None) is None


def test_counts_and_rates_are_those_of_the_corpus(corpus):
    tests = changed_words(corpus.counts, times=corpus.times)
    when = grid(corpus.times, 30)
    shown = describe_changed_words(corpus, items_of(corpus), tests, when, bandwidth="30d", n_words=3, n_examples=2)
    words = [str(word) for word in corpus.vocabulary.words]
    assert len(shown) == 3
    for finding in shown:
        column = corpus.counts[:, [words.index(finding.word)]]
        assert finding.n_uses == column.sum()
        assert finding.n_documents == column.nnz
        assert finding.mean_rate == pytest.approx(1_000 * column.nnz / len(corpus))
        assert len(finding.examples) == 2
        assert max(finding.curve.value) == pytest.approx(finding.peak_rate, rel=1e-4)
        assert finding.bandwidth_days == 30


def test_no_changed_word_no_finding(corpus):
    tests = changed_words(corpus.counts, times=corpus.times)
    none = tests._replace(lasting=np.zeros_like(tests.lasting), event=np.zeros_like(tests.event))
    options = {"bandwidth": "9d", "n_words": 9, "n_examples": 1}
    assert describe_changed_words(corpus, items_of(corpus), none, grid(corpus.times, 5), **options) == []


def test_a_silence_is_not_drawn():
    texts = ["old and steady word"] * 40 + ["new and steady word"] * 40
    times = [f"2024-01-{1 + i % 20:02}" for i in range(40)] + [f"2024-12-{1 + i % 20:02}" for i in range(40)]
    corpus = Corpus.from_texts(texts, times)
    tests = changed_words(corpus.counts, times=corpus.times, unit="document")
    when = np.array(["2024-01-10", "2024-06-15", "2024-12-10"], dtype="datetime64[us]")
    shown = describe_changed_words(corpus, items_of(corpus), tests, when, bandwidth="9d", n_words=2, n_examples=1)
    assert len(shown) == 2
    for finding in shown:
        for part in (finding.curve.value, finding.curve.lower, finding.curve.upper):
            assert np.isnan(part).tolist() == [False, True, False]
        assert finding.pattern in ("rose", "fell")

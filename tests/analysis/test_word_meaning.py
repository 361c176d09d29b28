import numpy as np
import pytest
import scipy.sparse as sp

from driftline.analysis import word_meaning
from driftline.analysis.word_meaning import LEAST_WITH_WORD, odds_ratios, shifted_words
from driftline.datasets.newswire import simulate_newswire
from driftline.streams.corpus import Corpus

START = np.datetime64("2024-01-01", "us")


def swapping(n=200, *, swap):
    """Two labels with a word each; half way the words change places, or do not. A third word is everywhere."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, n)
    second = codes ^ (swap & (np.arange(n) >= n // 2))
    counts = np.column_stack([second == 0, second == 1, rng.random(n) < 0.5]).astype(int) * 3
    times = START + np.arange(n) * np.timedelta64(1, "D")
    return sp.csr_matrix(counts), codes, times


def found_in(counts, codes, times, **options):
    return shifted_words(counts, codes, times, names=["a", "b"], words=["alpha", "omega", "noise"], **options)


def test_words_that_change_places_are_found_once_each_with_their_curves():
    counts, codes, times = swapping(swap=True)
    found = found_in(counts, codes, times)
    assert {word.word for word in found} == {"alpha", "omega"}
    for word in found:
        sign = 1 if (word.word == "alpha") == (word.label == "a") else -1
        assert len(word.curve.value) == 4
        assert np.sign(word.curve.value).tolist() == [sign, sign, -sign, -sign]
        assert all(low < value < high for low, value, high in zip(word.curve.lower, word.curve.value, word.curve.upper))
        assert word.movement == pytest.approx(max(word.curve.value) - min(word.curve.value), rel=1e-4)
    assert len(found_in(counts, codes, times, n=1)) == 1


def test_labels_without_a_document_cost_nothing(monkeypatch):
    """652 combinations of topics took 7 GB, although eight of them were used."""
    counts, codes, times = swapping(swap=True)
    sizes = []
    monkeypatch.setattr(word_meaning, "odds_ratios", lambda *given: (sizes.append(given[2]), odds_ratios(*given))[1])
    names = [f"unused {i}" for i in range(500)]
    names[7], names[300] = "a", "b"
    words = ["alpha", "omega", "noise"]
    found = shifted_words(counts, np.where(codes == 0, 7, 300), times, names=names, words=words)
    assert set(sizes) == {2}
    assert [(word.word, word.label) for word in found] == [(w.word, w.label) for w in found_in(counts, codes, times)]


def test_words_that_keep_their_meaning_are_not():
    assert found_in(*swapping(swap=False)) == []


def test_a_label_that_becomes_more_frequent_moves_no_word():
    rng = np.random.default_rng(2)
    codes = (rng.random(800) < np.linspace(0.1, 0.9, 800)).astype(int)
    has = rng.random(800) < np.where(codes == 1, 0.7, 0.3)
    counts = sp.csr_matrix(np.column_stack([has, ~has, rng.random(800) < 0.5]).astype(int))
    assert found_in(counts, codes, START + np.arange(800) * np.timedelta64(1, "D")) == []


def test_of_a_newswire_whose_labels_keep_their_words_nothing_is_called():
    for seed in range(3):
        wire = simulate_newswire(1500, random_state=seed)
        corpus = Corpus.from_texts(wire.texts, wire.times, labels=wire.true_labels, min_df=2)
        words = [str(word) for word in corpus.vocabulary.words]
        assert shifted_words(corpus.counts, corpus.labels, corpus.times, names=corpus.label_names, words=words) == []


def test_too_few_documents_say_nothing():
    assert found_in(*(part[:99] for part in swapping(swap=True))) == []
    counts, codes, times = swapping(swap=True)
    assert found_in(sp.csr_matrix(counts.shape, dtype=int), codes, times) == []


def test_odds_ratios_are_those_of_plain_counting():
    rng = np.random.default_rng(3)
    counts, codes = sp.csr_matrix(rng.poisson(0.4, (60, 5))), rng.integers(0, 3, 60)
    ratios, variances, known = odds_ratios(counts, codes, 3)
    dense = counts.toarray() > 0
    for word in range(5):
        for label in range(3):
            cells = [
                0.5 + sum(dense[i, word] == has and (codes[i] == label) == is_it for i in range(60))
                for has, is_it in ((True, True), (False, False), (True, False), (False, True))
            ]
            assert ratios[word, label] == pytest.approx(np.log(cells[0] * cells[1] / cells[2] / cells[3]))
            assert variances[word, label] == pytest.approx(sum(1 / cell for cell in cells))
            assert known[word, label] == (dense[:, word].sum() >= LEAST_WITH_WORD)


def test_variance_of_units_is_that_of_the_definition():
    rng = np.random.default_rng(0)
    counts, codes, units = rng.random((60, 4)) < 0.4, rng.integers(0, 2, 60), np.sort(rng.integers(0, 12, 60))
    _, variance, _ = odds_ratios(sp.csr_matrix(counts.astype(int)), codes, 2, units)
    for w in range(4):
        for label in range(2):
            word, mine = counts[:, w], codes == label
            cells = [word & mine, word & ~mine, ~word & mine, ~word & ~mine]
            signs = [1, -1, -1, 1]
            by_unit = [
                sum(sign * (cell & (units == d)).sum() / (cell.sum() + 0.5) for sign, cell in zip(signs, cells))
                for d in np.unique(units)
            ]
            n = len(by_unit)
            plain = sum(1 / (cell.sum() + 0.5) for cell in cells)
            assert variance[w, label] == pytest.approx(max(plain, n / (n - 1) * np.square(by_unit).sum()))


def test_reposts_within_a_day_change_no_meaning():
    """A tenth of the documents are posted twenty times on their day: as documents they deceive, as days they do not."""
    rng = np.random.default_rng(0)
    claims = np.zeros(2)
    for _ in range(4):
        codes, counts = rng.integers(0, 2, 400), (rng.random((400, 60)) < 0.2).astype(int)
        rows = np.repeat(np.arange(400), np.where(rng.random(400) < 0.1, 20, 1))
        times, names = START + rows * np.timedelta64(6, "h"), [f"word{i}" for i in range(60)]
        for i, units in enumerate((None, rows // 4)):
            found = shifted_words(
                sp.csr_matrix(counts[rows]), codes[rows], times, names=["a", "b"], words=names, units=units, n=60
            )
            claims[i] += len(found)
    assert claims[0] > 40
    assert claims[1] <= 4

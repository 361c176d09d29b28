from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.analysis.changed_items import changed_items, lengths_changed
from driftline.analysis.items import Items, items_of, present
from driftline.analysis.texts import texts_of
from driftline.local.changed_words.discovery import changed_words
from driftline.streams.corpus import Corpus

N_DAYS, PER_DAY, N_WORDS = 120, 8, 50
CHANGED = np.arange(10, 16)


def stream(growth, length=40.0, seed=0, change=False):
    """Words of constant shares in documents that grow to `growth` times their length, or six of which three rise."""
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(N_DAYS), PER_DAY)
    shares = 1 / np.arange(1, N_WORDS + 1)
    shares[CHANGED] = shares[10]
    shares /= shares.sum()
    rates = length * growth ** (day / N_DAYS)[:, None] * rng.gamma(4, 0.25, (len(day), 1)) * shares
    if change:
        course = (2 * day / N_DAYS)[:, None]
        rates[:, CHANGED] *= np.hstack([course] * 3 + [2 - course] * 3)
    times = np.datetime64("2024-01-01", "us") + day * np.timedelta64(1, "D")
    return Items(sp.csr_array(rng.poisson(rates)), times, np.arange(len(day)), "documents")


def by_documents(items):
    return changed_words(present(items.counts), times=items.times, sizes=np.ones(len(items.times)))


@pytest.mark.parametrize("growth", [3.0, 0.5])
def test_longer_documents_change_no_word(growth):
    items = stream(growth)
    assert by_documents(items).lasting.sum() >= 8
    found = changed_items(items)
    assert found.lasting.sum() <= 1
    assert found.event.sum() <= 1


def test_words_that_change_are_found_in_longer_documents():
    found = changed_items(stream(2.0, change=True))
    assert found.lasting[CHANGED].sum() >= 5
    assert np.delete(found.lasting, CHANGED).sum() <= 1


def test_documents_alone_are_asked_where_lengths_hold():
    items = stream(1.0, change=True)
    assert not lengths_changed(items)
    found, alone = changed_items(items), by_documents(items)
    assert np.array_equal(found.p_value, alone.p_value)
    assert np.array_equal(found.lasting, alone.lasting)


def test_long_documents_that_grow_are_cut_into_passages_and_change_no_word():
    rng = np.random.default_rng(1)
    words = np.array([f"word{k}" for k in range(80)])
    lengths = np.linspace(500, 2500, 120).astype(int)
    texts = [" ".join(rng.choice(words, n)) for n in lengths]
    corpus = Corpus.from_texts(texts, [f"{1850 + year}-12-05" for year in range(120)])
    items = items_of(corpus)
    assert items.noun == "passages"
    found = changed_items(items, texts=texts_of(items, corpus))
    assert found.n_units == 120
    assert not found.changed.any()


def test_words_of_authors_who_come_and_go_do_not_last_among_authors():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(200), 12)
    begin = rng.integers(0, 200, 80)
    author = np.array([rng.choice(np.flatnonzero((d - begin) % 200 < 40)) for d in day])
    rates = np.full((len(day), 25), 0.03)
    rates[:, :20][author[:, None] == np.arange(20)] = 0.8  # twenty words of one author each
    rates[day >= 100, 20:] = 0.2  # five words that all authors take up
    counts = sp.csr_array((rng.random(rates.shape) < rates).astype(float))
    times = np.datetime64("2020-01-01", "us") + day * np.timedelta64(1, "D")
    items = Items(counts, times, np.arange(len(day)), "documents")
    by_days = changed_items(items, unit="day", groups={"author": author}, events=False)
    assert by_days.lasting[:20].sum() >= 6
    for unit in ("author", "auto"):
        by_both = changed_items(items, unit=unit, groups={"author": author}, events=False)
        assert by_both.groups == "author"
        assert by_both.lasting[:20].sum() <= 1
        assert by_both.lasting[20:].sum() >= 4
        np.testing.assert_array_equal(by_both.outlasting, by_days.lasting)

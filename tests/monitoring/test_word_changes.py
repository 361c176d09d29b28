import numpy as np
import scipy.sparse as sp

from driftline.monitoring.word_changes import word_changes
from driftline.streams.units import units_of

DAY = np.repeat(np.arange(60), 10)
UNITS = units_of(DAY.astype(float))
IS_NEW = DAY >= 40
WORDS = np.array([f"w{k}" for k in range(30)], dtype=object)


def stream(seed, planted=()):
    """Words with a variance between days; those planted are four times as frequent in new documents."""
    rng = np.random.default_rng(seed)
    rate = 0.1 * rng.gamma(4.0, 0.25, size=(60, 30))[DAY]
    for column in planted:
        rate[IS_NEW, column] *= 4
    return sp.csr_matrix((rng.random(rate.shape) < rate).astype(float))


def found_in(contains, *, false_discovery_rate=0.05, n_words=20):
    return word_changes(contains, WORDS, UNITS, IS_NEW, false_discovery_rate=false_discovery_rate, n_words=n_words)


def test_planted_words_are_found_and_few_others():
    n_false = 0
    for seed in range(8):
        words = [change.word for change in found_in(stream(seed, planted=(3, 7)))]
        assert set(words[:2]) == {"w3", "w7"}
        n_false += len(words) - 2
    assert n_false <= 3


def test_days_alone_change_no_word():
    assert sum(bool(found_in(stream(seed))) for seed in range(12)) <= 2


def test_shares_are_those_of_the_documents_and_the_list_is_short():
    contains = stream(0, planted=(3, 7, 9))
    found = found_in(contains, n_words=2)
    assert len(found) == 2
    dense = contains.toarray()[:, WORDS.tolist().index(found[0].word)]
    assert found[0].share_now == dense[IS_NEW].mean()
    assert found[0].share_before == dense[~IS_NEW].mean()
    assert found[0].ratio == found[0].share_now / found[0].share_before
    assert 1 < found[0].low < found[0].ratio < found[0].high


def test_numbers_come_last():
    words = WORDS.copy()
    words[3] = "2003"
    dense = stream(0, planted=(3, 7)).toarray()
    dense[:, 3] = IS_NEW  # the most certain change
    found = word_changes(sp.csr_matrix(dense), words, UNITS, IS_NEW, false_discovery_rate=0.05, n_words=20)
    assert found[-1].word == "2003"
    assert found[0].word == "w7"


def test_a_word_that_is_new_has_no_upper_end():
    contains = stream(0).tolil()
    contains[:, 5] = np.where(IS_NEW, np.arange(600) % 2, 0)[:, None]
    change = found_in(contains.tocsr())[0]
    assert (change.word, change.ratio, change.high) == ("w5", np.inf, np.inf)
    assert change.low > 3

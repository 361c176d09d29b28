import numpy as np

from driftline.analysis.moving_part import moving_part


def test_no_token_is_lost(corpus):
    columns = np.array([5, 2, 9])
    part = moving_part(corpus, columns)
    assert part.shape == (len(corpus), 4)
    np.testing.assert_array_equal(part[:, :3].toarray(), corpus.counts[:, columns].toarray())
    np.testing.assert_array_equal(part.sum(axis=1), np.asarray(corpus.counts.sum(axis=1)).ravel())


def test_without_changes_every_word_stays(corpus):
    assert moving_part(corpus, np.array([], dtype=int)).shape == corpus.counts.shape

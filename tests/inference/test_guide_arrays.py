from __future__ import annotations

from driftline.inference.guide_arrays import NO_PAIRS, NO_ROWS, TOGETHER, DocumentWishes, GuideArrays

NO_WISHES = DocumentWishes(None, None, None)


def named(*names):
    """Return a guide that only names topics."""
    return GuideArrays(names, None, None, None, NO_WISHES, None, (), ())


def test_topics_called_by_their_own_number_have_no_name():
    assert named("0", "1", "2").n_named == 0
    assert named("war", "1", "sport").n_named == 2
    assert named("1", "0").n_named == 2  # the number of another topic is a name
    assert named().n_named == 0


def test_nothing_has_the_shape_of_what_it_stands_for():
    assert NO_PAIRS.shape == (0, 2)
    assert NO_ROWS.shape == (0,)


def test_words_that_belong_together_have_nearly_the_same_proportions():
    assert TOGETHER == 10_000

import numpy as np
import pytest

from driftline.analysis.curve_times import grid
from driftline.analysis.findings.label_intensities import describe_intensities


def test_intensities_follow_the_labels(corpus):
    when = grid(corpus.times, 40)
    found = describe_intensities(corpus, when)
    assert {each.label for each in found} == set(corpus.label_names)
    days = (corpus.times.max() - corpus.times.min()) / np.timedelta64(1, "D")
    for each in found:
        code = corpus.label_names.index(each.label)
        assert np.mean(each.curve.value) == pytest.approx((corpus.labels == code).sum() / days, rel=0.4)
        assert (np.array(each.curve.lower) <= np.array(each.curve.upper)).all()


def test_without_labels_there_are_no_intensities(corpus):
    assert describe_intensities(corpus.where_label("sport"), grid(corpus.times, 5)) == []

import numpy as np

from driftline.analysis.curve_times import grid
from driftline.analysis.findings.truth import compare_with_truth


def test_claims_are_sorted_into_found_missed_and_false(wire, corpus):
    clear = [word for word in wire.changed_words if word in set(corpus.vocabulary.words.tolist())]
    steady = next(word for word in wire.steady_words if word in set(corpus.vocabulary.words.tolist()))
    truth = compare_with_truth(wire, corpus, [], [clear[0], steady], grid(corpus.times, 5))
    assert truth.found == [clear[0]]
    assert truth.missed == clear[1:]
    assert truth.false_alarms == [steady]
    assert truth.band_coverage is None
    assert [name for name, _, _ in truth.bursts] == [burst.name for burst in wire.bursts]


def test_true_curves_stand_beside_those_shown(findings):
    for word in findings.changed_words[:5]:
        np.testing.assert_array_equal(findings.truth.curves[word.word].times, word.curve.times)
        assert max(findings.truth.curves[word.word].value) > 0

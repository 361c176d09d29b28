from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.topics import LDA, coverage, topics_over_time
from tests.oracles.contexts import sandwich
from tests.topics.contexts.samples import SHARES, authors_of_unequal_size, two_groups

pytestmark = pytest.mark.filterwarnings("ignore:.*was given no times")


def test_shares_and_errors_are_those_of_the_likelihood_and_its_sandwich():
    model, counts, group = two_groups(200)
    found = coverage(model, counts, by=group)
    assert found.share.shape == found.q_value.shape == found.differs.shape == (2, 3)
    for g in (0, 1):
        shares, errors = sandwich(model.components_, counts.toarray()[group == g])
        np.testing.assert_allclose(found.share[g], shares, atol=1e-4)
        half = (found.upper[g] - found.lower[g]) / 2
        np.testing.assert_allclose(half, 1.96 * errors, rtol=0.06)  # Student's, and each unit left out


@pytest.mark.parametrize("n_words", [8, 40])
def test_intervals_cover_the_truth(n_words):
    covered = []
    for seed in range(30):
        model, counts, group = two_groups(300, n_words, seed)
        found = coverage(model, counts, by=group)
        covered.append((found.lower <= SHARES) & (found.upper >= SHARES))
    assert 0.9 <= np.mean(covered) <= 0.98


def test_random_halves_do_not_differ():
    p_values, any_difference = [], []
    for seed in range(60):
        model, counts, group = two_groups(200, 10, seed, np.array([[0.5, 0.3, 0.2]] * 2))
        found = coverage(model, counts, by=group)
        p_values.append(found.p_value[0])
        any_difference.append(found.differs.any())
    assert np.mean(np.array(p_values) < 0.05) <= 0.09
    assert np.mean(any_difference) <= 0.1


def test_authors_are_the_units_if_given():
    """Every author keeps to one topic: with documents as units, halves of the authors would differ."""
    rng = np.random.default_rng(0)
    model, _, _ = two_groups(2)
    alarms = {"author": 0, "document": 0}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        author = np.repeat(np.arange(20), 20)
        topic = rng.integers(0, 3, 20)[author]
        counts = sp.csr_array(np.array([rng.multinomial(10, model.components_[k]) for k in topic], dtype=float))
        alarms["author"] += coverage(model, counts, by=author % 2, unit=author).differs.any()
        alarms["document"] += coverage(model, counts, by=author % 2).differs.any()
    assert alarms["author"] <= 3 < alarms["document"]


def test_random_halves_do_not_differ_if_a_few_authors_wrote_most_documents():
    p_values = []
    for seed in range(80):
        model, counts, author, in_half = authors_of_unequal_size(seed)
        p_values.append(coverage(model, counts, by=in_half, unit=author).p_value[0])
    assert np.mean(np.array(p_values) < 0.05) <= 0.01


def test_contexts_are_whole_numbers_with_missing_values():
    model, counts, _ = two_groups(6)
    found = coverage(model, counts, by=[1.0, np.nan, 2.0, 1.0, np.nan, 2.0])
    assert found.contexts == ("1", "2")
    assert found.left_out == 2
    with pytest.raises(InvalidInput, match="not whole"):
        coverage(model, counts, by=[1.5, np.nan, 2.0, 1.0, np.nan, 2.0])


def test_a_day_that_both_groups_share_cancels():
    rng = np.random.default_rng(1)
    model, _, _ = two_groups(2)
    day = np.repeat(np.arange(30), 20)
    by_day = rng.dirichlet([0.3, 0.3, 0.3], 30)[day]
    counts = sp.csr_array(np.array([rng.multinomial(10, row) for row in by_day @ model.components_], dtype=float))
    found = coverage(model, counts, by=np.arange(600) % 2, times=day.astype(float))
    assert found.unit == "time"
    width = (found.difference_upper - found.difference_lower)[0]
    assert (width < (found.upper - found.lower)[0]).all()


def test_several_kinds_of_groups_are_combined_and_documents_without_one_are_counted():
    model, counts, group = two_groups(100)
    party = np.where(group == 0, "left", "right").astype(object)
    party[:7] = None
    found = coverage(model, counts, by={"party": party, "year": np.arange(100) // 50})
    assert found.contexts == ("left, 0", "left, 1", "right, 0", "right, 1")
    assert found.left_out == 7
    assert found.n_documents.sum() == 93
    assert len(found.to_frame()) == 4 * 3
    assert "given these topics" in repr(found)


def test_no_share_is_below_zero():
    model, counts, group = two_groups(200, 8, 3)
    model.components_ = np.vstack([model.components_, model.components_[0] ** 2 / (model.components_[0] ** 2).sum()])
    found = coverage(model, counts, by=group)
    assert found.share.min() >= 0
    assert (found.share - found.difference).min() >= -1e-12


def test_a_context_without_words_has_no_estimate():
    model, counts, group = two_groups(100)
    counts = counts.toarray()
    counts[group == 1] = 0
    found = coverage(model, counts, by=group)
    assert np.isnan(found.share[1]).all()
    assert np.isfinite(found.share[0]).all()
    assert not found.differs.any()


def test_one_context_has_shares_but_no_differences():
    model, counts, _ = two_groups(100)
    found = coverage(model, counts, by=np.zeros(100, int))
    assert np.isfinite(found.lower).all()
    assert not found.differs.any()
    assert np.isnan(found.difference).all()


def test_curves_are_those_of_topics_over_time_and_a_pulse_is_born_and_ends():
    rng = np.random.default_rng(0)
    model, _, _ = two_groups(2)
    day = np.repeat(np.arange(120.0), 12)
    pulse = 0.03 + 0.6 * np.exp(-(((day - 60) / 8) ** 2))
    shares = np.column_stack([pulse, (1 - pulse) / 2, (1 - pulse) / 2])
    counts = sp.csr_array(np.array([rng.multinomial(15, row) for row in shares @ model.components_], dtype=float))
    by = np.where(np.arange(len(day)) % 2, "a", "b")
    found = coverage(model, counts, by=by, times=day)
    own = topics_over_time(model, counts[by == "a"], times=day[by == "a"])
    np.testing.assert_array_equal(found.curves[0].share, own.share)
    cycle = next(each for each in found.life if each.topic == 0 and each.context == "a")
    assert 35 < cycle.birth < cycle.peak < cycle.end < 85
    assert abs(cycle.peak - 60) < 6
    flat = coverage(model, counts[rng.permutation(len(day))], by=by, times=day).life
    assert all(each.birth is None and each.end is None for each in flat)


def test_uncertain_topics_widen_intervals():
    _, counts, group = two_groups(150, 15)
    lda = LDA(3, random_state=0, max_epochs=5).fit(counts)
    given = coverage(lda, counts, by=group)
    refitted = coverage(lda, counts, by=group, uncertainty="topics", n_refits=3)
    assert ((refitted.upper - refitted.lower) >= (given.upper - given.lower) - 1e-12).all()
    assert "allowing for the error in the topics" in repr(refitted)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": [0, 1]}, "there are 10 documents but by= has 2 groups"),
        ({"by": [None] * 10}, "no document has a group"),
        ({"by": {}}, "has no groups"),
        ({"by": [0, 1] * 5, "uncertainty": "both"}, "uncertainty must be"),
        ({"by": [0, 1] * 5, "level": 95}, "level must lie between 0 and 1"),
        ({"by": [0, 1] * 5, "unit": "day"}, "unit='day' needs times="),
        ({"by": [0, 1] * 5, "bandwidth": "3d"}, "bandwidth= is that of curves over time"),
    ],
)
def test_bad_input_is_named(options, message):
    model, counts, _ = two_groups(10)
    with pytest.raises(InvalidInput, match=message):
        coverage(model, counts, **options)


def test_counts_with_other_columns_than_the_model_are_refused():
    model, counts, _ = two_groups(10)
    with pytest.raises(InvalidInput, match="59 columns but the topics 60"):
        coverage(model, counts[:, :59], by=[0, 1] * 5)
    with pytest.raises(InvalidInput, match=r"Negative values.*document 4"):
        coverage(model, -counts, by=[0, 1] * 5)
    with pytest.raises(InvalidInput, match="has no topics"):
        coverage(object(), counts, by=[0, 1] * 5)

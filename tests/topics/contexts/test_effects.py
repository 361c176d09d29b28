from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.topics import effects
from driftline.topics.contexts.design import design_of, read_variables
from driftline.topics.contexts.effects import FewUnitsWarning
from driftline.topics.contexts.formula import parse_formula
from driftline.topics.word_shares import word_shares
from tests.topics.contexts.samples import SHARES, authors_of_unequal_size, two_groups


def frame(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "time": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.sort(rng.uniform(0, 900, n)), unit="D"),
            "party": rng.choice(["left", "right", "other"], n),
            "length": rng.normal(size=n),
        }
    )


def weighted_fit(Z, weight, y):
    return np.linalg.lstsq(Z * np.sqrt(weight)[:, None], y * np.sqrt(weight), rcond=None)[0]


def test_coefficients_are_those_of_weighted_least_squares_and_errors_those_of_leaving_documents_out():
    model, counts, group = two_groups(120)
    X = np.random.default_rng(0).normal(size=120)
    found = effects(model, counts, "x + group", data={"x": X, "group": group.astype(str)})
    written, words = word_shares(model.components_, counts)
    Z = np.column_stack([np.ones(120), X - np.average(X, weights=words), group])
    psi = written / words[:, None]
    assert found.term_p_value.shape == found.term_q_value.shape == (3, 2)
    for k in range(3):
        beta = weighted_fit(Z, words, psi[:, k])
        changes = [
            beta - weighted_fit(*(np.delete(part, d, axis=0) for part in (Z, words, psi[:, k]))) for d in range(120)
        ]
        np.testing.assert_allclose(found.coefficient[k], beta, rtol=1e-8)
        np.testing.assert_allclose(found.error[k], np.sqrt(np.square(changes).sum(axis=0)), rtol=1e-8)


def test_errors_by_author_add_up_the_documents_of_an_author_first():
    """Every document twice: with documents as units errors are too small, with authors they are as before."""
    model, counts, group = two_groups(120)
    once = effects(model, counts, "group", data={"group": group.astype(str)})
    twice, doubled = sp.vstack([counts, counts]).tocsr(), np.tile(group.astype(str), 2)
    by_author = effects(model, twice, "group", data={"group": doubled}, unit=np.tile(np.arange(120), 2))
    by_document = effects(model, twice, "group", data={"group": doubled})
    np.testing.assert_allclose(by_author.error, once.error, rtol=0.02)
    np.testing.assert_allclose(by_document.error, once.error / np.sqrt(2), rtol=0.02)


def test_adjusted_shares_are_mean_predictions_with_the_variable_replaced():
    data = frame()
    terms = parse_formula("s(time)*party + length:party + length", list(data))
    variables = read_variables(data, ["time", "party", "length"], ["time"], [], 200)
    weight = np.random.default_rng(1).uniform(1, 9, 200)
    design = design_of(terms, variables, np.arange(200), weight)
    beta = np.random.default_rng(2).normal(size=len(design.names))
    for place, values in ((1, [0.0, 1.0, 2.0]), (0, [18300.0, 18500.0]), (2, [0.3])):
        adjusted = design.adjusted(variables[place].name, np.array(values), np.arange(200), weight) @ beta
        for value, found in zip(values, adjusted):
            replaced = [v._replace(values=np.full(200, value)) if i == place else v for i, v in enumerate(variables)]
            by_name = {v.name: v for v in replaced}
            encoders = {f: e._replace(variable=by_name[f.variable]) for f, e in design.encoders.items()}
            plain = design._replace(encoders=encoders).matrix(np.arange(200)) @ beta
            assert found == pytest.approx(np.average(plain, weights=weight))


def test_intervals_cover_a_rise_and_a_difference_of_parties():
    covered, seasons = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        model, _, _ = two_groups(2)
        time, party = rng.uniform(0, 1, 400), rng.integers(0, 2, 400)
        first = 0.1 + 0.3 * time + 0.15 * party
        shares = np.column_stack([first, 0.6 * (1 - first), 0.4 * (1 - first)])
        by_document = np.array([rng.dirichlet(4 * row) for row in shares])
        counts = sp.csr_array(np.array([rng.multinomial(10, row) for row in by_document @ model.components_], float))
        found = effects(model, counts, "s(time) + party", data={"time": time, "party": party.astype(str)})
        column = found.columns.index("party=1")
        covered.append(found.lower[0, column] <= 0.15 <= found.upper[0, column])
        curve = found.curve(0, "time")
        truth = 0.1 + 0.3 * curve.times + 0.15 * party.mean()
        seasons.append(((curve.lower <= truth) & (truth <= curve.upper)).mean())
        assert found.term_q_value[0].max() < 0.05
    assert np.mean(covered) >= 0.8
    assert 0.85 <= np.mean(seasons) <= 1.0


def test_true_shares_of_groups():
    model, counts, group = two_groups(2000, 30)
    found = effects(model, counts, "group", data={"group": group.astype(str)})
    np.testing.assert_allclose(found.adjusted["group"].share.T, SHARES, atol=0.03)
    assert found.adjusted["group"].values.tolist() == ["0", "1"]
    with pytest.raises(InvalidInput, match="has groups, not numbers"):
        found.curve(0, "group")


def test_frames_dates_and_missing_values():
    model, counts, _ = two_groups(200)
    data = frame()
    data.loc[3, "party"] = None
    data.loc[4, "length"] = np.nan
    found = effects(model, counts, "s(time) + party + length", data=data)
    assert found.left_out == 2
    assert found.n_documents == 198
    assert found.adjusted["time"].values.dtype.kind == "M"
    assert len(found.to_frame()) == 3 * len(found.columns)
    assert "s(time) + party + length" in repr(found)
    assert "<svg" in found._repr_html_()


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("s(party)", r"s\(party\) needs numbers or times"),
        ("one", "'one' has only the level 'x'"),
        ("constant", "needs more distinct values than 1"),
        ("length + twice", "the column 'twice' is determined by those before it"),
        ("factor(number) + s(number)", "both smooth and a factor"),
        ("name", "levels; at most 200 can be compared"),
        ("short", "has .* values"),
        ("infinite", "infinite value at document 0"),
        ("nothing", "'nothing' has no value in any document"),
    ],
)
def test_bad_variables_are_named(formula, message):
    model, counts, _ = two_groups(300)
    data = dict(frame(300)) | {
        "one": np.repeat("x", 300),
        "constant": np.ones(300),
        "number": np.arange(300) % 7,
        "name": np.array([f"n{i}" for i in range(300)]),
        "short": np.ones(3),
        "nothing": [None] * 300,
        "infinite": np.full(300, np.inf),
    }
    data["twice"] = 2 * np.asarray(data["length"])
    with pytest.raises(InvalidInput, match=message):
        effects(model, counts, formula, data=data)


def test_too_few_units_and_no_data():
    model, counts, _group = two_groups(60)
    with pytest.raises(InvalidInput, match="too few for the 6 columns"):
        effects(model, counts, "s(x)", data={"x": np.arange(60.0)}, unit=np.arange(60) % 9)
    with pytest.raises(InvalidInput, match="data frame or a mapping"):
        effects(model, counts, "x", data=3)
    with pytest.raises(InvalidInput, match="no document has words and all variables"):
        effects(model, counts, "x", data={"x": np.full(60, np.nan)})


def days_of_two_groups(rng, n_first, n_second, per_day=12):
    """Return counts, day and group of documents; a day's documents have shares in common, and groups do not differ."""
    model, _, _ = two_groups(2)
    day = np.repeat(np.arange(n_first + n_second), per_day)
    shares = rng.dirichlet(4 * SHARES[0], n_first + n_second)[day]
    counts = [rng.multinomial(15, row) for row in shares @ model.components_]
    return model, sp.csr_array(np.array(counts, dtype=float)), day, np.where(day < n_first, "A", "B")


@pytest.mark.parametrize(("n_first", "n_second"), [(10, 10), (3, 17)])
def test_false_effects_of_days_are_rare_if_days_are_the_units_and_frequent_if_documents_are(n_first, n_second):
    rng, by_day, by_document = np.random.default_rng(5), [], []
    for _ in range(150):
        model, counts, day, group = days_of_two_groups(rng, n_first, n_second)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewUnitsWarning)
            by_day.append(effects(model, counts, "group", data={"group": group}, unit=day).term_p_value[0, 0])
        by_document.append(effects(model, counts, "group", data={"group": group}).term_p_value[0, 0])
    assert np.mean(np.array(by_day) < 0.05) <= 0.09  # 5 %, and two standard errors of 150
    assert np.mean(np.array(by_document) < 0.05) > 0.2


def test_columns_that_depend_on_one_unit_are_refused_and_those_on_few_are_reported():
    rng = np.random.default_rng(0)
    model, counts, day, group = days_of_two_groups(rng, 1, 12)
    with pytest.raises(InvalidInput, match=r"'group=B' depends on a single unit \(group\): .* use smaller units"):
        effects(model, counts, "group", data={"group": group}, unit=day)
    model, counts, day, group = days_of_two_groups(rng, 2, 12)
    with pytest.warns(FewUnitsWarning, match="'group=B' depend on very few units"):
        found = effects(model, counts, "group", data={"group": group}, unit=day)
    assert (found.term_p_value > 0.01).all()


def test_with_times_days_are_the_units():
    model, counts, day, group = days_of_two_groups(np.random.default_rng(1), 8, 8)
    times, data = np.datetime64("2020-01-01") + day, {"group": group}
    found = effects(model, counts, "group", data=data, times=times)
    assert (found.unit, found.n_units) == ("day", 16)
    np.testing.assert_array_equal(found.error, effects(model, counts, "group", data=data, unit=day).error)
    assert effects(model, counts, "group", data=data).unit == "document"


def test_random_halves_have_no_effect_if_a_few_authors_wrote_most_documents():
    p_values = []
    for seed in range(80):
        model, counts, author, in_half = authors_of_unequal_size(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewUnitsWarning)
            found = effects(model, counts, "half", data={"half": in_half}, unit=author)
        p_values.append(found.term_p_value[:, 0])
    assert np.mean(np.array(p_values) < 0.05) <= 0.01

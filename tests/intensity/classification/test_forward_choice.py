import numpy as np
import pytest

from driftline.intensity.classification.forward_choice import CANDIDATES, Predicted, choose, overrules_too_often

N = 400


def part(seed=0, **errors):
    """Documents of two classes after an origin; the errors of a better candidate are among those of a worse one."""
    rng = np.random.default_rng(seed)
    truth, difficulty = rng.integers(0, 2, N), rng.random(N)
    wrong = {name: difficulty < errors.get(name, errors["others"]) for name in CANDIDATES}
    return Predicted(truth, {name: np.where(wrong[name], 1 - truth, truth) for name in CANDIDATES})


@pytest.mark.parametrize(
    ("errors", "chosen", "simpler"),
    [
        ({"others": 0.3}, "base", "base"),
        ({"others": 0.3, "combined": 0.1}, "combined", "base"),
        ({"others": 0.3, "calibration": 0.2}, "calibration", "calibration"),
        ({"others": 0.3, "calibration": 0.2, "combined": 0.1}, "combined", "calibration"),
        ({"others": 0.3, "chain": 0.05, "combined": 0.15}, "chain", "base"),
        ({"others": 0.1, "base": 0.3, "calibration": 0.3, "chain": 0.1, "combined": 0.1}, "combined", "base"),
        ({"others": 0.4, "base": 0.1}, "base", "base"),
    ],
)
def test_the_simplest_answer_unless_another_is_clearly_better(errors, chosen, simpler):
    found = choose([part(1, **errors), part(2, **errors)])
    assert (found.chosen, found.simpler) == (chosen, simpler)


def test_an_equal_number_of_errors_is_not_clearly_better():
    truth = np.zeros(10, dtype=int)
    columns = {name: (np.arange(10) == i).astype(int) for i, name in enumerate(CANDIDATES)}
    found = choose([Predicted(truth, columns)])
    assert (found.chosen, found.errors) == ("base", dict.fromkeys(CANDIDATES, 1))


def test_overruling_is_counted_after_the_last_origin():
    first, last = part(1, others=0.5, combined=0.1), part(2, others=0.2, combined=0.02)
    found = choose([first, last])
    assert found.chosen == "combined"
    assert found.overruled["chosen"] == (last.columns["combined"] != last.columns["base"]).mean()
    assert found.overruled["calibration"] == (last.columns["calibration"] != last.columns["base"]).mean()


def held_out(base, calibration):
    """Errors on cross-validated documents, those of the better answer among those of the worse."""
    difficulty = np.random.default_rng(7).random(N)
    return difficulty < base, difficulty < calibration


@pytest.mark.parametrize(
    ("errors", "known", "chosen", "simpler"),
    [
        ({"others": 0.3}, None, "base", "base"),
        ({"others": 0.3}, (0.3, 0.3), "base", "base"),
        ({"others": 0.3}, (0.3, 0.1), "calibration", "calibration"),
        ({"others": 0.3}, (0.02, 0.015), "base", "base"),
        ({"others": 0.3, "calibration": 0.31}, (0.3, 0.1), "base", "base"),
        ({"others": 0.3, "combined": 0.1}, (0.3, 0.1), "combined", "calibration"),
        ({"others": 0.3, "calibration": 0.2}, (0.1, 0.3), "calibration", "calibration"),
    ],
)
def test_cross_validated_documents_speak_for_calibration_where_the_origins_do_not_speak_against_it(
    errors, known, chosen, simpler
):
    parts = [part(1, **errors), part(2, **errors)]
    found = choose(parts, None if known is None else held_out(*known))
    assert (found.chosen, found.simpler) == (chosen, simpler)
    before = choose(parts)
    assert (found.compared, found.errors) == (before.simpler, before.errors)
    assert found.overruled["chosen"] == before.overruled["chosen"], "counted against the answer of the origins"
    assert found.overruled["calibration"] == (1.0 if simpler != before.simpler else before.overruled["calibration"])


def test_chance_is_allowed_for():
    assert not overrules_too_often(np.array([True]), 0.0), "a single document decides nothing"
    assert overrules_too_often(np.ones(2, dtype=bool), 0.0)
    assert not overrules_too_often(np.zeros(0, dtype=bool), 0.0)
    rng = np.random.default_rng(0)
    false = [overrules_too_often(rng.random(300) < 0.1, 0.1) for _ in range(500)]
    assert not any(false)
    assert all(overrules_too_often(rng.random(300) < 0.4, 0.1) for _ in range(500))

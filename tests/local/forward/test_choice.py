import statistics

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import ttest_1samp

from driftline.local.forward.choice import choose, is_clearly_better, windows_alone
from driftline.local.forward.reach import Reach
from driftline.local.forward.rolling_origin import ALL, validate
from driftline.local.logistic.local_fit import Objective, Training
from driftline.smoothing.kernels import Kernel

ORIGIN = np.repeat(np.arange(5), 20)
SHORT, LONG, FALLING = Reach("documents", 10), Reach("documents", 60), Reach("kernel", 50.0)


def training(labels):
    return Training(sp.csr_matrix(np.eye(2)[np.arange(len(labels)) % 2]), labels, np.arange(float(len(labels))), 1)


BOTH = training(np.arange(100) % 2)
ABSENT = training(np.repeat([0, 1], 50))  # the first class does not occur within the last 10 documents


def losses(*rows):
    """Mean losses by origin, the same for every document of an origin."""
    return np.array(rows, dtype=float)[:, ORIGIN]


@pytest.mark.parametrize("seed", range(20))
def test_the_test_is_a_one_sided_t_test_over_the_origins(seed):
    rng = np.random.default_rng(seed)
    origin = rng.integers(0, 5, 200)
    ours, others = rng.exponential(size=200), rng.exponential(1.2, size=200)
    gains = [statistics.mean((others - ours)[origin == number]) for number in range(5)]
    expected = ttest_1samp(gains, 0.0, alternative="greater").pvalue < 0.05
    assert is_clearly_better(ours, others, origin) == expected


def test_the_best_window_is_used_if_another_candidate_is_better_by_luck():
    lucky = losses([1.0] * 5, [0.9] * 5, [0.2, 0.9, 0.95, 0.85, 1.0])
    assert choose(BOTH, [SHORT, LONG, FALLING], lucky, ORIGIN) == 1
    consistent = losses([1.0] * 5, [0.9] * 5, [0.8, 0.82, 0.81, 0.79, 0.8])
    assert choose(BOTH, [SHORT, LONG, FALLING], consistent, ORIGIN) == 2


def test_a_window_that_lacks_a_class_yields_to_a_lower_loss():
    lucky = losses([0.9] * 5, [1.0] * 5, [0.2, 0.9, 0.95, 0.85, 1.0])
    assert choose(BOTH, [SHORT, LONG, FALLING], lucky, ORIGIN) == 0
    assert choose(ABSENT, [SHORT, LONG, FALLING], lucky, ORIGIN) == 2


def test_a_window_fitted_alone_is_the_window_where_there_is_one():
    alone = SHORT._replace(alone=True)
    found = losses([0.9] * 5, [0.95] * 5, [0.97, 0.95, 0.96, 0.99, 0.97])
    assert choose(BOTH, [SHORT, alone, LONG], found, ORIGIN) == 0, "clearly better than the window alone"
    near = losses([0.5, 0.97, 0.95, 0.96, 0.97], [0.95] * 5, [0.97, 0.95, 0.96, 0.99, 0.97])
    assert choose(BOTH, [SHORT, alone, LONG], near, ORIGIN) == 1


def test_with_one_origin_or_no_window_there_is_no_test():
    lucky = losses([1.0] * 5, [0.9] * 5)
    assert choose(BOTH, [SHORT, FALLING], lucky, np.zeros(100, dtype=int)) == 0
    assert choose(BOTH, [FALLING, FALLING._replace(size=9.0)], lucky, ORIGIN) == 1


def test_windows_are_fitted_alone_as_well_where_they_lack_a_class_at_an_origin():
    candidates = [ALL, SHORT, LONG, FALLING]
    assert windows_alone(BOTH, [50, 75], candidates) == candidates
    assert windows_alone(ABSENT, [50, 75], candidates) == [ALL, SHORT, SHORT._replace(alone=True), LONG, FALLING]
    assert windows_alone(ABSENT, [55], candidates) == candidates


def test_a_window_that_lacks_a_class_and_is_best_alone_is_shrunk():
    alone = SHORT._replace(alone=True)
    found = losses([0.9] * 5, [0.5] * 5, [0.8] * 5)
    assert choose(ABSENT, [SHORT, alone, FALLING], found, ORIGIN) == 0
    assert choose(BOTH, [SHORT, alone, FALLING], found, ORIGIN) == 1, "alone is the same, where no class is absent"
    assert choose(ABSENT, [SHORT, alone, FALLING], losses([0.9] * 5, [0.5] * 5, [0.4] * 5), ORIGIN) == 2


def test_windows_alone_are_scored_unless_candidates_are_averaged():
    labels = np.where((np.arange(600) < 200) & (np.arange(600) % 2 == 0), 0, 1 + np.arange(600) // 2 % 2)
    X = sp.csr_matrix(np.eye(3)[labels] + 0.5 * np.random.default_rng(0).random((600, 3)))
    stream = Training(X, labels, np.arange(600.0), 3)
    objective = Objective(Kernel("tricube", "past"), 1.0, tol=1e-6)
    window = Reach("documents", 90)
    for horizon, n_candidates in ((np.inf, 3), (None, 2)):
        how = {"n_origins": 5, "horizon": horizon, "average": True, "random_state": 0}
        found = validate(stream, np.arange(600), [ALL, window], [0.1, 1.0], objective, **how)
        single = [scored for scored in found.scored if scored.plan.kind != "average"]
        assert len(single) == n_candidates
        by_reach = {scored.plan.reaches[0]: scored.log_loss for scored in single}
        if n_candidates == 3:
            assert by_reach[window] != by_reach[window._replace(alone=True)]

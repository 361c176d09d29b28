from __future__ import annotations

import numpy as np

from driftline.nonparametric.stories.known_links import chosen_cut
from driftline.nonparametric.stories.window import N_CANDIDATES, Window


def test_the_cut_is_the_one_whose_stories_agree_best_with_known_groups():
    n = 40
    rows = (np.arange(n + 1), np.zeros(n, np.int32), np.ones(n), np.ones(n), np.arange(float(n)))
    window = Window.of(*rows, 0)
    window.targets[1:, 0] = np.arange(n - 1)
    groups, odds = np.arange(n) // 4, np.full((n, N_CANDIDATES), -np.inf)
    odds[1:, 0] = np.where(np.arange(1, n) % 4 > 0, 0.0, -0.3)  # 0.5 within groups, 0.43 between them
    assert np.isclose(chosen_cut(window, odds, groups), np.log(0.45 / 0.55))

import json

import numpy as np

from driftline.cli.score_output import in_percent, show_scores
from driftline.evaluation import classification_scores
from driftline.smoothing.unit_mean import Interval

TIMES = np.datetime64("2024-01-01") + np.arange(4)
SCORES = classification_scores(
    ["a", "a", "b", "\x1b[31mz"], [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.7, 0.3]], ["a", "b"], times=TIMES
)


def test_scores_are_printed_in_facts_and_tables(capsys):
    show_scores(SCORES, as_json=False)
    shown = capsys.readouterr().out
    assert "50.0 %" in shown
    assert "1 document: \\x1b[31mz" in shown  # a label cannot colour the terminal
    assert "2024-01-01  " in shown  # a day is written once
    assert "precision" in shown


def test_the_same_as_json(capsys):
    show_scores(SCORES, as_json=True)
    assert json.loads(capsys.readouterr().out)["n_unseen"] == 1


def test_a_share_is_shown_in_percent():
    assert in_percent(Interval(0.5, 0.25, 0.751)) == "50.0 % (25.0 to 75.1)"

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from driftline.cli.main import cli


@pytest.fixture
def source(tmp_path):
    """A hundred days: from the fiftieth on twice as many documents, and most of them about a flood."""
    rng = np.random.default_rng(0)
    lines = []
    for day in range(100):
        for _ in range(rng.poisson(8 if day < 50 else 20)):
            flooded = rng.random() < (0.1 if day < 50 else 0.7)
            text = " ".join(rng.choice(["river", "town", "bridge", "market", "school", "road"], 5)) + " flood" * flooded
            stamp = str(np.datetime64("2020-01-01") + day)
            lines.append(json.dumps({"text": text, "time": stamp, "label": "a" if flooded else "b"}))
    path = tmp_path / "days.jsonl"
    path.write_text("\n".join(lines))
    return str(path)


def answer(*arguments):
    result = CliRunner().invoke(cli, ["regimes", *arguments])
    return result.exit_code, result.stdout, result.output + str(result.exception)


@pytest.mark.parametrize(
    "options, name", [((), ""), (("--of", "label"), "a"), (("--of", "word", "--word", "flood"), "flood")]
)
def test_the_turn_is_found(source, options, name):
    code, out, _ = answer(source, *options, "--json")
    points = json.loads(out)
    assert code == 0
    nearest = min(points, key=lambda point: abs(np.datetime64(point["time"][:10]) - np.datetime64("2020-02-20")))
    assert abs(np.datetime64(nearest["time"][:10]) - np.datetime64("2020-02-20")) <= np.timedelta64(7, "D")
    assert nearest["probability"] > 0.9
    assert any(point["name"] == name for point in points)


def test_a_table_is_printed(source):
    code, out, _ = answer(source, "--of", "word", "--word", "flood")
    assert code == 0
    assert "flood" in out
    assert "2020-02-" in out


@pytest.mark.parametrize(
    "options, message",
    [
        (("--word", "flood"), "--word is for --of word"),
        (("--of", "word", "--word", "nowhere"), "nowhere"),
    ],
)
def test_bad_options_are_refused(source, options, message):
    code, _, err = answer(source, *options)
    assert code != 0
    assert message in err

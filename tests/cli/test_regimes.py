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
    assert "per 1,000 before" in out


def test_levels_of_a_sparse_stream_are_per_month(tmp_path):
    path = tmp_path / "years.jsonl"
    rng = np.random.default_rng(0)
    days = np.concatenate([rng.choice(7300, 60), 7300 + rng.choice(7300, 600)])
    stamps = np.datetime64("1960-01-01") + np.sort(days)
    path.write_text("".join(json.dumps({"time": str(t), "text": f"ship {t} wrecked"}) + "\n" for t in stamps))
    code, out, _ = answer(str(path), "--keep", "all")
    assert code == 0
    assert "per month before" in out
    level = float(out.splitlines()[1].split()[-2])
    assert 2 < level < 3  # 600 documents in 240 months


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


def test_improbable_changes_are_counted_instead_of_listed(tmp_path):
    rng = np.random.default_rng(1)
    lines = []
    for day in range(100):  # nobody can say on which day a slow rise happened
        for _ in range(6):
            text = "river town" + " flood" * int(rng.random() < np.clip((day - 30) / 50, 0.05, 0.6))
            lines.append(json.dumps({"text": text, "time": str(np.datetime64("2020-01-01") + day)}))
    path = tmp_path / "slow.jsonl"
    path.write_text("\n".join(lines))
    options = (str(path), "--of", "word", "--word", "flood")
    _, every, _ = answer(*options, "--least-probability", "0", "--json")
    probabilities = [point["probability"] for point in json.loads(every)]
    middle = max(probabilities)
    _, out, said = answer(*options, "--least-probability", str(middle), "--json")
    assert [point["probability"] for point in json.loads(out)] == [p for p in probabilities if p >= middle]
    _, out, said = answer(*options, "--least-probability", "1")
    n_below = sum(p < 1 for p in probabilities)
    assert n_below
    assert f"{n_below} less probable changes are not listed" in said
    assert len(out.splitlines()) == 1 + len(probabilities) - n_below


def test_without_changes_this_is_reported(tmp_path):
    lines = [json.dumps({"text": "river town", "time": str(np.datetime64("2020-01-01") + day)}) for day in range(120)]
    path = tmp_path / "steady.jsonl"
    path.write_text("\n".join(lines))
    assert answer(str(path))[1] == "No change of level was found.\n"

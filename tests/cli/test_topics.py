from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import driftline
from driftline.cli.main import cli

WORDS = {"war": "war iraq baghdad troops tanks", "health": "virus sars hospital doctors masks"}


@pytest.fixture
def source(tmp_path):
    rng = np.random.default_rng(0)
    lines = []
    for day in range(120):
        kind = "war" if rng.random() < day / 120 else "health"
        text = " ".join(rng.choice(WORDS[kind].split(), 8))
        date = np.datetime64("2003-01-01") + np.timedelta64(day, "D")
        lines.append(json.dumps({"time": str(date), "text": text + " <script>alert(1)</script>" * (day == 119)}))
    path = tmp_path / "news.jsonl"
    path.write_text("\n".join(lines))
    return path


def test_topics_with_trends_as_json_page_and_model(source, tmp_path):
    page, saved = tmp_path / "topics.html", tmp_path / "model"
    command = ["topics", str(source), "-k", "2", "--json", "--html", str(page), "--save", str(saved), "--examples", "1"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["documents"] == 120
    war, health = sorted(found["topics"], key=lambda row: -row["trend"])
    assert set(war["words"][:5]) == set(WORDS["war"].split())
    assert (war["rises_or_falls"], health["rises_or_falls"]) == ("rises", "falls")
    assert war["share"] + health["share"] == pytest.approx(1)
    assert "baghdad" in war["examples"][0]["text"] or "war" in war["examples"][0]["text"]
    text = page.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "baghdad" in text
    assert driftline.load(saved).n_topics == 2


def test_the_table_names_the_words(source):
    result = CliRunner().invoke(cli, ["topics", str(source), "-k", "2", "--examples", "0", "--inference", "vb"])
    assert result.exit_code == 0, result.output
    assert "baghdad" in result.stdout
    assert "rises" in result.stdout


def test_too_few_documents_are_an_error(tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_text('{"time": "2003-01-01", "text": "alone"}')
    result = CliRunner().invoke(cli, ["topics", str(path)])
    assert result.exit_code == 1
    assert "min_df" in result.stderr

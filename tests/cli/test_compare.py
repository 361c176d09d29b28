from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from driftline.cli.main import cli

WORDS = ["storm", "coast", "rain", "vote", "party", "council", "match", "goal", "team", "league"]
WORDS += [f"{word}land" for word in WORDS]


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=True)


def lines(seed, shares, brand, day=0):
    rng = np.random.default_rng(seed)
    for i in range(120):
        words = rng.choice(WORDS, 8, p=shares)
        date = np.datetime64("2020-01-01") + day + i // 3
        yield json.dumps({"time": str(date), "text": f"{' '.join(words)} item{seed}x{i}", "brand": brand})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")
    even = np.full(20, 0.05)
    sport = np.array([0.025] * 6 + [0.0875] * 4 + [0.05] * 10)
    (folder / "a.jsonl").write_text("\n".join(lines(1, even, "a")))
    (folder / "b.jsonl").write_text("\n".join(lines(2, sport, "b")))
    (folder / "same.jsonl").write_text("\n".join(lines(3, even, "c")))
    both = [*lines(1, even, "a"), *lines(2, sport, "<b>bad</b>", 60)]
    (folder / "both.jsonl").write_text("\n".join(both))
    return folder


def test_two_sources_differ_in_words_and_topics_as_text_json_and_page(folder, tmp_path):
    page = tmp_path / "page.html"
    result = run("compare", folder / "a.jsonl", folder / "b.jsonl", "-k", 2, "--json", "-o", page)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [each["n_documents"] for each in found["groups"]] == [120, 120]
    assert {each["word"] for each in found["words"]} & {"match", "goal", "team", "league"}
    assert all(each["low"] <= each["ratio"] for each in found["words"] if each["ratio"])
    assert "Comparison: a.jsonl and b.jsonl" in page.read_text()
    plain = run("compare", folder / "a.jsonl", folder / "b.jsonl", "-k", 0, "--words", 2)
    assert "Words that differ" in plain.stdout
    assert "Topics: not compared" in plain.stdout
    assert "120 documents in 40 units (days, quiet ones joined)" in plain.stdout


def test_two_sources_alike_do_not_differ(folder):
    result = run("compare", folder / "a.jsonl", folder / "same.jsonl", "-k", 0)
    assert result.exit_code == 0, result.output
    assert "Words: none differ by more than chance explains." in result.stdout


def test_groups_of_a_column_and_hostile_names(folder, tmp_path):
    page = tmp_path / "page.html"
    result = run("compare", folder / "both.jsonl", "--by", "brand", "-k", 0, "-o", page)
    assert result.exit_code == 0, result.output
    assert "Documents by brand" in result.stdout
    assert "<b>bad</b>" not in page.read_text()


def test_before_and_after_a_date(folder):
    result = run("compare", folder / "both.jsonl", "--after", "2020-02-20", "-k", 0)
    assert result.exit_code == 0, result.output
    size = "120 documents in 40 units (days, quiet ones joined)"
    assert f"before 2020-02-20: {size}, from 2020-02-20 on: {size}" in result.stdout
    between = run("compare", folder / "both.jsonl", "--before", "2020-02-01", "--after", "2020-03-05", "-k", 0)
    assert "left out" in between.stdout


def test_periods_of_few_days_are_not_compared(folder):
    result = run("compare", folder / "both.jsonl", "--before", "2020-01-03", "--after", "2020-03-05", "-k", 0)
    assert result.exit_code == 1
    result = run("compare", folder / "both.jsonl", "--before", "2020-01-12", "--after", "2020-04-06", "-k", 0)
    assert "days are too few" not in result.stdout
    by_group = run("compare", folder / "both.jsonl", "--by", "brand", "-k", 0, "--unit", "2000h")
    assert by_group.exit_code == 0, by_group.output
    assert "are too few to distinguish a difference from chance." in by_group.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name one comparison"),
        (("--by", "brand", "--after", "2020-02-20"), "name one comparison"),
        (("--after", "soon"), "are dates such as 2003-04-12"),
        (("--before", "2020-03-01", "--after", "2020-02-01"), "a document would be in both"),
        (("--after", "2030-01-01"), "needs two groups of at least 30 documents"),
        (("--by", "colour"), "no column 'colour' for --by (its columns"),
        (("--by", "brands"), "did you mean --by brand?"),
    ],
)
def test_bad_comparisons_are_one_message(folder, arguments, message):
    result = run("compare", folder / "both.jsonl", *arguments)
    assert result.exit_code in (1, 2)
    assert message in result.stderr
    assert "bug" not in result.stderr

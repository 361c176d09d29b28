from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from driftline.cli.main import cli


def run(*arguments):
    return CliRunner().invoke(cli, ["tag", *map(str, arguments)])


@pytest.fixture
def source(tmp_path):
    rng = np.random.default_rng(0)
    lines = []
    for day in range(60):
        for number in range(6):
            name = "Angela Merkel" if rng.random() < (0.05 if day < 30 else 0.6) else "nobody"
            text = f"Report {day * 6 + number}: {name} came to the big city centre."
            lines.append(json.dumps({"text": text, "time": str(np.datetime64("2020-01-01") + day)}))
    path = tmp_path / "news.jsonl"
    path.write_text("\n".join(lines))
    return path


def test_the_name_that_rose_is_listed(source):
    result = run(source)
    assert result.exit_code == 0, result.output
    assert any(line.startswith("Angela Merkel") and " rose " in line for line in result.stdout.splitlines())
    found = json.loads(run(source, "--json", "--phrases", "--most", "300").stdout)
    assert found["n_tagged"] == 300
    assert found["changed"][0]["text"] == "Angela Merkel"


def test_a_tagger_is_trained_and_used(source, tmp_path):
    bank = tmp_path / "bank.conllu"
    words = [("Angela", "PROPN"), ("Merkel", "PROPN"), ("came", "VERB"), ("to", "ADP"), ("town", "NOUN")]
    bank.write_text("\n".join(f"{n}\t{word}\t_\t{tag}" for n, (word, tag) in enumerate(words, 1)) + "\n\n")
    bank.write_text(bank.read_text() * 3)
    result = run(bank, "--train", "-m", tmp_path / "model")
    assert result.exit_code == 0, result.output
    assert "3 sentences" in result.output
    result = run(source, "-m", tmp_path / "model")
    assert result.exit_code == 0, result.output


def test_bad_options_are_refused(source, tmp_path):
    result = run(source, "--train")
    assert result.exit_code != 0
    assert "-m MODEL" in result.output + str(result.exception)


def test_names_are_not_claimed_in_another_language(tmp_path):
    texts = [
        "Die Abgeordneten haben im Bundestag über den Haushalt und die Steuern gesprochen, aber nicht abgestimmt.",
        "Ich danke den Kolleginnen und Kollegen, weil sie auch in der Nacht noch mit uns darüber beraten haben.",
    ]
    lines = [json.dumps({"text": texts[day % 2], "time": f"2020-01-{day:02d}"}) for day in range(1, 29)]
    path = tmp_path / "reden.jsonl"
    path.write_text("\n".join(lines))
    result = run(path)
    assert result.exit_code == 1
    assert "the language of the documents is de" in result.output
    bank = tmp_path / "bank.conllu"
    bank.write_text("1\tHaushalt\t_\tNOUN\n2\tBerlin\t_\tPROPN\n\n")
    run(bank, "--train", "-m", tmp_path / "model")
    assert run(path, "-m", tmp_path / "model").exit_code == 0


def test_rules_change_what_is_a_name(source, tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nkind = "tokens"\nvalues = ["Angela", "Merkel"]\ntags = ["VERB"]\n')
    result = run(source, "--guide", rules)
    assert result.exit_code == 0, result.output
    assert "Angela" not in result.stdout
    rules.write_text('[[rule]]\nkind = "at_least"\nn = 1\ntags = ["VRB"]\n')
    result = run(source, "--guide", rules)
    assert result.exit_code == 1
    assert "'VRB', which the model does not have (VERB" in result.output
    result = run(source, "--guide", rules, "--train", "-m", tmp_path / "model")
    assert result.exit_code == 1


def test_few_capitals_are_reported(source):
    assert "begin with a capital" not in run(source).stderr
    lower = source.with_name("lower.jsonl")
    lower.write_text(source.read_text().lower())
    result = run(lower)
    assert "0 % of the words begin with a capital" in result.stderr
    assert json.loads(run(lower, "--json").stdout)["capitals"] == 0


def test_without_changed_names_this_is_reported(tmp_path):
    lines = [json.dumps({"text": "We saw Paris again.", "time": f"2020-01-{day:02d}"}) for day in range(1, 29)]
    path = tmp_path / "steady.jsonl"
    path.write_text("\n".join(lines))
    assert run(path).stdout == "No name or phrase changed by more than chance explains.\n"

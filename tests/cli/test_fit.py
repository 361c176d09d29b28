import json

import pytest
from click.testing import CliRunner

from driftline.cli.main import cli
from driftline.datasets import simulate_newswire


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    return simulate_newswire(300, random_state=0).write(tmp_path_factory.mktemp("stories") / "stories.jsonl")


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=True)


@pytest.mark.parametrize("kind", ["local-multinomial", "local-ngram", "local-naive-bayes", "local-logistic"])
def test_every_model_is_fitted_saved_and_described(stories, tmp_path, kind):
    result = run(
        "fit", stories, "-m", kind, "-o", tmp_path / "model", "--bandwidth", "90d", "--penalty-strength", "10", "--json"
    )
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["documents"] == 300
    assert facts["bandwidth in days"] == "90"
    assert ("labels" in facts) == (kind in ("local-naive-bayes", "local-logistic"))
    assert run("describe", tmp_path / "model").exit_code == 0


def test_a_classifier_needs_two_labels(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("time,text,label\n2024-01-01,one text,x\n2024-01-02,one more text,x\n")
    result = run("fit", source, "-m", "local-logistic", "-o", tmp_path / "model")
    assert result.exit_code == 1
    assert "--label" in result.stderr
    assert not (tmp_path / "model").exists()


def test_a_penalty_that_is_no_number_is_refused(stories, tmp_path):
    result = run("fit", stories, "-m", "local-logistic", "-o", tmp_path / "m", "--penalty-strength", "strong")
    assert result.exit_code == 2
    assert "strong" in result.stderr

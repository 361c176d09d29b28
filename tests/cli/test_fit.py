import json

import pytest
from click.testing import CliRunner

from driftline.cli.fit import choice_sentence
from driftline.cli.main import cli
from driftline.datasets import simulate_newswire


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    return simulate_newswire(300, random_state=0).write(tmp_path_factory.mktemp("stories") / "stories.jsonl")


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=True)


@pytest.mark.parametrize("kind", ["local-multinomial", "local-ngram", "local-naive-bayes", "local-logistic"])
def test_every_model_is_fitted_saved_and_described(stories, tmp_path, kind):
    more = ["--penalty-strength", "10"] if kind == "local-logistic" else []
    result = run("fit", stories, "-m", kind, "-o", tmp_path / "model", "--bandwidth", "90d", "--json", *more)
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["documents"] == 300
    assert facts["bandwidth in days"] == "90"
    assert ("labels" in facts) == (kind in ("local-naive-bayes", "local-logistic"))
    assert run("describe", tmp_path / "model").exit_code == 0


def test_by_default_the_best_candidate_is_saved_with_what_it_beat(stories, tmp_path):
    result = run("fit", stories, "-o", tmp_path / "model", "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    chosen, *others = facts["candidates"]
    losses = [candidate["log_loss"] for candidate in others]
    assert losses == sorted(losses)
    assert chosen["kind"] == "average" or chosen["log_loss"] <= losses[0]
    assert len(losses) > 3
    assert facts["predicts the next documents by"] == facts["candidates"][0]["name"]
    described = run("describe", tmp_path / "model").stdout
    assert f"chosen_: '{facts['candidates'][0]['name']}'" in described
    assert f"rival_: '{facts['candidates'][1]['name']}'" in described
    shown = run("fit", stories, "-o", tmp_path / "model")
    assert "95 % interval" in shown.stdout
    assert facts["candidates"][-1]["name"] in shown.stdout
    assert choice_sentence(facts["candidates"]) in shown.stdout


@pytest.mark.parametrize(
    ("behind", "ending"),
    [
        ([], "; none has a higher accuracy with an interval that excludes 0."),
        ([(0.02, 0.01, 0.03), (-0.01, -0.02, 0.01)], "; none has a higher accuracy with an interval that excludes 0."),
        ([(-0.02, -0.03, -0.01)], "; 1 has a higher accuracy with an interval that excludes 0."),
        ([(-0.02, -0.03, -0.01)] * 2, "; 2 have a higher accuracy with an interval that excludes 0."),
    ],
)
def test_a_candidate_that_is_more_accurate_than_the_chosen_one_is_admitted(behind, ending):
    candidates = [{"accuracy_behind": each} for each in [(0.0, 0.0, 0.0), *behind]]
    assert choice_sentence(candidates) == f"Candidates are compared by log-loss, not by accuracy{ending}"


def test_candidates_are_restricted(stories, tmp_path):
    result = run(
        "fit", stories, "-o", tmp_path / "model", "--candidates", "all, documents", "--origins", "3", "--json",
        "--horizon", "30d", "--memory", "280", "--penalty-strength", "5",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    candidates = json.loads(result.stdout)["candidates"]
    assert {candidate["kind"] for candidate in candidates} == {"all", "documents"}
    assert {C for candidate in candidates for C in candidate["C"]} == {5.0}


@pytest.mark.parametrize("wrong", ["average", "windows", ""])
def test_unknown_candidates_are_refused(stories, tmp_path, wrong):
    result = run("fit", stories, "-o", tmp_path / "m", "--candidates", wrong)
    assert result.exit_code == 2
    assert "--candidates" in result.stderr


@pytest.mark.parametrize(
    ("kind", "option", "value"),
    [
        ("forward", "--bandwidth", "30d"),
        ("forward", "--side", "past"),
        ("forward", "--order", "2"),
        ("local-logistic", "--candidates", "all"),
        ("local-logistic", "--horizon", "30d"),
        ("local-naive-bayes", "--penalty-strength", "3"),
        ("local-naive-bayes", "--origins", "3"),
        ("local-multinomial", "--memory", "30"),
    ],
)
def test_an_option_of_another_model_is_refused(stories, tmp_path, kind, option, value):
    result = run("fit", stories, "-m", kind, "-o", tmp_path / "m", option, value)
    assert result.exit_code == 2
    assert option in result.stderr
    assert not (tmp_path / "m").exists()


def test_a_horizon_that_is_not_a_duration_is_refused(stories, tmp_path):
    result = run("fit", stories, "-o", tmp_path / "m", "--horizon", "soon")
    assert result.exit_code == 1
    assert "duration" in result.stderr


def test_a_classifier_needs_two_labels(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("time,text,label\n2024-01-01,one text,x\n2024-01-02,one more text,x\n")
    result = run("fit", source, "-o", tmp_path / "model")
    assert result.exit_code == 1
    assert "--label" in result.stderr
    assert not (tmp_path / "model").exists()


def test_an_empty_source_is_refused(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("time,text,label\n")
    result = run("fit", source, "-o", tmp_path / "model")
    assert result.exit_code == 1
    assert "no documents" in result.stderr


def test_a_penalty_that_is_not_a_number_is_refused(stories, tmp_path):
    result = run("fit", stories, "-m", "local-logistic", "-o", tmp_path / "m", "--penalty-strength", "strong")
    assert result.exit_code == 2
    assert "strong" in result.stderr

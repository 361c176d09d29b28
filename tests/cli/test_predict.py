import json

import numpy as np
import pytest
from click.testing import CliRunner

import driftline
from driftline.cli.main import cli
from driftline.datasets import simulate_newswire
from driftline.local.multinomial.local_multinomial import LocalMultinomial


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("predict")
    path = simulate_newswire(400, random_state=0).write(folder / "stories.jsonl")
    for kind in ("local-naive-bayes", "local-multinomial"):
        assert run("fit", path, "-m", kind, "-o", folder / kind, "--bandwidth", "120d").exit_code == 0
    return folder


@pytest.mark.filterwarnings("ignore::driftline.core.errors.OutsideSupportWarning")  # nothing comes before the first
def test_a_classifier_answers_every_document_with_label_and_probability(folder):
    result = run("predict", folder / "local-naive-bayes", folder / "stories.jsonl", "-o", folder / "out.jsonl")
    assert result.exit_code == 0, result.output
    answers = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    table = driftline.read(folder / "stories.jsonl").table()
    assert [answer["id"] for answer in answers] == table["id"].to_pylist()
    right = np.mean([a["label"] == label for a, label in zip(answers, table["label"].to_pylist())])
    assert right > 0.8
    assert all(0 < answer["probability"] <= 1 for answer in answers)
    assert "rejected" in result.stderr


def test_a_language_model_answers_with_likelihoods(folder):
    result = run("predict", folder / "local-multinomial", folder / "stories.jsonl")
    assert result.exit_code == 0
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == 400
    assert all(answer["log_likelihood"] < answer["per_word"] < 0 for answer in answers)


def test_a_model_without_words_is_refused(folder, tmp_path):
    LocalMultinomial(bandwidth=2.0).fit([[1, 2], [2, 1]]).save(tmp_path / "bare")
    result = run("predict", tmp_path / "bare", folder / "stories.jsonl")
    assert result.exit_code == 1
    assert "driftline fit" in result.stderr

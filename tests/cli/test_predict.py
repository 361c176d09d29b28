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
    rows = driftline.read(path).table().select(["id", "time", "text", "label"]).sort_by("time").to_pylist()
    for name, part in (("old", rows[:280]), ("new", rows[280:])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row, default=str) + "\n" for row in part))
    assert run("fit", folder / "old.jsonl", "-o", folder / "forward", "--candidates", "all,documents").exit_code == 0
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
    LocalMultinomial(bandwidth=2.0).fit([[1, 2], [2, 1]], times=range(2)).save(tmp_path / "bare")
    result = run("predict", tmp_path / "bare", folder / "stories.jsonl")
    assert result.exit_code == 1
    assert "driftline fit" in result.stderr


def test_the_truth_scores_the_predictions_and_they_are_still_written(folder, tmp_path):
    result = run(
        "predict", folder / "forward", folder / "new.jsonl", "--truth", "label", "--json", "-o", tmp_path / "a.jsonl"
    )
    assert result.exit_code == 0, result.output
    scores = json.loads(result.stdout)
    answers = [json.loads(line)["label"] for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    truth = driftline.read(folder / "new.jsonl").table()["label"].to_pylist()
    known = [(answer, label) for answer, label in zip(answers, truth) if label is not None]
    assert scores["n_documents"] == len(known)
    assert scores["accuracy"]["mean"] == pytest.approx(np.mean([a == b for a, b in known]))
    assert scores["accuracy"]["low"] < scores["accuracy"]["mean"] < scores["accuracy"]["high"]
    shown = run("predict", folder / "forward", folder / "new.jsonl", "--truth", "label").stdout
    for part in ("accuracy", "log-loss", "Brier score", "calibration error", "recall", "period"):
        assert part in shown
    assert '"probability"' not in shown


def test_documents_that_are_not_newer_are_pointed_out(folder):
    result = run("predict", folder / "forward", folder / "stories.jsonl", "--truth", "label")
    assert result.exit_code == 0
    assert "280 of them are not newer" in " ".join(result.stderr.split())


def test_a_truth_that_is_missing_is_refused(folder):
    result = run("predict", folder / "forward", folder / "new.jsonl", "--truth", "verdict")
    assert result.exit_code == 1
    assert "verdict" in result.stderr


def test_a_truth_without_values_is_refused(folder, tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("time,text,answer\n2030-01-01,one text,\n2030-01-02,one more text,\n")
    result = run("predict", folder / "forward", source, "--truth", "answer")
    assert result.exit_code == 1
    assert "--truth" in result.stderr


def test_labels_never_seen_are_counted(folder, tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("time,text,label\n2030-01-01,one text,martian\n2030-01-02,one more text,martian\n")
    result = run("predict", folder / "forward", source, "--truth", "label")
    assert result.exit_code == 0
    assert "2 documents: martian" in result.stdout


def test_options_that_contradict_are_refused(folder):
    assert run("predict", folder / "forward", folder / "new.jsonl", "--json").exit_code == 2
    both = run("predict", folder / "forward", folder / "new.jsonl", "--truth", "label", "--label", "id")
    assert both.exit_code == 2
    assert "different columns" in both.stderr
    language = run("predict", folder / "local-multinomial", folder / "new.jsonl", "--truth", "label")
    assert language.exit_code == 1
    assert "language model" in language.stderr

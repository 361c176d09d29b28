import json

import numpy as np
import pytest
from click.testing import CliRunner

import driftline
from driftline.base.text_model import TextModel
from driftline.cli.main import cli
from driftline.cli.state_folder import locked_model
from driftline.local import LocalMultinomial, LocalNaiveBayes
from tests.cli.classifier_files import write_files, write_stream
from tests.monitoring.streams import texts_of


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=True)


@pytest.fixture
def folder(tmp_path):
    write_files(tmp_path)
    made = run("fit", tmp_path / "old.csv", "-o", tmp_path / "model", "--candidates", "all", "--penalty-strength", "10")
    assert made.exit_code == 0, made.output
    return tmp_path


def test_a_model_learns_on_and_only_once(folder):
    first = run("update", folder / "model", folder / "drifted.csv", "--json")
    assert first.exit_code == 0, first.output
    facts = json.loads(first.stdout)
    assert (facts["documents"], facts["learned before"]) == (180, 0)
    assert facts["new words"] >= 1
    learned = driftline.load(folder / "model")
    again = json.loads(run("update", folder / "model", folder / "drifted.csv", "--json").stdout)
    assert (again["learned before"], again["saved in"]) == (180, "unchanged")
    kept = driftline.load(folder / "model")
    assert kept.n_documents_ == learned.n_documents_ == 480 + 180
    assert np.array_equal(kept.estimator_.coef_, learned.estimator_.coef_)


def test_the_old_model_is_kept_with_an_output(folder):
    before = (folder / "model" / "manifest.json").read_bytes()
    assert run("update", folder / "model", folder / "new.csv", "-o", folder / "next").exit_code == 0
    assert (folder / "model" / "manifest.json").read_bytes() == before
    assert driftline.load(folder / "next").n_documents_ == 480 + 180
    copied = run("update", folder / "next", folder / "new.csv", "-o", folder / "copy")
    assert copied.exit_code == 0
    assert driftline.load(folder / "copy").n_documents_ == 480 + 180


def test_two_updates_of_a_model_at_the_same_time_are_refused(folder):
    with locked_model(folder / "model", "update"):
        result = run("update", folder / "model", folder / "new.csv")
        assert result.exit_code == 1
        assert "another `driftline update` is changing" in result.stderr
    assert run("update", folder / "model", folder / "new.csv").exit_code == 0
    assert driftline.load(folder / "model").n_documents_ == 480 + 180


def test_an_update_that_fails_leaves_the_model(folder, monkeypatch):
    before = (folder / "model" / "manifest.json").read_bytes()

    def broken(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("driftline.persistence.model.write_manifest", broken)
    result = run("update", folder / "model", folder / "new.csv")
    assert result.exit_code == 1
    assert "No space left" in result.stderr
    monkeypatch.undo()
    assert (folder / "model" / "manifest.json").read_bytes() == before
    assert driftline.load(folder / "model").n_documents_ == 480


def test_new_labels_stop_or_are_skipped_or_learned(folder):
    texts, labels, times = texts_of(5, 6, first="2024-06-01", seed=5)
    labels = np.where(np.arange(30) < 4, "bacon", labels)
    texts = [f"crispy {text}" if label == "bacon" else text for text, label in zip(texts, labels)]
    write_stream(folder / "bacon.csv", texts, labels, times)
    before = (folder / "model" / "manifest.json").read_bytes()
    stopped = run("update", folder / "model", folder / "bacon.csv")
    assert stopped.exit_code == 1
    assert "bacon" in stopped.stderr
    assert "--new-labels skip" in stopped.stderr
    assert "--new-labels learn" in stopped.stderr
    assert (folder / "model" / "manifest.json").read_bytes() == before
    learned = run(
        "update", folder / "model", folder / "bacon.csv", "--new-labels", "learn", "-o", folder / "grown", "--json"
    )
    facts = json.loads(learned.stdout)
    assert (facts["documents"], facts["with a new label"], facts["labels learned"]) == (30, 4, ["bacon"])
    grown = driftline.load(folder / "grown")
    assert grown.classes_.tolist() == ["bacon", "ham", "spam"]
    assert grown.predict_proba(["crispy"])[0, 0] > 0.2 > grown.predict_proba(["the"])[0, 0]
    again = run("update", folder / "grown", folder / "bacon.csv", "--new-labels", "learn", "--json")
    assert json.loads(again.stdout)["saved in"] == "unchanged"
    skipped = run("update", folder / "model", folder / "bacon.csv", "--new-labels", "skip", "--json")
    facts = json.loads(skipped.stdout)
    assert (facts["documents"], facts["with a new label"]) == (26, 4)


def test_only_new_labels_skipped_leave_nothing_to_do(folder):
    texts, _, times = texts_of(2, 3, first="2024-06-01", seed=5)
    write_stream(folder / "bacon.csv", texts, ["bacon"] * 6, times)
    result = run("update", folder / "model", folder / "bacon.csv", "--new-labels", "skip", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["saved in"] == "unchanged"


def test_sources_without_documents_or_labels_are_refused(folder):
    empty = run("update", folder / "model", folder / "empty.csv")
    assert empty.exit_code == 1
    assert "no documents" in empty.stderr
    bare = run("update", folder / "model", folder / "bare.csv")
    assert bare.exit_code == 1
    assert "--label" in bare.stderr


def test_documents_older_than_the_training_are_learned_in_their_place(folder):
    write_stream(folder / "early.csv", *texts_of(5, 6, first="2023-06-01", seed=5))
    result = run("update", folder / "model", folder / "early.csv", "--json")
    assert result.exit_code == 0, result.output
    assert driftline.load(folder / "model").estimator_.newest_ < np.datetime64("2024-06-01")


def test_other_models_are_refused(folder):
    texts, labels, times = texts_of(10, 6)
    TextModel(LocalMultinomial(bandwidth="30d")).fit(texts, times=times).save(folder / "language")
    TextModel(LocalNaiveBayes(bandwidth="30d")).fit(texts, labels, times=times).save(folder / "earlier")
    LocalMultinomial(bandwidth=2.0).fit([[1, 2], [2, 1]], times=range(2)).save(folder / "words")
    both = ("fit", folder / "old.csv", "-m", "local-logistic", "--side", "both", "--bandwidth", "60d")
    assert run(*both, "--penalty-strength", "1", "-o", folder / "both").exit_code == 0
    for name, reason in (
        ("language", "language model"),
        ("earlier", "fit it again"),
        ("words", "without a vocabulary"),
        ("both", "--side past"),
    ):
        result = run("update", folder / name, folder / "new.csv")
        assert result.exit_code == 1
        assert reason in " ".join(result.stderr.split())

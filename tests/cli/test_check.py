import json

import pytest
from click.testing import CliRunner

from driftline.base.text_model import TextModel
from driftline.cli.main import cli
from driftline.local import LocalMultinomial
from tests.cli.classifier_files import write_files
from tests.monitoring.streams import texts_of


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("check"))
    made = run("fit", folder / "old.csv", "-o", folder / "model", "--candidates", "all", "--penalty-strength", "10")
    assert made.exit_code == 0, made.output
    return folder


def test_documents_like_those_learned_pass_with_exit_code_0(folder):
    result = run("check", folder / "model", folder / "new.csv")
    assert result.exit_code == 0, result.output
    assert "The check passed." in result.stdout


def test_drift_fails_with_exit_code_3_and_says_what_changed(folder):
    result = run("check", folder / "model", folder / "drifted.csv")
    assert result.exit_code == 3, result.output
    assert "Errors: failed." in result.stdout
    assert "crypto" in result.stdout
    assert "The check failed." in result.stdout


def test_the_same_as_json(folder):
    result = run("check", folder / "model", folder / "drifted.csv", "--json", "--words", "1")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert found["passed"] is False
    assert [part["name"] for part in found["parts"]] == ["unknown words", "words", "predictions", "errors"]
    assert len(found["words"]) == 1


def test_tolerances_decide(folder):
    tolerant = ("--unknown-rise", 100, "--divergence", 1, "--share-change", 100, "--error-rise", 100)
    assert run("check", folder / "model", folder / "drifted.csv", *tolerant).exit_code == 0
    strict = ("--alpha", "0.0001", "--permutations", "99", "--seed", "4", "--false-discovery-rate", "0.2")
    undecided = run("check", folder / "model", folder / "drifted.csv", *strict)
    assert undecided.exit_code == 0
    assert "undecided" in undecided.stdout


def test_the_page_is_written_and_hostile_words_are_text(folder, tmp_path):
    result = run("check", folder / "model", folder / "drifted.csv", "-o", tmp_path / "page.html")
    assert result.exit_code == 3
    page = (tmp_path / "page.html").read_text()
    assert "Errors: failed." in page
    assert "crypto" in page
    assert "Content-Security-Policy" in page
    assert run("check", folder / "model", folder / "drifted.csv", "-o", tmp_path / "no" / "page.html").exit_code == 1


def test_documents_without_labels_are_checked_without_errors(folder):
    found = json.loads(run("check", folder / "model", folder / "bare.csv", "--json").stdout)
    assert [part["verdict"] for part in found["parts"] if part["name"] == "errors"] == ["not tested"]


def test_what_cannot_be_checked_is_refused(folder, tmp_path):
    empty = run("check", folder / "model", folder / "empty.csv")
    assert empty.exit_code == 1
    assert "no documents" in empty.stderr
    learned = run("check", folder / "model", folder / "old.csv")
    assert learned.exit_code == 1
    assert "it has learned from 480 of them" in " ".join(learned.stderr.split())
    texts, _, times = texts_of(10, 6)
    TextModel(LocalMultinomial(bandwidth="30d")).fit(texts, times=times).save(tmp_path / "language")
    language = run("check", tmp_path / "language", folder / "new.csv")
    assert language.exit_code == 1
    assert "language model" in language.stderr

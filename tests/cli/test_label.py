import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from driftline.cli.main import cli
from driftline.cli.state_folder import locked
from driftline.datasets import simulate_newswire

N = 260


def run(*arguments, **options):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=True, **options)


def answers_in(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def stories():
    """Records of which one in seven has a label; all have the truth."""
    wire = simulate_newswire(N, random_state=4)
    few = np.random.default_rng(0).random(N) < 0.15
    return [
        {
            "id": wire.ids[i],
            "time": str(wire.times[i]),
            "text": wire.texts[i],
            "label": str(wire.labels[i]) if few[i] else None,
            "truth": str(wire.true_labels[i]),
        }
        for i in range(N)
    ]


def write(path, records, *, broken=0):
    path.write_text("".join(json.dumps(record) + "\n" for record in records) + "{broken\n" * broken)
    return path


@pytest.fixture(scope="module")
def folder(stories, tmp_path_factory):
    """Files with all stories, and with the first and the rest of them: May is cut in two."""
    folder = tmp_path_factory.mktemp("label")
    cut = next(i for i, story in enumerate(stories) if story["time"] >= "2025-05-16")
    write(folder / "all.jsonl", stories)
    write(folder / "first.jsonl", stories[:cut], broken=2)
    write(folder / "rest.jsonl", stories[cut:])
    assert run("label", folder / "all.jsonl", "-o", folder / "all.out.jsonl", "--state", folder / "all").exit_code == 0
    return folder


def test_every_document_is_answered_and_frames_and_suggestions_are_shown(folder, stories, tmp_path):
    result = run("label", folder / "all.jsonl", "-o", tmp_path / "o.jsonl", "--truth", "truth", "--suggest", "3")
    assert result.exit_code == 0, result.output
    answers = answers_in(tmp_path / "o.jsonl")
    assert [answer["id"] for answer in answers] == [story["id"] for story in stories]
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["frame", "documents", "labelled", "predicted", "expected", "right"]
    assert [line.split()[0] for line in lines[1:13]] == [f"2025-{month:02}-01" for month in range(1, 13)]
    assert sum(int(line.split()[1]) for line in lines[1:13]) == N
    assert result.stdout.partition("Suggested for labelling next:")[2].count("story-") == 3


def test_two_files_one_after_the_other_are_as_one_file_with_both(folder, tmp_path):
    for name in ("first.jsonl", "rest.jsonl"):
        result = run("label", folder / name, "-o", tmp_path / "o.jsonl", "--state", tmp_path / "state")
        assert result.exit_code == 0, result.output
    assert (tmp_path / "o.jsonl").read_bytes() == (folder / "all.out.jsonl").read_bytes()


def test_a_run_that_is_cut_off_before_its_state_is_saved_is_simply_repeated(folder, tmp_path, monkeypatch):
    first, rest = (
        ["label", folder / name, "-o", tmp_path / "o.jsonl", "--state", tmp_path / "s"]
        for name in ("first.jsonl", "rest.jsonl")
    )
    assert run(*first).exit_code == 0
    with monkeypatch.context() as broken:
        broken.setattr("driftline.base.estimator.DriftEstimator.save", lambda *_: 1 / 0)
        assert run(*rest).exit_code == 1
    assert run(*rest).exit_code == 0
    assert run(*rest).exit_code == 0, "and once more is no harm"
    assert (tmp_path / "o.jsonl").read_bytes() == (folder / "all.out.jsonl").read_bytes()


def test_answers_are_not_replaced_when_the_state_is_gone(folder, tmp_path):
    first, rest = (
        ["label", folder / name, "-o", tmp_path / "o.jsonl", "--state", tmp_path / "s"]
        for name in ("first.jsonl", "rest.jsonl")
    )
    assert run(*first).exit_code == 0
    before = (tmp_path / "o.jsonl").read_bytes()
    (tmp_path / "s" / "labeller").rename(tmp_path / "lost")
    refused = run(*rest)
    assert refused.exit_code == 1
    assert "contains no state" in refused.stderr
    assert (tmp_path / "o.jsonl").read_bytes() == before
    (tmp_path / "lost").rename(tmp_path / "s" / f".labeller.{'0' * 16}.old")
    assert run(*rest).exit_code == 0, "a state that was moved away by a killed process is found again"
    assert (tmp_path / "o.jsonl").read_bytes() == (folder / "all.out.jsonl").read_bytes()


def test_bad_records_are_reported_and_counted(folder, tmp_path):
    result = run("label", folder / "first.jsonl", "-o", tmp_path / "o.csv", "--json")
    assert json.loads(result.stdout)["rejected"] == 2
    result = run("label", folder / "first.jsonl", "-o", tmp_path / "o.csv")
    assert "2 records rejected: 2 broken JSON" in result.stderr
    result = run("label", folder / "first.jsonl", "-o", tmp_path / "o.csv", "--on-error", "raise")
    assert result.exit_code == 1
    assert "--on-error report" in result.stderr


def test_the_loop_closes_through_the_file_of_suggestions(folder, stories, tmp_path):
    common = ["-o", tmp_path / "o.jsonl", "--state", tmp_path / "s", "--suggestions", tmp_path / "todo.csv"]
    assert run("label", folder / "first.jsonl", *common).exit_code == 0
    with open(tmp_path / "todo.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    truth = {story["id"]: story["truth"] for story in stories}
    assert len(rows) == 10
    for row in rows[:6]:
        row["label"] = truth[row["id"]]
    with open(tmp_path / "answered.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    result = run("label", tmp_path / "answered.csv", *common, "--json")
    facts = json.loads(result.stdout)
    assert (facts["documents"], facts["known already"], facts["new labels of these"]) == (0, 10, 6)
    reported = {answer["id"]: answer for answer in answers_in(tmp_path / "o.jsonl")}
    assert all(reported[row["id"]]["given"] and reported[row["id"]]["label"] == row["label"] for row in rows[:6])
    assert not any(reported[row["id"]]["given"] for row in rows[6:])
    assert {each["id"] for each in facts["suggestions"]}.isdisjoint(row["id"] for row in rows[:6])


def test_documents_without_ids_are_known_by_their_content(stories, tmp_path):
    bare = [{"time": story["time"], "text": story["text"], "label": story["label"]} for story in stories]
    common = ["-o", tmp_path / "o.jsonl", "--state", tmp_path / "s"]
    first, rest = write(tmp_path / "1.jsonl", bare[:100]), write(tmp_path / "2.jsonl", bare[90:])
    assert run("label", first, *common).exit_code == 0
    result = run("label", rest, *common, "--json")
    facts = json.loads(result.stdout)
    assert (facts["documents"], facts["known already"], facts["answers"]) == (N - 100, 10, N)
    assert len({answer["id"] for answer in answers_in(tmp_path / "o.jsonl")}) == N


def test_ids_that_are_not_of_documents_are_noticed(stories, tmp_path):
    source = write(tmp_path / "a.jsonl", [{**story, "id": story["truth"]} for story in stories[:50]])
    result = run("label", source, "-o", tmp_path / "o.jsonl")
    assert result.exit_code == 0
    assert "records repeat the id of another" in result.stderr
    assert "--id" in result.stderr


def test_what_a_terminal_would_obey_is_not_shown(stories, tmp_path):
    source = write(tmp_path / "a.jsonl", [{**story, "text": f"\x1b[31m\x07{story['text']}"} for story in stories[:50]])
    result = run("label", source, "-o", tmp_path / "o.jsonl")
    assert "Suggested for labelling next" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout


def test_standard_input_is_a_source(stories, tmp_path):
    text = "".join(json.dumps({"time": s["time"], "text": s["text"], "label": s["label"]}) + "\n" for s in stories[:50])
    result = run("label", "-", "-o", tmp_path / "o.jsonl", input=text)
    assert result.exit_code == 0, result.output
    assert len(answers_in(tmp_path / "o.jsonl")) == 50
    assert not any(answer["id"].isdecimal() and len(answer["id"]) < 4 for answer in answers_in(tmp_path / "o.jsonl"))
    assert "standard input" in run("label", "-", "-o", tmp_path / "o.jsonl", "--truth", "label", input=text).stderr


def test_without_labels_it_says_what_to_do(stories, tmp_path):
    source = write(tmp_path / "a.jsonl", [{**story, "label": None} for story in stories[:40]])
    result = run("label", source, "-o", tmp_path / "o.jsonl")
    assert result.exit_code == 0, result.output
    assert "No document has a label yet" in result.stdout
    assert "Suggested for labelling next" in result.stdout
    assert all(answer["label"] is None for answer in answers_in(tmp_path / "o.jsonl"))
    source = write(
        tmp_path / "b.jsonl", [{**story, "label": "all" if i == 0 else None} for i, story in enumerate(stories[:40])]
    )
    shown = run("label", source, "-o", tmp_path / "o.jsonl").stdout
    assert "All labels so far are 'all'" in shown
    assert "label some documents of another class." in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "labels.xlsx"], ".jsonl, .csv, .parquet"),
        (["-o", "absent/labels.csv"], "-o"),
        (["--suggestions", "todo.parquet"], "--suggestions"),
        (["--suggestions", "absent/todo.csv"], "--suggestions"),
        (["--every", "soon"], "'soon' is not a duration"),
        (["--time", "when"], "for --time"),
        (["--truth", "verity"], "no column 'verity' for --truth"),
    ],
    ids=str,
)
def test_what_is_wrong_is_reported_before_anything_is_written(folder, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    result = run("label", folder / "rest.jsonl", *options)
    assert result.exit_code == 1
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options", [["--every", "1w"], ["--min-df", "3"], ["--stop-words", "none"]], ids=str)
def test_a_state_keeps_its_settings(folder, tmp_path, options):
    result = run("label", folder / "rest.jsonl", "--state", folder / "all", "-o", tmp_path / "o.jsonl", *options)
    assert result.exit_code == 1
    assert f"was created with {options[0]}" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_state_is_used_by_one_run_at_a_time(folder, tmp_path):
    with locked(folder / "all", "label"):
        result = run("label", folder / "rest.jsonl", "--state", folder / "all", "-o", tmp_path / "o.jsonl")
    assert result.exit_code == 1
    assert "another `driftline label`" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_another_model_is_not_a_state(tmp_path, folder):
    from driftline.local.multinomial.local_multinomial import LocalMultinomial

    LocalMultinomial(bandwidth=2.0).fit([[1, 2], [2, 1]], times=range(2)).save(tmp_path / "s" / "labeller")
    result = run("label", folder / "rest.jsonl", "--state", tmp_path / "s", "-o", tmp_path / "o.jsonl")
    assert result.exit_code == 1
    assert "--state" in result.stderr

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
    assert "no word is in 3 documents (1 distinct document); lower --min-df" in result.stderr
    path.write_text('{"time": "2003-01-01", "text": "!!!"}')
    assert "there are no words" in CliRunner().invoke(cli, ["topics", str(path)]).stderr
    path.write_text('{"time": "2003-01-01", "text": "alone"}')
    result = CliRunner().invoke(cli, ["topics", str(path), "--min-df", "1"])
    assert result.exit_code == 0, result.output
    assert "learning topics from 1 document;" in result.stderr
    assert "1 instead of 20 topics: there is 1 distinct document" in " ".join(result.stdout.split())


def test_equal_embeddings_are_not_used(source, tmp_path):
    n = sum(1 for line in source.read_text().splitlines() if line.strip())
    np.save(tmp_path / "equal.npy", np.ones((n, 3)))
    result = CliRunner().invoke(cli, ["topics", str(source), "-k", "2", "--embeddings", str(tmp_path / "equal.npy")])
    assert result.exit_code == 0, result.output
    assert "the embeddings were not used, as all are equal" in " ".join(result.stdout.split())


def test_embeddings_belong_to_documents_by_their_ids(source, tmp_path):
    """The source is out of order and has copies; vectors that follow the documents separate words that do not."""
    lines = [json.loads(line) for line in source.read_text().splitlines()][:100]
    rng = np.random.default_rng(1)
    for number, line in enumerate(lines):
        words = " ".join(f"word{i}" for i in rng.integers(0, 30, 6))
        line |= {"id": f"d{number}", "text": f"{words} w{number}"}
    lines.append(lines[3] | {"id": "copy"})
    order = rng.permutation(len(lines))
    source.write_text("\n".join(json.dumps(lines[i]) for i in order))
    side = np.array([line["id"] == "copy" or int(line["id"][1:]) % 2 for line in lines], dtype=float)
    vectors = rng.standard_normal((len(lines), 6)) * 0.1 + np.where(side, 3.0, -3.0)[:, None]
    np.save(tmp_path / "vectors.npy", vectors[order])
    command = [
        "topics",
        str(source),
        "-k",
        "2",
        "--embeddings",
        str(tmp_path / "vectors.npy"),
        "--examples",
        "20",
        "--json",
    ]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["model"] in ("mixture", "merged")
    for row in found["topics"]:
        odd = {example["id"] == "copy" or int(example["id"][1:]) % 2 == 1 for example in row["examples"]}
        assert len(odd) == 1, "a topic has documents of one side alone"
        assert row["name"]
        assert row["state"] in ("clear", "mixed", "junk")


@pytest.mark.parametrize(
    ("content", "more", "message"),
    [
        (b"not an array", [], "is not a NumPy array"),
        (np.ones((3, 2)), [], "3 rows for 120 documents"),
        (np.ones(120), [], "documents × dimensions"),
        (np.full((120, 2), np.nan), [], "NaN"),
        (np.zeros((120, 2)), [], "all zeros"),
        (np.ones((120, 2)), ["--inference", "online"], "cannot use --embeddings"),
    ],
)
def test_bad_embeddings_are_named(source, tmp_path, content, more, message):
    path = tmp_path / "vectors.npy"
    path.write_bytes(content) if isinstance(content, bytes) else np.save(path, content)
    result = CliRunner().invoke(cli, ["topics", str(source), "-k", "2", "--embeddings", str(path), *more])
    assert result.exit_code == 1
    assert message in result.output
    assert "Traceback" not in result.output


def test_errors_name_rows_of_the_file_even_of_copies(source, tmp_path):
    lines = [json.loads(line) for line in source.read_text().splitlines()]
    lines.append(lines[0] | {"id": "copy"})
    source.write_text("\n".join(json.dumps(line) for line in lines))
    vectors = np.random.default_rng(0).standard_normal((len(lines), 3))
    vectors[-1] = np.nan
    np.save(tmp_path / "vectors.npy", vectors)
    result = CliRunner().invoke(cli, ["topics", str(source), "--embeddings", str(tmp_path / "vectors.npy")])
    assert result.exit_code == 1
    assert f"document {len(lines) - 1} contains NaN" in result.output


def test_refits_would_ignore_embeddings(source, tmp_path):
    np.save(tmp_path / "vectors.npy", np.ones((120, 2)))
    command = ["topics", str(source), "--embeddings", str(tmp_path / "vectors.npy"), "--uncertainty", "topics"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 1
    assert "leave out --embeddings" in result.output


def test_documents_that_are_all_alike_are_one_topic_and_the_page_says_so(tmp_path):
    path = tmp_path / "alike.jsonl"
    lines = [{"id": str(i), "time": f"2020-01-{1 + i % 28:02d}", "text": f"rain floods town {i}"} for i in range(40)]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    result = CliRunner().invoke(cli, ["topics", str(path)])
    assert result.exit_code == 0, result.output
    assert "1 instead of 20 topics" in " ".join(result.stdout.split())
    assert "junk" not in result.stdout


def test_pickles_are_not_loaded(source, tmp_path):
    path = tmp_path / "vectors.npy"
    np.save(path, np.array([{"a": 1}] * 120, dtype=object), allow_pickle=True)
    result = CliRunner().invoke(cli, ["topics", str(source), "--embeddings", str(path)])
    assert result.exit_code == 1
    assert "is not a NumPy array" in result.output


def test_plain_lda_is_still_there(source):
    result = CliRunner().invoke(cli, ["topics", str(source), "-k", "2", "--inference", "gibbs", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["model"] == "LDA"


def test_the_page_has_a_map_and_a_tree_of_three_topics_or_more(tmp_path):
    rng = np.random.default_rng(0)
    lines = []
    for number in range(240):
        words = rng.choice([f"<b>w{number % 3}{letter}" for letter in "abcdefgh"], 6)
        date = np.datetime64("2003-01-01") + np.timedelta64(number // 2, "D")
        lines.append(json.dumps({"time": str(date), "text": " ".join(words)}))
    source, page = tmp_path / "news.jsonl", tmp_path / "topics.html"
    source.write_text("\n".join(lines))
    result = CliRunner().invoke(cli, ["topics", str(source), "-k", "3", "--html", str(page)])
    assert result.exit_code == 0, result.output
    html = page.read_text()
    for number, what in ((1, "Which topics are alike"), (2, "How topics would be merged")):
        assert f'id="figure-{number}"' in html
        assert what in html
    assert "<b>w0" not in html


def test_groups_of_a_column_are_compared_by_the_topics_that_were_found(tmp_path):
    rng, lines = np.random.default_rng(0), []
    for number in range(400):
        side = ("left", "right")[number % 2]
        words = WORDS["war" if rng.random() < (0.8 if side == "left" else 0.3) else "health"].split()
        day = np.datetime64("2003-01-01") + np.timedelta64(number // 4, "D")
        lines.append(json.dumps({"time": str(day), "text": " ".join(rng.choice(words, 8)), "side": side}))
    source, page, guide = tmp_path / "sides.jsonl", tmp_path / "page.html", tmp_path / "guide.toml"
    source.write_text("\n".join(lines))
    guide.write_text('[[topic]]\nname = "conflict"\nwords = ["war", "iraq"]\n')
    command = ["topics", str(source), "-k", "2", "--guide", str(guide), "--compare", "side", "--html", str(page)]
    result = CliRunner().invoke(cli, [*command, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["differences"]
    first = next(each for each in found["topics"] if each["topic"] == "conflict")
    assert first["low"] < 0.5 * (1 if first["group"] == "left" else -1) < first["high"]
    assert found["kind"] == "side"
    assert "Topics: share of words" in page.read_text(encoding="utf-8")
    shown = CliRunner().invoke(cli, command)
    assert "Topics that differ (unit: day)" in shown.stdout
    assert "conflict" in shown.stdout
    wrong = CliRunner().invoke(cli, ["topics", str(source), "-k", "2", "--compare", "author"])
    assert wrong.exit_code == 1
    plain = CliRunner().invoke(cli, ["topics", str(source), "-k", "2", "--json"])
    assert "differences" not in json.loads(plain.stdout)
    misspelled = CliRunner().invoke(cli, ["topics", str(source), "-k", "2", "--compare", "sid"])
    assert "did you mean --compare side?" in misspelled.stderr


def test_topics_of_random_words_are_the_rest(tmp_path):
    rng = np.random.default_rng(0)
    words = np.array([f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(80)])
    lines = [
        {"id": str(i), "time": f"2020-01-{1 + i % 28:02d}", "text": " ".join(rng.choice(words, 6))} for i in range(400)
    ]
    path = tmp_path / "random.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    page = tmp_path / "page.html"
    result = CliRunner().invoke(cli, ["topics", str(path), "-k", "6", "--html", str(page)])
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    assert shown.count("The rest:") == 1
    assert "% of a document on average)" in shown
    assert "occur together no more than random words do" in shown
    assert page.read_text().count("<bdi>The rest</bdi>") == 1
    assert "no topic has half of the words; counted for the topic that has most" in shown
    assert "Which topics are alike" not in page.read_text(), "fewer than three topics are listed"
    before = shown[: shown.index("The rest:")]
    assert "(junk)" not in before

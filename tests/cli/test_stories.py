import json

import pytest
from click.testing import CliRunner

from driftline.cli.main import cli


def lines(first, last):
    """A storm in the first half, an election in the second, and a document of its own every fifth day."""
    for day in range(first, last):
        text = "storm hits coast, harbour flooded" if day < 30 else "votes counted, minister wins election"
        yield json.dumps({"time": f"2024-{1 + day // 28:02}-{1 + day % 28:02}", "text": f"{text} again {day % 3}"})
        if day % 5 == 0:
            yield json.dumps(
                {"time": f"2024-{1 + day // 28:02}-{1 + day % 28:02}", "text": f"unrelated{day} alone{day}"}
            )


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "news.jsonl"
    path.write_text("\n".join(lines(0, 60)) + "\n")
    return path


def run(*arguments):
    return CliRunner().invoke(cli, ["stories", *map(str, arguments), "--keep", "all"])


def test_the_table_lists_the_largest_stories(source):
    result = run(source, "--memory", "20d", "--top", "2")
    assert result.exit_code == 0, result.output
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["story", "start", "end", "documents", "state", "words"]
    assert "storm" in rows[0] + rows[1]
    assert "election" in rows[0] + rows[1]


def test_json_and_page(source, tmp_path):
    result = run(source, "--memory", "20d", "--json", "--html", tmp_path / "stories.html")
    found = json.loads(result.stdout)
    assert found["stories"][0]["size"] == 30
    assert "storm" in found["stories"][0]["example"] or "election" in found["stories"][0]["example"]
    assert {event["kind"] for event in found["events"]} <= {"born", "ended", "split", "merged", "revived"}
    page = (tmp_path / "stories.html").read_text()
    assert "Stories of news.jsonl" in page
    assert "election" in page


def test_a_state_continues_with_the_same_stories(source, tmp_path):
    whole = json.loads(run(source, "--memory", "20d", "--json").stdout)
    part, state = tmp_path / "part.jsonl", tmp_path / "state"
    part.write_text("\n".join(lines(0, 33)) + "\n")
    first = run(part, "--memory", "20d", "--state", state, "--json")
    assert first.exit_code == 0, first.output
    both = run(source, "--memory", "20d", "--state", state, "--json")
    assert "were skipped" in both.stderr
    found = json.loads(both.stdout)
    facts = [(s["id"], s["start"], s["end"], s["size"], s["state"]) for s in found["stories"]]
    assert facts == [(s["id"], s["start"], s["end"], s["size"], s["state"]) for s in whole["stories"]]
    again = json.loads(run(source, "--memory", "20d", "--state", state, "--json").stdout)
    assert [s["size"] for s in again["stories"]] == [s["size"] for s in found["stories"]]


def test_a_state_explains_what_is_found_within_a_run_only(source, tmp_path):
    command = ["stories", str(source), "--memory", "20d"]
    assert "across runs" not in CliRunner().invoke(cli, command).stderr
    explained = CliRunner().invoke(cli, [*command, "--state", str(tmp_path / "state")]).stderr
    assert "not found across runs" in " ".join(explained.split())
    assert "across runs" not in run(source, "--memory", "20d", "--state", tmp_path / "other").stderr


def test_a_state_with_another_memory_or_another_model_is_refused(source, tmp_path):
    run(source, "--memory", "20d", "--state", tmp_path / "state")
    result = run(source, "--memory", "10d", "--state", tmp_path / "state")
    assert result.exit_code == 1
    assert "have --memory 20d" in result.stderr
    from driftline import LDA

    LDA(n_topics=2, random_state=0).fit([[1, 2], [2, 1]]).save(tmp_path / "other" / "stories")
    result = run(source, "--state", tmp_path / "other")
    assert result.exit_code == 1
    assert "not stories" in result.stderr


def test_bad_options_are_one_message(source, tmp_path):
    assert run(source, "--html", tmp_path / "absent" / "s.html").exit_code == 1
    result = run(source, "--memory", "soon")
    assert result.exit_code == 1
    assert "is not a duration" in result.stderr

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from driftline import Guide
from driftline.cli.guide import DRAFTED_WORDS, divided_words
from driftline.cli.main import cli

LINES = [
    {"id": f"{kind}{i}", "time": f"2003-0{1 + i % 6}-1{i % 9}", "text": f"{text} day{i} hour{i % 7}"}
    for kind, text in (
        ("w", "war iraq troops baghdad army"),
        ("s", "sars virus hospital fever doctor"),
        ("t", "tax budget money bank price"),
    )
    for i in range(40)
]
GUIDE = """
[[topic]]
name = "disease"
words = ["sars", "virus", "hospitl"]

[[topic]]
name = "conflict"
words = ["war"]
never = ["tax"]

[[label]]
topic = "conflict"
documents = ["w1", "w2", "nobody"]

[[proportion]]
topic = "disease"
about = [0.1, 0.6]
by = "month"
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "news.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return path


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_guided_topics_come_first_by_name(source, tmp_path):
    guide = tmp_path / "guide.toml"
    guide.write_text(GUIDE, encoding="utf-8")
    found = run("topics", source, "--guide", guide, "-k", 4, "--json", "--html", tmp_path / "page.html")
    assert found.exit_code == 0, found.output
    result = json.loads(found.stdout)
    assert [topic["name"] for topic in result["topics"][:2]] == ["disease", "conflict"]
    assert result["model"] == "LDA with a guide"
    notes = [note for wish in result["wishes"] for note in wish["notes"]]
    assert any("'hospitl' is not in the vocabulary (near: hospital)" in note for note in notes)
    assert any("left out" in note for note in notes)
    assert "hospitl" in (tmp_path / "page.html").read_text(encoding="utf-8")
    shown = run("topics", source, "--guide", guide, "-k", 4)
    assert "disease" in shown.output
    assert "hospitl" in shown.output


def test_a_typo_in_the_guide_is_one_sentence(source, tmp_path):
    guide = tmp_path / "guide.toml"
    guide.write_text(GUIDE.replace("never", "nevr"), encoding="utf-8")
    found = run("topics", source, "--guide", guide)
    assert found.exit_code == 1
    assert "guide.toml, line 9: topic has no key 'nevr'; did you mean 'never'?" in found.output


def test_a_draft_can_be_used_as_it_is(source, tmp_path):
    guide = tmp_path / "guide.toml"
    found = run("guide", "init", source, "-k", 3, "-o", guide)
    assert found.exit_code == 0, found.output
    assert run("guide", "init", source, "-k", 3).stdout == guide.read_text(encoding="utf-8")
    words = [word for wish in Guide.read(guide).wishes for word, _ in wish.words]
    assert len(words) == len(set(words)), "a word is drafted for the topic that uses it most"
    page = tmp_path / "page.html"
    assert run("topics", source, "--guide", guide, "--html", page).exit_code == 0
    names = [wish.name for wish in Guide.read(guide).wishes]
    assert all(f"{k}: {name}" in page.read_text(encoding="utf-8") for k, name in enumerate(names))


def test_the_report_shows_the_topics_of_the_guide_and_what_was_not_heeded(source, tmp_path):
    guide, page = tmp_path / "guide.toml", tmp_path / "report.html"
    guide.write_text(GUIDE, encoding="utf-8")
    found = run("report", source, "--guide", guide, "--fewest", 50, "-o", page)
    assert found.exit_code == 0, found.output
    text = page.read_text(encoding="utf-8")
    assert "Your topics" in text
    assert "conflict" in text
    assert "hospitl" in text
    plain = run("report", source, "--fewest", 50, "--json")
    assert json.loads(plain.stdout)["guided_topics"] is None


def test_a_file_without_wishes_changes_nothing(source, tmp_path):
    (tmp_path / "empty.toml").write_text("# nothing yet\n", encoding="utf-8")
    found = run("topics", source, "--guide", tmp_path / "empty.toml", "-k", 3, "--json")
    assert found.exit_code == 0, found.output
    plain = run("topics", source, "--inference", "online", "-k", 3, "--json")
    shares = [[topic["share"] for topic in json.loads(each.stdout)["topics"]] for each in (found, plain)]
    assert shares[0] == shares[1]


def test_a_drafted_word_belongs_to_one_topic():
    shown = [["a", "b", "c", "d", "e", "f", "g", "x"], ["a", "h", "i", "j", "k", "l", "g", "y"]]
    uses = {(0, "a"): 1.0, (1, "a"): 2.0}
    first, second = divided_words(shown, lambda topic, word: uses.get((topic, word), 1.0))
    assert first == ["b", "c", "d", "e", "f", "g"]
    assert second == ["a", "h", "i", "j", "k", "l"]
    assert len(first) == DRAFTED_WORDS

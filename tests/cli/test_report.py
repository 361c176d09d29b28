import datetime
import json
import random
import re

import pytest
from click.testing import CliRunner

from driftline.analysis.serialise import from_json
from driftline.cli.main import cli
from driftline.datasets import simulate_newswire


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], standalone_mode=True)


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    """A few stories without labels, among them broken records."""
    folder = tmp_path_factory.mktemp("stories")
    path = simulate_newswire(500, random_state=2).write(folder / "all.jsonl")
    lines = path.read_bytes().replace(b'"label"', b'"desk"')
    path.write_bytes(lines)
    return path


def test_the_report_is_written_and_its_headlines_are_reported(stories, tmp_path):
    result = run("report", stories, "-o", tmp_path / "report.html", "--title", "Five hundred stories")
    assert result.exit_code == 0, result.output
    assert "words tested changed" in result.stdout
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Five hundred stories" in page
    assert "rejected" in page


def test_the_findings_are_written_as_files_and_the_page_stays_within_its_size(stories, tmp_path):
    result = run("report", stories, "-o", tmp_path / "report.html", "--data", tmp_path / "data", "--page-size", "0.01")
    assert result.exit_code == 0, result.output
    assert f"The findings are in {tmp_path / 'data'}" in result.stdout
    names = {"findings.json", "words.parquet", "curves.parquet"}
    assert {path.name for path in (tmp_path / "data").iterdir()} == names
    assert from_json((tmp_path / "data" / "findings.json").read_text(encoding="utf-8")).source.n_documents == 500
    (tmp_path / "file").write_text("mine")
    refused = run("report", stories, "-o", tmp_path / "report.html", "--data", tmp_path / "file")
    assert refused.exit_code == 2
    assert run("report", stories, "--page-size", "0").exit_code == 2


def test_json_goes_to_standard_output_and_no_file_is_written(stories, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("report", stories, "--json", "--every", "3mo", "--bandwidth", "60d")
    findings = from_json(result.stdout)
    assert findings.bandwidth_days == 60
    assert findings.source.n_documents == 500
    assert findings.source.n_rejected > 0
    assert json.loads(result.stdout)["format"] == 1
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_a_clear_error(stories, tmp_path):
    result = run("report", stories, "-o", tmp_path / "nowhere" / "report.html")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr


def test_a_missing_source_is_a_clear_error():
    result = run("report", "nothing-here.csv")
    assert result.exit_code == 1
    assert "nothing-here.csv" in result.stderr


@pytest.fixture(scope="module")
def stray_stories(tmp_path_factory):
    """Three hundred short stories and one dated 1970, one 2099."""
    path = tmp_path_factory.mktemp("stray") / "stories.csv"
    wire = simulate_newswire(300, random_state=4)
    rows = [f"{time}Z,{text.replace(',', '')}" for time, text in zip(wire.times, wire.texts)]
    path.write_text(
        "\n".join(["time,text", "1970-01-01T00:00:00Z,an old story", *rows, "2099-01-01T00:00:00Z,a new one"])
    )
    return path


def test_dates_are_set_aside_kept_and_bounded(stray_stories):
    def dates(*options):
        result = run("report", stray_stories, "--json", *options)
        assert result.exit_code == 0, result.output
        found = from_json(result.stdout)
        return {each.reason: each.n_documents for each in found.dates.aside}, found

    reasons, found = dates()
    assert reasons == {"early": 1, "future": 1}
    assert (found.source.n_documents, found.dates.n_used) == (302, 300)
    assert dates("--keep-dates", "all", "--fewest", "1000")[0] == {}
    reasons, found = dates("--since", "2025-03-01", "--until", "2025-09-30")
    assert set(reasons) == {"since", "until"}
    assert found.small is not None
    assert found.source.first >= "2025-03-01"


def test_a_date_that_is_none_is_a_clear_error(stray_stories):
    result = run("report", stray_stories, "--json", "--since", "soon")
    assert result.exit_code == 1
    assert "'soon', is not a date" in result.stderr


DAY = datetime.timedelta(days=1)
START = datetime.datetime(2020, 1, 1)
FIRST, SECOND = "ba ce di fo gu ha ki lo", "lan mer nis pok rad sim tel"
SYLLABLES = [a + b for a in FIRST.split() for b in SECOND.split()]
ENGLISH = "the government of the country said that it would not be able to pay for the new roads this year"
GERMAN = "die regierung des landes sagte dass sie in diesem jahr die neuen straßen nicht bezahlen könne weil"


def words_of(rng, words, n=8):
    return " ".join(rng.choices(words, k=n))


def over_200_days(n, write):
    rng = random.Random(1)
    return [(START + 200 * DAY * i / max(n, 1), write(rng, i)) for i in range(n)]


def plain(n):
    return over_200_days(n, lambda rng, i: words_of(rng, SYLLABLES))


def two_in_five_at_one_instant():
    return [(START + 77 * DAY if i % 5 < 2 else time, text) for i, (time, text) in enumerate(plain(1000))]


BAD_INPUT = {
    "none": ([], "There are no documents"),
    "one": (plain(1), "There is only one document. Below 200, changes can hardly be distinguished from chance"),
    "two": (plain(2), "There are only 2 documents. Below 200"),
    "thirty": (plain(30), "There are only 30 documents. Below 200"),
    "equal times": ([(START, text) for _, text in plain(400)], "All 400 documents have the same time"),
    "only addresses": (
        over_200_days(400, lambda rng, i: f"http://t.co/{rng.randrange(10**9):x}"),
        "There are no words to count in 400 documents",
    ),
    "one text": (over_200_days(1000, lambda rng, i: "the same text again and again"), "993 duplicates"),
    "one word": (over_200_days(400, lambda rng, i: "rain"), "The only word tested did not change"),
}
BAD_INPUT_FOR_LONGER = {
    "one instant": (two_in_five_at_one_instant(), "400 documents all dated 18 Mar 2020, as by an import"),
    "two languages": (
        over_200_days(1000, lambda rng, i: words_of(rng, rng.choice([ENGLISH, GERMAN]).split())),
        "words tested changed by more than chance explains",
    ),
    "another language": (
        over_200_days(1000, lambda rng, i: words_of(rng, (ENGLISH if i < 500 else GERMAN).split())),
        "more than 100 times",
    ),
    "a word that was never there": (
        over_200_days(1000, lambda rng, i: words_of(rng, SYLLABLES) + " zebra" * (i >= 500)),
        "“zebra”: in more than 100 times",
    ),
}


def check_a_page_and_a_plain_sentence(documents, said, tmp_path):
    lines = [json.dumps({"time": time.isoformat(), "text": text}) + "\n" for time, text in documents]
    (tmp_path / "source.jsonl").write_text("".join(lines), encoding="utf-8")
    result = run("report", tmp_path / "source.jsonl", "-o", tmp_path / "report.html")
    assert result.exit_code == 0, result.output
    assert said in result.stdout
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert said.split("“")[-1] in page
    for text in (result.stdout, re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)):
        assert all(float(number.replace(",", "")) <= 100 for number in re.findall(r"([\d,.]*\d) times (?:as|\()", text))
        assert not re.search(r"\b(?:nan|inf|None|True|False)\b(?! of)", re.sub(r"<[^>]*>", "", text))


@pytest.mark.parametrize("kind", BAD_INPUT)
def test_bad_input_gives_a_page_and_a_plain_sentence(kind, tmp_path):
    check_a_page_and_a_plain_sentence(*BAD_INPUT[kind], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", BAD_INPUT_FOR_LONGER)
def test_misleading_input_gives_no_absurd_number(kind, tmp_path):
    check_a_page_and_a_plain_sentence(*BAD_INPUT_FOR_LONGER[kind], tmp_path)

"""Every format through the command line: what is read, what is rejected, and what is suggested."""

import io
import json
import sqlite3
import zipfile

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from driftline.cli.main import cli
from tests.readers.workbooks import ods, xlsx

ROWS = [["date", "text"], ["2003-03-20", "war begins"], ["2003-03-21", "peace talks"]]
TABLE = pa.table({"date": ["2003-03-20", "2003-03-21"], "text": ["war begins", "peace talks"]})
CSV = "date,text\n2003-03-20,war begins\n2003-03-21,peace talks\n"
MESSAGES = [{"type": "message", "id": i, "date": f"2003-03-2{i}T00:00:00", "text": "war begins"} for i in (0, 1)]
POSTS = [{"type": "Create", "actor": "a", "published": f"2003-03-2{i}", "object": {"content": "x"}} for i in (0, 1)]
HITS = [{"_id": str(i), "_source": {"date": f"2003-03-2{i}", "text": "x"}} for i in (0, 1)]
DAY = [{"type": "message", "user": "U", "ts": f"104813124{i}.0", "text": "x"} for i in (0, 1)]
ITEMS = "".join(f"<item><title>x</title><pubDate>2{i} Mar 2003 03:34 GMT</pubDate></item>" for i in (0, 1))
MAIL = "Date: 20 Mar 2003 03:34 +0000\nSubject: War\n\nx\n"


def arrow():
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return sink.getvalue()


def parquet():
    sink = io.BytesIO()
    pq.write_table(TABLE, sink)
    return sink.getvalue()


def zipped(files):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return sink.getvalue()


def sqlite(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE posts (date TEXT, text TEXT)")
    connection.execute("CREATE TABLE other (date TEXT, text TEXT)")
    connection.executemany("INSERT INTO posts VALUES (?, ?)", ROWS[1:])
    connection.commit()
    connection.close()


FILES = {
    "feedback.xlsx": lambda: xlsx({"About": [["x"]], "2003": ROWS}),
    "feedback.ods": lambda: ods({"2003": ROWS}),
    "a.arrow": arrow,
    "news.rss": lambda: f"<rss><channel>{ITEMS}</channel></rss>",
    "outbox.json": lambda: json.dumps({"orderedItems": POSTS}),
    "result.json": lambda: json.dumps({"name": "n", "messages": MESSAGES}, indent=1),
    "hits.json": lambda: json.dumps({"hits": {"hits": HITS}}),
    "2003-03-20.json": lambda: json.dumps(DAY),
    "csv.zip": lambda: zipped({"x/a.csv": CSV}),
    "parquet.zip": lambda: zipped({"a-00000-of-00001.parquet": parquet(), "README.md": "about"}),
    "sheets.zip": lambda: zipped({"a.xlsx": xlsx({"s": ROWS[:2]}), "b.ods": ods({"s": [ROWS[0], ROWS[2]]})}),
    "mails.zip": lambda: zipped({"1.eml": MAIL, "2.eml": MAIL}),
}


def run(*arguments):
    result = CliRunner().invoke(cli, list(arguments))
    return result.exit_code, result.output


@pytest.mark.parametrize("name", FILES)
def test_two_documents_from_every_format(name, tmp_path):
    content = FILES[name]()
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    code, output = run("read", str(path), "--json")
    assert code == 0, output
    facts = json.loads(output)
    assert (facts["documents"], facts["rejected"], facts["first"][:10]) == (2, 0, "2003-03-20")


def test_sheets_and_tables_are_chosen(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(xlsx({"one": ROWS, "two": ROWS[:2]}))
    assert json.loads(run("read", str(tmp_path / "a.xlsx"), "--sheet", "two", "--json")[1])["documents"] == 1
    sqlite(tmp_path / "a.db")
    assert json.loads(run("read", str(tmp_path / "a.db"), "--json")[1])["documents"] == 2
    code, output = run("read", str(tmp_path / "a.db"), "--table", "nothing")
    assert code == 1
    assert "has no table 'nothing' (its tables: 'posts', 'other'); choose with --table" in " ".join(output.split())


@pytest.mark.parametrize("option", ["sheet", "table"])
def test_a_choice_that_does_not_apply_is_refused(option, tmp_path):
    (tmp_path / "a.csv").write_text(CSV)
    code, output = run("read", str(tmp_path / "a.csv"), f"--{option}", "x")
    assert (code, f"--{option} applies to" in " ".join(output.split())) == (1, True)


def test_an_address_is_refused():
    code, output = run("report", "https://example.org/news.csv")
    assert code == 1
    assert "save it first, for example with: curl -L -o news.csv ADDRESS" in " ".join(output.split())


LATIN = "Où est le café? Ça, c'est déjà très éloigné."
WRONG = {
    "a.jsonl": json.dumps({"date": "2003", "text": LATIN}, ensure_ascii=False) + '\n{"date": "2004", "text": "x"}\n',
    "a.json": json.dumps([{"date": "2003", "text": LATIN}, {"date": "2004", "text": "x"}], ensure_ascii=False),
    "a.csv": f"date;text\n2003;{LATIN}\n2004;x\n",
    "a.tsv": f"date\ttext\n2003\t{LATIN}\n2004\tx\n",
    "2003.txt": LATIN,
    "a.rss": f"<rss><channel><item><title>x</title><pubDate>2003</pubDate></item><item><title>{LATIN}</title></item>"
    "</channel></rss>",
    "outbox.json": json.dumps(
        {"orderedItems": [{**POSTS[0], "object": {"content": LATIN}}, POSTS[1]]}, ensure_ascii=False
    ),
    "bulk.ndjson": json.dumps({"index": {}}) + "\n" + json.dumps({"date": "2003", "text": LATIN}, ensure_ascii=False),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_encodings_get_a_suggestion_that_works(name, packed, tmp_path):
    path = tmp_path / ("a.zip" if packed else name)
    data = WRONG[name].encode("cp1252")
    path.write_bytes(zipped({name: data}) if packed else data)
    said = " ".join(run("read", str(path))[1].split())
    assert "it looks like --encoding cp1252" in said or "it looks like encoding='cp1252'" in said, said
    facts = json.loads(run("read", str(path), "--encoding", "cp1252", "--json")[1])
    assert "bad encoding" not in facts["reasons"]
    assert facts["documents"] >= 1

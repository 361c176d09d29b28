import datetime
import io

import pytest

import driftline
from driftline.core.errors import AmbiguousInput, InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.dated_lines import are_dated_lines


def read(path, lines, **options):
    path.write_bytes(lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode())
    stream = driftline.read(path, **options)
    documents = [(each.time.strftime("%Y-%m-%dT%H:%M:%S"), each.author, each.text) for each in stream]
    return documents, stream


@pytest.mark.parametrize(
    "first",
    [
        "2003-04-05 10:11:12,345 INFO started",
        "2003-04-05T10:11:12.345678Z INFO started",
        "[2003-04-05 10:11:12] INFO started",
        "2003/04/05 10:11:12 INFO started",
        "[7] 2003/04/05 10:11:12.345 INFO started",
        "05 Apr 2003 10:11:12 INFO started",
        "05.04.2003 10:11:12 INFO started",
        "[Sat Apr 05 10:11:12 2003] INFO started",
        "03/04/05 10:11:12 INFO started",
        "2003-04-05 11:11:12+01:00 - INFO started",
    ],
)
def test_each_line_of_a_log_that_begins_with_a_time_is_a_document(tmp_path, first):
    expected = ("2003-04-05T10:11:12", None, "INFO started")
    documents, stream = read(tmp_path / "app.log", [first, "  at line 7", "  at line 8", first])
    assert documents == [(*expected[:2], "INFO started\n  at line 7\n  at line 8"), expected]
    assert stream.n_present == 2
    assert read(tmp_path / "unnamed", [first, first])[0] == [expected] * 2
    assert [each.label for each in driftline.read(tmp_path / "unnamed", label="level")] == ["INFO"] * 2


def test_requests_to_a_web_server(tmp_path):
    line = '10.0.0.7 - ann [05/Apr/2003:10:11:12 +0200] "GET /a HTTP/1.1" 200 512'
    documents, _ = read(tmp_path / "access.log", [line, line])
    assert documents == [("2003-04-05T08:11:12", None, '10.0.0.7 - ann "GET /a HTTP/1.1" 200 512')] * 2


@pytest.mark.parametrize(
    "start",
    [
        "[05.04.03, 10:11:12] ",
        "\u200e[05/04/2003, 10:11:12] ",
        "05/04/2003, 10:11 - ",
        "05.04.03, 10:11 - ",
        "4/5/03, 10:11\u202fAM - ",
        "[2003/04/05, 10:11:12] ",
        "[4/5/03, 10:11:12 AM] ",
    ],
)
def test_chats_exported_as_text(tmp_path, start):
    lines = [f"{start}Ann: has it: begun?", f"{start}\u200eBob joined", f"{start}Bob: yes,", "long ago"]
    documents, stream = read(tmp_path / "chat.txt", lines, dayfirst=not start.lstrip("[").startswith("4"))
    assert [(time[:16], *rest) for time, *rest in documents] == [
        ("2003-04-05T10:11", "Ann", "has it: begun?"),
        ("2003-04-05T10:11", "Bob", "yes,\nlong ago"),
    ]
    assert dict(stream.rejections.reasons) == {"no text": 1}
    assert stream.rejections.examples[0].place == "line 2"


def test_an_ambiguous_date_of_a_chat_is_an_error_with_the_option(tmp_path):
    with pytest.raises(AmbiguousInput, match="dayfirst=True"):
        read(tmp_path / "chat.txt", ["05/04/2003, 10:11 - Ann: a", "05/04/2003, 10:12 - Bob: b"])


def test_a_log_whose_times_have_no_year_is_refused_rather_than_read_as_one_document(tmp_path):
    lines = ["Apr  5 10:11:12 host sshd[7]: closed"] * 3
    with pytest.raises(InvalidInput, match=r"lines of syslog\.log do not begin with a time that has a year"):
        read(tmp_path / "syslog.log", lines)
    assert len(read(tmp_path / "syslog.log", lines, format="text")[0]) == 1


@pytest.mark.parametrize(
    "lines",
    [
        ["2003-04-05 10:11:12 It was a day like any other.", *["And so it went on."] * 9],
        ["The first line", "2003-04-05 10:11:12 a", "2003-04-05 10:11:12 b"],
        ["2003-04-05 10:11:12,war begins,1", "2003-04-06 10:11:12,peace,2"],
        ["2003-04-05 10:11:12 alone"],
    ],
)
def test_other_texts_are_not_dated_lines(lines):
    assert not are_dated_lines(ByteStream(io.BytesIO("\n".join(lines).encode()), "x"))


def test_damage_and_encodings(tmp_path):
    line = b"2003-04-05 10:11:12 a b\n"
    documents, stream = read(tmp_path / "a.log", line + b"2003-04-05 10:11:12 caf\xe9\n\n\n" + line)
    assert len(documents) == 2
    assert dict(stream.rejections.reasons) == {"bad encoding": 1}
    assert stream.rejections.examples[0].place == "line 2"
    assert len(read(tmp_path / "a.log", (2 * line).decode().encode("utf-16"))[0]) == 2
    assert len(read(tmp_path / "a.log", (2 * line).replace(b"\n", b"\r\n"))[0]) == 2
    documents, stream = read(
        tmp_path / "a.log", 2 * line + b"2003-04-05 10:11:12 " + b"x" * 5000 + b"\n" + line, max_record_bytes=999
    )
    assert len(documents) == 3
    assert dict(stream.rejections.reasons) == {"too long": 1}


def test_logs_in_a_folder_are_read_as_logs(tmp_path):
    (tmp_path / "a.log").write_text("2003-04-05 10:11:12 a\n2003-04-05 10:11:13 b\n")
    (tmp_path / "b.log.1").write_text("2003-04-04 10:11:12 c\n2003-04-04 10:11:13 d\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "lost.log").symlink_to(tmp_path / "nowhere")
    stream = driftline.read(tmp_path)
    assert [each.text for each in stream] == ["a", "b", "c", "d"]
    assert dict(stream.rejections.reasons) == {"not data": 1, "unreadable file": 1}


def test_a_log_on_standard_input(monkeypatch):
    lines = b"2003-04-05 10:11:12 a\n2003-04-05 10:11:13 b\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert [each.time for each in driftline.read("-")] == [
        datetime.datetime(2003, 4, 5, 10, 11, second, tzinfo=datetime.UTC) for second in (12, 13)
    ]


def test_logs_are_a_kind_of_their_own_and_chats_are_not(tmp_path):
    lines = ["2003-04-05 10:11:12 INFO started"] * 2
    assert read(tmp_path / "a.log", lines)[1].source_kind == "logs"
    lines = ["05.04.03, 10:11 - Ann joined", "05.04.03, 10:11 - Ann: hello"]
    assert read(tmp_path / "a.txt", lines)[1].source_kind is None

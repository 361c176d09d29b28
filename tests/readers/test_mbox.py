import io
import mailbox

import pytest

from driftline import read
from driftline.core.errors import BadRecord
from driftline.readers.byte_stream import ByteStream
from driftline.readers.mbox import read_mbox
from driftline.readers.records import Columns, Limits

MAIL = (
    b"From a@b Thu Mar 20 03:34:00 2003\nDate: Thu, 20 Mar 2003 03:34:%02d +0000\nMessage-ID: <%d@x>\n"
    b"Subject: s%d\n\nbody %d\n\n"
)


def read_all(data, **limits):
    columns = Columns("time", ("body",), None, "id")
    good, bad = [], []
    for records in read_mbox(ByteStream(io.BytesIO(data), "m"), columns, Limits(**limits)):
        good += zip(records.values["body"].to_pylist(), map(records.place, range(len(records.numbers))))
        bad += [(records.place_of(unusable), unusable.reason) for unusable in records.unusable]
    return good, bad


@pytest.mark.parametrize("block", [5, 100, 10**6])
def test_mails_are_split_whatever_the_blocks(block):
    mails = [MAIL % (i, i, i, i) for i in range(5)]
    data = b"".join(mails)
    good, bad = read_all(data, block_bytes=block)
    assert [body for body, _ in good] == [f"body {i}" for i in range(5)]
    assert [place for _, place in good] == [f"message {i + 1} (byte {len(mails[0]) * i})" for i in range(5)]
    assert not bad
    assert [body for body, _ in read_all(data.replace(b"\n", b"\r\n"), block_bytes=block)[0]] == [
        f"body {i}" for i in range(5)
    ]


def test_a_line_that_starts_with_from_is_no_mail_of_its_own():
    good, _ = read_all(b"From a\nSubject: x\n\nline\nFrom here on\n>From there\n>>From quoted\n\nFrom b\n\ntwo\n")
    assert [body for body, _ in good] == ["line\nFrom here on\nFrom there\n>From quoted", "two"]


def test_what_python_writes_is_read(tmp_path):
    box = mailbox.mbox(tmp_path / "box.mbox")
    for i in range(3):
        message = mailbox.mboxMessage()
        message["Date"] = f"Thu, 20 Mar 2003 03:34:0{i} +0100"
        message["Subject"] = f"subject {i}"
        message.set_payload("body\n\nFrom the start\n")
        box.add(message)
    box.close()
    stream = read(tmp_path / "box.mbox")
    assert [document.text for document in stream] == [f"subject {i}\nbody\n\nFrom the start" for i in range(3)]
    assert [document.time.hour for document in stream] == [2, 2, 2]


@pytest.mark.parametrize("block", [50, 10**6])
def test_a_mail_that_is_too_long_is_passed_over(block):
    long = b"From b\nSubject: x\n\n" + b"long line\n" * 2000 + b"\n"
    data = MAIL % (1, 1, 1, 1) + long + MAIL % (2, 2, 2, 2)
    good, bad = read_all(data, block_bytes=block, max_record_bytes=1000)
    assert [body for body, _ in good] == ["body 1", "body 2"]
    assert bad == [(f"message 2 (byte {len(MAIL % (1, 1, 1, 1))})", "too long: more than max_record_bytes=1,000")]


def test_mail_without_date_is_rejected_with_its_place(tmp_path):
    path = tmp_path / "a.mbox"
    path.write_bytes(MAIL % (1, 1, 1, 1) + b"From b\nSubject: undated\n\nx\n\nFrom c\nDate: soon\n\ny\n")
    stream = read(path)
    assert [document.id for document in stream] == ["1@x"]
    assert [(r.place, r.reason) for r in stream.rejections.examples] == [
        ("message 2 (byte 111)", "no time"),
        ("message 3 (byte 139)", "unreadable time: 'soon'"),
    ]
    assert stream.n_present == 3
    with pytest.raises(BadRecord, match=r"a\.mbox, message 2 \(byte 111\): no time"):
        list(read(path, on_error="raise"))


def test_text_before_the_first_mail_is_reported():
    good, bad = read_all(b"stray\n\n" + MAIL % (1, 1, 1, 1))
    assert len(good) == 1
    assert bad == [("message 1 (byte 0)", "not a mail: it does not start with a line 'From '")]
    assert read_all(b"") == ([], [])
    assert read_all(b"\n\n") == ([], [])


def test_columns_of_mail_can_be_chosen(tmp_path):
    path = tmp_path / "a.mbox"
    path.write_bytes((MAIL % (1, 1, 1, 1)).replace(b"Subject", b"From: Ann\nSubject") + b"> quoted\nmore\n")
    (document,) = read(path, text="body", label="sender", drop_quotes=True)
    assert (document.text, document.label) == ("body 1\n\nmore", "Ann")


def test_mail_is_known_to_be_mail_unless_something_else_is_beside_it(tmp_path):
    mail = b"From a Thu Jan  2 00:00:00 2020\nDate: 2 Jan 2020 00:00:00 +0000\n\nbody\n"
    (tmp_path / "one.mbox").write_bytes(mail)
    (tmp_path / "two.eml").write_bytes(mail.partition(b"\n")[2])
    (tmp_path / "three.jsonl").write_text('{"time": "2020-01-02", "text": "words"}')
    folder = [tmp_path / name for name in ("one.mbox", "two.eml", "three.jsonl")]
    assert read(folder[:2]).source_kind == "mail"
    assert read(folder).source_kind is None
    assert read(folder[2]).source_kind is None

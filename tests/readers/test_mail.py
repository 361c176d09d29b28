import email.message

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftline
from driftline.readers.mail import MAIL_COLUMNS, mail_records, read_mail
from driftline.readers.records import Columns, Limits
from driftline.streams.document_groups import document_groups


def test_a_mail_in_full():
    message = email.message.EmailMessage()
    message["Message-ID"] = "<abc@example.org>"
    message["Date"] = "Thu, 20 Mar 2003 03:34:00 +0100"
    message["From"] = "Ünal <u@example.org>"
    message["To"] = "list@example.org"
    message["Subject"] = "Krieg und Frieden, naïve Fragen über lange Betreffzeilen, die gefaltet werden müssen"
    message["List-Id"] = "<war.example.org>"
    message.set_content("Schöner Text\n\nzweiter Absatz\n")
    message.add_alternative("<p>not this</p>", subtype="html")
    message.add_attachment("not this either", filename="notes.txt")
    record = read_mail(message.as_bytes(), folder="Sent")
    assert tuple(record) == MAIL_COLUMNS
    assert record["id"] == "abc@example.org"
    assert record["time"] == "Thu, 20 Mar 2003 03:34:00 +0100"
    assert record["subject"] == message["Subject"]
    assert record["body"] == "Schöner Text\n\nzweiter Absatz"
    assert record["sender"] == "Ünal <u@example.org>"
    assert (record["recipients"], record["list"], record["folder"]) == ("list@example.org", "<war.example.org>", "Sent")


def test_html_is_read_where_there_is_no_plain_text():
    message = email.message.EmailMessage()
    message.set_content("<p>one</p><script>no()</script><p>two &amp; three</p>", subtype="html")
    assert read_mail(message.as_bytes())["body"] == "one\ntwo & three"


@pytest.mark.parametrize(
    ("header", "body", "expected"),
    [
        (b"Content-Type: text/plain; charset=utf-8", "é".encode(), "é"),
        (b"Content-Type: text/plain; charset=iso-8859-1", b"\xe9", "é"),
        (b"Content-Type: text/plain; charset=us-ascii", "é".encode(), "é"),
        (b"Content-Type: text/plain; charset=utf-8", b"\xe9 \x93quoted\x94", "é “quoted”"),
        (b"Content-Type: text/plain; charset=nonsense", "é".encode(), "é"),
        (b"Content-Type: text/plain; charset=hex", b"no hex", "no hex"),
        (b"Content-Type: text/plain; charset=punycode", b"-" * 10_000, "-" * 10_000),
        (b"X: y", "é".encode(), "é"),
        (b"Content-Transfer-Encoding: base64", b"d2Fy\n", "war"),
        (b"Content-Transfer-Encoding: quoted-printable", b"w=61r=", "war"),
    ],
)
def test_bodies_are_decoded_as_they_say_or_as_best_one_can(header, body, expected):
    assert read_mail(header + b"\n\n" + body)["body"] == expected


@pytest.mark.parametrize(
    ("raw", "subject"),
    [
        (b"Subject: =?utf-8?b?w6k=?=\n\n", "é"),
        (b"Subject: =?nonsense?q?x?= y\n\n", "x y"),
        (b"Subject: raw \xe9\n\n", "raw é"),
        (b"Subject: raw \xc3\xa9\n\n", "raw é"),
        (b"Subject: folded\n  over lines\n\n", "folded over lines"),
        (b"Subject: =?utf-8?b?////?=\n\n", "ÿÿÿ"),
        (b"\nno headers", None),
        (b"", None),
    ],
)
def test_headers_are_decoded(raw, subject):
    assert read_mail(raw)["subject"] == subject


def test_quoted_lines_can_be_dropped():
    raw = b"Subject: x\n\n> old\n >> older\nnew\n>From a > b\n"
    assert read_mail(raw)["body"].startswith("> old")
    assert read_mail(raw, drop_quotes=True)["body"] == "new"


def test_parts_in_parts_without_end_are_no_crash():
    raw = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(5000)) + b"deep"
    assert isinstance(read_mail(raw), dict | str)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [
                b"Content-Type: multipart/mixed; boundary=x\n",
                b"Content-Type: text/html; charset=\xff\n",
                b"Content-Type: message/rfc822\n",
                b"Content-Type: ;;;=\n",
                b"Content-Disposition: attachment; filename*=utf-8''%ff\n",
                b"Content-Transfer-Encoding: uuencode\n",
                b"Content-Transfer-Encoding: base64\n",
                b"Subject: =?\xff?q?\xff?=\n",
                b"Date: \n",
                b"--x\n",
                b"--x--\n",
                b"begin 666 x\n",
                b"\n",
                b"a\n",
                b"\xff\xfe\n",
                b":\n",
            ]
        )
    ).map(b"".join)
    | st.binary()
)
def test_no_mail_is_an_error(raw):
    record = read_mail(raw)
    if isinstance(record, dict):
        "".join(text for text in record.values() if text).encode()
    else:
        assert record.startswith("broken mail: ")


def test_mails_become_records_in_batches():
    mails = [
        ("message 1", read_mail(b"Subject: a\n\nx")),
        ("message 2", "broken mail: x"),
        ("message 3", read_mail(b"\ny")),
    ]
    batches = list(mail_records("m", mails, Columns("time", ("body",), None, "id"), Limits(batch_size=2)))
    assert [batch.numbers.tolist() for batch in batches] == [[1], [3]]
    assert batches[0].unusable[0].place == "message 2"
    assert batches[1].place(0) == "message 3"


@pytest.mark.parametrize(
    ("headers", "thread"),
    [
        (b"Message-ID: <3@x>\nReferences: <1@x>\n <2@x>\nIn-Reply-To: <2@x>\n", "1@x"),
        (b"Message-ID: <3@x>\nIn-Reply-To: your mail of Friday <2@x>\n", "2@x"),
        (b"Message-ID: <3@x>\nReferences: none\n", "3@x"),
        (b"Subject: hello\n", None),
    ],
)
def test_the_thread_is_the_mail_that_began_it(headers, thread):
    assert read_mail(headers + b"\nbody")["thread"] == thread


def test_the_mails_replied_to_are_kept():
    record = read_mail(b"In-Reply-To: Ann's mail of Monday <b@x>\nReferences: <a@x>\n <b@x>\n\nbody")
    assert (record["in_reply_to"], record["references"], record["thread"]) == ("b@x", "a@x b@x", "a@x")
    record = read_mail(b"Message-ID: <c@x>\nReferences: nothing of use\n\nbody")
    assert (record["in_reply_to"], record["references"], record["thread"]) == (None, None, "c@x")


def test_replies_that_name_only_the_mail_before_them_are_one_conversation(tmp_path):
    mails = [
        b"From a Thu Jan  2 00:00:00 2020\nDate: 2 Jan 2020 00:00:00 +0000\nMessage-ID: <%s@x>\n%s\nbody\n\n"
        % (own, b"In-Reply-To: <%s@x>\n" % other if other else b"")
        for own, other in ((b"a", b""), (b"b", b"a"), (b"c", b"b"), (b"d", b""))
    ]
    (tmp_path / "list.mbox").write_bytes(b"".join(mails))
    table = driftline.read(tmp_path / "list.mbox").table()
    assert document_groups(table, "thread").codes.tolist() == [0, 0, 0, 1]
    chosen = driftline.read(tmp_path / "list.mbox", thread="in_reply_to").table()
    assert chosen["thread"].to_pylist() == [None, "a@x", "b@x", None]

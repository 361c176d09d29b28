import gzip
import os
import zipfile

import pytest

from driftline import read
from driftline.core.errors import InvalidInput

MAIL = b"Date: 20 Mar 2003 03:34:00 +0100\nFrom: Ann <a@b>\nSubject: War\nMessage-ID: <1@b>\n\nIt began.\n> quoted\n"


def test_a_folder_of_mails(tmp_path):
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "1.eml").write_bytes(MAIL)
    (tmp_path / "2.eml.gz").write_bytes(gzip.compress(MAIL))
    (tmp_path / "3.eml").write_bytes(b"")
    (tmp_path / "4.eml").write_bytes(b"Subject: no date\n\nx")
    (tmp_path / "5.eml").write_bytes(b"x" * 2000)
    (tmp_path / "6.eml").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "7.eml")
    stream = read(tmp_path, label="folder", drop_quotes=True, max_record_bytes=1000)
    assert [(d.id, d.text, d.author, d.label) for d in stream] == [
        ("1@b", "War\nIt began.", "Ann <a@b>", None),
        ("1@b", "War\nIt began.", "Ann <a@b>", "inbox"),
    ]
    assert dict(stream.rejections.reasons) == {
        "not a mail": 1,
        "no time": 1,
        "too long": 1,
        "outside the folder": 1,
        "not a regular file": 1,
    }
    assert stream.n_present == 7


def test_one_mail_and_mails_in_an_archive(tmp_path):
    (tmp_path / "1.eml").write_bytes(MAIL)
    assert [document.text for document in read(tmp_path / "1.eml")] == ["War\nIt began.\n> quoted"]
    (tmp_path / "saved").write_bytes(b"Return-Path: <a@b>\n" + MAIL)
    assert [document.id for document in read(tmp_path / "saved")] == ["1@b"]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("inbox/1.eml", MAIL)
        archive.writestr("inbox/2.eml", MAIL)
    assert len(list(read(tmp_path / "a.zip"))) == 2


def test_columns_that_mail_does_not_have(tmp_path):
    (tmp_path / "1.eml").write_bytes(MAIL)
    with pytest.raises(InvalidInput, match="mail has no column 'topic' for label="):
        read(tmp_path / "1.eml", label="topic")

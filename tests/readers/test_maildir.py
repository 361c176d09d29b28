import pytest

from driftline import read
from driftline.core.errors import InvalidInput

MAIL = b"Date: Thu, 20 Mar 2003 03:34:0%d +0000\nMessage-ID: <%d@x>\nSubject: s\n\nbody %d\n"


@pytest.fixture
def maildir(tmp_path):
    box = tmp_path / "Mail"
    for folder in (box, box / ".Sent"):
        for part in ("cur", "new", "tmp"):
            (folder / part).mkdir(parents=True)
    (box / "cur" / "2.host:2,S").write_bytes(MAIL % (2, 2, 2))
    (box / "new" / "1.host").write_bytes(MAIL % (1, 1, 1))
    (box / ".Sent" / "cur" / "3.host:2,S").write_bytes(MAIL % (3, 3, 3))
    (box / "tmp" / "unfinished").write_bytes(b"not yet")
    (box / "cur" / ".hidden").write_bytes(b"x")
    return box


def test_mails_of_all_folders_are_read(maildir):
    stream = read(maildir, label="folder", text="body")
    assert [(document.id, document.text, document.label) for document in stream] == [
        ("1@x", "body 1", None),
        ("2@x", "body 2", None),
        ("3@x", "body 3", "Sent"),
    ]
    assert stream.name == "Mail"
    assert stream.n_present == 3


def test_bad_mails_are_reported_with_their_files(maildir):
    (maildir / "new" / "4.host").write_bytes(b"Subject: undated\n\nx")
    (maildir / "new" / "5.host").write_bytes(MAIL % (5, 5, 5) + b"x" * 1000)
    stream = read(maildir, max_record_bytes=500)
    assert len(list(stream)) == 3
    assert [(r.place, r.reason) for r in stream.rejections.examples] == [
        ("file new/4.host", "no time"),
        ("file new/5.host", "too long: more than max_record_bytes=500"),
    ]


def test_links_out_of_the_folder_are_not_followed(maildir, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(MAIL % (9, 9, 9))
    (maildir / "cur" / "9.host").symlink_to(secret)
    (maildir / "cur" / "8.host").symlink_to(maildir / "cur" / "2.host:2,S")
    outside = tmp_path / "Outside"
    for part in ("cur", "new"):
        (outside / part).mkdir(parents=True)
    (outside / "cur" / "7.host").write_bytes(MAIL % (7, 7, 7))
    (maildir / ".Linked").symlink_to(outside)
    stream = read(maildir)
    assert sorted(document.id for document in stream) == ["1@x", "2@x", "2@x", "3@x"]
    assert stream.rejections.reasons == {"outside the folder": 3}


def test_an_unreadable_file_is_reported(maildir):
    (maildir / "cur" / "dangling").symlink_to(maildir / "cur" / "nowhere")
    stream = read(maildir)
    assert len(list(stream)) == 3
    assert stream.rejections.reasons == {"unreadable file": 1}


def test_a_folder_that_is_no_maildir(tmp_path):
    with pytest.raises(InvalidInput, match="is not a Maildir: it has no folders 'cur' and 'new'"):
        read(tmp_path, format="maildir")

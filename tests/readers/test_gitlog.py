import datetime
import os
import shutil
import subprocess

import pytest

from driftline import read
from driftline.core.errors import InvalidInput
from driftline.readers import gitlog
from driftline.readers.records import Limits

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder, *arguments, date="2003-03-20T03:34:00+0100", author="Ann", **options):
    environment = os.environ | {
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_DATE": "2004-01-01T00:00:00Z",
        "GIT_AUTHOR_NAME": author,
        "GIT_COMMITTER_NAME": "Cat",
        "EMAIL": "a@example.org",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, env=environment, **options)


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "-project"
    folder.mkdir()
    git(folder, "init", "--quiet")
    git(folder, "commit", "--allow-empty", "-m", "War begins\n\nIn the morning.\n\nSecond paragraph.")
    git(folder, "commit", "--allow-empty", "-m", "Zürich: fix", date="2003-03-21T00:00:00Z", author="Bob")
    git(folder, "commit", "--allow-empty", "--allow-empty-message", "-m", "", date="1990-01-01T00:00:00Z")
    return folder


def test_every_commit_is_a_document(repository):
    stream = read(repository)
    assert stream.source_kind == "commits"
    documents = list(stream)
    assert [document.text for document in documents] == [
        "War begins\nIn the morning.\n\nSecond paragraph.",
        "Zürich: fix",
        "",
    ]
    assert documents[0].time == datetime.datetime(2003, 3, 20, 2, 34, tzinfo=datetime.UTC)
    assert all(len(document.id) == 40 for document in documents)
    assert documents[0].label is None
    assert stream.name == "-project"


def test_columns_of_the_log_can_be_chosen(repository):
    stream = read(repository, time="committed", text="subject", label="author", id=False)
    assert [(document.time.year, document.label, document.id) for document in stream] == [
        (2004, "Ann", "1"),
        (2004, "Bob", "2"),
        (2004, "Ann", "3"),
    ]
    assert next(document.text for document in stream) == "War begins"
    with pytest.raises(InvalidInput, match=r"the git log has no column 'autor' for label= .*mean label='author'"):
        read(repository, label="autor")


def test_a_bare_repository_is_one_too(repository, tmp_path):
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), str(tmp_path / "bare.git"))
    assert len(read(tmp_path / "bare.git").table()) == 3


def test_messages_in_other_encodings_and_bytes_that_are_none(repository):
    git(
        repository,
        "-c",
        "i18n.commitEncoding=latin1",
        "commit",
        "--allow-empty",
        "-F",
        "-",
        input="Gr\u00fc\u00dfe".encode("latin-1"),
    )
    git(repository, "commit", "--allow-empty", "-F", "-", input=b"bad \xff byte")
    stream = read(repository)
    texts = [document.text for document in stream]
    assert texts[3] == "Grüße"
    assert len(texts) + stream.rejections.count == 5
    assert stream.rejections.reasons.keys() <= {"bad encoding"}


def test_a_commit_that_is_too_long_is_reported_by_its_hash(repository):
    git(repository, "commit", "--allow-empty", "-F", "-", input=b"long " * 1000)
    stream = read(repository, max_record_bytes=1000)
    assert len(list(stream)) == 3
    (rejection,) = stream.rejections.examples
    assert rejection.place.startswith("commit ")
    assert rejection.reason == "too long: more than max_record_bytes=1,000"


def test_fields_are_joined_over_pieces():
    pieces = iter([b"id", b"1\x00ti", b"me\x00", b"\nid2\x00", b"time\x00", b""])
    assert list(gitlog._fields(lambda size: next(pieces), 2, Limits())) == [[b"id1", b"time"], [b"id2", b"time"]]


def test_nothing_that_the_repository_names_is_run(repository, tmp_path):
    marker = tmp_path / "was-run"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {marker}\n")
    script.chmod(0o755)
    for key in ("gpg.program", "core.fsmonitor", "core.pager", "pager.log", "diff.external", "core.sshCommand"):
        git(repository, "config", key, str(script))
    git(repository, "config", "log.showSignature", "true")
    assert len(read(repository).table()) == 3
    assert not marker.exists()


def test_a_repository_without_commits_has_no_documents(tmp_path):
    git(tmp_path, "init", "--quiet")
    assert len(read(tmp_path).table()) == 0


def test_a_damaged_repository_is_an_error(repository):
    shutil.rmtree(repository / ".git" / "objects")
    (repository / ".git" / "objects").mkdir()
    with pytest.raises(InvalidInput, match="git cannot read the log of"):
        read(repository).table()


def test_a_folder_that_is_no_repository_is_an_error(tmp_path):
    (tmp_path / "a.txt").touch()
    with pytest.raises(InvalidInput, match="git cannot read the log of"):
        read(tmp_path, format="git").table()


def test_git_is_ended_when_nobody_reads_on(repository):
    batches = read(repository, batch_size=1).batches()
    next(batches)
    batches.close()


def test_without_git_the_error_says_so(repository, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InvalidInput, match="needs the program git"):
        read(repository).table()

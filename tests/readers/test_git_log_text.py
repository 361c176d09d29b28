"""Output of ``git log`` in its several formats, truncated anywhere, and damaged."""

from __future__ import annotations

import io
import os
import shutil
import subprocess

import pytest

import driftline
from driftline.readers.byte_stream import ByteStream
from driftline.readers.git_log_text import commit_of, read_git_log_text
from driftline.readers.records import Columns, Limits

ID = "5c61e168698a72b87437d58ed728bcdea6d5db42"
LOG = f"""commit {ID} (HEAD -> main, tag: v2)
Merge: 1234567 89abcde
Author: Ann Lee <ann@example.org>
Date:   Sat Aug 2 15:01:09 2026 +0300

    Mend the pipe

    commit {ID} was wrong:
    it leaked.

 a.c | 2 +-
 1 file changed

commit {ID[::-1]}
Author: Bob <>
Date:   Fri Aug 1 09:00:00 2026 -0530

    Begin

""".encode()
COLUMNS = Columns("time", ("subject", "body"), id="id", author="author")


def commits(data: bytes, **limits: int):
    parts = list(read_git_log_text(ByteStream(io.BytesIO(data), "log"), COLUMNS, Limits(**limits)))
    rows = [
        dict(zip(part.values, row)) for part in parts for row in zip(*(v.to_pylist() for v in part.values.values()))
    ]
    return rows, [unusable for part in parts for unusable in part.unusable]


@pytest.mark.parametrize("block", [1, 7, 64, 2**20])
def test_commits_are_split_whatever_the_blocks(block):
    rows, unusable = commits(LOG, block_bytes=block)
    assert unusable == []
    assert [row["subject"] for row in rows] == ["Mend the pipe", "Begin"]
    assert rows[0]["body"] == f"commit {ID} was wrong:\nit leaked."
    assert [row["author"] for row in rows] == ["Ann Lee", "Bob"]
    assert [row["time"] for row in rows] == ["2026-08-02T15:01:09+03:00", "2026-08-01T09:00:00-05:30"]


def test_one_bad_commit_is_rejected_alone_with_its_place():
    rows, unusable = commits(LOG.replace(b"leaked", b"le\xf6ked"))
    assert [row["subject"] for row in rows] == ["Begin"]
    assert unusable[0].place == "commit 1 (byte 0)"
    assert "bad encoding" in unusable[0].reason
    rows, unusable = commits(b"a stray line\n" + LOG)
    assert len(rows) == 2
    assert "not a commit" in unusable[0].reason
    rows, unusable = commits(LOG, max_record_bytes=150)
    assert [row["subject"] for row in rows] == ["Begin"]
    assert "long" in unusable[0].reason


def test_other_forms_of_dates_and_headers():
    fuller = f"commit {ID}\nAuthor:     A <a@b>\nAuthorDate: 2026-08-02 15:01:09 +0300\nCommit:     C <c@d>\n"
    found = commit_of(f"{fuller}CommitDate: Sun Aug 3 01:02:03 2026\n\n    x\n".encode())
    assert isinstance(found, dict)
    assert (found["time"], found["committed"]) == ("2026-08-02 15:01:09 +0300", "2026-08-03T01:02:03")
    assert (found["committer"], found["author_email"]) == ("C", "a@b")
    bare = commit_of(f"commit {ID}\nAuthor: A <a@b>".encode())
    assert isinstance(bare, dict)
    assert (bare["time"], bare["subject"]) == (None, "")


@pytest.mark.parametrize("name", ["history.txt", "history.log", "history"])
def test_a_saved_log_is_recognised_by_its_content(tmp_path, name):
    (tmp_path / name).write_bytes(LOG)
    second, first = driftline.read(tmp_path / name)  # a log begins with the newest
    assert (first.text, second.author) == ("Begin", "Ann Lee")
    assert second.time.isoformat() == "2026-08-02T12:01:09+00:00"
    (tmp_path / "prose.txt").write_text("commit yourself\nAuthor: me\n")
    assert "commit yourself" in next(iter(driftline.read(tmp_path / "prose.txt", file_time="mtime"))).text


@pytest.mark.skipif(shutil.which("git") is None, reason="the program git is not installed")
def test_a_printed_log_is_read_as_the_repository_itself(tmp_path):
    repository = tmp_path / "project"
    run = ["git", "-C", str(repository), "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    for number, message in enumerate(("Begin\n\nWith two\nlines.", "Go on", "Über alles\n\n    indented")):
        date = f"2024-03-0{number + 1}T10:00:00+0100"
        subprocess.run(
            [*run, "commit", "--quiet", "--allow-empty", "--message", message],
            check=True,
            env=os.environ | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
        )
    printed = subprocess.run([*run, "log"], check=True, capture_output=True).stdout
    (tmp_path / "log.txt").write_bytes(printed)
    here, there = list(driftline.read(tmp_path / "log.txt"))[::-1], list(driftline.read(repository))
    assert [each.text.split() for each in here] == [each.text.split() for each in there]
    assert [(each.time, each.author, each.id) for each in here] == [(each.time, each.author, each.id) for each in there]

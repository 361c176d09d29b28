"""Maildir folders: one file per mail, in ``cur`` and ``new``, and folders inside folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from driftline.readers.mail import mail_records, read_mail
from driftline.readers.records import Columns, Limits, Records, too_long
from driftline.readers.regular_files import NotRegular, open_regular
from driftline.readers.walk import OUTSIDE, inside, leads_outside, shown_name


def is_maildir(folder: Path) -> bool:
    """Return whether a folder is a Maildir: it has ``cur`` and ``new``."""
    return (folder / "cur").is_dir() and (folder / "new").is_dir()


def read_maildir(folder: Path, columns: Columns, limits: Limits, *, drop_quotes: bool = False) -> Iterator[Records]:
    """Return the mails of a Maildir and of the folders in it, by name, which is usually the order of arrival."""
    mails = (
        (f"file {shown_name(path, folder)}", _read_file(path, folder, name, limits, drop_quotes=drop_quotes))
        for path, name in _mail_files(folder)
    )
    return mail_records(shown_name(folder), mails, columns, limits)


def _read_file(
    path: Path, folder: Path, folder_name: str, limits: Limits, *, drop_quotes: bool
) -> dict[str, str | None] | str:
    if path.is_dir() or leads_outside(path, folder):
        return OUTSIDE
    try:
        with open_regular(path) as file:
            raw = file.read(limits.max_record_bytes + 1)
    except NotRegular as error:
        return str(error)
    except OSError as error:
        return f"unreadable file: {error.strerror or error}"
    if len(raw) > limits.max_record_bytes:
        return too_long(limits)
    return read_mail(raw, folder=folder_name, drop_quotes=drop_quotes)


def _mail_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files of the folder itself and of those in it (named ``.Sent`` by most programs), with their names."""
    boxes = [folder, *sorted(box for box in folder.iterdir() if box.is_dir() and is_maildir(box))]
    for box in boxes:
        name = "" if box == folder else shown_name(box).lstrip(".")
        parts = [box / "cur", box / "new"]
        yield from ((part, name) for part in parts if not inside(part, folder))
        found = [path for part in parts if inside(part, folder) for path in part.iterdir()]
        for path in sorted(found, key=lambda path: path.name):
            if not path.name.startswith("."):
                yield path, name

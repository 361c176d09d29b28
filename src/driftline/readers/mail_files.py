"""Files of one mail each (``.eml``), alone, in folders or in archives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from driftline.readers.entries import Entry, entry_name
from driftline.readers.mail import mail_records, read_mail
from driftline.readers.records import Columns, Limits, Records
from driftline.readers.single_files import file_bytes
from driftline.readers.walk import shown_name


def read_mail_files(
    files: Sequence[Entry],
    columns: Columns,
    limits: Limits,
    *,
    root: Path,
    drop_quotes: bool = False,
    max_expansion: float = 200.0,
) -> Iterator[Records]:
    """Return the mails of files that contain one each; a place is, for example, ``file 2003/budget.eml``."""
    mails = (
        (f"file {entry_name(file, root)}", _read_file(file, root, limits, drop_quotes, max_expansion)) for file in files
    )
    return mail_records(shown_name(root), mails, columns, limits)


def _read_file(
    file: Entry, root: Path, limits: Limits, drop_quotes: bool, max_expansion: float
) -> dict[str, str | None] | str:
    raw = file_bytes(file, root, limits, "a mail", max_expansion=max_expansion)
    if isinstance(raw, str):
        return raw
    if not raw.strip():
        return "not a mail: the file is empty"
    folder = entry_name(file, root).rpartition("/")[0] or None
    return read_mail(raw, folder=folder, drop_quotes=drop_quotes)

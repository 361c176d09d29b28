"""Files of one mail each (``.eml``), alone, in folders or in archives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import open_bytes
from driftline.readers.entries import Entry, entry_name, is_elsewhere
from driftline.readers.mail import mail_records, read_mail
from driftline.readers.records import Columns, Limits, Records, too_long
from driftline.readers.regular_files import NotRegular
from driftline.readers.walk import OUTSIDE, shown_name


def read_mail_files(
    files: Sequence[Entry],
    columns: Columns,
    limits: Limits,
    *,
    root: Path,
    drop_quotes: bool = False,
    max_expansion: float = 200.0,
) -> Iterator[Records]:
    """Return the mails of files with one each; a place is, for example, ``file 2003/budget.eml``."""
    mails = (
        (f"file {entry_name(file, root)}", _read_file(file, root, limits, drop_quotes, max_expansion)) for file in files
    )
    return mail_records(shown_name(root), mails, columns, limits)


def _read_file(
    file: Entry, root: Path, limits: Limits, drop_quotes: bool, max_expansion: float
) -> dict[str, str | None] | str:
    if is_elsewhere(file, root):
        return OUTSIDE
    try:
        with open_bytes(file, max_expansion=max_expansion) as stream:
            raw = stream.read(limits.max_record_bytes + 1)
            if stream.damage is not None:
                return stream.damage
    except NotRegular as error:
        return str(error)
    except InvalidInput as error:
        return f"not a mail: {error}"
    except OSError as error:
        return f"unreadable file: {error.strerror or error}"
    if len(raw) > limits.max_record_bytes:
        return too_long(limits)
    if not raw.strip():
        return "not a mail: the file is empty"
    folder = entry_name(file, root).rpartition("/")[0] or None
    return read_mail(raw, folder=folder, drop_quotes=drop_quotes)

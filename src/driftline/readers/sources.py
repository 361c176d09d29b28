"""The parts of a source: files, folders, patterns and lists of them, each with its reader."""

from __future__ import annotations

import functools
import glob
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from driftline.core.errors import AmbiguousInput, InvalidInput, SourceNotFound
from driftline.readers.addresses import refuse_address
from driftline.readers.byte_stream import ByteStream, open_bytes
from driftline.readers.columns import Choice, find_columns, known_columns
from driftline.readers.delimited import read_delimited
from driftline.readers.formats import format_by_content, format_by_name
from driftline.readers.gitlog import GIT_CHOICE, GIT_COLUMNS, is_repository, read_git_log
from driftline.readers.jsonl import read_jsonl
from driftline.readers.mail import MAIL_CHOICE, MAIL_COLUMNS
from driftline.readers.maildir import is_maildir, read_maildir
from driftline.readers.mbox import read_mbox
from driftline.readers.parquet import read_parquet
from driftline.readers.records import Chooser, Columns, Limits, Records, UnreadableFile, Unusable
from driftline.readers.regular_files import NotRegular
from driftline.readers.text_files import FILE_CHOICE, FILE_COLUMNS, read_text_files, time_rule
from driftline.readers.timestamps import TimeReader
from driftline.readers.walk import OUTSIDE, files_under, leads_outside, shown_name


@dataclass(frozen=True)
class Settings:
    """All options of `driftline.read`."""

    choice: Choice = Choice()  # noqa: RUF009 (it is immutable)
    format: str | None = None
    limits: Limits = field(default_factory=Limits)
    encoding: str | None = None
    max_expansion: float = 200.0
    file_time: str = "auto"
    drop_quotes: bool = False
    time_unit: str | None = None
    dayfirst: bool | None = None
    timezone: str | None = None

    def times(self) -> TimeReader:
        """Return a new reader of times."""
        return TimeReader(time_unit=self.time_unit, dayfirst=self.dayfirst, timezone=self.timezone)

    def chooser(self, source: str) -> Chooser:
        """Return the function that finds the columns of a table-like source."""
        return functools.partial(find_columns, choice=self.choice, source=source, times=self.times())


class Part(NamedTuple):
    """One part of a source. `columns` is fixed for mail, commits and text files, otherwise found in the data."""

    name: str
    open: Callable[[], Iterator[Records]]
    columns: Columns | None = None
    time_from: str | None = None


def parts_of(source: object, settings: Settings) -> list[Part]:
    """Return the parts of a path, a pattern, or several of them."""
    paths = _paths(source)
    files: list[tuple[Path, str]] = []
    parts: list[Part] = []
    for path in paths:
        if path.is_dir():
            special = _special_folder(path, settings)
            parts += special
            files += [] if special else _files_in(path, settings)
        else:
            files.append((path, _format_of(path, settings)))
    root = _root(paths)
    texts = [path for path, kind in files if kind == "text"]
    if texts:
        parts.append(_text_part(texts, root, settings))
    parts += [_file_part(path, kind, root, settings) for path, kind in files if kind != "text"]
    return parts


def stream_records(stream: ByteStream, kind: str, settings: Settings) -> Iterator[Records]:
    """Read a sequential format: JSON lines, delimited text, mbox."""
    if kind == "jsonl":
        return read_jsonl(stream, settings.chooser(stream.name), settings.limits)
    if kind == "mbox":
        columns = known_columns(MAIL_COLUMNS, settings.choice, MAIL_CHOICE, source="mail")
        return read_mbox(stream, columns, settings.limits, drop_quotes=settings.drop_quotes)
    delimiter = "\t" if kind == "tsv" else None
    return read_delimited(stream, settings.chooser(stream.name), settings.limits, delimiter=delimiter)


def records_of(part: Part, *, alone: bool) -> Iterator[Records]:
    """Read a part; if it is unreadable, it is a rejection among several parts, and an error if it is the only one."""
    try:
        yield from part.open()
    except (UnreadableFile, OSError) as error:
        reason = f"{error.strerror or error}" if isinstance(error, OSError) else str(error)
        if alone:
            raise (
                error if isinstance(error, UnreadableFile) else InvalidInput(f"{part.name} cannot be read: {reason}")
            ) from error
        reason = reason if isinstance(error, NotRegular) else f"unreadable file: {reason}"
        unusable = [Unusable(0, reason, place="file")]
        yield Records(part.name, {}, np.empty(0, np.int64), None, unusable)


def _paths(source: object) -> list[Path]:
    if isinstance(source, str | os.PathLike):
        return _expanded(os.fspath(source))
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        listed = list(source)
        if listed and all(isinstance(item, str | os.PathLike) for item in listed):
            return [path for item in listed for path in _expanded(os.fspath(item))]
    raise InvalidInput(
        f"driftline.read cannot read {type(source).__name__}; pass a path, a pattern such as 'news/*.jsonl', a list of "
        f"paths, '-' for standard input, an Arrow table, a pandas or polars frame, or a list of dictionaries"
    )


def _expanded(pattern: str) -> list[Path]:
    refuse_address(pattern)
    if Path(pattern).exists():
        return [_absolute(pattern)]
    found = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else []
    if not found:
        what = "nothing matches" if glob.has_magic(pattern) else "there is no file or folder"
        raise SourceNotFound(f"{what} {pattern!r} (searched from {Path.cwd()})")
    return [_absolute(path) for path in found]


def _absolute(path: str) -> Path:
    """Return a path that has a name even if it was given as a dot; links are kept."""
    return Path(os.path.abspath(path))


def _root(paths: Sequence[Path]) -> Path:
    """Return the folder to which names in messages and ids are relative."""
    if len(paths) == 1:
        return paths[0] if paths[0].is_dir() else paths[0].parent
    return Path(os.path.commonpath([path.parent for path in paths]))


def _format_of(path: Path, settings: Settings) -> str:
    if settings.format in ("git", "maildir"):
        raise InvalidInput(f"format={settings.format!r} reads a folder, but {path} is a file")
    found = settings.format or format_by_name(path)
    if found is not None:
        return found
    with open_bytes(path, encoding=settings.encoding) as stream:
        return format_by_content(stream)


def _special_folder(path: Path, settings: Settings) -> list[Part]:
    """Return the single part of a folder that is a repository or a Maildir; empty if it is neither."""
    wanted, name = settings.format, shown_name(path) or str(path)
    if wanted == "git" or (wanted is None and is_repository(path)):
        columns = known_columns(GIT_COLUMNS, settings.choice, GIT_CHOICE, source="the git log")
        return [Part(name, lambda: read_git_log(path, columns, settings.limits), columns)]
    if wanted == "maildir" or (wanted is None and is_maildir(path)):
        if not is_maildir(path):
            raise InvalidInput(f"{path} is not a Maildir: it has no folders 'cur' and 'new'")
        columns = known_columns(MAIL_COLUMNS, settings.choice, MAIL_CHOICE, source="mail")
        return [
            Part(name, lambda: read_maildir(path, columns, settings.limits, drop_quotes=settings.drop_quotes), columns)
        ]
    return []


def _files_in(folder: Path, settings: Settings) -> list[tuple[Path, str]]:
    """Return the files of a folder with their formats: those of the requested format, otherwise all of them."""
    files = [(file, format_by_name(file) or "text") for file in files_under(folder)]
    if not files:
        raise SourceNotFound(f"there is no file in the folder {str(folder)!r}")
    wanted = settings.format
    if wanted is not None:
        return [(file, kind) for file, kind in files if kind == wanted] or [(file, wanted) for file, _ in files]
    kinds = Counter(kind for file, kind in files if not leads_outside(file, folder))
    if len(kinds) > 1 and "text" in kinds:
        counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        raise AmbiguousInput(
            f"the folder {str(folder)!r} contains files of several kinds ({counted}); choose one with format=, "
            f"or name the files by a pattern"
        )
    return files


def _text_part(files: list[Path], root: Path, settings: Settings) -> Part:
    columns = known_columns(FILE_COLUMNS, settings.choice, FILE_CHOICE, source="text files")
    rule = time_rule(files, root) if settings.file_time == "auto" else settings.file_time

    def read() -> Iterator[Records]:
        return read_text_files(
            files,
            columns,
            settings.limits,
            root=root,
            file_time=rule,
            encoding=settings.encoding,
            max_expansion=settings.max_expansion,
        )

    return Part(shown_name(files[0] if len(files) == 1 else root), read, columns, f"the file's {rule}")


def _file_part(path: Path, kind: str, root: Path, settings: Settings) -> Part:
    name = shown_name(path, root)

    def read() -> Iterator[Records]:
        if leads_outside(path, root):
            yield Records(name, {}, np.empty(0, np.int64), None, [Unusable(0, OUTSIDE, place="file")])
        elif kind == "parquet":
            choose = settings.chooser(name)
            yield from read_parquet(path, choose, settings.limits, name=name, max_expansion=settings.max_expansion)
        else:
            encoding, most = settings.encoding, settings.max_expansion
            with open_bytes(path, name=name, encoding=encoding, max_expansion=most) as stream:
                yield from stream_records(stream, kind, settings)

    columns = known_columns(MAIL_COLUMNS, settings.choice, MAIL_CHOICE, source="mail") if kind == "mbox" else None
    return Part(name, read, columns)

"""The parts of a source: files, folders, archives, patterns and lists of them, each with its reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from driftline.core.errors import AmbiguousInput, InvalidInput, SourceNotFound
from driftline.readers.archive import SIGNATURES, open_archive
from driftline.readers.bundles import Bundle, find_bundle, is_description, is_media
from driftline.readers.byte_stream import open_bytes
from driftline.readers.columns import known_columns
from driftline.readers.dated_lines import are_dated_lines
from driftline.readers.entries import Entry, entry_name, is_elsewhere, is_there
from driftline.readers.file_parts import file_part, mail_part, slack_part, text_part
from driftline.readers.formats import (
    ARCHIVE_SUFFIX,
    FOLDER_FORMATS,
    format_by_content,
    format_by_name,
    is_git_log,
    is_log_name,
    is_tab_separated,
)
from driftline.readers.gitlog import GIT_CHOICE, GIT_COLUMNS, is_repository, read_git_log
from driftline.readers.mail import MAIL_CHOICE, MAIL_COLUMNS
from driftline.readers.maildir import is_maildir, read_maildir
from driftline.readers.paths import paths_of, root_of
from driftline.readers.records import Records, UnreadableFile, Unusable
from driftline.readers.regular_files import NotRegular, open_regular
from driftline.readers.settings import Part, Settings
from driftline.readers.spreadsheet import is_workbook
from driftline.readers.walk import files_under, shown_name


class Group(NamedTuple):
    """Entries whose names are relative to one folder or archive, each with its format, and those that are not read."""

    root: Path
    files: list[tuple[Entry, str]]
    unread: list[Unusable]
    bundle: Bundle | None = None


def parts_of(source: object, settings: Settings) -> list[Part]:
    """Return the parts of a path, a pattern, or several of them."""
    paths = paths_of(source)
    root = root_of(paths)
    single: list[tuple[Entry, str]] = []
    groups: list[Group] = []
    parts: list[Part] = []
    for path in paths:
        if path.is_dir():
            special = _special_folder(path, settings)
            parts += special
            groups += [] if special else _groups_in(path, root, settings)
        elif _is_archive(path, settings):
            groups.append(_archive_group(path, settings))
        else:
            single.append((path, _format_of(path, settings)))
    groups = [Group(root, single, []), *groups]
    check_choices(settings, {kind for group in groups for _, kind in group.files})
    for group in groups:
        parts += _parts_of_group(group, settings)
    return parts


def check_choices(settings: Settings, kinds: Collection[str]) -> None:
    """Raise `InvalidInput` if a sheet is given without a spreadsheet, or a table without an SQLite file."""
    for option, kind, what in (("sheet", "spreadsheet", "a spreadsheet"), ("table", "sqlite", "an SQLite file")):
        if getattr(settings, option) is not None and kind not in kinds:
            raise InvalidInput(f"{option}= applies to {what}, and the source has none; leave it out")


def records_of(part: Part, *, alone: bool) -> Iterator[Records]:
    """Read a part. If it is unreadable, raise an error if it is the only part, and otherwise report a rejection."""
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


def _parts_of_group(group: Group, settings: Settings) -> list[Part]:
    root, parts = group.root, []
    by_kind = {kind: [file for file, one in group.files if one == kind] for kind in ("text", "eml", "slack")}
    if by_kind["text"]:
        parts.append(text_part(by_kind["text"], root, settings))
    if by_kind["eml"]:
        parts.append(mail_part(by_kind["eml"], root, settings))
    if by_kind["slack"]:
        parts.append(slack_part(by_kind["slack"], root, settings, group.bundle and group.bundle.people))
    parts += [file_part(file, kind, root, settings) for file, kind in group.files if kind not in by_kind]
    if group.unread:
        name, unread = shown_name(root), group.unread
        parts.append(Part(name, lambda: iter([Records(name, {}, np.empty(0, np.int64), None, unread)])))
    return parts


def _format_of(entry: Entry, settings: Settings) -> str:
    if settings.format in FOLDER_FORMATS:
        raise InvalidInput(f"format={settings.format!r} reads a folder, but {entry_name(entry)} is a file")
    found = settings.format or format_by_name(entry_name(entry))
    if found is not None and (found != "text" or settings.format is not None):
        return found
    if isinstance(entry, Path) and is_workbook(entry):
        return "spreadsheet"
    with open_bytes(entry, encoding=settings.encoding) as stream:
        if found == "text":
            if is_git_log(stream):
                return "gitlog"
            return "log" if are_dated_lines(stream) else "tsv" if is_tab_separated(stream) else "text"
        kind = format_by_content(stream)
    if kind == "text" and is_log_name(entry_name(entry)):
        raise InvalidInput(
            f"the lines of {entry_name(entry)} do not begin with a time that has a year, so they cannot be read as a "
            f"log; write the times as 2003-04-05 10:11:12 (or convert the lines to CSV), or pass format='text' to read "
            f"the file as one document"
        )
    return kind


def _format_in_folder(entry: Entry, root: Path) -> str:
    """Return the format for the suffix of a file among others: XML may be a feed, .log a log; anything else is text."""
    found = format_by_name(entry_name(entry))
    name = entry_name(entry).lower()
    if found is None and (name.endswith(".xml") or is_log_name(name)) and not is_elsewhere(entry, root):
        try:
            with open_bytes(entry) as stream:
                found = kind if (kind := format_by_content(stream)) in ("feed", "log") else None
        except (OSError, InvalidInput):
            found = None
    return found or "text"


def _special_folder(path: Path, settings: Settings) -> list[Part]:
    """Return the single part of a folder that is a repository or a Maildir; empty if it is neither."""
    wanted, name = settings.format, shown_name(path) or str(path)
    if wanted == "git" or (wanted is None and is_repository(path)):
        columns = known_columns(GIT_COLUMNS, settings.choice, GIT_CHOICE, source="the git log")
        return [Part(name, lambda: read_git_log(path, columns, settings.limits), columns, source_kind="commits")]
    if wanted == "maildir" or (wanted is None and is_maildir(path)):
        if not is_maildir(path):
            raise InvalidInput(f"{path} is not a Maildir: it has no folders 'cur' and 'new'")
        columns = known_columns(MAIL_COLUMNS, settings.choice, MAIL_CHOICE, source="mail", origin="folder")

        def read() -> Iterator[Records]:
            return read_maildir(path, columns, settings.limits, drop_quotes=settings.drop_quotes)

        return [Part(name, read, columns, source_kind="mail")]
    return []


def _groups_in(folder: Path, root: Path, settings: Settings) -> list[Group]:
    """Return the groups of a folder: its files, and each archive in it."""
    files = list(files_under(folder))
    if not files:
        raise SourceNotFound(f"there is no file in the folder {str(folder)!r}")
    archives = [file for file in files if file.suffix.lower() == ARCHIVE_SUFFIX and not is_elsewhere(file, folder)]
    others: list[Entry] = [file for file in files if file not in archives]
    groups = [_group(folder, others, settings)._replace(root=root)] if others else []
    for path in archives:
        try:
            groups.append(_archive_group(path, settings)._replace(root=root))
        except UnreadableFile as error:
            unread = [Unusable(0, f"unreadable file: {error}", place=f"file {shown_name(path, folder)}")]
            groups.append(Group(root, [], unread))
    return groups


def _is_archive(path: Path, settings: Settings) -> bool:
    # Other formats that are zip archives internally, such as .docx and .epub, are not archives to their users.
    if settings.format == "spreadsheet" or path.suffix.lower() not in ("", ARCHIVE_SUFFIX):
        return False
    try:
        with open_regular(path) as file:
            is_zip = file.read(4).startswith(SIGNATURES)
    except (OSError, NotRegular):
        return False
    return is_zip and not is_workbook(path)


def _archive_group(path: Path, settings: Settings) -> Group:
    members, not_read = open_archive(path, max_expansion=settings.max_expansion)
    unread = [Unusable(number, reason, place=f"file {name}") for number, (name, reason) in enumerate(not_read, start=1)]
    if not members:
        if not unread:
            raise UnreadableFile(f"there is no file in the archive {path.name}")
        return Group(path, [], unread)
    if len(members) == 1:
        return Group(path, [(members[0], _format_of(members[0], settings))], unread)
    group = _group(path, list(members), settings)
    return group._replace(unread=[*unread, *group.unread])


def _group(root: Path, entries: list[Entry], settings: Settings) -> Group:
    """Return entries with their formats: those of an export, otherwise those of the requested format, otherwise all."""
    bundle = find_bundle([(entry_name(entry, root), entry) for entry in entries], settings.format)
    if bundle is not None:
        return Group(root, [(entry, bundle.format) for entry in bundle.entries], bundle.missing, bundle)
    files = [(entry, _format_in_folder(entry, root)) for entry in entries if is_there(entry)]
    wanted = settings.format
    files, about = _without_descriptions(files) if wanted is None else (files, [])
    media = [file for file, kind in files if kind == "text" and is_media(entry_name(file))] if wanted is None else []
    if len(media) < len(files):
        files = [(file, kind) for file, kind in files if file not in media]
    not_read = [(entry, "it describes the others") for entry in about]
    not_read += [(entry, "a picture, recording, archive or formatted document") for entry in media]
    reasons = [(entry, f"not data: {why}") for entry, why in not_read]
    reasons += [(entry, "unreadable file: a link to nothing") for entry in entries if not is_there(entry)]
    unread = [
        Unusable(n, why, place=f"file {entry_name(entry, root)}") for n, (entry, why) in enumerate(reasons, start=1)
    ]
    if wanted is not None:
        return Group(
            root, [(file, kind) for file, kind in files if kind == wanted] or [(file, wanted) for file, _ in files], []
        )
    kinds = Counter(kind for file, kind in files if not is_elsewhere(file, root))
    if len(kinds) > 1 and "text" in kinds:
        counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        what = "folder" if root.is_dir() else "archive"
        raise AmbiguousInput(
            f"the {what} {str(root)!r} contains files of several kinds ({counted}); choose one with format=, "
            f"or name the files by a pattern"
        )
    return Group(root, files, unread)


def _without_descriptions(files: list[tuple[Entry, str]]) -> tuple[list[tuple[Entry, str]], list[Entry]]:
    """Separate README, LICENSE and similar files, if the other files all have formats with records."""
    about = [file for file, kind in files if kind == "text" and is_description(entry_name(file))]
    others = [(file, kind) for file, kind in files if file not in about]
    return (others, about) if others and all(kind != "text" for _, kind in others) else (files, [])

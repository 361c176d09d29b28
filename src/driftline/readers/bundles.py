"""Folders and archives that are one export: the files with records, and those that only describe them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from driftline.readers.entries import Entry
from driftline.readers.records import Unusable

_SLACK_DAY = re.compile(r"[^/]+/\d{4}-\d\d-\d\d\.json")
_SLACK_LISTS = {"channels.json", "users.json", "groups.json", "dms.json", "mpims.json", "org_users.json"}
_SHARD = re.compile(r"(.*)-(\d{5})-of-(\d{5})(-[0-9a-f]{16})?\.(arrow|parquet)")
_MOST_SHARDS = 100_000
_DESCRIPTIONS = {"dataset_info.json", "state.json", "dataset_dict.json", "dataset_infos.json"}
_ABOUT = re.compile(r"cache-.*|README(\.\w+)?|LICEN[CS]E(\.\w+)?|.*\.(py|yaml|yml|md)")
_DESCRIBES = re.compile(r"(READ[-_ ]?ME|LICEN[CS]E|COPYING|CITATION|CHANGELOG|AUTHORS)([-_.].*)?", re.IGNORECASE)
_MEDIA = re.compile(
    r".*\.(png|jpe?g|gif|webp|svg|ico|tiff?|bmp|heic|mp3|wav|ogg|opus|m4a|flac|mp4|mov|avi|mkv|webm|pdf|docx?|pptx?|epub|"
    r"zip|7z|rar|tar|tgz|exe|dll|so|pyc|woff2?|ttf|otf|vcf)",
    re.IGNORECASE | re.DOTALL,
)
"""Names of files that are not plain text."""
_ACCOUNT_EXPORTS = {"telegram": "result.json", "mastodon": "outbox.json"}
_ACCOUNT_SIGNS = {
    "telegram": re.compile(r"(photos|files|video_files|voice_messages|stickers|round_video_messages|contacts)/.*"),
    "mastodon": re.compile(r"actor\.json|likes\.json|bookmarks\.json|media_attachments/.*|avatar\.\w+|header\.\w+"),
}


class Bundle(NamedTuple):
    """The entries of an export with records, their format, missing files, and the authors."""

    format: str
    entries: list[Entry]
    missing: list[Unusable]
    people: Entry | None = None


def find_bundle(files: Sequence[tuple[str, Entry]], wanted: str | None) -> Bundle | None:
    """Return the export that the files, given by their relative paths, form; None if they are plain files."""
    files = _without_top_folder(files)
    finders: dict[str, Callable[[], Bundle | None]] = {
        "slack": lambda: _slack(files),
        "arrow": lambda: _dataset(files, "arrow"),
        "parquet": lambda: _dataset(files, "parquet"),
        **{name: lambda name=name: _account(files, name, named=wanted == name) for name in _ACCOUNT_EXPORTS},  # type: ignore[misc]
    }
    chosen = finders.values() if wanted is None else [finders[wanted]] if wanted in finders else []
    return next((bundle for find in chosen if (bundle := find()) is not None), None)


def is_media(name: str) -> bool:
    """Return whether a file is by its suffix a picture, a recording, an archive or a document that is not plain text.

    >>> is_media("photos/war.JPG"), is_media("war.txt")
    (True, False)
    """
    return _MEDIA.fullmatch(name) is not None


def is_description(name: str) -> bool:
    """Return whether the name of a file is that of a description of the files beside it.

    >>> is_description("data/README.txt"), is_description("LICENSE"), is_description("readme_posts.csv.txt")
    (True, True, True)
    >>> is_description("reading.txt")
    False
    """
    return _DESCRIBES.fullmatch(name.rpartition("/")[2]) is not None


def _without_top_folder(files: Sequence[tuple[str, Entry]]) -> list[tuple[str, Entry]]:
    """Remove the common folder of all files, which archives often have; a folder of days is kept."""
    tops = {name.partition("/")[0] for name, _ in files if "/" in name}
    if len(tops) == 1 and all("/" in name for name, _ in files) and not all(map(_SLACK_DAY.fullmatch, _names(files))):
        return [(name.partition("/")[2], entry) for name, entry in files]
    return list(files)


def _names(files: Sequence[tuple[str, Entry]]) -> list[str]:
    return [name for name, _ in files]


def _slack(files: Sequence[tuple[str, Entry]]) -> Bundle | None:
    """Find an export of Slack: a folder per channel with a file per day, beside lists of channels and users."""
    days = [entry for name, entry in files if _SLACK_DAY.fullmatch(name)]
    people = next((entry for name, entry in files if name == "users.json"), None)
    return Bundle("slack", days, [], people) if days and _SLACK_LISTS & set(_names(files)) else None


def _dataset(files: Sequence[tuple[str, Entry]], kind: str) -> Bundle | None:
    """Find a data set: files such as ``data/train-00000-of-00002.parquet``, beside descriptions and caches."""
    last = {name: name.rpartition("/")[2] for name in _names(files)}
    data = [(name, entry) for name, entry in files if name.endswith(f".{kind}") and not last[name].startswith("cache-")]
    shards = [match for name, _ in data if (match := _SHARD.fullmatch(name))]
    others = [name for name in last if not name.endswith(f".{kind}") and last[name] not in _DESCRIPTIONS]
    is_dataset = bool(shards) or (bool(data) and bool(_DESCRIPTIONS & set(last.values())))
    if not is_dataset or not all(_ABOUT.fullmatch(last[name]) for name in others):
        return None
    return Bundle(kind, [entry for _, entry in data], _missing_shards(shards))


def _missing_shards(shards: Sequence[re.Match[str]]) -> list[Unusable]:
    """Return a rejection for every shard that is missing according to the names of the others."""
    there: dict[tuple[str, str], set[int]] = {}
    for match in shards:
        there.setdefault((match[1], match[3]), set()).add(int(match[2]))
    missing = [
        f"{start}-{number:05}-of-{count}"
        for (start, count), numbers in there.items()
        for number in range(min(int(count), _MOST_SHARDS))
        if number not in numbers
    ]
    return [
        Unusable(0, "missing: the names of the other files imply it, but it does not exist", place=f"file {name}")
        for name in missing
    ]


def _account(files: Sequence[tuple[str, Entry]], kind: str, *, named: bool) -> Bundle | None:
    """Find an export of Telegram or Mastodon: one file of messages, beside pictures and other files without text."""
    messages = [entry for name, entry in files if name == _ACCOUNT_EXPORTS[kind]]
    others = [name for name in _names(files) if name != _ACCOUNT_EXPORTS[kind]]
    return (
        Bundle(kind, messages, []) if messages and (named or any(map(_ACCOUNT_SIGNS[kind].fullmatch, others))) else None
    )

"""A search index on disk: a folder of segments and a list of those in use.

    index/
      index.json            format, version, tokenizer, and every segment with its size and hash
      segment-<16 hex>.safetensors
      drafts/               segments that are being written

A segment is written and flushed before the list names it, and the list is replaced atomically. A process killed at any
moment leaves the documents of the last complete append; drafts, and segments that no list names, are removed by the
next append.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from driftline.core.errors import InvalidInput, ModelFileError
from driftline.graphs.search.index_segments import Segment, packed, unpacked
from driftline.persistence.atomic_file import replaced_file
from driftline.persistence.flushing import explained, flush_file, flush_folder
from driftline.persistence.locks import take_lock
from driftline.persistence.manifest import content_checksum
from driftline.text.tokenise import Tokenizer

FORMAT = "driftline-search-index"
VERSION = 1
LIST = "index.json"
LOCK = "index.lock"
DRAFTS = "drafts"
MOST_LIST_BYTES = 64 * 2**20
_SEGMENT = re.compile(r"segment-[0-9a-f]{16}\.safetensors", re.ASCII)
_ARRAYS = {
    "term_offsets": np.int64,
    "docs": np.int32,
    "position_offsets": np.int64,
    "positions": np.int32,
    "lengths": np.int64,
    "times": np.int64,
}
_TRIES = 20


class Entry(TypedDict):
    """A segment in the list: the name of its file, its size, and its hash."""

    file: str
    bytes: int
    sha256: str


class Listed(NamedTuple):
    """The content of the list: the tokenizer, and the segments."""

    tokenizer: Tokenizer
    segments: list[Entry]


def read_index(folder: Path) -> tuple[Tokenizer, list[Segment], list[str]]:
    """Return the tokenizer, the segments of an index, and their files; all of the same append."""
    for attempt in range(_TRIES):
        listed = read_list(folder)
        names = [one["file"] for one in listed.segments]
        try:
            return listed.tokenizer, [_read_segment(folder, one) for one in listed.segments], names
        except FileNotFoundError as error:  # merged in the meantime: the list now names other segments
            if attempt == _TRIES - 1:
                raise ModelFileError(f"{error.filename} is missing; the index is damaged: build it again") from error
    raise AssertionError("unreachable")


def read_list(folder: Path) -> Listed:
    """Read and check the list of segments."""
    path = folder / LIST
    try:
        with path.open("rb") as file:
            data = file.read(MOST_LIST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise ModelFileError(f"{folder} is not a search index: an index is a folder with {LIST}") from None
    damaged = ModelFileError(f"{path} is damaged; restore it from a copy, or build the index again")
    if len(data) > MOST_LIST_BYTES:
        raise damaged
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise damaged from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError(f"{path} does not describe a search index; check the path")
    if content.get("version") != VERSION:
        raise ModelFileError(
            f"{folder} is a search index of version {content.get('version')!r}, and this driftline reads version "
            f"{VERSION}; build the index again"
        )
    checksum = content.pop("checksum", None)
    if checksum != content_checksum(content):
        raise damaged
    try:
        options, segments = dict(content["tokenizer"]), list(content["segments"])
        options["ngram_range"] = tuple(options["ngram_range"])
        if not all(isinstance(one["file"], str) and _SEGMENT.fullmatch(one["file"]) for one in segments):
            raise damaged
        return Listed(Tokenizer(**options), segments)
    except (KeyError, TypeError):
        raise damaged from None


def write_list(folder: Path, tokenizer: Tokenizer, segments: list[Entry]) -> None:
    """Replace the list of segments atomically."""
    options = {name: getattr(tokenizer, name) for name in Tokenizer.__dataclass_fields__}
    content = {"format": FORMAT, "version": VERSION, "tokenizer": options, "segments": segments}
    content = json.loads(json.dumps(content))
    text = json.dumps({"checksum": content_checksum(content), **content}, indent=1)
    with replaced_file(folder / LIST) as file:
        file.write(text.encode("ascii"))


def write_segment(folder: Path, segment: Segment) -> Entry:
    """Write and flush a new file with a segment; return its entry in the list."""
    name = f"segment-{secrets.token_hex(8)}.safetensors"
    arrays = {field: np.ascontiguousarray(getattr(segment, field), dtype=kind) for field, kind in _ARRAYS.items()}
    arrays["words"], arrays["word_offsets"] = packed(segment.words)
    arrays["ids"], arrays["id_offsets"] = packed(segment.ids)
    encoded = [segment.text(doc).encode() for doc in range(len(segment))]
    arrays["text_offsets"] = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    arrays["texts"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    path, draft = folder / name, folder / DRAFTS / name
    with explained(path):
        draft.parent.mkdir(exist_ok=True)
        try:
            # save_file first writes a file with a name of its own: a killed process must leave it in drafts/
            save_file({field: np.ascontiguousarray(array) for field, array in arrays.items()}, draft)
        except SafetensorError as error:
            raise OSError(str(error)) from error
        flush_file(draft)
        os.replace(draft, path)
        flush_folder(folder)
    return {"file": name, "bytes": path.stat().st_size, "sha256": _hash_of(path)}


@contextlib.contextmanager
def appending(folder: Path) -> Iterator[None]:
    """Make this process the only one that appends to an index."""
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        if take_lock(descriptor) is False:
            raise InvalidInput(f"another process is appending to {folder}; wait until it has finished")
        yield
    finally:
        os.close(descriptor)


def remove_unlisted(folder: Path, segments: list[Entry]) -> None:
    """Remove segments that the list does not name (merged ones) and drafts (of killed processes)."""
    shutil.rmtree(folder / DRAFTS, ignore_errors=True)
    named = {one["file"] for one in segments}
    for path in folder.iterdir():
        if _SEGMENT.fullmatch(path.name) and path.name not in named:
            with contextlib.suppress(OSError):
                path.unlink()


def _read_segment(folder: Path, listed: Entry) -> Segment:
    path = folder / listed["file"]
    if path.stat().st_size != listed.get("bytes") or _hash_of(path) != listed.get("sha256"):
        raise ModelFileError(f"{path} differs from what was written; the index is damaged: build it again")
    try:
        tensors: Any = safe_open(path, framework="numpy")
        arrays = {name: tensors.get_tensor(name) for name in _ARRAYS}
        names = ("words", "word_offsets", "ids", "id_offsets", "text_offsets")
        words, word_offsets, ids, id_offsets, text_offsets = map(tensors.get_tensor, names)
        texts = tensors.get_slice("texts")
        (n_bytes,) = texts.get_shape()
    except (SafetensorError, ValueError) as error:
        raise ModelFileError(f"{path} is not a segment of an index ({error}); build the index again") from error
    offsets = (word_offsets, id_offsets, text_offsets)
    plain = all(array.dtype == _ARRAYS[name] and array.ndim == 1 for name, array in arrays.items())
    plain = plain and all(array.dtype == np.int64 and array.ndim == 1 for array in offsets)
    plain = plain and words.dtype == ids.dtype == np.uint8 and texts.get_dtype() == "U8"
    rising = len(text_offsets) and text_offsets[0] == 0 and (np.diff(text_offsets) >= 0).all()
    if not plain or not rising or text_offsets[-1] != n_bytes or len(text_offsets) != len(arrays["lengths"]) + 1:
        raise ModelFileError(f"{path} has arrays of types that driftline does not write; build the index again")

    def text(doc: int) -> str:
        begin, end = int(text_offsets[doc]), int(text_offsets[doc + 1])
        found: bytes = texts[begin:end].tobytes() if begin < end else b""  # an empty slice may be rejected
        return found.decode("utf-8", "replace")

    where = str(path)
    strings = unpacked(words, word_offsets, where), unpacked(ids, id_offsets, where)
    return Segment(words=strings[0], ids=strings[1], text=text, **arrays).check(where)


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

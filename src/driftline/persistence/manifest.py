"""The manifest of a saved model: its class, the versions that wrote it, and the hashes of the other files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from driftline.core.errors import InvalidInput, ModelFileError
from driftline.persistence.migrations import FORMAT_VERSION
from driftline.persistence.open_model import OpenFolder, opened_folder

MANIFEST = "manifest.json"
TENSORS = "model.safetensors"
FORMAT = "driftline-model"
MAX_MANIFEST_BYTES = 64 * 2**20
_VOCABULARY = re.compile(r"vocabulary(-[1-9]\d{0,3})?\.arrow", re.ASCII)


def vocabulary_file(number: int) -> str:
    """Return the name of the file of vocabulary `number`.

    >>> vocabulary_file(0), vocabulary_file(1)
    ('vocabulary.arrow', 'vocabulary-1.arrow')
    """
    return f"vocabulary-{number}.arrow" if number else "vocabulary.arrow"


def is_model_file(name: str) -> bool:
    """Return whether a saved model may contain a file of this name."""
    return name in (MANIFEST, TENSORS) or _VOCABULARY.fullmatch(name) is not None


def write_manifest(folder: Path, content: dict[str, object]) -> None:
    """Write the manifest last: it names every other file of the folder with its size and hash."""
    files = {}
    for file in sorted(folder.iterdir()):
        with file.open("rb") as stream:
            files[file.name] = {"bytes": file.stat().st_size, "sha256": _sha256(stream)}
    manifest = {"format": FORMAT, "format_version": FORMAT_VERSION, **content, "files": files}
    text = json.dumps({"checksum": content_checksum(manifest), **manifest}, indent=1)
    if len(text) > MAX_MANIFEST_BYTES:
        raise InvalidInput(
            f"cannot save the model: its manifest would take {len(text) / 2**20:.0f} MiB; keep long lists in arrays"
        )
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


@contextlib.contextmanager
def opened_model(path: str | Path) -> Iterator[OpenFolder]:
    """Open the files of a saved model, all of the same version of it."""
    with opened_folder(Path(path), is_model_file) as folder:
        if MANIFEST not in folder:
            raise ModelFileError(f"{path} is not a saved model: a model is a folder with a {MANIFEST}")
        yield folder


def read_manifest(folder: OpenFolder) -> dict[str, Any]:
    """Read the manifest of an open model; check its own checksum and the hashes of all files that it names."""
    where = folder.path
    if folder.size(MANIFEST) > MAX_MANIFEST_BYTES:
        raise ModelFileError(f"the manifest of {where} is larger than any that driftline writes; restore the model")
    manifest = _parsed(folder)
    version = manifest.get("format_version")
    if type(version) is not int or version < 1:
        raise ModelFileError(f"{where} has no format version; the model is damaged: restore it, or fit it again")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{where} was saved by driftline {manifest.get('driftline_version')} in format {version}; this version "
            f"reads up to format {FORMAT_VERSION}: upgrade with pip install --upgrade driftline"
        )
    checksum = manifest.pop("checksum", None)
    if checksum != content_checksum(manifest):
        raise ModelFileError(f"the manifest of {where} is damaged; restore the model from a copy, or fit it again")
    _check_files(folder, manifest.get("files"))
    return manifest


def content_checksum(content: dict[str, object]) -> str:
    """Return the hash of the content of a JSON object, whatever its white space."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def _parsed(folder: OpenFolder) -> dict[str, object]:
    try:
        manifest = json.loads(folder.file(MANIFEST).read())
    except (ValueError, RecursionError) as error:
        raise ModelFileError(
            f"the manifest of {folder.path} cannot be read ({error}); restore the model from a copy, or fit it again"
        ) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ModelFileError(f"{folder.path} was not saved by driftline: its manifest is of another format")
    return manifest


def _check_files(folder: OpenFolder, files: object) -> None:
    if not isinstance(files, dict) or TENSORS not in files:
        raise ModelFileError(f"the manifest of {folder.path} names no files; the model is damaged")
    for name, expected in files.items():
        file = folder.path / name
        if not is_model_file(name) or name == MANIFEST or not isinstance(expected, dict):
            raise ModelFileError(f"the manifest of {folder.path} names the file {name!r}; it was tampered with")
        if name not in folder:
            raise ModelFileError(f"{file} is missing; restore the model from a copy, or fit it again")
        size = folder.size(name)
        if size != expected.get("bytes") or _sha256(folder.file(name)) != expected.get("sha256"):
            raise ModelFileError(
                f"{file} is damaged (it has {size} bytes and should have {expected.get('bytes')}, or its hash "
                f"differs); restore the model from a copy, or fit it again"
            )


def _sha256(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := stream.read(2**20):
        digest.update(chunk)
    return digest.hexdigest()

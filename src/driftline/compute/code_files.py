"""Files with the compiled code of one function: one for every signature, named after what it was compiled from.

Numba numbers its files in the order in which signatures are compiled, and records the numbers in an index. Two
processes that compile different signatures at the same time take the same number, and whichever file is written last is
then loaded for both: every later run fails with "can't unbox array". Here the name of a file is a digest of its source,
its signature and its processor, so that concurrent processes write different files, or the same code.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import uuid
from pathlib import Path

from numba import __version__ as numba_version
from numba.core.serialize import dumps

SUFFIX = ".nbc"
"""Suffix of files with compiled code, as Numba's."""


class CodeFiles:
    """The files of one function in a folder; `stamp` identifies the version of its source file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = CodeFiles(folder, "add-3", b"source")
    ...     files.save("int64", 1.5)
    ...     files.load("int64"), files.load("float64")
    (1.5, None)
    """

    def __init__(self, folder: str, function: str, stamp: bytes) -> None:
        self._folder = Path(folder)
        self._function = function
        self._version = hashlib.sha256(stamp + numba_version.encode()).hexdigest()[:12]

    def load(self, key: object) -> object:
        """Return the data saved under a key; None if there are none."""
        try:
            content = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        saved, data = pickle.loads(content)  # noqa: S301 (the folder is safe from other users, see `cache_folder`)
        return data if saved == key else None

    def save(self, key: object, data: object) -> None:
        """Write the data of a key, in one step, and remove files of other versions of the source."""
        path = self._path(key)
        partial = path.with_name(f"{path.name}.tmp.{uuid.uuid4().hex[:16]}")
        try:
            partial.write_bytes(dumps((key, data)))
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
        for other in self._folder.glob(f"{self._function}.*{SUFFIX}"):
            if not other.name.startswith(f"{self._function}.{self._version}."):
                with contextlib.suppress(OSError):
                    other.unlink()

    def flush(self) -> None:
        """Remove all files of the function."""
        for path in self._folder.glob(f"{self._function}.*{SUFFIX}"):
            path.unlink(missing_ok=True)

    def _path(self, key: object) -> Path:
        signature = hashlib.sha256(repr(key).encode()).hexdigest()[:24]
        return self._folder / f"{self._function}.{self._version}.{signature}{SUFFIX}"

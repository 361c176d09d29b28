"""The file to which `driftline watch` appends, protected against confusion with other files."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from driftline.core.errors import InvalidInput

ENDS = 4096
"""Number of bytes that the fingerprint covers at each end of the written text."""


class OutputFile:
    """A file whose first `written` bytes are identified by their `fingerprint`; writing continues after them.

    Bytes after them were written by a process that was killed, unless the file was `closed`, and are truncated. A file
    that does not begin with the written bytes is refused, and so is an existing file if nothing was written yet.
    """

    def __init__(self, path: Path, *, written: int, fingerprint: str, closed: bool) -> None:
        from driftline.persistence.flushing import explained, flush_folder

        self.path = path
        with explained(path):
            is_new = not path.exists()
            self._file = open(path, "a+b")  # noqa: SIM115 (see close)
            if is_new:
                flush_folder(path.absolute().parent)
        try:
            self._check(written, fingerprint, closed)
        except BaseException:
            self.close()
            raise

    def _check(self, written: int, fingerprint: str, closed: bool) -> None:
        status = os.fstat(self._file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise InvalidInput(f"{self.path} is not a regular file; omit --output to print the lines")
        if status.st_size == 0:  # new, or moved away by a log rotation
            return
        unknown = closed and not written
        if unknown or status.st_size < written or self._fingerprint(written) != fingerprint:
            raise InvalidInput(
                f"{self.path} exists, but this --state did not write it, or it has been changed since; "
                f"move it away, or name another --output"
            )
        if status.st_size > written and not closed:
            self._file.truncate(written)

    def write(self, text: str) -> None:
        """Append a text; it is on disk after `flush`."""
        from driftline.persistence.flushing import explained

        with explained(self.path):
            self._file.write(text.encode("utf-8", "replace"))

    def flush(self) -> tuple[int, str]:
        """Wait until all text is on disk; return the file size in bytes, and the fingerprint."""
        from driftline.persistence.flushing import explained

        with explained(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            written = self._file.seek(0, os.SEEK_END)
            return written, self._fingerprint(written)

    def close(self) -> None:
        """Close the file; a failure to write unflushed text is ignored."""
        try:
            self._file.close()
        except OSError:
            return

    def _fingerprint(self, written: int) -> str:
        """Return a digest of both ends of the first `written` bytes."""
        self._file.seek(0)
        head = self._file.read(min(ENDS, written))
        self._file.seek(max(0, written - ENDS))
        tail = self._file.read(min(ENDS, written))
        self._file.seek(0, os.SEEK_END)
        return hashlib.sha256(head + tail).hexdigest()[:32]

"""The file that `driftline watch` adds to, and never mistakes for one of somebody else."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from driftline.core.errors import InvalidInput

ENDS = 4096
"""Number of bytes at the beginning and at the end of what was written that the fingerprint covers."""


class OutputFile:
    """A file whose first `written` bytes are known by their `fingerprint`; writing goes on behind them.

    What is behind them comes from a process that was killed, unless the file was `closed`, and is cut off. A file that
    does not begin with what was written is refused; so is one that is there although nothing was written yet.
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
            raise InvalidInput(f"{self.path} is no ordinary file; leave --output out to print the lines")
        if status.st_size == 0:  # new, or moved away by a log rotation
            return
        unknown = closed and not written
        if unknown or status.st_size < written or self._fingerprint(written) != fingerprint:
            raise InvalidInput(
                f"{self.path} is there, but this --state did not write it, or it was changed since; "
                f"move it away, or name another --output"
            )
        if status.st_size > written and not closed:
            self._file.truncate(written)

    def write(self, text: str) -> None:
        """Add a text; it is on the disk after `flush`."""
        from driftline.persistence.flushing import explained

        with explained(self.path):
            self._file.write(text.encode("utf-8", "replace"))

    def flush(self) -> tuple[int, str]:
        """Wait until everything is on the disk; return how many bytes the file has, and their fingerprint."""
        from driftline.persistence.flushing import explained

        with explained(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            written = self._file.seek(0, os.SEEK_END)
            return written, self._fingerprint(written)

    def close(self) -> None:
        """Close the file; what was not flushed is not worth an error."""
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

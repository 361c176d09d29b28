"""Files: growing files, followed line by line, and archives of any format, read once, oldest documents first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from driftline.readers.line_follower import FileMark, Line, LineFollower
from driftline.service.json_records import Rejected, read_lines, record_of
from driftline.service.sources.threaded import ThreadedSource
from driftline.service.submissions import MOST_DOCUMENTS, Intake, Place, Submission
from driftline.service.writer import microseconds

LOOK_EVERY = 0.1
"""Seconds between two checks of a file."""
MOST_BYTES = 4 * 2**20
"""Maximum size of the lines of one batch in bytes."""


class FollowSource(ThreadedSource):
    """Follow a file of JSON lines; rotated and truncated files are handled as by `driftline watch`.

    The place is the offset after the last line, with the identity of the file, and is stored with the documents.
    """

    kind = "follow"

    def __init__(self, path: Path, after: tuple[ThreadedSource, ...] = ()) -> None:
        super().__init__(f"follow:{path.absolute()}")
        self.unit = "bytes"
        self._path, self._after = path.absolute(), after

    def read(self, writer: Intake) -> None:
        """Read the existing lines, then new ones as they are written."""
        while not all(source.over.is_set() for source in self._after):
            if self.stopped.wait(LOOK_EVERY):
                return
        follower = self._follower(writer)
        while not self.stopped.is_set():
            self.check_last()
            batch: list[Line] = []
            size = 0
            for line in follower.new_lines():
                batch.append(line)
                size += len(line.content or b"")
                if len(batch) >= MOST_DOCUMENTS or size > MOST_BYTES:
                    self._send(writer, batch)
                    batch, size = [], 0
                    if self.stopped.is_set():
                        return
            if batch:
                self._send(writer, batch)
            follower.notices.clear()
            try:
                self.lag = float(max(0, self._path.stat().st_size - follower.offset))
            except OSError:
                self.state = "the file is missing"
            self.stopped.wait(LOOK_EVERY)

    def _follower(self, writer: Intake) -> LineFollower:
        place = self.place(writer)
        if place is None:
            return LineFollower(self._path)
        kept: dict[str, Any] = json.loads(place.mark or "{}")
        mark = FileMark(*kept["mark"]) if kept.get("mark") else None
        return LineFollower(
            self._path, offset=place.place, number=kept.get("number", 0), mark=mark, ended=kept.get("ended", True)
        )

    def _send(self, writer: Intake, batch: list[Line]) -> None:
        contents = [line.content for line in batch]
        found = read_lines(
            contents, now=microseconds(), secret=writer.secret, first=batch[0].number, repeat_key=self.name
        )
        last = batch[-1]
        mark = json.dumps({"mark": last.mark, "number": last.number, "ended": last.ended})
        place = Place("", last.end, mark)
        self.hand_over(writer, Submission(self.name, found.records, place, found.rejected))


class BackfillSource(ThreadedSource):
    """Read any source of `driftline.read`, oldest documents first; a restart continues after the last stored one."""

    kind = "backfill"

    def __init__(self, source: str) -> None:
        super().__init__(f"backfill:{source}")
        self.unit = "documents"
        self._source = source

    def read(self, writer: Intake) -> None:
        """Read all documents and submit them in batches."""
        import driftline

        place = self.place(writer)
        first = 0 if place is None else place.place
        table = driftline.read(self._source).table().sort_by("time")
        times = table["time"].cast("int64").to_numpy()
        texts, ids, labels = (table[name] for name in ("text", "id", "label"))
        for start in range(first, len(times), MOST_DOCUMENTS):
            if self.stopped.is_set():
                return
            end = min(start + MOST_DOCUMENTS, len(times))
            part = slice(start, end)
            rows = zip(
                np.asarray(times[part]).tolist(),
                texts[part].to_pylist(),
                ids[part].to_pylist(),
                labels[part].to_pylist(),
            )
            records, rejected = [], []
            now = microseconds()
            for number, row in enumerate(rows, start=start + 1):
                made = record_of(*row, now=now, secret=writer.secret)
                if isinstance(made, str):
                    rejected.append(Rejected(number, made))
                else:
                    records.append(made)
            self.hand_over(writer, Submission(self.name, records, Place("", end), rejected, where="document"))
            self.lag = float(len(times) - end)
        self.finish()

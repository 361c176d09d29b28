"""Files: growing files, followed line by line, and archives of any format, read once, oldest documents first."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from driftline.core.display import one_line
from driftline.core.errors import InvalidInput, MissingDependency
from driftline.readers.line_follower import FileMark, Line, LineFollower
from driftline.service.json_records import Rejected, read_lines, record_of
from driftline.service.sources.threaded import ThreadedSource, Unreadable
from driftline.service.submissions import MOST_DOCUMENTS, Intake, Place, Submission
from driftline.service.writer import microseconds
from driftline.streams.rejections import Rejections

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
                self.state = "open"
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
        place = self.place(writer)
        table, rejections = self._table()
        if place is None:
            listed = [Rejected(f"{each.source}, {each.place}", each.category) for each in rejections.examples]
            n_more = rejections.count - len(listed)
            self.hand_over(writer, Submission(self.name, [], Place("", 0), listed, n_unlisted=n_more, where=""))
        first = 0 if place is None else place.place
        times = table["time"].cast("int64").to_numpy()
        equal = EqualDocuments()
        for row in range(int(np.searchsorted(times, times[first])) if first < len(times) else first, first):
            if not table["id"][row].is_valid:
                equal.before(int(times[row]), table["text"][row].as_py())
        for start in range(first, len(times), MOST_DOCUMENTS):
            if self.stopped.is_set():
                return
            part = table.slice(start, MOST_DOCUMENTS)
            records, rejected = [], []
            now = microseconds()
            columns = (part[name].to_pylist() for name in ("text", "id", "label"))
            rows = zip(times[start : start + len(part)].tolist(), *columns)
            for number, (moment, text, name, label) in enumerate(rows, start + 1):
                earlier = equal.before(moment, text) if name is None else 0
                made = record_of(moment, text, name, label, now=now, secret=writer.secret, earlier=earlier)
                if isinstance(made, str):
                    place = f"{number} in order of time" if name is None else one_line(name, longest=60)
                    rejected.append(Rejected(place, made))
                else:
                    records.append(made)
            end = start + len(part)
            self.hand_over(writer, Submission(self.name, records, Place("", end), rejected, where="document"))
            self.lag = float(len(times) - end)
        self.finish()

    def _table(self) -> tuple[pa.Table, Rejections]:
        """Return all documents in order of time, with null for missing ids, and the rejected records."""
        from driftline.readers.read import read_own_ids

        try:
            stream = read_own_ids(self._source)
            return stream.table(), stream.rejections
        except (InvalidInput, MissingDependency) as error:
            raise Unreadable(str(error)) from error


class EqualDocuments:
    """Counts documents with equal time and text, which must come in order of time: repeated lines of a log count."""

    def __init__(self) -> None:
        self._time: int | None = None
        self._seen: Counter[str] = Counter()

    def before(self, time: int, text: str) -> int:
        """Return the number of documents before this one that are equal to it.

        >>> equal = EqualDocuments()
        >>> equal.before(1, "tick"), equal.before(1, "tick"), equal.before(2, "tick")
        (0, 1, 0)
        """
        if time != self._time:
            self._time = time
            self._seen.clear()
        self._seen[text] += 1
        return self._seen[text] - 1
